/// Interval estimates across independent replications.
///
/// Every function needs at least two replications and throws `statistics.no-data` under that:
/// no data is never a number, and so never a pass. `level` is the two-sided confidence; `quantiles`
/// is where the laws' quantiles are taken from.
public enum Estimates {
  /// The mean of independent values with Student's t interval.
  ///
  /// Source: A. Law, "Simulation Modeling and Analysis", 5th edition, 2015, section 4.5.
  public static func mean<Source: Quantiles>(
    of values: [Double], level: Double = 0.95, quantiles: Source
  ) throws(StatisticsError) -> Estimate {
    try Require.level(level)
    try requireReplications(values.count)
    let summary = try Summary(values)
    let n = Double(values.count)
    let error = (summary.variance ?? 0).squareRoot() / n.squareRoot()
    return try estimate(
      summary.mean, error: error, n: values.count, level: level, quantiles: quantiles)
  }

  /// The ratio of two sums with the variance of the delta method across replications.
  ///
  /// With R = Σy/Σx the standard error is √(Σ(y_i - R·x_i)² / (n(n-1))) / mean(x), and the interval
  /// takes Student's t with n - 1 degrees of freedom. It is not the mean of the ratios. The bias is
  /// of order 1/n. Source: W. Cochran, "Sampling Techniques", 3rd edition, 1977, section 6.3.
  /// - Throws: `statistics.no-data` when the denominators sum to 0: a ratio of nothing.
  public static func ratio<Source: Quantiles>(
    numerators: [Double], denominators: [Double], level: Double = 0.95, quantiles: Source
  ) throws(StatisticsError) -> Estimate {
    try Require.level(level)
    try requireRatio(numerators, denominators)
    let whole = CompensatedSum.of(denominators)
    if whole == 0 { throw .noData("denominators that do not sum to 0", got: 0) }
    let ratio = CompensatedSum.of(numerators) / whole
    var squares = CompensatedSum()
    for index in numerators.indices {
      let residual = numerators[index] - ratio * denominators[index]
      squares.add(residual * residual)
    }
    let n = Double(numerators.count)
    let error = (squares.value / (n * (n - 1))).squareRoot() / (whole / n)
    return try estimate(
      ratio, error: error, n: numerators.count, level: level, quantiles: quantiles)
  }

  /// The mean of the differences candidate - baseline of replications that share their seeds.
  ///
  /// Student's t on the differences. Common random numbers make it narrower than two intervals
  /// apart.
  public static func pairedDifference<Source: Quantiles>(
    candidate: [Double], baseline: [Double], level: Double = 0.95, quantiles: Source
  ) throws(StatisticsError) -> PairedDifference {
    try requireEqualCounts(candidate, baseline)
    try Require.finite(data: candidate)
    try Require.finite(data: baseline)
    let differences = candidate.indices.map { candidate[$0] - baseline[$0] }
    let difference = try mean(of: differences, level: level, quantiles: quantiles)
    return PairedDifference(
      difference: difference, candidateMean: try Summary(candidate).mean,
      baselineMean: try Summary(baseline).mean)
  }

  /// An estimate of `n` independent values with Student's interval, from its standard error.
  ///
  /// - Throws: `statistics.numeric` where the interval is not finite.
  public static func estimate<Source: Quantiles>(
    _ value: Double, error: Double, n: Int, level: Double, quantiles: Source
  ) throws(StatisticsError) -> Estimate {
    let t = try quantiles.student(upperTail: (1 - level) / 2, degreesOfFreedom: Double(n - 1))
    let half = t * error
    if !(half.isFinite && value.isFinite) {
      throw .numeric("a finite interval", got: value, plusMinus: half)
    }
    let interval = Interval(lower: value - half, upper: value + half, level: level)
    return Estimate(value: value, interval: interval, standardError: error, n: n)
  }
}

/// What changed between two variants that were run with the same seeds.
public struct PairedDifference: Sendable, Equatable {
  /// Candidate minus baseline, with its interval; `n` counts the pairs.
  public let difference: Estimate
  public let candidateMean: Double
  public let baselineMean: Double

  /// The difference over the baseline's magnitude; nil when the baseline's mean is 0.
  public var relativeChange: Double? {
    baselineMean == 0 ? nil : difference.value / abs(baselineMean)
  }
}
