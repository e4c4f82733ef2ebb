internal import CGSL

/// Two variants of a system, run with the same seeds, in one metric.
///
/// Replication i of both shares its random numbers, so the differences of the pairs hold only what
/// the change itself does. The interval of the difference is Student's t on the pairs, for means,
/// for quantiles taken in each replication and for ratios of sums (through the parts of
/// ``MetricSeries``). Source: A. Law, "Simulation Modeling and Analysis", 5th edition, 2015,
/// sections 10.2 and 11.2.
public struct PairedComparison: Sendable, Equatable {
  /// The metric of each variant.
  public let candidate: Double
  public let baseline: Double
  /// The number of pairs, at least 2.
  public let pairs: Int
  /// The two-sided confidence of the intervals.
  public let level: Double
  /// Candidate minus baseline.
  public let difference: Estimate
  /// The variances between replications, of the parts of each variant and of their differences.
  public let candidateVariance: Double
  public let baselineVariance: Double
  public let differenceVariance: Double
  /// By how much pairing divides the variance of the difference: (var A + var B) / var(A - B).
  ///
  /// What independent seeds would have had over what common seeds have; under 1 pairing did harm.
  /// The interval is Student's on the logarithm, with the jackknife's standard error: simulation
  /// gave 93 to 95 % under the normal law from 8 pairs, and 90 to 93 % under exponential laws,
  /// where the exact interval of the normal law covers 76 to 90 %. `standardError` is that of the
  /// logarithm times the value. Nil under three pairs and where a variance is 0: a difference that
  /// is the same in all pairs has no variance to compare.
  /// Source: R. Miller, "Jackknifing variances", Annals of Mathematical Statistics 39, 1968.
  public let varianceReduction: Estimate?

  /// The covariance of difference and baseline, for the interval of their ratio.
  private let crossVariance: Double

  /// - Throws: `statistics.no-data` under two pairs, `statistics.data` for series of unequal
  ///   length.
  public init(
    candidate: MetricSeries, baseline: MetricSeries, level: Double = 0.95
  ) throws(StatisticsError) {
    try requireLevel(level)
    try Estimates.requireEqualCounts(candidate.parts, baseline.parts)
    let count = candidate.parts.count
    let differences = (0..<count).map { candidate.parts[$0] - baseline.parts[$0] }
    let difference = try Estimates.mean(of: differences, level: level)
    let own = try Summary(candidate.parts)
    let other = try Summary(baseline.parts)
    let both = try Summary(differences)
    var cross = CompensatedSum()
    for (difference, part) in zip(differences, baseline.parts) {
      cross.add((difference - both.mean) * (part - other.mean))
    }
    self.candidate = candidate.value
    self.baseline = baseline.value
    self.pairs = count
    self.level = level
    self.difference = difference
    candidateVariance = own.variance ?? 0
    baselineVariance = other.variance ?? 0
    differenceVariance = both.variance ?? 0
    crossVariance = cross.value / Double(count - 1)
    varianceReduction = try PairedComparison.reduction(
      (candidate.parts, own), (baseline.parts, other), (differences, both), level: level)
  }

  /// Student's quantile for the comparison's level.
  var critical: Double {
    get throws(StatisticsError) {
      try StudentT.quantile(upperTail: (1 - level) / 2, degreesOfFreedom: Double(pairs - 1))
    }
  }

  /// The standard error of the difference.
  public var standardError: Double { (differenceVariance / Double(pairs)).squareRoot() }

  /// Whether both variants gave the same in every pair.
  public var isIdentical: Bool { differenceVariance == 0 && difference.value == 0 }

  /// The difference over the baseline's size, with Fieller's interval; nil where the baseline is
  /// not told from 0, because then any relative change is possible.
  ///
  /// The interval holds every change c for which the pairs do not contradict candidate = (1 + c) ·
  /// baseline; on normal pairs it is exact. Source: E. Fieller 1954, DOI
  /// 10.1111/j.2517-6161.1954.tb00159.x.
  public var relative: Estimate? {
    get throws(StatisticsError) { relative(critical: try critical) }
  }

  /// The difference over the baseline's size, as its interval needs it.
  public var relativeChange: RelativeChange {
    let n = Double(pairs)
    return RelativeChange(
      difference: difference.value, baseline: baseline, ofDifference: differenceVariance / n,
      ofBoth: crossVariance / n, ofBaseline: baselineVariance / n)
  }

  /// As ``relative``, with another multiple of the standard error, for a look before the last.
  func relative(critical: Double) -> Estimate? {
    relativeChange.estimate(critical: critical, level: level, n: pairs)
  }

  /// Values with their summary.
  private typealias Sample = (values: [Double], summary: Summary)

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
