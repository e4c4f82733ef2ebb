/// A limit that a metric must keep, such as `wasted_ratio < 0.35`.
public struct Constraint: Sendable, Equatable {
  /// What replications say about a limit.
  public enum State: Sendable, Equatable {
    case surelyFeasible
    case surelyInfeasible
    /// The interval holds the limit; `isMet` says on which side the estimate is.
    case open(isMet: Bool)
  }

  public let limit: Double
  /// Whether the metric must stay below the limit; otherwise it must stay above.
  public let isUpper: Bool

  /// - Throws: `statistics.parameter` for a limit that is not finite.
  public init(limit: Double, isUpper: Bool) throws(StatisticsError) {
    try requireFinite(limit, "limit")
    self.limit = limit
    self.isUpper = isUpper
  }

  /// Judges a metric by its Student's interval at `level`, two-sided.
  ///
  /// - Throws: `statistics.no-data` under two replications.
  public func state(
    of series: MetricSeries, level: Double = 0.95
  ) throws(StatisticsError) -> State {
    let interval = try Estimates.mean(of: series.parts, level: level).interval
    let (low, high) =
      isUpper
      ? (interval.lower - limit, interval.upper - limit)
      : (limit - interval.upper, limit - interval.lower)
    if high < 0 { return .surelyFeasible }
    if low >= 0 { return .surelyInfeasible }
    return .open(isMet: excess(of: series.value) < 0)
  }

  /// By how much a value is beyond the limit; at least 0 where the limit is not kept.
  func excess(of value: Double) -> Double { isUpper ? value - limit : limit - value }
}
