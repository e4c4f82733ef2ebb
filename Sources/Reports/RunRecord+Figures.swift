import Models
import Scenario
import Studies

// What several reports make of a record.

// MARK: Startup

extension RunRecord.Breakdown {
  var bands: [(name: String, band: RunRecord.Band)] {
    [("median", p50), ("P95", p95), ("waited", waited)]
  }
}

extension RunRecord.Late {
  /// Views that started late or never.
  var total: Int64 { started + notStarted }
  var startedWithEdgeMiss: Int64 { byPart.reduce(0) { $0 + $1.startedWithEdgeMiss } }
  var notStartedWithEdgeMiss: Int64 { byPart.reduce(0) { $0 + $1.notStartedWithEdgeMiss } }

  /// The parts that took longest in some late view, most frequent first.
  var causes: [Part] {
    byPart.enumerated().sorted { a, b in
      a.element.total != b.element.total ? a.element.total > b.element.total : a.offset < b.offset
    }.map(\.element).filter { $0.total > 0 }
  }
}

// MARK: Playback, bytes, cost

/// Sums over all views of a run.
struct PlaybackSums {
  let stalls, viewsWithStall, views, played, stalled: Int64

  var stallsText: String { Figures.count(stalls) }
  var viewsText: String {
    "in \(Figures.count(viewsWithStall)) of \(Figures.count(views)) views "
      + "(\(Figures.share(viewsWithStall, of: views)))"
  }
  var playedText: String { Figures.duration(Double(played) / 1e9) }
  var stalledText: String { "stalled \(Figures.duration(Double(stalled) / 1e9))" }
}

extension RunRecord {
  var playback: PlaybackSums {
    func sum(_ member: (Cohort) -> Int64) -> Int64 { cohorts.reduce(0) { $0 + member($1) } }
    return PlaybackSums(
      stalls: sum(\.stalls), viewsWithStall: sum(\.viewsWithStall), views: views,
      played: sum(\.playedNanoseconds), stalled: sum(\.stalledNanoseconds))
  }

  /// The share of wasted bytes with its interval; nothing without one.
  var wastedText: String {
    metric("wasted_ratio.ratio").map {
      "wasted_ratio \($0.estimate.text.shortTextWithUnit), n = "
        + "\(Figures.count($0.estimate.samples)) views"
    } ?? ""
  }
}

extension RunRecord.Bytes {
  /// Without labels.
  init(sumOf rows: [RunRecord.Bytes]) {
    for row in rows {
      delivered += row.delivered
      rendered += row.rendered
      wasted += row.wasted
      stillBuffered += row.stillBuffered
      prefetched += row.prefetched
      prefetchedWasted += row.prefetchedWasted
    }
  }
}

extension RunRecord.Cost {
  var parts: [(name: String, amount: Double)] {
    [
      ("transfer to viewers", transfer), ("requests of viewers", requests),
      ("shield crossings", shield), ("requests to the origin", originRequests),
      ("transfer from the origin", originTransfer), ("storage", storage),
    ]
  }

  var total: Double { parts.reduce(0) { $0 + $1.amount } }

  /// Half of the 95 % interval of a month.
  var halfWidth: Double? { monthLower.flatMap { low in monthUpper.map { ($0 - low) / 2 } } }

  /// The name of the price list and the day it is of.
  var priceList: (name: String, day: String) {
    guard let blank = prices.lastIndex(of: " ") else { return (prices, "") }
    return (String(prices[..<blank]), String(prices[prices.index(after: blank)...]))
  }
}

// MARK: Load

extension RunRecord.Peak.Place {
  var requestsText: String { Figures.count(Int64(requestsPerSecond.rounded())) }
}

/// Rates with their uncertainty, as every report writes them.
extension RunRecord.Load {
  var requestsText: String {
    RunRecord.Load.rate(
      requestsPerSecond, requestsPerSecondLower, requestsPerSecondUpper, unit: 1)
  }

  var gigabitsText: String {
    RunRecord.Load.rate(bitsPerSecond, bitsPerSecondLower, bitsPerSecondUpper, unit: 1e9)
  }

  private static func rate(
    _ value: Double, _ lower: Double?, _ upper: Double?, unit: Double
  ) -> String {
    let half = lower.flatMap { low in upper.map { ($0 - low) / 2 / unit } }
    let digits = Figures.decimals(value / unit, spread: half, atMost: 3)
    let text = Figures.decimal(value / unit, digits)
    return half.map { "\(text) ±\(Figures.decimal($0, digits))" } ?? text
  }
}

// MARK: Networks

extension RunRecord.Link {
  var foregroundText: String { Figures.duration(Double(foregroundNanoseconds) / 1e9) }
  var lostText: String { Figures.duration(Double(lostNanoseconds) / 1e9) }
  var shareText: String { Figures.share(lostNanoseconds, of: foregroundNanoseconds) }
}

extension RunRecord {
  /// nil where nobody changed the network.
  var handOverSentence: String? {
    let handOvers = counters["handOvers"]
    if handOvers == 0 { return nil }
    return "\(Figures.count(handOvers)) hand-overs made viewers repeat "
      + "\(Figures.count(counters["repeatedRequests"])) requests."
  }
}

extension RunRecord.Comparison {
  /// The peer's mean of a started view minus ours, by part, milliseconds.
  var changes: [(part: String, milliseconds: Double)] {
    startup.map { ($0.part, $0.peerMilliseconds - $0.oursMilliseconds) }
  }

  /// Those of at least 0.05 ms, the greatest first.
  func largestChanges(_ most: Int) -> [(part: String, milliseconds: Double)] {
    changes.filter { abs($0.milliseconds) >= 0.05 }.enumerated().sorted { a, b in
      let (left, right) = (abs(a.element.milliseconds), abs(b.element.milliseconds))
      return left != right ? left > right : a.offset < b.offset
    }.prefix(most).map(\.element)
  }

  var startsSentence: String {
    "\(Figures.percent(peerStarted, decimals: 2)) of the views start, "
      + "\(Figures.percent(oursStarted, decimals: 2)) of ours."
  }
}

extension NetworkModel {
  /// What a peer's network has and lacks beside ours.
  var differenceText: String {
    let lacks =
      "no name look-up, handshake, radio promotion, slow start, loss or queue in front of the link"
    switch self {
    case .firstFrame: return "the same model"
    case .pensieve, .mm22:
      return
        "\(word) has one round trip of 80 ms on every link and 95 % of its rate; \(lacks)"
    case .sabre: return "sabre has the link's round trip and all of its rate; \(lacks)"
    }
  }
}

// MARK: Presence

extension RunRecord {
  /// Whether the run had what metrics of a presence are about: they are in every such result.
  func has(_ presence: FeedMetric.Presence) -> Bool {
    FeedMetrics.standard(presence).contains { metric($0) != nil }
  }
}

extension RunRecord {
  /// Metrics of the app that have a value, in words.
  var clientRows: [(words: String, metric: Metric)] {
    metrics.compactMap { metric in
      guard metric.name.labels.isEmpty, metric.estimate.value != nil else { return nil }
      return MetricReference.clientWords(metric.name.metric, stat: metric.name.stat).map {
        ($0, metric)
      }
    }
  }
}

extension MetricReference {
  /// A metric of the app and a stat in words; nil for another metric.
  static func clientWords(_ metric: String, stat: String) -> String? {
    guard let row = FeedMetrics.named(metric), row.presence == .client else { return nil }
    return ["ratio", "mean"].contains(stat) ? row.words : "\(row.words), \(stat)"
  }
}
