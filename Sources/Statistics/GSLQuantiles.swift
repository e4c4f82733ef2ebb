// The part of this module that a page has, too, under this one's name.
@_exported import Estimation

/// The quantiles of programs: GSL's.
public struct GSLQuantiles: Quantiles {
  public init() {}

  public func student(
    upperTail q: Double, degreesOfFreedom: Double
  ) throws(StatisticsError) -> Double {
    try StudentT.quantile(upperTail: q, degreesOfFreedom: degreesOfFreedom)
  }

  public func studentTail(
    above t: Double, degreesOfFreedom: Double
  ) throws(StatisticsError) -> Double {
    try StudentT.upperTail(t, degreesOfFreedom: degreesOfFreedom)
  }

  public func normal(upperTail q: Double) throws(StatisticsError) -> Double {
    try StandardNormal.quantile(upperTail: q)
  }

  public func unitGamma(lowerTail p: Double, shape: Double) throws(StatisticsError) -> Double {
    try unitGammaQuantile(.lower(p), shape: shape)
  }

  public func unitGamma(upperTail q: Double, shape: Double) throws(StatisticsError) -> Double {
    try unitGammaQuantile(.upper(q), shape: shape)
  }
}

/// The estimates with GSL's quantiles; what they mean and throw is said at those of `Estimation`.
extension Estimates {
  public static func mean(
    of values: [Double], level: Double = 0.95
  ) throws(StatisticsError) -> Estimate {
    try mean(of: values, level: level, quantiles: GSLQuantiles())
  }

  public static func ratio(
    numerators: [Double], denominators: [Double], level: Double = 0.95
  ) throws(StatisticsError) -> Estimate {
    try ratio(
      numerators: numerators, denominators: denominators, level: level, quantiles: GSLQuantiles())
  }

  public static func pairedDifference(
    candidate: [Double], baseline: [Double], level: Double = 0.95
  ) throws(StatisticsError) -> PairedDifference {
    try pairedDifference(
      candidate: candidate, baseline: baseline, level: level, quantiles: GSLQuantiles())
  }

  public static func independentDifference(
    candidate: [Double], baseline: [Double], level: Double = 0.95
  ) throws(StatisticsError) -> Estimate {
    try independentDifference(
      candidate: candidate, baseline: baseline, level: level, quantiles: GSLQuantiles())
  }

  public static func pooledQuantile(
    sorted replications: [[Double]], _ p: Double, level: Double = 0.95
  ) throws(StatisticsError) -> Estimate {
    try pooledQuantile(sorted: replications, p, level: level, quantiles: GSLQuantiles())
  }

  public static func sectioned(
    _ pooled: Double, sections: [Double], level: Double = 0.95
  ) throws(StatisticsError) -> Estimate {
    try sectioned(pooled, sections: sections, level: level, quantiles: GSLQuantiles())
  }

  public static func rate(
    count: Int, exposure: Double, level: Double = 0.95
  ) throws(StatisticsError) -> Estimate {
    try rate(count: count, exposure: exposure, level: level, quantiles: GSLQuantiles())
  }

  public static func shareBounds(
    _ share: Double, samples: Double, designEffect: Double = 1, level: Double = 0.95
  ) throws(StatisticsError) -> Interval {
    try shareBounds(
      share, samples: samples, designEffect: designEffect, level: level,
      quantiles: GSLQuantiles())
  }

  public static func countBounds(
    _ count: Double, level: Double = 0.95
  ) throws(StatisticsError) -> Interval {
    try countBounds(count, level: level, quantiles: GSLQuantiles())
  }

  static func estimate(
    _ value: Double, error: Double, n: Int, level: Double
  ) throws(StatisticsError) -> Estimate {
    try estimate(value, error: error, n: n, level: level, quantiles: GSLQuantiles())
  }
}
