extension ReportSection {
  static let caches = ReportSection(
    .caches, title: "CACHES (requests of every class by outcome)", lines: { $0.caches() },
    page: { $0.writeCaches(to: &$1) })

  static let cacheNote = ReportSection(
    .caches,
    page: { page, body in
      if !page.record.hasRequests { return }
      page.paragraph(
        "Hits: (hit + stale_hit) / (all - error). ± is half of the 95 % interval over the "
          + "replications, where the result holds one. Outcomes that never occurred are left out.",
        faint: true, to: &body)
    })
}

extension RunRecord {
  /// Whether some cache saw a request.
  var hasRequests: Bool { tiers.contains { $0.requests > 0 } }
}

extension ReportWriter {
  func caches() -> [String] {
    var lines: [String] = []
    for name in RunRecord.ordered(record.tiers, by: \.tier) {
      let rows = record.tiers.filter { $0.tier == name }
      let total = TierTally(rows)
      if total.requests == 0 { continue }
      let outcomes = TierTally.outcomes(rows)
      var table = TextTable(
        [.left, .right, .right, .right, .right] + outcomes.map { _ in .right })
      table.heading([name, "requests", "hit %", "bytes %", "bytes"] + outcomes)
      for label in RunRecord.ordered(rows, by: \.class) {
        let tally = TierTally(rows.filter { $0.class == label })
        if tally.requests == 0 { continue }
        let metric = record.metric("hit_ratio{tier=\(name),class=\(label),by=requests}.ratio")
        table.add(row(label, tally, outcomes, metric?.estimate.text.shortText))
      }
      table.add(row("all", total, outcomes, nil))
      lines += lines.isEmpty ? [] : [""]
      lines += table.lines(color: color)
      lines += ratios(name)
    }
    if let offload = record.metric("origin_offload.ratio")?.estimate, offload.value != nil {
      let counters = record.counters
      lines += [
        "",
        "  origin: \(Figures.count(counters["originRequests"])) requests, "
          + "\(Figures.bytes(counters["originBytes"])); "
          + "offload \(offload.text.shortTextWithUnit) "
          + "of \(Figures.bytes(counters["deliveredBytes"])) delivered",
      ]
      lines += originTroubles()
    }
    return lines
      + note("hit: (hit + stale_hit) / (all - error); outcomes that never occurred are left out")
  }

  /// What went wrong at the origin, when something did.
  private func originTroubles() -> [String] {
    let origin = record.origin
    let parts = [
      ("errors", "503 in an outage"), ("slowDowns", "503 Slow Down"),
      ("unanswered", "never answered"), ("unreachable", "connections not opened"),
      ("clientErrors", "errors at viewers"),
      ("nameFailures", "of them because a name did not resolve"),
      ("clientStale", "of them answered from a stale copy on the device"),
      ("clientRetries", "of them asked again"),
    ].filter { origin[$0.0] > 0 }.map { "\(Figures.count(origin[$0.0])) \($0.1)" }
    let peak =
      "most in one second \(Figures.count(origin["largestRate"])), for one object in one "
      + "lifetime \(Figures.count(origin["largestPerLifetime"]))"
    return wrapped("origin: " + (parts + [peak]).joined(separator: "; "), indent: "  ")
  }

  private func row(
    _ label: String, _ tally: TierTally, _ outcomes: [String], _ ratio: String?
  ) -> [TextCell] {
    let style: TextStyle = label == "all" ? .bold : .plain
    func bare(_ share: String) -> String { String(share.prefix { $0 != " " }) }
    return [
      TextCell(label, style), TextCell(Figures.count(tally.requests), style),
      TextCell(ratio ?? bare(tally.hitText)), TextCell(bare(tally.hitBytesText)),
      TextCell(Figures.bytes(tally.bytes)),
    ]
      + outcomes.map { outcome in
        let count = tally.requests(outcome)
        return TextCell(count == 0 ? "·" : Figures.count(count))
      }
  }

  /// The ratios over the classes that the budget counts, with intervals.
  private func ratios(_ tier: String) -> [String] {
    let names = [
      ("hit_ratio{tier=\(tier),by=requests}.ratio", "hit_ratio"),
      ("hit_ratio{tier=\(tier),by=bytes}.ratio", "by bytes"),
      ("hit_ratio_cloudfront{tier=\(tier),by=requests}.ratio", "hit_ratio_cloudfront"),
      ("hit_ratio_effective{tier=\(tier),by=requests}.ratio", "hit_ratio_effective"),
    ]
    let found = names.compactMap { name, label in
      record.metric(name)?.estimate.text.withValue.map { "\(label) \($0.shortTextWithUnit)" }
    }
    if found.isEmpty { return [] }
    return wrapped(
      found.joined(separator: ", ") + " (segment, init, sprite, vtt, poster)", indent: "  ")
  }
}

extension HTMLPage {
  func writeCaches(to body: inout Markup) {
    let tiers = RunRecord.ordered(record.tiers.filter { $0.requests > 0 }) { $0.tier }
    if tiers.isEmpty { return noData("no cache saw a request", to: &body) }
    body.element("div", ["class": "charts"]) { body in
      for tier in tiers {
        figure(
          outcomes(tier), id: "tier-\(HTMLPage.identifier(tier))",
          remark: "behind the bars: requests", to: &body)
      }
    }
    body.line()
    for tier in tiers {
      body.element("h3", text: "Tier: \(tier)")
      body.line()
      writeTier(tier, record.tiers.filter { $0.tier == tier }, to: &body)
    }
    writeOrigin(to: &body)
  }

  /// A tier's requests by class and outcome.
  private func outcomes(_ tier: String) -> BarChart {
    let rows = record.tiers.filter { $0.tier == tier }
    // The outcomes of all tiers, so that an outcome looks the same in each.
    let all = TierTally.outcomes(record.tiers)
    let whole = TierTally(rows)
    let bars = RunRecord.ordered(rows) { $0.class }.compactMap { name -> BarChart.Row? in
      let tally = TierTally(rows.filter { $0.class == name })
      let sum = tally.requests
      if sum == 0 { return nil }
      return BarChart.Row(
        name, parts: all.map { Double(tally.requests($0)) / Double(sum) },
        label: HTMLPage.count(sum))
    }
    return BarChart(
      ChartHeading(
        "Outcomes at the \(tier), shares of the requests",
        summary: "\(whole.hitText) of \(HTMLPage.count(whole.requests)) requests are hits; the "
          + "table holds the numbers."),
      axis: ChartAxis("requests", format: .percent, extent: 0...1), series: all, rows: bars)
  }

  private func writeTier(_ tier: String, _ rows: [RunRecord.Tier], to body: inout Markup) {
    let outcomes = TierTally.outcomes(rows)
    let classes = RunRecord.ordered(rows) { $0.class }
    let whole = TierTally(rows)
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
      if tally.requests == 0 { continue }
      let metric = record.metric("hit_ratio{tier=\(tier),class=\(name),by=requests}.ratio")
      table.add(cells(name, tally, metric?.estimate.text.withValue?.shortTextWithUnit))
    }
    table.add(cells("all", whole, nil), isTotal: true)
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
}
