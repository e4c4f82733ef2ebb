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

  public init(value: Double, interval: Interval, standardError: Double?, n: Int) {
    self.value = value
    self.interval = interval
    self.standardError = standardError
    self.n = n
  }

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
    try Require.finite(data: values)
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
