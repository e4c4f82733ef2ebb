extension ReportWriter {
  // MARK: Playback

  func playback() -> [String] {
    var table = TextTable([.left, .left, .left])
    for (name, label) in [
      ("rebuffer_ratio.ratio", "rebuffer ratio"),
      ("stalled_time_ratio.ratio", "stalled time ratio"),
    ] {
      guard let metric = record.metric(name) else { continue }
      table.add([
        TextCell(label), TextCell(metric.estimate.text.shortTextWithUnit),
        TextCell(
          "n = \(Figures.count(metric.estimate.samples)) \(metric.name.sampleNoun)", .faint),
      ])
    }
    let sums = record.playback
    table.add(["stalls", TextCell(sums.stallsText), TextCell(sums.viewsText, .faint)])
    table.add(["played", TextCell(sums.playedText), TextCell(sums.stalledText, .faint)])
    return table.lines(color: color)
  }

  // MARK: Caches

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

  // MARK: Cost

  func cost() -> [String] {
    guard let cost = record.cost else { return [] }
    var table = TextTable([.left, .right, .right])
    table.heading(["", "\(cost.currency) a month", "share"])
    for (name, amount) in cost.parts where amount > 0 {
      table.add([
        TextCell(name), TextCell(Figures.decimal(amount, 0)),
        TextCell(Figures.percent(amount / cost.total)),
      ])
    }
    let half = cost.halfWidth.map { " ±\(Figures.decimal($0, 0))" } ?? ""
    table.add([
      TextCell("all", .bold), TextCell(Figures.decimal(cost.month, 0) + half, .bold), "100 %",
    ])
    let list = cost.priceList
    return table.lines(color: color)
      + note(
        "\(Figures.decimal(cost.perMillionViews, 2)) \(cost.currency) per million views; "
          + "\(Figures.decimal(cost.viewsPerDay, 0)) views a day for 30 days at the prices of "
          + "\(list.name) (\(list.day), \(cost.region)).")
  }

  // MARK: Bytes

  func bytes() -> [String] {
    let sum = RunRecord.Bytes(sumOf: record.bytes)
    if sum.delivered == 0 { return ["  none"] }
    var table = TextTable([.left, .right, .right, .left])
    func add(_ label: String, _ value: Int64, of whole: Int64, _ remark: String = "") {
      table.add([
        TextCell(label), TextCell(Figures.bytes(value)), TextCell(Figures.share(value, of: whole)),
        TextCell(remark, .faint),
      ])
    }
    add("delivered", sum.delivered, of: sum.delivered)
    add("  rendered", sum.rendered, of: sum.delivered)
    add("  wasted", sum.wasted, of: sum.delivered, record.wastedText)
    add("  still buffered", sum.stillBuffered, of: sum.delivered, "sessions cut at the end")
    add("prefetched", sum.prefetched, of: sum.delivered, "of the delivered")
    add("  of that wasted", sum.prefetchedWasted, of: sum.prefetched, "of the prefetched")
    return table.lines(color: color)
  }

  // MARK: Counters

  func counters() -> [String] {
    let counts = record.counters
    let sprites = Figures.share(counts["spriteHits"], of: counts["scrubLookups"])
    let groups: [(String, [(String, String)], String)] = [
      (
        "players",
        [
          ("playerCreates", "created"), ("playerRetargets", "given another item"),
          ("staleReadiness", "stale readiness"),
          ("decodersRefused", "decoders refused"),
        ], ""
      ),
      (
        "prefetch",
        [
          ("prefetchStarts", "started"), ("prefetchReached", "complete"),
          ("prefetchCancels", "cancelled"),
        ], ""
      ),
      (
        "scrub",
        [("scrubs", "long presses"), ("scrubLookups", "look-ups")],
        ", \(sprites) from the sprite cache"
      ),
      (
        "network",
        [
          ("requests", "requests"), ("cancelledRequests", "cancelled"),
          ("connectionsOpened", "connections"), ("feedPages", "feed pages"),
        ], ""
      ),
    ]
    return groups.flatMap { name, numbers, remark in
      let texts = numbers.map { "\(Figures.count(counts[$0.0])) \($0.1)" }
      return wrapped("\(name): \(texts.joined(separator: ", "))\(remark)", indent: "  ")
    }
  }

  // MARK: By cohort

  func byLabel(_ label: String, _ value: (RunRecord.Cohort) -> String) -> [String] {
    let values = RunRecord.ordered(record.cohorts, by: value)
    if values.count < 2 { return [] }
    var table = TextTable([
      .left, .right, .right, .right, .right, .right, .right, .right,
    ])
    table.heading([
      label, "views", "p50 ms", "p75 ms", "p95 ms", "not started", "rebuffer", "wasted",
    ])
    for value in values {
      func metric(_ name: String, _ stat: String) -> RunRecord.Estimate? {
        record.metric("\(name){\(label)=\(value)}.\(stat)")?.estimate
      }
      let times = ["p50", "p75", "p95"].map { metric("ttff_ms", $0) }
      let ratios = ["not_started_ratio", "rebuffer_ratio", "wasted_ratio"].map {
        metric($0, "ratio")
      }
      table.add(
        [TextCell(value), TextCell(Figures.count(times[0]?.samples ?? 0))]
          + times.map { TextCell($0?.text.shortText ?? "–") }
          + ratios.map { TextCell($0?.text.shortTextWithUnit ?? "–") })
    }
    return table.lines(color: color)
  }
}
