extension HTMLPage {
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
    let outcomes = TierTally.outcomes(rows)
    // The chart has the outcomes of all tiers, so that an outcome looks the same in each.
    let all = TierTally.outcomes(record.tiers)
    let classes = RunRecord.ordered(rows) { $0.class }
    let whole = TierTally(rows)
    var bars: [BarChart.Row] = []
    var table = HTMLTable(
      "Requests at the \(tier) by class and outcome",
      [
        .text("Class"), .number("Requests"), .number("Hits"), .number("Hits by bytes"),
        .number("Bytes"),
      ] + outcomes.map { .number($0) })
    func cells(_ name: String, _ tally: TierTally, _ estimate: String?) -> [HTMLTable.Cell] {
      let head: [HTMLTable.Cell] = [
        .text(name), .text(HTMLPage.count(tally.requests)), .text(estimate ?? tally.hitText),
        .text(tally.hitBytesText), .text(Figures.bytes(tally.bytes)),
      ]
      return head + outcomes.map { .text(HTMLPage.count(tally.requests($0))) }
    }
    for name in classes {
      let tally = TierTally(rows.filter { $0.class == name })
      let sum = tally.requests
      if sum == 0 { continue }
      let metric = record.metric("hit_ratio{tier=\(tier),class=\(name),by=requests}.ratio")
      table.add(cells(name, tally, metric?.estimate.text.withValue?.shortTextWithUnit))
      bars.append(
        BarChart.Row(
          name, parts: all.map { Double(tally.requests($0)) / Double(sum) },
          label: HTMLPage.count(sum)))
    }
    table.add(cells("all", whole, nil), isTotal: true)
    let chart = BarChart(
      ChartHeading(
        "Outcomes at the \(tier), shares of the requests",
        summary: "\(whole.hitText) of \(HTMLPage.count(whole.requests)) requests are hits; the "
          + "table holds the numbers."),
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
    let counters = record.counters.byName
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
        .text(place.place), .text(place.requestsText),
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
