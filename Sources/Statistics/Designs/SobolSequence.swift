internal import CGSL

/// Points of Sobol's sequence, which fill the unit cube more evenly than independent ones.
///
/// Each block of 2^m points that starts at a multiple of 2^m has exactly one coordinate of each
/// factor in each of 2^m equal parts. Source: I. Sobol' 1967, DOI 10.1016/0041-5553(67)90144-9; the
/// generator is GSL's (P. Bratley, B. Fox 1988, DOI 10.1145/42288.214372), in up to 40 dimensions.
///
/// **The zero point.** The sequence starts with the corner where every coordinate is 0. GSL leaves
/// it out, and so does the default here: a corner is a poor sample of a range, and a logarithm or a
/// quantile of 0 may not exist. But the block property counts it: without it a block of 2^m points
/// is one short and holds one of the next block. Where the property matters, start at a multiple of
/// the block's size: at 0 with the corner, or at 2^m, as ``SaltelliDesign`` does. Source: A. Owen,
/// "On dropping the first Sobol' point", 2020, arXiv:2008.08051.
public enum SobolSequence {
  public static let maximumFactors = 40
  /// The numbers of GSL's generator have 30 bits: past that many points it refuses.
  public static let maximumPoints = 1 << 30

  /// Points `first`..<`first + count` of the sequence, in 0..<1 for each factor.
  ///
  /// - Parameter first: 0 is the zero point, 1 the point with every coordinate one half.
  /// - Throws: `statistics.parameter` outside 1...40 factors, under one point or past
  ///   ``maximumPoints``; `statistics.numeric` when GSL reports a status.
  /// - Complexity: O(factors · (first + count)).
  public static func points(
    _ count: Int, factors: Int, first: Int = 1
  ) throws(StatisticsError) -> [[Double]] {
    if !(factors >= 1 && factors <= maximumFactors) {
      throw .parameter("1...\(maximumFactors) factors", got: "\(factors)")
    }
    if count < 1 { throw .parameter("at least 1 point", got: "\(count)") }
    if first < 0 { throw .parameter("a first point of at least 0", got: "\(first)") }
    if first > maximumPoints - count {
      throw .parameter("points up to \(maximumPoints)", got: "\(count) after \(first)")
    }
    var points: [[Double]] = []
    points.reserveCapacity(count)
    var point = [Double](repeating: 0, count: factors)
    if first == 0 { points.append(point) }
    let generator = try GSLBoundary.allocated("generator of Sobol points") {
      firstframe_gsl_sobol(UInt32(factors))
    }
    defer { gsl_qrng_free(generator) }
    // GSL's first answer is point 1.
    for number in 1..<max(1, first + count) {
      try GSLBoundary.status("gsl_qrng_get") { gsl_qrng_get(generator, &point) }
      if number >= first { points.append(point) }
    }
    return points
  }
}
