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
  /// By how much pairing divides the variance of the difference: (var A + var B) / var(A - B), with
  /// its interval. Nil where a variance is 0, and where nobody has computed it: its logarithms are
  /// no business of a page.
  public private(set) var varianceReduction: Estimate?

  /// The covariance of difference and baseline, for the interval of their ratio.
  private let crossVariance: Double

  /// Without ``varianceReduction``.
  ///
  /// - Throws: `statistics.no-data` under two pairs, `statistics.data` for series of unequal
  ///   length.
  public init<Source: Quantiles>(
    candidate: MetricSeries, baseline: MetricSeries, level: Double = 0.95, quantiles: Source
  ) throws(StatisticsError) {
    try Require.level(level)
    try Estimates.requireEqualCounts(candidate.parts, baseline.parts)
    let count = candidate.parts.count
    let differences = (0..<count).map { candidate.parts[$0] - baseline.parts[$0] }
    let difference = try Estimates.mean(of: differences, level: level, quantiles: quantiles)
    let own = try Summary(candidate.parts)
    let other = try Summary(baseline.parts)
    let both = try Summary(differences)
    var cross = CompensatedSum()
    for index in 0..<count {
      cross.add((differences[index] - both.mean) * (baseline.parts[index] - other.mean))
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
  }

  /// The same with what pairing divides the variance by.
  public func with(varianceReduction: Estimate?) -> PairedComparison {
    var comparison = self
    comparison.varianceReduction = varianceReduction
    return comparison
  }

  /// Student's quantile for the comparison's level.
  public func critical<Source: Quantiles>(_ quantiles: Source) throws(StatisticsError) -> Double {
    try quantiles.student(upperTail: (1 - level) / 2, degreesOfFreedom: Double(pairs - 1))
  }

  /// The standard error of the difference.
  public var standardError: Double { (differenceVariance / Double(pairs)).squareRoot() }

  /// Whether both variants gave the same in every pair.
  public var isIdentical: Bool { differenceVariance == 0 && difference.value == 0 }

  /// The difference over the baseline's size, as its interval needs it.
  public var relativeChange: RelativeChange {
    let n = Double(pairs)
    return RelativeChange(
      difference: difference.value, baseline: baseline, ofDifference: differenceVariance / n,
      ofBoth: crossVariance / n, ofBaseline: baselineVariance / n)
  }

  /// The difference over the baseline's size, with Fieller's interval; nil where the baseline is
  /// not told from 0, because then any relative change is possible.
  ///
  /// The interval holds every change c for which the pairs do not contradict candidate = (1 + c) ·
  /// baseline; on normal pairs it is exact. Source: E. Fieller 1954, DOI
  /// 10.1111/j.2517-6161.1954.tb00159.x.
  /// - Parameter critical: the multiple of the standard error, such as ``critical(_:)``.
  public func relative(critical: Double) -> Estimate? {
    relativeChange.estimate(critical: critical, level: level, n: pairs)
  }
}
