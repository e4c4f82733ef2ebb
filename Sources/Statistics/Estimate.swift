/// A closed range that covers the unknown quantity with the stated confidence.
public struct Interval: Sendable, Equatable {
  public let lower: Double
  public let upper: Double
  /// The confidence asked for, such as 0.95; two-sided.
  public let level: Double

  public init(lower: Double, upper: Double, level: Double = 0.95) {
    self.lower = lower
    self.upper = upper
    self.level = level
  }

  public var halfWidth: Double { (upper - lower) / 2 }

  public func contains(_ value: Double) -> Bool { value >= lower && value <= upper }

  /// The smallest interval around this one and another, at this one's level.
  public func covering(_ other: Interval) -> Interval {
    Interval(lower: min(lower, other.lower), upper: max(upper, other.upper), level: level)
  }

  /// The part of the interval that lies in `range`: an unknown quantity that cannot leave the range
  /// is covered by it exactly as often. An interval outside shrinks to the nearer end.
  public func clamped(to range: ClosedRange<Double>) -> Interval {
    let low = Swift.min(Swift.max(lower, range.lowerBound), range.upperBound)
    let high = Swift.min(Swift.max(upper, range.lowerBound), range.upperBound)
    return Interval(lower: low, upper: high, level: level)
  }
}

/// An estimate with its interval and the number of observations behind it.
public struct Estimate: Sendable, Equatable {
  public let value: Double
  public let interval: Interval
  /// The standard error; nil where the method has none (order statistics).
  public let standardError: Double?
  /// The number of independent observations (replications, pairs) behind the estimate.
  public let n: Int

  /// The estimate with an interval that covers another one, too.
  public func covering(_ other: Interval?) -> Estimate {
    guard let other else { return self }
    return Estimate(
      value: value, interval: interval.covering(other), standardError: standardError, n: n)
  }
}

/// Mean, spread and ends of a list; for the numbers of a report that carry no interval.
///
/// Two passes with compensated sums, so that a large common offset costs no digits.
public struct Summary: Sendable, Equatable {
  public let n: Int
  public let mean: Double
  public let minimum: Double
  public let maximum: Double
  /// The sum of squares about the mean.
  private let squares: Double

  /// - Throws: `statistics.no-data` for an empty list, `statistics.data` for a value not finite.
  public init(_ values: [Double]) throws(StatisticsError) {
    if values.isEmpty { throw .noData("at least 1 value", got: 0) }
    try requireFinite(data: values)
    n = values.count
    let first = CompensatedSum.of(values) / Double(n)
    var deviations = CompensatedSum()
    var least = values[0]
    var greatest = values[0]
    for value in values {
      deviations.add(value - first)
      least = min(least, value)
      greatest = max(greatest, value)
    }
    // The mean of the deviations is what rounding took from the first mean.
    mean = first + deviations.value / Double(n)
    var sum = CompensatedSum()
    for value in values { sum.add((value - mean) * (value - mean)) }
    squares = sum.value
    minimum = least
    maximum = greatest
  }

  /// The variance with divisor n - 1; nil under two values.
  public var variance: Double? { n < 2 ? nil : squares / Double(n - 1) }

  /// The square root of the variance; nil under two values.
  public var standardDeviation: Double? { variance?.squareRoot() }
}

/// Interval estimates across independent replications.
///
/// Every function needs at least two replications and throws `statistics.no-data` under that:
/// no data is never a number, and so never a pass. `level` is the two-sided confidence.
public enum Estimates {
  /// The mean of independent values with Student's t interval.
  ///
  /// Source: A. Law, "Simulation Modeling and Analysis", 5th edition, 2015, section 4.5.
  public static func mean(
    of values: [Double], level: Double = 0.95
  ) throws(StatisticsError) -> Estimate {
    try requireLevel(level)
    try requireReplications(values.count)
    let summary = try Summary(values)
    let n = Double(values.count)
    let error = (summary.variance ?? 0).squareRoot() / n.squareRoot()
    return try estimate(summary.mean, error: error, n: values.count, level: level)
  }

  /// The ratio of two sums with the variance of the delta method across replications.
  ///
  /// With R = Σy/Σx the standard error is √(Σ(y_i - R·x_i)² / (n(n-1))) / mean(x), and the interval
  /// takes Student's t with n - 1 degrees of freedom. It is not the mean of the ratios. The bias is
  /// of order 1/n. Source: W. Cochran, "Sampling Techniques", 3rd edition, 1977, section 6.3.
  /// - Throws: `statistics.no-data` when the denominators sum to 0: a ratio of nothing.
  public static func ratio(
    numerators: [Double], denominators: [Double], level: Double = 0.95
  ) throws(StatisticsError) -> Estimate {
    try requireLevel(level)
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
    return try estimate(ratio, error: error, n: numerators.count, level: level)
  }

  /// The mean of the differences candidate - baseline of replications that share their seeds.
  ///
  /// Student's t on the differences. Common random numbers make it narrower than two intervals
  /// apart.
  public static func pairedDifference(
    candidate: [Double], baseline: [Double], level: Double = 0.95
  ) throws(StatisticsError) -> PairedDifference {
    try requireEqualCounts(candidate, baseline)
    try requireFinite(data: candidate)
    try requireFinite(data: baseline)
    let differences = candidate.indices.map { candidate[$0] - baseline[$0] }
    let difference = try mean(of: differences, level: level)
    return PairedDifference(
      difference: difference, candidateMean: try Summary(candidate).mean,
      baselineMean: try Summary(baseline).mean)
  }

  static func estimate(
    _ value: Double, error: Double, n: Int, level: Double
  ) throws(StatisticsError) -> Estimate {
    let t = try StudentT.quantile(upperTail: (1 - level) / 2, degreesOfFreedom: Double(n - 1))
    let half = t * error
    if !(half.isFinite && value.isFinite) {
      throw .numeric("a finite interval", got: "\(value) ± \(half)")
    }
    let interval = Interval(lower: value - half, upper: value + half, level: level)
    return Estimate(value: value, interval: interval, standardError: error, n: n)
  }

  static func requireReplications(_ count: Int) throws(StatisticsError) {
    if count < 2 { throw .noData("at least 2 independent values for an interval", got: count) }
  }

  /// Refuses what is not a ratio of sums over at least two replications.
  static func requireRatio(
    _ numerators: [Double], _ denominators: [Double]
  ) throws(StatisticsError) {
    try requireEqualCounts(numerators, denominators)
    try requireReplications(numerators.count)
    try requireFinite(data: numerators)
    try requireFinite(data: denominators)
    for index in denominators.indices where denominators[index] < 0 {
      throw .data("denominators of at least 0", got: "\(denominators[index]) at index \(index)")
    }
  }

  static func requireEqualCounts(_ a: [Double], _ b: [Double]) throws(StatisticsError) {
    if a.count != b.count { throw .data("lists of equal length", got: "\(a.count) and \(b.count)") }
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
