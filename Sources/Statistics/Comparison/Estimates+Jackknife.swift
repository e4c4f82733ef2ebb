extension Estimates {
  /// The ratio of two sums from few or uneven replications: jackknife with a skewness correction.
  ///
  /// The delta method of ``ratio(numerators:denominators:level:)`` is right for many replications
  /// of like size. Where replications differ much in size, and the ratio with them, it is too
  /// narrow: the parts of the sum are skewed. This one takes the jackknife's pseudo-values and the
  /// interval of ``skewedMean(of:level:)``. The value is the same.
  /// - Throws: as ``MetricSeries/ratio(numerators:denominators:)``.
  public static func jackknifeRatio(
    numerators: [Double], denominators: [Double], level: Double = 0.95
  ) throws(StatisticsError) -> Estimate {
    let series = try MetricSeries.ratio(numerators: numerators, denominators: denominators)
    let estimate = try skewedMean(of: series.parts, level: level)
    return Estimate(
      value: series.value, interval: estimate.interval, standardError: estimate.standardError,
      n: estimate.n)
  }
}
