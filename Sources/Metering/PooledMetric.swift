import Estimation

/// A metric over several replications: a value, how sure we are, and from how much.
public struct PooledMetric: Sendable, Equatable {
  /// Ratio of sums for ratios, that of all replications' times together for their percentiles, mean
  /// of the replications' values for the rest; nil without data. Without the times, which records
  /// do not keep, a percentile is a mean too.
  public var value: Double?
  /// The 95 % interval, two-sided; nil with fewer than two replications that have data.
  public var interval: Interval?
  public var standardError: Double?
  /// Replications with data.
  public var replications = 0
  /// Views or requests behind the value, over all replications.
  public var samples: Int64 = 0
  /// More views never started than the percentile leaves: the value is a lower bound. Where it is a
  /// mean, in some replication.
  public var isLowerBound = false
  /// Sums of numerators and denominators, for ratios and means.
  public var numerator = 0.0
  public var denominator = 0.0

  public init() {}

  /// Puts the replications' samples together.
  ///
  /// A ratio is the ratio of the sums; a percentile that of all times together, with an interval by
  /// sectioning; everything else the mean of the replications. A share or a count with hardly an
  /// event has exact bounds.
  ///
  /// - Parameters:
  ///   - designEffect: of views of one session, for shares of views.
  ///   - together: the times of all samples, where somebody has put them together already.
  public init<Source: Quantiles>(
    _ traits: MetricTraits, _ samples: [MetricSample], designEffect: Double = 1,
    together: SampledTimes? = nil, quantiles: Source
  ) {
    for sample in samples {
      self.samples += sample.samples
      numerator += sample.numerator
      denominator += sample.denominator
      if sample.isLowerBound { isLowerBound = true }
    }
    let present = samples.filter { $0.value != nil }
    replications = present.count
    if present.isEmpty { return }
    do throws(StatisticsError) {
      if traits.isQuotient {
        try setRatio(present, traits, quantiles)
      } else {
        try setMean(present, traits, together, quantiles)
      }
    } catch {
      preconditionFailure("two values have an interval")
    }
    let few = RareEvents(self, traits, designEffect)
    if present.count >= 2, few.isFew, let own = interval,
      let exact = few.bounds(own.level, quantiles)
    {
      interval = own.covering(exact)
    }
  }

  private mutating func setRatio<Source: Quantiles>(
    _ present: [MetricSample], _ traits: MetricTraits, _ quantiles: Source
  ) throws(StatisticsError) {
    value = numerator / denominator
    if present.count < 2 { return }
    let estimate = try Estimates.ratio(
      numerators: present.map { $0.numerator }, denominators: present.map { $0.denominator },
      quantiles: quantiles)
    interval = estimate.interval.clamped(to: traits.bounds)
    standardError = estimate.standardError
  }

  private mutating func setMean<Source: Quantiles>(
    _ present: [MetricSample], _ traits: MetricTraits, _ together: SampledTimes?,
    _ quantiles: Source
  ) throws(StatisticsError) {
    let values = present.compactMap { $0.value }
    value = values.reduce(0) { $0 + $1 } / Double(values.count)
    if case .percentile(let percent, let ofStarted) = traits.stat {
      let parts = together.map { [$0] } ?? present.compactMap { $0.times }
      if together != nil || parts.count == present.count,
        let pooled = SampledTimes.pooled(parts, percent, ofStarted: ofStarted)
      {
        value = Double(pooled.nanoseconds) / 1e6
        isLowerBound = pooled.isLowerBound
      }
    }
    guard present.count >= 2, let value else { return }
    let estimate =
      traits.stat.isQuantile
      ? try Estimates.sectioned(value, sections: values, quantiles: quantiles)
      : try Estimates.mean(of: values, quantiles: quantiles)
    self.value = estimate.value
    interval = estimate.interval.clamped(to: 0...Double.infinity)
    standardError = estimate.standardError
  }
}
