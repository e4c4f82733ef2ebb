/// What the row of a metric says of a reference to it.
extension MetricReference {
  /// The row of a metric of the feed.
  ///
  /// - Precondition: the reference was parsed, and names no metric of another world.
  public var feedMetric: FeedMetric {
    guard let row = FeedMetrics.named(metric) else {
      preconditionFailure("\(self): \(metric) is a metric of the feed")
    }
    return row
  }

  /// The metrics of the feed whose times are those of a clock of views.
  public static let timeMetrics = FeedMetrics.all.filter { row in
    if case .clock = row.formula { return true }
    return false
  }.map(\.name)

  /// Of a metric that this version does not know, as in a result of another one, what the end of
  /// its name says.
  public var unit: Unit {
    if let metric = WorldMetric.of(self) { return metric.unit }
    if let row = FeedMetrics.named(metric) { return row.unit }
    return metric.hasSuffix("_ms") ? .milliseconds : .ratio
  }

  /// Whether the value over replications is the quotient of sums and not the mean.
  public var isQuotient: Bool { unit == .ratio || WorldMetric.of(self)?.kind == .quotient }

  /// Whether more of it is worse for viewers or for the bill.
  public var isWorseWhenHigher: Bool {
    WorldMetric.of(self)?.isWorseWhenHigher ?? feedMetric.isWorseWhenHigher
  }

  /// What the samples behind a value are, in the plural: `views`, `requests`, `swipes`; `samples`
  /// where there is no better word.
  public var sampleNoun: String { WorldMetric.of(self)?.samples ?? feedMetric.samples }

  /// Ratios that may be more than 1: what is counted may happen more than once.
  public var isUnbounded: Bool {
    if let world = WorldMetric.of(self) { return world.kind == .quotient }
    return feedMetric.range == .unbounded
  }

  /// Between what the value of a ratio and the ends of its interval are.
  public var bounds: ClosedRange<Double> {
    if isUnbounded { return 0...Double.infinity }
    if WorldMetric.of(self) != nil { return 0...1 }
    return switch feedMetric.range {
    case .share: 0...1
    case .belowZero: -Double.infinity...1
    case .aboveOne, .unbounded: 0...Double.infinity
    }
  }

  /// A share from 0 to 1 of things counted or weighed.
  public var isShare: Bool {
    if let world = WorldMetric.of(self) { return world.kind == .share }
    return unit == .ratio && feedMetric.range == .share
  }

  /// A share of views: those of one session go together.
  public var isOfViews: Bool { FeedMetrics.named(metric)?.isOfViews ?? false }
}
