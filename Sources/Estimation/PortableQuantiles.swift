import MediaUnits

/// Quantiles that need no library of numerics: those of a page.
///
/// They agree with GSL's to 1e-9 of their size for Student's law with at least one degree of
/// freedom, the normal law, and gamma laws of shapes from 0.5 to 100,001, with tails from 0.5 down
/// to 1e-12 (PortableQuantilesTests has by how much).
public struct PortableQuantiles: Quantiles {
  public init() {}

  public func student(
    upperTail q: Double, degreesOfFreedom: Double
  ) throws(StatisticsError) -> Double {
    try Require.open(q)
    if !(degreesOfFreedom > 0 && degreesOfFreedom.isFinite) {
      throw .parameter("a finite number of degrees of freedom above 0", got: degreesOfFreedom)
    }
    if q == 0.5 { return 0 }
    let law = PortableStudent(degreesOfFreedom: degreesOfFreedom)
    return q < 0.5 ? try law.quantile(upperTail: q) : -(try law.quantile(upperTail: 1 - q))
  }

  public func studentTail(
    above t: Double, degreesOfFreedom: Double
  ) throws(StatisticsError) -> Double {
    if !(degreesOfFreedom > 0 && degreesOfFreedom.isFinite) {
      throw .parameter("a finite number of degrees of freedom above 0", got: degreesOfFreedom)
    }
    if !(t > 0) { return 0.5 }
    return t.isFinite ? PortableStudent(degreesOfFreedom: degreesOfFreedom).tail(above: t) : 0
  }

  /// The square of a normal value is twice a gamma value of shape 1/2.
  public func normal(upperTail q: Double) throws(StatisticsError) -> Double {
    try Require.open(q)
    if q == 0.5 { return 0 }
    let tail = q < 0.5 ? q : 1 - q
    let size = (2 * (try PortableGamma(shape: 0.5).quantile(upperTail: 2 * tail))).squareRoot()
    return q < 0.5 ? size : -size
  }

  public func unitGamma(lowerTail p: Double, shape: Double) throws(StatisticsError) -> Double {
    try PortableGamma(shape: shape).quantile(lowerTail: p)
  }

  public func unitGamma(upperTail q: Double, shape: Double) throws(StatisticsError) -> Double {
    try PortableGamma(shape: shape).quantile(upperTail: q)
  }

  /// z with P(Z > z) = `q` to 4.5e-4, for `q` up to 0.5: where a search begins.
  ///
  /// Source: M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", 1964, 26.2.23.
  static func roughNormal(upperTail q: Double) -> Double {
    let t = (-2 * PortableMath.log(q)).squareRoot()
    let above = 2.515517 + t * (0.802853 + t * 0.010328)
    return t - above / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
  }

  /// Where the logarithm of a probability is 0 above a wanted one, by Newton's steps in the
  /// logarithm of the place.
  ///
  /// Both tails of the laws here are concave in it, so that from the second step on no step goes
  /// beyond the root.
  /// - Parameters:
  ///   - start: above 0.
  ///   - excess: at a place, the logarithm of the probability less that of the wanted one, and its
  ///     slope in the logarithm of the place.
  /// - Throws: `statistics.numeric` when 200 steps do not suffice.
  static func root(
    from start: Double, _ excess: (Double) -> (value: Double, slope: Double)
  ) throws(StatisticsError) -> Double {
    var place = start
    for _ in 0..<200 {
      let (value, slope) = excess(place)
      let step = max(-30, min(30, value / slope))
      place *= PortableMath.exp(-step)
      // What is left after such a step is its square.
      if abs(step) < 1e-11 { return place }
    }
    throw .numeric("a quantile after 200 steps", got: start)
  }
}

/// Logarithms that keep their digits near 1.
enum PortableLogarithm {
  /// ln(1 + z).
  static func onePlus(_ z: Double) -> Double {
    let s = z / (2 + z)
    return abs(s) > 0.2 ? PortableMath.log(1 + z) : 2 * s + 2 * s * series(s * s)
  }

  /// ln(1 + z) - z.
  static func onePlusLess(_ z: Double) -> Double {
    let s = z / (2 + z)
    return abs(s) > 0.2 ? PortableMath.log(1 + z) - z : 2 * s * series(s * s) - z * s
  }

  /// artanh(s) / s - 1 for a square of `s` up to 0.04: s²/3 + s⁴/5 + …
  private static func series(_ square: Double) -> Double {
    var sum = 0.0
    var power = square
    var odd = 3.0
    while power > 1e-18 * square && odd < 41 {
      sum += power / odd
      power *= square
      odd += 2
    }
    return sum
  }
}
