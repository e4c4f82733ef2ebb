extension Estimates {
  /// The difference of two means over independent values, candidate minus baseline, with Welch's
  /// interval: the variances need not be equal.
  ///
  /// The degrees of freedom are Satterthwaite's. Source: B. L. Welch, Biometrika 34 (1947).
  /// - Throws: `statistics.no-data` with fewer than two values on a side.
  public static func independentDifference<Source: Quantiles>(
    candidate: [Double], baseline: [Double], level: Double = 0.95, quantiles: Source
  ) throws(StatisticsError) -> Estimate {
    try requireReplications(min(candidate.count, baseline.count))
    let (after, before) = (try Summary(candidate), try Summary(baseline))
    let value = after.mean - before.mean
    let freedom = welchFreedom(after, before)
    let error = (meanVariance(after) + meanVariance(before)).squareRoot()
    let t = try quantiles.student(upperTail: (1 - level) / 2, degreesOfFreedom: freedom)
    return Estimate(
      value: value,
      interval: Interval(lower: value - t * error, upper: value + t * error, level: level),
      standardError: error, n: candidate.count + baseline.count)
  }

  /// Satterthwaite's degrees of freedom for the difference of two means; n - 2 without variance.
  public static func welchFreedom(_ a: Summary, _ b: Summary) -> Double {
    let (left, right) = (meanVariance(a), meanVariance(b))
    let sum = left + right
    if sum == 0 { return Double(a.n + b.n - 2) }
    return sum * sum / (left * left / Double(a.n - 1) + right * right / Double(b.n - 1))
  }

  private static func meanVariance(_ summary: Summary) -> Double {
    (summary.variance ?? 0) / Double(summary.n)
  }
}
