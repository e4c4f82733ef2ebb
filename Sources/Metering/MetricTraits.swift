/// What of a metric decides how replications are put together, and how it is judged.
public struct MetricTraits: Sendable, Equatable {
  public var unit: MetricUnit
  public var stat: MetricStat
  /// Whether the value over replications is the quotient of sums and not the mean.
  public var isQuotient: Bool
  /// Between what the value of a ratio and the ends of its interval are.
  public var bounds: ClosedRange<Double>
  /// A share from 0 to 1 of things counted or weighed.
  public var isShare: Bool
  /// A share of views: those of one session go together.
  public var isOfViews: Bool
  /// A number of events in a replication.
  public var isCount: Bool

  public init(
    unit: MetricUnit, stat: MetricStat, isQuotient: Bool, bounds: ClosedRange<Double>,
    isShare: Bool, isOfViews: Bool, isCount: Bool
  ) {
    self.unit = unit
    self.stat = stat
    self.isQuotient = isQuotient
    self.bounds = bounds
    self.isShare = isShare
    self.isOfViews = isOfViews
    self.isCount = isCount
  }

  /// What sums up over something: from 0 up, and 0 where nothing came. No time, no largest value,
  /// no share that is saved.
  public var isRate: Bool {
    !isShare && !isCount && unit != .milliseconds && !stat.isQuantile && stat != .largest
      && (unit != .ratio || bounds.lowerBound >= 0)
  }
}
