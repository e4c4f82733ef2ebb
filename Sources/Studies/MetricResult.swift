import Scenario
import Statistics

extension MetricResult {
  /// Puts the replications' samples together (``Metering/PooledMetric``).
  ///
  /// - Parameter designEffect: of views of one session, for shares of views.
  init(_ reference: MetricReference, _ samples: [MetricSample], designEffect: Double = 1) {
    let pooled = PooledMetric(
      reference.traits, samples, designEffect: designEffect, quantiles: GSLQuantiles())
    self.init(
      reference: reference, value: pooled.value, interval: pooled.interval,
      standardError: pooled.standardError, replications: pooled.replications,
      samples: pooled.samples, isLowerBound: pooled.isLowerBound, numerator: pooled.numerator,
      denominator: pooled.denominator, values: samples.map(\.value))
  }

  /// Without its name and the replications' values.
  var pooled: PooledMetric {
    var pooled = PooledMetric()
    pooled.value = value
    pooled.interval = interval
    pooled.standardError = standardError
    pooled.replications = replications
    pooled.samples = samples
    pooled.isLowerBound = isLowerBound
    pooled.numerator = numerator
    pooled.denominator = denominator
    return pooled
  }
}

extension RareEvents {
  init(_ metric: MetricResult, _ designEffect: Double) {
    self.init(metric.pooled, metric.reference.traits, designEffect)
  }

  /// The exact bounds at a confidence; nil for what has none.
  func bounds(_ level: Double) -> Interval? { bounds(level, GSLQuantiles()) }
}

extension MetricReference {
  /// Whether the stat is a percentile.
  var isQuantile: Bool { reads.isQuantile }
}
