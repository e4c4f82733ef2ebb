import CachePolicy
import MediaUnits
import Models
import Scenario
import Statistics
import Studies

extension ReportWriter {
  // MARK: Playback

  func playback() -> [String] {
    let cohorts = result.cohorts
    let stalls = cohorts.reduce(0) { $0 + $1.stalls }
    let viewsWithStall = cohorts.reduce(0) { $0 + $1.viewsWithStall }
    let played = cohorts.reduce(0) { $0 + $1.played }
    let stalled = cohorts.reduce(0) { $0 + $1.stalled }
    var table = TextTable([.left, .left, .left])
    for (name, label) in [
      ("rebuffer_ratio.ratio", "rebuffer ratio"),
      ("stalled_time_ratio.ratio", "stalled time ratio"),
    ] {
      guard let metric = result.metric(name) else { continue }
      table.add([
        TextCell(label), TextCell(metric.shortTextWithUnit),
        TextCell("n = \(Figures.count(metric.samples)) \(metric.reference.sampleNoun)", .faint),
      ])
    }
    table.add([
      "stalls", TextCell(Figures.count(stalls)),
      TextCell(
        "in \(Figures.count(viewsWithStall)) of \(Figures.count(result.views)) views "
          + "(\(Figures.share(viewsWithStall, of: result.views)))", .faint),
    ])
    table.add([
      "played", TextCell(Figures.duration(Double(played) / 1e9)),
      TextCell("stalled \(Figures.duration(Double(stalled) / 1e9))", .faint),
    ])
    return table.lines(color: color)
  }

  // MARK: Caches

  func caches() -> [String] {
    var lines: [String] = []
    for (name, counters) in ResultForms.tiers(result) {
      let total = AssetClass.allCases.reduce(into: Tally()) { $0.add(counters, $1) }
      if total.requests == 0 { continue }
      let outcomes = CacheOutcome.allCases.filter { total.outcomes[Int($0.rawValue)] > 0 }
      var table = TextTable(
        [.left, .right, .right, .right, .right] + outcomes.map { _ in .right })
      table.heading(
        [name, "requests", "hit %", "bytes %", "bytes"]
          + outcomes.map { ResultDocument.name(of: $0) })
      for asset in AssetClass.allCases {
        var tally = Tally()
        tally.add(counters, asset)
        if tally.requests == 0 { continue }
        let label = MetricReference.classes[Int(asset.rawValue)]
        let metric = result.metric("hit_ratio{tier=\(name),class=\(label),by=requests}.ratio")
        table.add(row(label, tally, outcomes, metric?.shortText))
      }
      table.add(row("all", total, outcomes, nil))
      lines += lines.isEmpty ? [] : [""]
      lines += table.lines(color: color)
      lines += ratios(name)
    }
    if let offload = result.metric("origin_offload.ratio"), offload.value != nil {
      lines += [
        "",
        "  origin: \(Figures.count(result.measures.counts.originRequests)) requests, "
          + "\(Figures.bytes(result.measures.counts.originBytes)); "
          + "offload \(offload.shortTextWithUnit) "
          + "of \(Figures.bytes(result.measures.counts.deliveredBytes)) delivered",
      ]
      lines += originTroubles()
    }
    return lines
      + note("hit: (hit + stale_hit) / (all - error); outcomes that never occurred are left out")
  }

  /// What went wrong at the origin, when something did.
  private func originTroubles() -> [String] {
    let measures = result.measures
    let total = measures.origin.total
    let parts = [
      (total.errors, "503 in an outage"), (total.slowDowns, "503 Slow Down"),
      (total.unanswered, "never answered"), (total.unreachable, "connections not opened"),
      (measures.counts.clientErrors, "errors at viewers"),
      (measures.counts.clientStale, "of them answered from a stale copy on the device"),
      (measures.counts.clientRetries, "of them asked again"),
    ].filter { $0.0 > 0 }.map { "\(Figures.count($0.0)) \($0.1)" }
    let peak =
      "most in one second \(Figures.count(measures.origin.largestRate)), for one object in one "
      + "lifetime \(Figures.count(measures.origin.largestPerLifetime))"
    return wrapped("origin: " + (parts + [peak]).joined(separator: "; "), indent: "  ")
  }

  // MARK: Cost

  func cost() -> [String] {
    guard let cost = result.cost else { return [] }
    var table = TextTable([.left, .right, .right])
    table.heading(["", "\(cost.prices.currency) a month", "share"])
    let parts = [
      ("transfer to viewers", cost.bill.transfer), ("requests of viewers", cost.bill.requests),
      ("shield crossings", cost.bill.shield), ("requests to the origin", cost.bill.originRequests),
      ("transfer from the origin", cost.bill.originTransfer), ("storage", cost.bill.storage),
    ]
    for (name, amount) in parts where amount > 0 {
      table.add([
        TextCell(name), TextCell(Figures.decimal(amount, 0)),
        TextCell(Figures.percent(amount / cost.bill.total)),
      ])
    }
    let half = cost.total.interval.map { " ±\(Figures.decimal($0.halfWidth, 0))" } ?? ""
    table.add([
      TextCell("all", .bold), TextCell(Figures.decimal(cost.total.value, 0) + half, .bold), "100 %",
    ])
    return table.lines(color: color)
      + note(
        "\(Figures.decimal(cost.perMillionViews, 2)) \(cost.prices.currency) per million views; "
          + "\(Figures.decimal(cost.viewsPerDay, 0)) views a day for 30 days at the prices of "
          + "\(cost.prices.name) (\(cost.prices.asOf), \(cost.region.name)).")
  }

  private func row(
    _ label: String, _ tally: Tally, _ outcomes: [CacheOutcome], _ ratio: String?
  ) -> [TextCell] {
    let style: TextStyle = label == "all" ? .bold : .plain
    func share(_ part: Int64, _ whole: Int64) -> String {
      String(Figures.share(part, of: whole).prefix { $0 != " " })
    }
    let byRequests = ratio ?? share(tally.good, tally.counted)
    let byBytes = share(tally.goodBytes, tally.countedBytes)
    return [
      TextCell(label, style), TextCell(Figures.count(tally.requests), style),
      TextCell(byRequests), TextCell(byBytes), TextCell(Figures.bytes(tally.bytes)),
    ]
      + outcomes.map { outcome in
        let count = tally.outcomes[Int(outcome.rawValue)]
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
      result.metric(name).flatMap { $0.value == nil ? nil : "\(label) \($0.shortTextWithUnit)" }
    }
    if found.isEmpty { return [] }
    return wrapped(
      found.joined(separator: ", ") + " (segment, init, sprite, vtt, poster)", indent: "  ")
  }

  /// Requests and bytes of some classes.
  private struct Tally {
    var outcomes = [Int64](repeating: 0, count: CacheOutcome.allCases.count)
    var bytesByOutcome = [Int64](repeating: 0, count: CacheOutcome.allCases.count)

    mutating func add(_ counters: TierCounters, _ asset: AssetClass) {
      for outcome in CacheOutcome.allCases {
        outcomes[Int(outcome.rawValue)] += counters.requests(asset, outcome)
        bytesByOutcome[Int(outcome.rawValue)] += counters.bytes(asset, outcome)
      }
    }

    private func good(_ counts: [Int64]) -> Int64 {
      counts[Int(CacheOutcome.hit.rawValue)] + counts[Int(CacheOutcome.staleHit.rawValue)]
    }

    var requests: Int64 { outcomes.reduce(0, +) }
    var bytes: Int64 { bytesByOutcome.reduce(0, +) }
    var good: Int64 { good(outcomes) }
    var goodBytes: Int64 { good(bytesByOutcome) }
    var counted: Int64 { requests - outcomes[Int(CacheOutcome.error.rawValue)] }
    var countedBytes: Int64 { bytes - bytesByOutcome[Int(CacheOutcome.error.rawValue)] }
  }

  // MARK: Bytes

  func bytes() -> [String] {
    var sum = ByteBalance()
    for balance in result.measures.balances { sum.add(balance) }
    if sum.delivered == 0 { return ["  none"] }
    var table = TextTable([.left, .right, .right, .left])
    let wasted = result.metric("wasted_ratio.ratio")
    func add(_ label: String, _ value: Int64, of whole: Int64, _ remark: String = "") {
      table.add([
        TextCell(label), TextCell(Figures.bytes(value)), TextCell(Figures.share(value, of: whole)),
        TextCell(remark, .faint),
      ])
    }
    add("delivered", sum.delivered, of: sum.delivered)
    add("  rendered", sum.rendered, of: sum.delivered)
    add(
      "  wasted", sum.wasted, of: sum.delivered,
      wasted.map {
        "wasted_ratio \($0.shortTextWithUnit), n = \(Figures.count($0.samples)) views"
      } ?? "")
    add("  still buffered", sum.stillBuffered, of: sum.delivered, "sessions cut at the end")
    add("prefetched", sum.prefetched, of: sum.delivered, "of the delivered")
    add("  of that wasted", sum.prefetchedWasted, of: sum.prefetched, "of the prefetched")
    return table.lines(color: color)
  }

  // MARK: Counters

  func counters() -> [String] {
    let counts = result.measures.counts
    let sprites = Figures.share(counts.spriteHits, of: counts.scrubLookups)
    let groups: [(String, [(Int64, String)], String)] = [
      (
        "players",
        [
          (counts.playerCreates, "created"), (counts.playerRetargets, "given another item"),
          (counts.staleReadiness, "stale readiness"),
          (counts.decodersRefused, "decoders refused"),
        ], ""
      ),
      (
        "prefetch",
        [
          (counts.prefetchStarts, "started"), (counts.prefetchReached, "complete"),
          (counts.prefetchCancels, "cancelled"),
        ], ""
      ),
      (
        "scrub",
        [(counts.scrubs, "long presses"), (counts.scrubLookups, "look-ups")],
        ", \(sprites) from the sprite cache"
      ),
      (
        "network",
        [
          (counts.requests, "requests"), (counts.cancelledRequests, "cancelled"),
          (counts.connectionsOpened, "connections"), (counts.feedPages, "feed pages"),
        ], ""
      ),
    ]
    return groups.flatMap { name, numbers, remark in
      let texts = numbers.map { "\(Figures.count($0.0)) \($0.1)" }
      return wrapped("\(name): \(texts.joined(separator: ", "))\(remark)", indent: "  ")
    }
  }

  // MARK: By cohort

  func byLabel(_ label: String, _ values: [String]) -> [String] {
    if values.count < 2 { return [] }
    var table = TextTable([
      .left, .right, .right, .right, .right, .right, .right, .right,
    ])
    table.heading([
      label, "views", "p50 ms", "p75 ms", "p95 ms", "not started", "rebuffer", "wasted",
    ])
    for value in values {
      func metric(_ name: String, _ stat: String) -> MetricResult? {
        result.metric("\(name){\(label)=\(value)}.\(stat)")
      }
      let times = ["p50", "p75", "p95"].map { metric("ttff_ms", $0) }
      let ratios = ["not_started_ratio", "rebuffer_ratio", "wasted_ratio"].map {
        metric($0, "ratio")
      }
      table.add(
        [TextCell(value), TextCell(Figures.count(times[0]?.samples ?? 0))]
          + times.map { TextCell($0?.shortText ?? "–") }
          + ratios.map { TextCell($0?.shortTextWithUnit ?? "–") })
    }
    return table.lines(color: color)
  }
}
