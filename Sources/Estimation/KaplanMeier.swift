/// The product-limit estimate of a survival curve from times of which some are right-censored.
///
/// An event at time t was seen to happen at t; a censored time says only that nothing had happened
/// before it. At equal times events come before censorings: a unit censored at t was still at risk
/// at t. `Time` is `Double`, or `Int64` nanoseconds without a conversion.
///
/// Source: E. Kaplan, P. Meier 1958, DOI 10.1080/01621459.1958.10501452; variance: M. Greenwood
/// 1926.
public struct KaplanMeier<Time: CurveTime>: Sendable {
  /// One fall of the curve.
  public struct Step: Sendable {
    public let time: Time
    /// Units neither gone nor censored before this time.
    public let atRisk: Int
    public let events: Int
    /// The curve just after this time.
    public let survival: Double
    /// Greenwood's variance of it; nil where the curve has reached 0 and the formula says nothing.
    public let variance: Double?
  }

  /// The falls in ascending order of time; empty when every time is censored.
  public let steps: [Step]
  /// The number of events and censored times together.
  public let n: Int
  public let censoredCount: Int

  /// From two lists in any order.
  ///
  /// - Throws: `statistics.no-data` when both are empty; `statistics.data` for a NaN.
  /// - Complexity: O(n log n); the initialiser for sorted lists is O(n).
  @specialized(where Time == Double)
  @specialized(where Time == Int64)
  public init(events: [Time], censored: [Time]) throws(StatisticsError) {
    // A NaN is not equal to itself, and would make a sorted order meaningless.
    for time in events where time != time { throw .data("times", got: "nan") }
    for time in censored where time != time { throw .data("times", got: "nan") }
    try self.init(sortedEvents: events.sorted(), sortedCensored: censored.sorted())
  }

  /// From two lists in ascending order.
  ///
  /// - Throws: `statistics.no-data` when both are empty; `statistics.data` when one is not sorted.
  /// - Complexity: O(n).
  @specialized(where Time == Double)
  @specialized(where Time == Int64)
  public init(sortedEvents events: [Time], sortedCensored censored: [Time]) throws(StatisticsError)
  {
    let total = events.count + censored.count
    if total == 0 { throw .noData("at least 1 time", got: 0) }
    try KaplanMeier.requireAscending(events, "events", "events in ascending order")
    try KaplanMeier.requireAscending(
      censored, "censored times", "censored times in ascending order")
    var steps: [Step] = []
    steps.reserveCapacity(events.count)
    var event = 0
    var gone = 0
    var curve = ProductLimit(atRisk: Double(total))
    var greenwood = CompensatedSum()
    while event < events.count {
      let time = events[event]
      let goneBefore = gone
      while gone < censored.count && censored[gone] < time { gone += 1 }
      curve.censor(Double(gone - goneBefore))
      let atRisk = total - event - gone
      let start = event
      while event < events.count && events[event] == time { event += 1 }
      let count = event - start
      let left = atRisk - count
      curve.fall(by: Double(count))
      if left > 0 { greenwood.add(Double(count) / (Double(atRisk) * Double(left))) }
      let variance = left > 0 ? curve.survival * curve.survival * greenwood.value : nil
      steps.append(
        Step(
          time: time, atRisk: atRisk, events: count, survival: curve.survival, variance: variance))
    }
    self.steps = steps
    n = total
    censoredCount = censored.count
  }

  /// The share that survives beyond `time`; 1 before the first event.
  ///
  /// Beyond the last time, event or censored, the curve is not known; this keeps its last value.
  /// - Complexity: O(log n).
  @specialized(where Time == Double)
  @specialized(where Time == Int64)
  public func survival(at time: Time) -> Double {
    index(at: time).map { steps[$0].survival } ?? 1
  }

  /// Greenwood's variance at `time`: 0 before the first event, nil where the curve is 0.
  public func variance(at time: Time) -> Double? {
    guard let index = index(at: time) else { return 0 }
    return steps[index].variance
  }

  /// The least time by which at least the share `p` has had its event, or nil when the curve never
  /// falls that far: then the quantile lies beyond what was observed, and no number stands for it.
  ///
  /// - Complexity: O(log n).
  @specialized(where Time == Double)
  @specialized(where Time == Int64)
  public func quantile(_ p: Double) throws(StatisticsError) -> Time? {
    try Require.open(p)
    var first = 0
    var last = steps.count
    while first < last {
      let middle = (first + last) / 2
      if ProductLimit.isReached(p, by: steps[middle].survival) {
        last = middle
      } else {
        first = middle + 1
      }
    }
    return first < steps.count ? steps[first].time : nil
  }

  /// The last step at or before `time`.
  @specialized(where Time == Double)
  @specialized(where Time == Int64)
  private func index(at time: Time) -> Int? {
    var first = 0
    var last = steps.count
    while first < last {
      let middle = (first + last) / 2
      if steps[middle].time <= time { first = middle + 1 } else { last = middle }
    }
    return first == 0 ? nil : first - 1
  }

  @specialized(where Time == Double)
  @specialized(where Time == Int64)
  private static func requireAscending(
    _ times: [Time], _ numbers: String, _ ascending: String
  ) throws(StatisticsError) {
    if let only = times.first, only != only { throw .data(numbers, got: "nan") }
    for index in times.indices.dropFirst() where !(times[index - 1] <= times[index]) {
      throw times[index].unordered(after: times[index - 1], ascending)
    }
  }
}

/// What a survival curve's times are kept in.
public protocol CurveTime: Comparable, Sendable {
  /// The error of a list that has this time after a later one.
  func unordered(after previous: Self, _ expected: String) -> StatisticsError
}

extension Double: CurveTime {
  public func unordered(after previous: Double, _ expected: String) -> StatisticsError {
    .data(expected, got: self, after: previous)
  }
}

extension Int64: CurveTime {
  public func unordered(after previous: Int64, _ expected: String) -> StatisticsError {
    .data(expected, got: self, after: previous)
  }
}
