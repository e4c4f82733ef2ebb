/// Where intervals take the quantiles of laws from.
///
/// Programs take them from a library of numerics, a page from ``PortableQuantiles``. Estimators are
/// generic over it, so that a call costs no existential.
public protocol Quantiles: Sendable {
  /// t with P(T > t) = `q` for Student's law, exact for small `q`.
  ///
  /// - Throws: `statistics.probability` unless `q` is strictly between 0 and 1;
  ///   `statistics.parameter` unless the degrees of freedom are above 0 and finite.
  func student(
    upperTail q: Double, degreesOfFreedom: Double
  ) throws(StatisticsError) -> Double

  /// P(T > `t`) for Student's law, exact in the tail; `t` of at least 0.
  ///
  /// - Throws: `statistics.parameter` unless the degrees of freedom are above 0 and finite.
  func studentTail(
    above t: Double, degreesOfFreedom: Double
  ) throws(StatisticsError) -> Double

  /// z with P(Z > z) = `q` for the standard normal law, exact for small `q`.
  ///
  /// - Throws: `statistics.probability` unless `q` is strictly between 0 and 1.
  func normal(upperTail q: Double) throws(StatisticsError) -> Double

  /// x with P(X ≤ x) = `p` for the gamma law of scale 1.
  ///
  /// - Precondition: `p` strictly between 0 and 1, `shape` above 0.
  /// - Throws: `statistics.numeric` where no quantile is found.
  func unitGamma(lowerTail p: Double, shape: Double) throws(StatisticsError) -> Double

  /// x with P(X > x) = `q` for the gamma law of scale 1, exact for small `q`.
  ///
  /// - Precondition: `q` strictly between 0 and 1, `shape` above 0.
  /// - Throws: `statistics.numeric` where no quantile is found.
  func unitGamma(upperTail q: Double, shape: Double) throws(StatisticsError) -> Double
}
