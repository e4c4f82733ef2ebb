/// Quantiles of a sample, from its sorted values.
public enum OrderStatistics {
  /// The sample quantile of Hyndman-Fan type 7, from values sorted in ascending order.
  ///
  /// Linear between the values around position (n-1)·p, counted from 0; the default of R, NumPy and
  /// Julia. Source: R. Hyndman, Y. Fan 1996, DOI 10.1080/00031305.1996.10473566.
  /// - Throws: `statistics.no-data` for an empty list.
  /// - Complexity: O(1).
  public static func quantile(sorted values: [Double], _ p: Double) throws(StatisticsError)
    -> Double
  {
    if values.isEmpty { throw .noData("at least 1 value", got: 0) }
    if !(p >= 0 && p <= 1) { throw .probability("a probability in 0...1", got: p) }
    let position = p * Double(values.count - 1)
    let index = min(Int(position), values.count - 1)
    let fraction = position - Double(index)
    if fraction == 0 { return values[index] }
    return values[index] + (values[index + 1] - values[index]) * fraction
  }

  /// The place, from 1, of the least of `count` ascending values with at least the share `p` of
  /// them at or below it. A product that is whole, such as 0.07 · 100, may be off by rounding.
  ///
  /// - Precondition: `count` is at least 1.
  @inlinable
  public static func rank<Count: BinaryInteger>(_ p: Double, of count: Count) -> Count {
    let rank = Count((p * Double(count) - 1e-9).rounded(.up))
    return max(1, min(count, rank))
  }

  /// The least value with at least the share `p` of the sample at or below it (type 1).
  ///
  /// The inverse of the step function; what ``KaplanMeier`` gives without censoring.
  public static func inverseStep(sorted values: [Double], _ p: Double) throws(StatisticsError)
    -> Double
  {
    if values.isEmpty { throw .noData("at least 1 value", got: 0) }
    if !(p >= 0 && p <= 1) { throw .probability("a probability in 0...1", got: p) }
    return values[rank(p, of: values.count) - 1]
  }
}
