/// One metric over replications, whatever its form, as numbers whose mean is the metric.
///
/// A mean (or a quantile taken in each replication) is already that. A ratio of sums is turned into
/// its jackknife pseudo-values n·R - (n - 1)·R_i, where R_i leaves replication i out, moved by
/// their small bias so that their mean is R itself. Comparisons, fronts and races then treat every
/// metric alike, and common random numbers pair the parts of two variants. Source: R. Miller 1974,
/// DOI 10.1093/biomet/61.1.1.
public struct MetricSeries: Sendable, Equatable {
  /// The metric over all replications.
  public let value: Double
  /// One for each replication, in order; their mean is ``value``.
  public let parts: [Double]

  public var replications: Int { parts.count }

  private init(value: Double, parts: [Double]) {
    self.value = value
    self.parts = parts
  }

  /// A metric that is the mean of one value for each replication.
  ///
  /// - Throws: `statistics.no-data` without values, `statistics.data` when one is not finite.
  public static func means(_ values: [Double]) throws(StatisticsError) -> MetricSeries {
    MetricSeries(value: try Summary(values).mean, parts: values)
  }

  /// A metric that is the sum of numerators over the sum of denominators.
  ///
  /// - Throws: `statistics.no-data` unless at least two denominators are above 0; `statistics.data`
  ///   for lists of unequal length, values not finite and negative denominators.
  public static func ratio(
    numerators: [Double], denominators: [Double]
  ) throws(StatisticsError) -> MetricSeries {
    try Estimates.requireRatio(numerators, denominators)
    let positive = denominators.count { $0 > 0 }
    if positive < 2 { throw .noData("at least 2 denominators above 0", got: positive) }
    let (above, below) = (CompensatedSum.of(numerators), CompensatedSum.of(denominators))
    let ratio = above / below
    let n = Double(numerators.count)
    // R - R_i = (y_i - R·x_i) / (Σx - x_i), without the cancellation of the two ratios.
    let shifts = numerators.indices.map { index in
      (n - 1) * (numerators[index] - ratio * denominators[index]) / (below - denominators[index])
    }
    let bias = try Summary(shifts).mean
    return MetricSeries(value: ratio, parts: shifts.map { ratio + ($0 - bias) })
  }
}
