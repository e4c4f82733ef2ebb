/// A difference over the size of what it is measured against, both of them estimates.
public struct RelativeChange: Sendable, Equatable {
  private let difference, baseline: Double
  private let ofDifference, ofBoth, ofBaseline: Double

  /// - Parameters:
  ///   - ofDifference: the variance of the estimated difference, candidate minus baseline.
  ///   - ofBoth: the covariance of the difference and the baseline; of independent sides minus the
  ///     baseline's variance.
  ///   - ofBaseline: the variance of the estimated baseline.
  public init(
    difference: Double, baseline: Double, ofDifference: Double, ofBoth: Double,
    ofBaseline: Double
  ) {
    self.difference = difference
    self.baseline = baseline
    self.ofDifference = ofDifference
    self.ofBoth = ofBoth
    self.ofBaseline = ofBaseline
  }

  /// Fieller's interval; nil where the baseline is not told from 0, because then any relative
  /// change is possible.
  ///
  /// The interval holds every change c for which the data do not contradict candidate = (1 + c) ·
  /// baseline; on normal data it is exact. Source: E. Fieller 1954, DOI
  /// 10.1111/j.2517-6161.1954.tb00159.x.
  /// - Parameter critical: the multiple of the standard error.
  public func estimate(critical: Double, level: Double, n: Int) -> Estimate? {
    if baseline == 0 { return nil }
    let square = critical * critical
    // The roots of (d - c·b)² = t²·(V_dd - 2c·V_db + c²·V_bb).
    let leading = baseline * baseline - square * ofBaseline
    if !(leading > 0) { return nil }
    let middle = difference * baseline - square * ofBoth
    let last = difference * difference - square * ofDifference
    let root = max(0, middle * middle - leading * last).squareRoot()
    let sign = baseline > 0 ? 1.0 : -1.0
    let (first, second) = ((middle - root) / leading, (middle + root) / leading)
    let change = difference / baseline
    let spread = ofDifference - 2 * change * ofBoth + change * change * ofBaseline
    return Estimate(
      value: sign * change,
      interval: Interval(
        lower: sign > 0 ? first : -second, upper: sign > 0 ? second : -first, level: level),
      standardError: max(0, spread).squareRoot() / abs(baseline), n: n)
  }
}
