import CachePolicy
import MediaUnits
import Models
import Scenario
import Statistics

/// A run of real servers beside the simulation of the same viewers: what agrees, and how well.
///
/// Both runs have the same sessions, titles, devices, links and dwell times, and both are cut into
/// the same parts of time, so differences of ratios are paired by part: their intervals are
/// Student's t over the parts. Differences of quantiles are paired by session
/// (``PairedQuantile``).
public struct Validation: Sendable {
  /// What can be said of a metric.
  public enum Verdict: String, Sendable, Equatable, CaseIterable {
    /// The whole interval of the difference is within the tolerance.
    case agrees
    /// The interval leaves room for both.
    case undecided
    /// The whole interval is outside the tolerance.
    case differs
    /// One side has no data.
    case noData = "no data"
  }

  /// How a row is compared.
  public enum Scale: Sendable, Equatable {
    /// The tolerance is a share of the simulated value, and at least the floor.
    case relative(Double, floor: Double)
    /// The tolerance is a difference of the values.
    case absolute(Double)
  }

  /// One metric.
  public struct Row: Sendable, Equatable {
    public var name: String
    /// `ms`, `requests`, `bytes` or nothing for ratios.
    public var unit: String
    public var simulated, live: Double?
    /// 95 %, of live minus simulated; nil where the difference is a count that has none.
    public var interval: Interval?
    /// The largest difference that counts as agreement, in the metric's own unit.
    public var tolerance: Double
    /// Views or requests on each side.
    public var samples: (simulated: Int64, live: Int64)
    public var verdict: Verdict

    public static func == (a: Row, b: Row) -> Bool {
      a.name == b.name && a.unit == b.unit && a.simulated == b.simulated && a.live == b.live
        && a.interval == b.interval && a.tolerance == b.tolerance && a.samples == b.samples
        && a.verdict == b.verdict
    }
  }

  /// The distributions of one clock.
  public struct Curve: Sendable {
    public var metric: String
    /// Times of started views in ascending order, milliseconds.
    public var simulated, live: [Double]
    /// Largest distance of the two distribution functions, and what independent samples of these
    /// sizes from one law exceed in 5 of 100 cases.
    public var distance, critical: Double
  }

  public var rows: [Row]
  public var curves: [Curve]
  /// Where starts spend their time on both sides, by clock.
  public var startups: [StartupComparison]
  /// Every view of both sides, as `session,item,clock,simulated_ms,live_ms` and a first line that
  /// says so; a time is empty where a side has no first frame.
  public var pairsText: String

  /// Tolerances (the issue that asked for them): 10 % on times, 1 percentage point on hit ratios, 1
  /// % on requests and bytes. A time within 2 ms agrees: a scheduler of a shared machine has such
  /// delays.
  public static let timeTolerance = Scale.relative(0.10, floor: 2)
  public static let countTolerance = Scale.relative(0.01, floor: 1)
  public static let ratioTolerance = Scale.absolute(0.01)
  /// Of the share of swipes that could be played at once.
  public static let readyTolerance = Scale.absolute(0.02)

  /// Resampling draws the same samples every time.
  private static let resamplingSeed: UInt64 = 0x5EED

  /// The verdict of all: differs before undecided before agrees.
  public var verdict: Verdict {
    let all = rows.map(\.verdict)
    for verdict in [Verdict.differs, .noData, .undecided] where all.contains(verdict) {
      return verdict
    }
    return rows.isEmpty ? .noData : .agrees
  }

  /// 0 agrees, 10 differs, 12 undecided, 13 no data.
  public var exitCode: Int32 {
    switch verdict {
    case .agrees: 0
    case .differs: 10
    case .undecided: 12
    case .noData: 13
    }
  }

  /// Compares two runs that were cut into the same parts.
  ///
  /// - Throws: ``StatisticsError`` when an interval cannot be computed.
  public init(simulated: [FeedMeasures], live: [FeedMeasures]) throws(StatisticsError) {
    precondition(simulated.count == live.count, "both runs have the same parts")
    rows = []
    curves = []
    let views = ViewPairs(simulated: simulated, live: live)
    startups = []
    for clock in StartupComparison.Clock.allCases {
      startups.append(try StartupComparison(clock, views))
    }
    pairsText = views.text
    let clocks: [(String, @Sendable (ViewRecord) -> TimeSpan?)] = [
      ("ttff_ms", { $0.ttff }),
      ("ttff_cold_ms", { $0.flags.contains(.cold) ? $0.ttff : nil }),
      ("ttff_swipe_ms", { $0.flags.contains(.cold) ? nil : $0.ttff }),
    ]
    for (name, clock) in clocks {
      let a = simulated.map { Times($0, clock) }
      let b = live.map { Times($0, clock) }
      let paired = PairedQuantile(simulated, live, clock)
      for (stat, p) in [("p50", 0.5), ("p75", 0.75), ("p95", 0.95)] {
        rows.append(try Validation.quantile("\(name).\(stat)", p, a, b, paired))
      }
      curves.append(try Validation.curve(name, a, b))
    }
    rows.append(
      try Validation.ratio(
        "not_started_ratio", simulated, live, scale: Validation.ratioTolerance
      ) { measures in
        let ended = measures.views.filter { $0.hasStarted || !$0.flags.contains(.cut) }
        return (Double(ended.count { !$0.hasStarted }), Double(ended.count))
      })
    rows.append(
      try Validation.ratio(
        "ready_ratio", simulated, live, scale: Validation.readyTolerance
      ) { measures in
        let swipes = measures.views.filter { !$0.flags.contains(.cold) }
        return (Double(swipes.count { $0.flags.contains(.ready) }), Double(swipes.count))
      })
    rows.append(
      try Validation.ratio(
        "rebuffer_ratio", simulated, live, scale: Validation.ratioTolerance
      ) { measures in
        let stalled = measures.views.reduce(0.0) { $0 + $1.stalled.seconds }
        return (stalled, stalled + measures.views.reduce(0.0) { $0 + $1.played.seconds })
      })
    try addCounts(simulated, live)
  }

  private mutating func addCounts(
    _ simulated: [FeedMeasures], _ live: [FeedMeasures]
  ) throws(StatisticsError) {
    for asset in AssetClass.allCases where asset != .feed {
      let name = asset.word
      let requests: (FeedMeasures) -> Double = { measures in
        // A request that was given up at a real edge has no outcome; the model knows it.
        Double(
          CacheOutcome.allCases.reduce(measures.outside.unanswered[Int(asset.rawValue)]) {
            $0 + measures.edge.requests(asset, $1)
          })
      }
      let (a, b) = (simulated.map(requests), live.map(requests))
      if a.reduce(0, +) == 0 && b.reduce(0, +) == 0 { continue }
      rows.append(
        Validation.count("requests{tier=edge,class=\(name)}", "requests", a, b))
      rows.append(
        try Validation.ratio(
          "hit_ratio{tier=edge,class=\(name)}", simulated, live, scale: Validation.ratioTolerance
        ) { Validation.hits($0, [asset]) })
    }
    rows.append(
      try Validation.ratio(
        "hit_ratio{tier=edge}", simulated, live, scale: Validation.ratioTolerance
      ) { Validation.hits($0, AssetClass.allCases.filter { $0 != .feed }) })
    rows.append(
      Validation.count(
        "media_bytes", "bytes", simulated.map { Double($0.counts.deliveredBytes) },
        live.map { Double($0.counts.deliveredBytes) }))
    rows.append(
      Validation.count(
        "views", "views", simulated.map { Double($0.views.count) },
        live.map { Double($0.views.count) }))
  }

  /// Requests that the edge answered without a fetch of their own, and all that got an answer. Real
  /// caches tell a request that waited for another's fetch as a hit, so collapsed ones count as
  /// hits on both sides.
  private static func hits(_ measures: FeedMeasures, _ classes: [AssetClass]) -> (Double, Double) {
    var (hits, all) = (Int64(0), Int64(0))
    for asset in classes {
      for outcome in CacheOutcome.allCases where outcome != .error {
        let count = measures.edge.requests(asset, outcome)
        all += count
        if outcome == .hit || outcome == .staleHit || outcome == .collapsed { hits += count }
      }
    }
    return (Double(hits), Double(all))
  }

  // MARK: Rows

  /// Times of one clock in one part, milliseconds, ascending.
  private struct Times {
    var started: [Double] = []
    var censored: [Double] = []

    init(_ measures: FeedMeasures, _ clock: (ViewRecord) -> TimeSpan?) {
      for view in measures.views {
        guard let time = clock(view) else { continue }
        if view.hasStarted {
          started.append(time.seconds * 1000)
        } else {
          censored.append(time.seconds * 1000)
        }
      }
      started.sort()
      censored.sort()
    }

    init(_ parts: [Times]) {
      started = parts.flatMap(\.started).sorted()
      censored = parts.flatMap(\.censored).sorted()
    }

    func quantile(_ p: Double) throws(StatisticsError) -> Double? {
      if started.isEmpty { return nil }
      return try KaplanMeier(sortedEvents: started, sortedCensored: censored).quantile(p)
    }
  }

  private static func quantile(
    _ name: String, _ p: Double, _ simulated: [Times], _ live: [Times], _ paired: PairedQuantile
  ) throws(StatisticsError) -> Row {
    let (a, b) = (Times(simulated), Times(live))
    let (left, right) = (try a.quantile(p), try b.quantile(p))
    let interval = try paired.interval(p, seed: Validation.resamplingSeed)
    return row(
      name, "ms", left, right, interval, timeTolerance,
      (Int64(a.started.count), Int64(b.started.count)))
  }

  private static func ratio(
    _ name: String, _ simulated: [FeedMeasures], _ live: [FeedMeasures], scale: Scale,
    _ parts: (FeedMeasures) -> (Double, Double)
  ) throws(StatisticsError) -> Row {
    let (a, b) = (simulated.map(parts), live.map(parts))
    let (below, above) = (a.reduce(0) { $0 + $1.1 }, b.reduce(0) { $0 + $1.1 })
    guard below > 0 && above > 0 else {
      return row(name, "", nil, nil, nil, scale, (Int64(below), Int64(above)))
    }
    let left = a.reduce(0) { $0 + $1.0 } / below
    let right = b.reduce(0) { $0 + $1.0 } / above
    // The difference of two ratios of sums, by the residuals of each part (delta method).
    let n = Double(a.count)
    let residuals = a.indices.map { part in
      (b[part].0 - right * b[part].1) / (above / n) - (a[part].0 - left * a[part].1) / (below / n)
    }
    let interval = try Estimates.sectioned(
      right - left, sections: residuals.map { right - left + $0 }
    ).interval
    return row(
      name, "", left, right, interval, scale, (Int64(below), Int64(above)))
  }

  private static func count(
    _ name: String, _ unit: String, _ simulated: [Double], _ live: [Double]
  ) -> Row {
    let (left, right) = (simulated.reduce(0, +), live.reduce(0, +))
    return row(
      name, unit, left, right, nil, countTolerance, (Int64(left), Int64(right)))
  }

  private static func row(
    _ name: String, _ unit: String, _ simulated: Double?, _ live: Double?, _ interval: Interval?,
    _ scale: Scale, _ samples: (Int64, Int64)
  ) -> Row {
    let tolerance =
      switch scale {
      case .absolute(let value): value
      case .relative(let share, let floor): max(floor, share * abs(simulated ?? 0))
      }
    var verdict = Verdict.noData
    if let simulated, let live {
      let lower = interval?.lower ?? (live - simulated)
      let upper = interval?.upper ?? (live - simulated)
      if lower >= -tolerance && upper <= tolerance {
        verdict = .agrees
      } else if lower > tolerance || upper < -tolerance {
        verdict = .differs
      } else {
        verdict = .undecided
      }
    }
    return Row(
      name: name, unit: unit, simulated: simulated, live: live, interval: interval,
      tolerance: tolerance, samples: (samples.0, samples.1), verdict: verdict)
  }

  private static func curve(
    _ metric: String, _ simulated: [Times], _ live: [Times]
  ) throws(StatisticsError) -> Curve {
    let (a, b) = (Times(simulated).started, Times(live).started)
    if a.isEmpty || b.isEmpty {
      return Curve(metric: metric, simulated: a, live: b, distance: 1, critical: 1)
    }
    let (n, m) = (Double(a.count), Double(b.count))
    return Curve(
      metric: metric, simulated: a, live: b,
      distance: try GoodnessOfFit.kolmogorovSmirnov(a, b).statistic,
      // Kolmogorov's 95 % point (N. Smirnov 1948, DOI 10.1214/aoms/1177730256).
      critical: 1.358 * ((n + m) / (n * m)).squareRoot())
  }
}
