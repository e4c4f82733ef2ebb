internal import CGSL

extension PairedComparison {
  /// - Throws: `statistics.no-data` under two pairs, `statistics.data` for series of unequal
  ///   length.
  public init(
    candidate: MetricSeries, baseline: MetricSeries, level: Double = 0.95
  ) throws(StatisticsError) {
    let comparison = try PairedComparison(
      candidate: candidate, baseline: baseline, level: level, quantiles: GSLQuantiles())
    self = comparison.with(
      varianceReduction: try PairedComparison.varianceReduction(
        candidate: candidate, baseline: baseline, level: level))
  }

  /// ``varianceReduction`` alone.
  ///
  /// - Throws: `statistics.no-data` without pairs, `statistics.data` for series of unequal length.
  public static func varianceReduction(
    candidate: MetricSeries, baseline: MetricSeries, level: Double = 0.95
  ) throws(StatisticsError) -> Estimate? {
    let (own, other) = (candidate.parts, baseline.parts)
    try Estimates.requireEqualCounts(own, other)
    let differences = own.indices.map { own[$0] - other[$0] }
    return try reduction(
      (own, try Summary(own)), (other, try Summary(other)),
      (differences, try Summary(differences)), level: level)
  }

  /// The difference over the baseline's size, with the interval of the comparison's own level
  /// (``relative(critical:)``); nil where the baseline is not told from 0.
  public var relative: Estimate? {
    get throws(StatisticsError) { relative(critical: try critical(GSLQuantiles())) }
  }

  /// Values with their summary.
  private typealias Sample = (values: [Double], summary: Summary)

  /// By how much pairing divides the variance of the difference: (var A + var B) / var(A - B).
  ///
  /// What independent seeds would have had over what common seeds have; under 1 pairing did harm.
  /// The interval is Student's on the logarithm, with the jackknife's standard error: simulation
  /// gave 93 to 95 % under the normal law from 8 pairs, and 90 to 93 % under exponential laws,
  /// where the exact interval of the normal law covers 76 to 90 %. `standardError` is that of the
  /// logarithm times the value. Nil under three pairs and where a variance is 0: a difference that
  /// is the same in all pairs has no variance to compare.
  /// Source: R. Miller, "Jackknifing variances", Annals of Mathematical Statistics 39, 1968.
  private static func reduction(
    _ candidate: Sample, _ baseline: Sample, _ difference: Sample, level: Double
  ) throws(StatisticsError) -> Estimate? {
    let count = difference.values.count
    if count < 3 { return nil }
    /// The sum of squares about the mean, without value `left`; `left` nil leaves none out.
    func squares(_ sample: Sample, without left: Int?) -> Double {
      let whole = (sample.summary.variance ?? 0) * Double(count - 1)
      guard let left else { return whole }
      let deviation = sample.values[left] - sample.summary.mean
      return whole - deviation * deviation * Double(count) / Double(count - 1)
    }
    func logarithm(without left: Int?) -> Double? {
      let apart = squares(candidate, without: left) + squares(baseline, without: left)
      let paired = squares(difference, without: left)
      // What is left of a sum of squares after a subtraction may be rounding alone.
      let floor = 1e-12 * squares(difference, without: nil)
      return paired > floor && apart > 0 ? log(apart / paired) : nil
    }
    guard let whole = logarithm(without: nil) else { return nil }
    var values: [Double] = []
    for left in 0..<count {
      guard let rest = logarithm(without: left) else { return nil }
      values.append(whole + Double(count - 1) * (whole - rest))
    }
    let spread = try Summary(values).standardDeviation ?? 0
    let error = spread / Double(count).squareRoot()
    let inner = try Estimates.estimate(whole, error: error, n: count, level: level)
    let value = exp(whole)
    return Estimate(
      value: value,
      interval: Interval(
        lower: exp(inner.interval.lower),
        upper: exp(inner.interval.upper), level: level),
      standardError: value * error, n: count)
  }
}
