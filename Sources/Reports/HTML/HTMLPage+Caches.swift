extension HTMLPage {
  /// Requests and bytes of one class at one tier, by outcome.
  private struct Tally {
    var requests: [String: Int64] = [:]
    var bytes: [String: Int64] = [:]

    mutating func add(_ row: RunRecord.Tier) {
      requests[row.outcome, default: 0] += row.requests
      bytes[row.outcome, default: 0] += row.bytes
    }

    static func sum(_ counts: [String: Int64]) -> Int64 { counts.values.reduce(0, +) }

    /// (hit + stale_hit) / (all - error), contract.md section 1.
    static func ratio(_ counts: [String: Int64]) -> String {
      let good = (counts["hit"] ?? 0) + (counts["stale_hit"] ?? 0)
      return Figures.share(good, of: sum(counts) - (counts["error"] ?? 0))
    }
  }

  /// The outcomes in the order of contract.md section 1, then those that it does not name.
  private static func outcomes(_ rows: [RunRecord.Tier]) -> [String] {
    let known = ["hit", "stale_hit", "revalidated", "collapsed", "miss", "bypass", "error"]
    let used = RunRecord.ordered(rows.filter { $0.requests > 0 }) { $0.outcome }
    return known.filter { used.contains($0) } + used.filter { !known.contains($0) }
  }

  func writeCaches(to body: inout Markup) {
    let tiers = RunRecord.ordered(record.tiers.filter { $0.requests > 0 }) { $0.tier }
    if tiers.isEmpty { return noData("no cache saw a request", to: &body) }
    for tier in tiers {
      body.element("h3", text: "Tier: \(tier)")
      body.line()
      writeTier(tier, record.tiers.filter { $0.tier == tier }, to: &body)
    }
    writeOrigin(to: &body)
    writePeakLoad(to: &body)
    writeLoad(to: &body)
    paragraph(
      "Hits: (hit + stale_hit) / (all - error). ± is half of the 95 % interval over the "
        + "replications, where the result holds one. Outcomes that never occurred are left out.",
      faint: true, to: &body)
  }

  private func writeTier(_ tier: String, _ rows: [RunRecord.Tier], to body: inout Markup) {
    let outcomes = HTMLPage.outcomes(rows)
    // The chart has the outcomes of all tiers, so that an outcome looks the same in each.
    let all = HTMLPage.outcomes(record.tiers)
    let classes = RunRecord.ordered(rows) { $0.class }
    var whole = Tally()
    var bars: [BarChart.Row] = []
    var table = HTMLTable(
      "Requests at the \(tier) by class and outcome",
      [
        .text("Class"), .number("Requests"), .number("Hits"), .number("Hits by bytes"),
        .number("Bytes"),
      ] + outcomes.map { .number($0) })
    func cells(_ name: String, _ tally: Tally, _ estimate: String?) -> [HTMLTable.Cell] {
      let head: [HTMLTable.Cell] = [
        .text(name), .text(HTMLPage.count(Tally.sum(tally.requests))),
        .text(estimate ?? Tally.ratio(tally.requests)), .text(Tally.ratio(tally.bytes)),
        .text(Figures.bytes(Tally.sum(tally.bytes))),
      ]
      return head + outcomes.map { .text(HTMLPage.count(tally.requests[$0] ?? 0)) }
    }
    for name in classes {
      var tally = Tally()
      for row in rows where row.class == name {
        tally.add(row)
        whole.add(row)
      }
      let sum = Tally.sum(tally.requests)
      if sum == 0 { continue }
      let metric = record.metric("hit_ratio{tier=\(tier),class=\(name),by=requests}.ratio")
      let estimate = metric?.estimate.text
      table.add(cells(name, tally, estimate?.value == nil ? nil : estimate?.shortTextWithUnit))
      bars.append(
        BarChart.Row(
          name, parts: all.map { Double(tally.requests[$0] ?? 0) / Double(sum) },
          label: HTMLPage.count(sum)))
    }
    table.add(cells("all", whole, nil), isTotal: true)
    let chart = BarChart(
      ChartHeading(
        "Outcomes at the \(tier), shares of the requests",
        summary: "\(Tally.ratio(whole.requests)) of "
          + "\(HTMLPage.count(Tally.sum(whole.requests))) requests are hits; the table holds the "
          + "numbers."),
      axis: ChartAxis("requests", format: .percent, extent: 0...1), series: all, rows: bars)
    figure(
      chart, id: "tier-\(HTMLPage.identifier(tier))", remark: "behind the bars: requests",
      to: &body)
    table.write(to: &body)
    let ratios = record.metrics.filter {
      $0.name.label("tier") == tier && $0.name.label("class") == nil && $0.estimate.value != nil
    }
    if ratios.isEmpty { return }
    body.element("ul") { body in
      for metric in ratios {
        body.element(
          "li",
          text: "\(metric.name.words): \(metric.estimate.text.shortTextWithUnit), "
            + "n = \(HTMLPage.count(metric.estimate.samples)) \(metric.name.sampleNoun)")
      }
    }
    body.line()
  }

  /// Letters, digits and hyphens only.
  static func identifier(_ text: String) -> String {
    String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
  }

  private func writeOrigin(to body: inout Markup) {
    let counters = record.counters
    guard let requests = counters["originRequests"], let bytes = counters["originBytes"],
      let delivered = counters["deliveredBytes"]
    else { return }
    let offload = record.metric("origin_offload.ratio")?.estimate.text.shortTextWithUnit
    paragraph(
      "Origin: \(HTMLPage.count(requests)) requests, \(Figures.bytes(bytes)) of "
        + "\(Figures.bytes(delivered)) delivered"
        + (offload.map { "; offload \($0)." } ?? "."), to: &body)
  }

  private func writePeakLoad(to body: inout Markup) {
    guard let load = record.peakLoad else { return }
    var table = HTMLTable(
      "Peak load: the busiest \(Figures.duration(load.spanSeconds)) of each place",
      [.text("Place"), .number("Requests/s"), .number("Gbps")])
    for place in load.places {
      table.add([
        .text(place.place), .text(HTMLPage.count(Int64(place.requestsPerSecond.rounded()))),
        .text(Figures.decimal(place.bitsPerSecond / 1e9, 3)),
      ])
    }
    table.write(to: &body)
    paragraph(
      "All edges together. To viewers "
        + "\(Figures.decimal(load.deliveredBitsPerSecond / 1e9, 3)) Gbps, from "
        + "\(Figures.duration(load.busiestSeconds)) of the measured time on.", to: &body)
  }
}
