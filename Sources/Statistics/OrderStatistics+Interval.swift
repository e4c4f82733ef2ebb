internal import CGSL

extension OrderStatistics {
  /// The type 7 quantile with the interval between two order statistics, free of any law.
  ///
  /// The ranks come from the binomial law of the number of values under the true quantile: l is the
  /// greatest with P(B < l) ≤ α/2, u the least with P(B ≥ u) ≤ α/2, so the coverage is at least the
  /// level. Source: W. Conover, "Practical Nonparametric Statistics", 3rd edition, 1999, section
  /// 3.2.
  /// - Throws: `statistics.no-data` when there are too few values for such ranks to exist (for p =
  ///   0.95 and level 0.95, under 72 or so), `statistics.data` when the values are not sorted.
  public static func quantileInterval(
    sorted values: [Double], _ p: Double, level: Double = 0.95
  ) throws(StatisticsError) -> QuantileEstimate {
    try Require.level(level)
    try Require.open(p)
    try Require.sorted(values)
    let value = try quantile(sorted: values, p)
    guard let ranks = ranks(count: values.count, p, level: level) else {
      throw .noData(
        "at least \(neededCount(p, level: level)) values for an interval of quantile \(format(p))",
        got: values.count)
    }
    let interval = Interval(
      lower: values[ranks.lower - 1], upper: values[ranks.upper - 1], level: level)
    let n = UInt32(values.count)
    let coverage =
      gsl_cdf_binomial_P(UInt32(ranks.upper - 1), p, n)
      - gsl_cdf_binomial_P(UInt32(ranks.lower - 1), p, n)
    return QuantileEstimate(
      estimate: Estimate(value: value, interval: interval, standardError: nil, n: values.count),
      lowerRank: ranks.lower, upperRank: ranks.upper, coverage: coverage)
  }

  /// The ranks (from 1) of the interval's ends; nil when the sample is too small.
  private static func ranks(
    count: Int, _ p: Double, level: Double
  ) -> (lower: Int, upper: Int)? {
    let n = UInt32(count)
    let tail = (1 - level) / 2
    // l: the greatest rank with P(B ≤ l - 1) ≤ tail.
    var first = 0
    var last = count + 1
    while last - first > 1 {
      let middle = (first + last) / 2
      if gsl_cdf_binomial_P(UInt32(middle - 1), p, n) <= tail {
        first = middle
      } else {
        last = middle
      }
    }
    let lower = first
    // u: the least rank with P(B ≥ u) = P(B > u - 1) ≤ tail.
    first = 0
    last = count + 1
    while last - first > 1 {
      let middle = (first + last) / 2
      if gsl_cdf_binomial_Q(UInt32(middle - 1), p, n) <= tail {
        last = middle
      } else {
        first = middle
      }
    }
    return lower >= 1 && last <= count ? (lower, last) : nil
  }

  /// The least sample in which both ranks exist: p^n and (1-p)^n at most α/2.
  private static func neededCount(_ p: Double, level: Double) -> Int {
    let nearest = max(p, 1 - p)
    let count = (log((1 - level) / 2) / log(nearest)).rounded(.up)
    return count < 1e15 ? max(1, Int(count)) : Int(1e15)
  }
}

/// A sample quantile with its order-statistic interval.
public struct QuantileEstimate: Sendable, Equatable {
  public let estimate: Estimate
  /// The ranks, counted from 1, whose values are the ends of the interval.
  public let lowerRank: Int
  public let upperRank: Int
  /// The coverage the ranks attain for a continuous law: at least the level asked for.
  public let coverage: Double
}
