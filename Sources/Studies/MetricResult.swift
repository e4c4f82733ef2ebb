import Scenario
import Statistics

extension MetricResult {
  /// Puts the replications' samples together.
  ///
  /// A ratio is the ratio of the sums; a percentile that of all times together, with an interval by
  /// sectioning; everything else the mean of the replications. A share or a count with hardly an
  /// event has exact bounds.
  ///
  /// - Parameter designEffect: of views of one session, for shares of views.
  init(_ reference: MetricReference, _ samples: [MetricSample], designEffect: Double = 1) {
    let present = samples.filter { $0.value != nil }
    self.init(
      reference: reference, value: nil, interval: nil, standardError: nil,
      replications: present.count, samples: samples.reduce(0) { $0 + $1.samples },
      isLowerBound: samples.contains { $0.isLowerBound },
      numerator: samples.reduce(0) { $0 + $1.numerator },
      denominator: samples.reduce(0) { $0 + $1.denominator }, values: samples.map(\.value))
    if present.isEmpty { return }
    do {
      if reference.isQuotient {
        try setRatio(present)
      } else {
        try setMean(present)
      }
      let few = RareEvents(self, designEffect)
      if present.count >= 2, few.isFew, let own = interval, let exact = few.bounds(own.level) {
        interval = own.covering(exact)
      }
    } catch {
      preconditionFailure("two values have an interval: \(error)")
    }
  }

  private mutating func setRatio(_ present: [MetricSample]) throws(StatisticsError) {
    value = numerator / denominator
    if present.count < 2 { return }
    let estimate = try Estimates.ratio(
      numerators: present.map(\.numerator), denominators: present.map(\.denominator))
    interval = estimate.interval.clamped(to: reference.bounds)
    standardError = estimate.standardError
  }

  private mutating func setMean(_ present: [MetricSample]) throws(StatisticsError) {
    let values = present.compactMap(\.value)
    value = values.reduce(0, +) / Double(values.count)
    let parts = present.compactMap(\.times)
    if reference.isQuantile, parts.count == present.count,
      let pooled = SampledTimes.pooled(parts, reference.stat)
    {
      value = Double(pooled.nanoseconds) / 1e6
      isLowerBound = pooled.isLowerBound
    }
    guard present.count >= 2, let value else { return }
    let estimate =
      reference.isQuantile
      ? try Estimates.sectioned(value, sections: values) : try Estimates.mean(of: values)
    self.value = estimate.value
    interval = estimate.interval.clamped(to: 0...Double.infinity)
    standardError = estimate.standardError
  }
}
