internal import CGSL

/// The values that one factor of a design may take, as a map from the unit interval.
///
/// Designs are made on the unit cube; a range turns a coordinate in 0...1 into the value that a run
/// is given. Words (policies, algorithms) are factors of `choices`: the value is their index.
public struct FactorRange: Sendable, Equatable {
  /// How the unit interval is laid onto the values.
  public enum Scale: Sendable, Equatable {
    /// Equal steps make equal differences.
    case linear(from: Double, to: Double)
    /// Equal steps make equal quotients; both ends are above 0.
    case logarithmic(from: Double, to: Double)
    /// Equal parts of the interval, one for each value, in the order given.
    case levels([Double])
  }

  public let scale: Scale

  /// - Throws: `statistics.parameter` unless both ends are finite and `from` is below `to`.
  public static func linear(from: Double, to: Double) throws(StatisticsError) -> FactorRange {
    try requireFinite(from, "lower end")
    try requireFinite(to, "upper end")
    if !(from < to) { throw .parameter("an upper end above \(format(from))", got: to) }
    try requireFinite(to - from, "width")
    return FactorRange(scale: .linear(from: from, to: to))
  }

  /// - Throws: `statistics.parameter` unless both ends are finite, above 0, and `from` is below
  ///   `to`.
  public static func logarithmic(
    from: Double, to: Double
  ) throws(StatisticsError) -> FactorRange {
    try requirePositive(from, "lower end")
    try requirePositive(to, "upper end")
    if !(from < to) { throw .parameter("an upper end above \(format(from))", got: to) }
    return FactorRange(scale: .logarithmic(from: from, to: to))
  }

  /// - Throws: `statistics.no-data` without values, `statistics.data` when one is not finite.
  public static func levels(_ values: [Double]) throws(StatisticsError) -> FactorRange {
    if values.isEmpty { throw .noData("at least 1 level", got: 0) }
    try Require.finite(data: values)
    return FactorRange(scale: .levels(values))
  }

  /// A factor without numbers: its values are the indices 0..<`count`.
  public static func choices(_ count: Int) throws(StatisticsError) -> FactorRange {
    try levels((0..<max(0, count)).map { Double($0) })
  }

  /// The value at a coordinate. The ends of a range are met exactly.
  ///
  /// - Precondition: `coordinate` is in 0...1.
  public func value(at coordinate: Double) -> Double {
    precondition(
      coordinate >= 0 && coordinate <= 1, "expected a coordinate in 0...1, got \(coordinate)")
    switch scale {
    case .linear(let from, let to):
      return coordinate == 1 ? to : from + (to - from) * coordinate
    case .logarithmic(let from, let to):
      if coordinate == 0 { return from }
      if coordinate == 1 { return to }
      return min(to, max(from, exp(log(from) + (log(to) - log(from)) * coordinate)))
    case .levels(let values):
      return values[min(Int(coordinate * Double(values.count)), values.count - 1)]
    }
  }

  /// Level `index` of `count` that are spread evenly over the range, both ends included.
  ///
  /// One level alone stands in the middle. A range of levels gives its own values.
  /// - Precondition: `index` is in 0..<`count`, and a range of levels has at least `count`.
  public func value(level index: Int, of count: Int) -> Double {
    precondition(index >= 0 && index < count, "expected a level in 0..<\(count), got \(index)")
    if case .levels(let values) = scale {
      precondition(count <= values.count, "expected at most \(values.count) levels, got \(count)")
      return values[index]
    }
    return value(at: count == 1 ? 0.5 : Double(index) / Double(count - 1))
  }
}
