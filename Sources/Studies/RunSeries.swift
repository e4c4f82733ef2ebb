import MediaUnits
import Models
import Scenario
import Statistics

/// A run over time: metrics and load in equal parts of the measured time, over its replications.
public struct RunSeries: Sendable, Equatable {
  /// A curve.
  public struct Row: Sendable, Equatable {
    /// The metric, or ``Load``'s name of a load.
    public var name: String
    public var unit: MetricReference.Unit
    /// By part.
    public var values: [Value]
  }

  /// A part's value.
  public struct Value: Sendable, Equatable {
    /// nil: no data.
    public var value: Double?
    /// 95 %, over the replications; nil with fewer than two that have data.
    public var interval: Interval?
    /// So few views started that the percentile lies above the value.
    public var isLowerBound = false
  }

  /// What has no metric of its own. Rates are means of a part, sessions are those at its end.
  public enum Load: String, CaseIterable, Sendable {
    case sessions
    case views = "views_per_second"
    case edgeRequests = "edge_requests_per_second"
    case originRequests = "origin_requests_per_second"
  }

  /// Of a part.
  public let length: TimeSpan
  public let rows: [Row]

  /// The percentiles of a clock's times.
  private static let percents: [Int64] = [50, 95]
  static let clocks: [ReplicationDigest.Clock] = [.all, .cold, .swipe]

  /// nil unless every replication has the same parts.
  ///
  /// - Parameter designEffect: of views of one session, for shares of views.
  init?(_ digests: [SeriesDigest?], designEffect: Double = 1) {
    let known = digests.compactMap { $0 }
    guard let plan = known.first?.plan, known.count == digests.count,
      known.allSatisfy({ $0.plan == plan })
    else { return nil }
    length = plan.length
    // By part, of all replications.
    let parts = (0..<plan.count).map { part in known.map { $0.parts[part] } }
    var rows: [Row] = []
    for (place, clock) in RunSeries.clocks.enumerated() {
      for percent in RunSeries.percents {
        rows.append(
          Row(
            name: "\(clock.metric).p\(percent)", unit: .milliseconds,
            values: parts.map { part in
              RunSeries.quantile(Double(percent) / 100, part.map { $0.clocks[place] })
            }))
      }
    }
    rows.append(
      RunSeries.ratio("not_started_ratio", parts, designEffect) {
        .quotient(Double($0.sums.notStarted), over: Double($0.sums.views), samples: $0.sums.views)
      })
    rows.append(
      RunSeries.ratio("rebuffer_ratio", parts, designEffect) {
        let (played, stalled) = (Double($0.sums.played) / 1e9, Double($0.sums.stalled) / 1e9)
        return .quotient(stalled, over: stalled + played, samples: $0.sums.started)
      })
    rows.append(
      RunSeries.ratio("hit_ratio{tier=edge,by=requests}", parts, designEffect) {
        .quotient(
          Double($0.traffic.hits), over: Double($0.traffic.judged), samples: $0.traffic.judged)
      })
    let seconds = plan.length.seconds
    for load in Load.allCases {
      rows.append(
        Row(
          name: load.rawValue, unit: .number,
          values: parts.map { part in
            RunSeries.mean(part.map { load.amount($0) / (load == .sessions ? 1 : seconds) })
          }))
    }
    self.rows = rows
  }

  // MARK: Estimates

  private static func ratio(
    _ metric: String, _ parts: [[SeriesDigest.Part]], _ designEffect: Double,
    _ sample: (SeriesDigest.Part) -> MetricSample
  ) -> Row {
    let reference = MetricReference.known("\(metric).ratio")
    return Row(
      name: reference.description, unit: reference.unit,
      values: parts.map { part in
        let result = MetricResult(reference, part.map(sample), designEffect: designEffect)
        return Value(value: result.value, interval: result.interval)
      })
  }

  /// The percentile of all replications together, with an interval by sectioning.
  private static func quantile(_ p: Double, _ clocks: [UsedBuckets]) -> Value {
    guard let pooled = UsedBuckets.sum(clocks).quantile(p) else { return Value() }
    let sections = clocks.compactMap { $0.quantile(p)?.milliseconds }
    var value = Value(value: pooled.milliseconds, isLowerBound: pooled.isLowerBound)
    value.interval = interval(count: sections.count) { () throws(StatisticsError) in
      try Estimates.sectioned(pooled.milliseconds, sections: sections)
    }
    return value
  }

  private static func mean(_ values: [Double]) -> Value {
    Value(
      value: values.reduce(0, +) / Double(values.count),
      interval: interval(count: values.count) { () throws(StatisticsError) in
        try Estimates.mean(of: values)
      })
  }

  private static func interval(
    count: Int, _ estimate: () throws(StatisticsError) -> Estimate
  ) -> Interval? {
    if count < 2 { return nil }
    do throws(StatisticsError) {
      return try estimate().interval.clamped(to: 0...Double.infinity)
    } catch {
      preconditionFailure("two values have an interval: \(error)")
    }
  }
}

extension RunSeries.Load {
  fileprivate func amount(_ part: SeriesDigest.Part) -> Double {
    switch self {
    case .sessions: Double(part.traffic.sessions)
    case .views: Double(part.sums.views)
    case .edgeRequests: Double(part.traffic.edge.requests)
    case .originRequests: Double(part.traffic.origin.requests)
    }
  }
}
