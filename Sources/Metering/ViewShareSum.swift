/// The sums of a quotient over views (``FeedMetric/Formula/views(_:)``).
public struct ViewShareSum: Sendable, Equatable {
  public private(set) var part: Int64 = 0
  public private(set) var whole: Int64 = 0
  /// Views that have something of it.
  public private(set) var views: Int64 = 0

  public init() {}

  public mutating func add(_ share: FeedMetric.ViewShare) {
    part += share.part
    whole += share.whole
    views += 1
  }

  public mutating func add(_ other: ViewShareSum) {
    part += other.part
    whole += other.whole
    views += other.views
  }

  public var sample: MetricSample {
    .quotient(Double(part), over: Double(whole), samples: views)
  }
}
