/// What estimators ask of what they are given; each throws an error that says what is wrong.
public enum Require {
  /// Refuses a confidence level that is not strictly between 0 and 1.
  public static func level(_ level: Double) throws(StatisticsError) {
    if !(level > 0 && level < 1) {
      throw .parameter("a confidence level strictly between 0 and 1", got: level)
    }
  }

  /// Refuses a probability that is not strictly between 0 and 1.
  public static func open(_ p: Double) throws(StatisticsError) {
    if !(p > 0 && p < 1) {
      throw .probability("a probability strictly between 0 and 1", got: p)
    }
  }

  /// Refuses data with a NaN or an infinity in it.
  public static func finite(data values: [Double]) throws(StatisticsError) {
    for index in values.indices where !values[index].isFinite {
      throw .data("finite values", got: values[index], at: index)
    }
  }

  /// Refuses an empty list, values that do not ascend, and values not finite.
  public static func sorted(_ values: [Double]) throws(StatisticsError) {
    if values.isEmpty { throw .noData("at least 1 value", got: 0) }
    for index in values.indices.dropFirst() where !(values[index - 1] <= values[index]) {
      throw .data("values in ascending order", got: values[index], after: values[index - 1])
    }
    if !(values[0].isFinite && values[values.count - 1].isFinite) {
      throw .data("finite values", got: values[0], to: values[values.count - 1])
    }
  }
}

/// What estimates over replications ask.
extension Estimates {
  /// Refuses fewer than two independent values.
  public static func requireReplications(_ count: Int) throws(StatisticsError) {
    if count < 2 { throw .noData("at least 2 independent values for an interval", got: count) }
  }

  /// Refuses what is not a ratio of sums over at least two replications.
  public static func requireRatio(
    _ numerators: [Double], _ denominators: [Double]
  ) throws(StatisticsError) {
    try requireEqualCounts(numerators, denominators)
    try requireReplications(numerators.count)
    try Require.finite(data: numerators)
    try Require.finite(data: denominators)
    for index in denominators.indices where denominators[index] < 0 {
      throw .data("denominators of at least 0", got: denominators[index], at: index)
    }
  }

  /// Refuses lists of unequal length.
  public static func requireEqualCounts(_ a: [Double], _ b: [Double]) throws(StatisticsError) {
    if a.count != b.count { throw .data("lists of equal length", got: a.count, and: b.count) }
  }
}
