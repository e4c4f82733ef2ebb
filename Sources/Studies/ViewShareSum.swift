import Scenario

/// The sums of a quotient over views (``FeedMetric/Formula/views(_:)``).
struct ViewShareSum: Sendable, Equatable {
  private(set) var part: Int64 = 0
  private(set) var whole: Int64 = 0
  /// Views that have something of it.
  private(set) var views: Int64 = 0

  mutating func add(_ share: FeedMetric.ViewShare) {
    part += share.part
    whole += share.whole
    views += 1
  }

  mutating func add(_ other: ViewShareSum) {
    part += other.part
    whole += other.whole
    views += other.views
  }

  var sample: MetricSample {
    .quotient(Double(part), over: Double(whole), samples: views)
  }
}
