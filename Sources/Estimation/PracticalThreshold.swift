/// The least change of a metric that matters in practice: a share of the baseline's size or an
/// amount in the metric's unit, whichever is larger.
///
/// The amount is what makes "equivalent" possible at zero: no relative change exists there.
public struct PracticalThreshold: Sendable, Equatable {
  /// A share of the baseline's size, such as 0.02.
  public let relative: Double
  /// In the metric's unit.
  public let absolute: Double

  /// - Throws: `statistics.parameter` for a part under 0 or not finite.
  public init(relative: Double, absolute: Double) throws(StatisticsError) {
    for size in [relative, absolute] where !(size >= 0 && size.isFinite) {
      throw .parameter("a finite threshold of at least 0", got: size)
    }
    self.relative = relative
    self.absolute = absolute
  }

  /// The least change that matters beside a baseline of this value, in the metric's unit.
  public func least(beside baseline: Double) -> Double { max(relative * abs(baseline), absolute) }
}
