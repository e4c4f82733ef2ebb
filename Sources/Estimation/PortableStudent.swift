import MediaUnits

/// Student's law, without a library of numerics.
///
/// Its two sides are incomplete beta functions: NIST Digital Library of Mathematical Functions,
/// 8.17.22 (continued fraction); M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions",
/// 1964, 26.7.1.
struct PortableStudent {
  private let freedom: Double
  /// Half the degrees of freedom.
  private let half: Double
  /// ln(Γ(half + 1/2) / Γ(half) / √π).
  private let logScale: Double

  init(degreesOfFreedom: Double) {
    freedom = degreesOfFreedom
    half = degreesOfFreedom / 2
    logScale = PortableStudent.logRatio(half) - PortableMath.log(Double.pi) / 2
  }

  /// t with P(T > t) = `q`, for `q` below 0.5.
  func quantile(upperTail q: Double) throws(StatisticsError) -> Double {
    let rough = PortableQuantiles.roughNormal(upperTail: q)
    if freedom >= 1000 && rough * rough <= 0.01 * freedom {
      return expanded(try PortableQuantiles().normal(upperTail: q))
    }
    return q < 0.25 ? try far(q, rough) : try near(0.5 - q)
  }

  /// P(T > `t`) for a finite `t` above 0.
  func tail(above t: Double) -> Double {
    let side = side(t)
    let part = PortableMath.exp(side.log) * side.over
    return side.isFar ? part : 0.5 - part
  }

  /// By P(T > t); the search begins where a normal value `z` would be.
  ///
  /// Source: D. Wallace, "Bounds on normal approximations to Student's and the chi-square
  /// distributions", Annals of Mathematical Statistics 30, 1959.
  private func far(_ q: Double, _ z: Double) throws(StatisticsError) -> Double {
    let wanted = PortableMath.log(q)
    let size = z * (8 * freedom + 3) / (8 * freedom + 1)
    let start = PortableMath.exp(min(600, size * size / freedom)) - 1
    return try PortableQuantiles.root(from: (freedom * start).squareRoot()) { t in
      let side = side(t)
      if side.isFar { return (side.log + PortableMath.log(side.over) - wanted, -1 / side.over) }
      let front = PortableMath.exp(side.log)
      let tail = 0.5 - front * side.over
      return (PortableMath.log(tail) - wanted, -front / tail)
    }
  }

  /// By P(0 < T ≤ t) = `p`; the density is nowhere larger than at 0.
  private func near(_ p: Double) throws(StatisticsError) -> Double {
    let wanted = PortableMath.log(p)
    let start = p * PortableMath.exp(-logScale) * freedom.squareRoot()
    return try PortableQuantiles.root(from: start) { t in
      let side = side(t)
      if !side.isFar { return (side.log + PortableMath.log(side.over) - wanted, 1 / side.over) }
      let front = PortableMath.exp(side.log)
      let part = 0.5 - front * side.over
      return (PortableMath.log(part) - wanted, front / part)
    }
  }

  /// The logarithm of t times the density, and what P(T > t), or else P(0 < T ≤ t), is over that.
  private func side(_ t: Double) -> (log: Double, over: Double, isFar: Bool) {
    let square = t * t / freedom
    let more = PortableLogarithm.onePlus(square)
    let log = logScale - half * more + (PortableMath.log(square) - more) / 2
    let x = 1 / (1 + square)
    if x < (half + 1) / (half + 2.5) {
      return (log, PortableStudent.fraction(half, 0.5, x) / (2 * half), true)
    }
    return (log, PortableStudent.fraction(0.5, half, square * x), false)
  }

  /// a·B(a, b)·I_x(a, b) / (x^a·(1 - x)^b), for `x` below (a + 1) / (a + b + 2).
  private static func fraction(_ a: Double, _ b: Double, _ x: Double) -> Double {
    var c = 1.0
    var d = 1 / (1 - (a + b) * x / (a + 1))
    var value = d
    var m = 0.0
    while m < 1e6 {
      m += 1
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / (1 + even * d)
      c = 1 + even / c
      value *= c * d
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / (1 + odd * d)
      c = 1 + odd / c
      value *= c * d
      if abs(c * d - 1) < 4e-16 { break }
    }
    return value
  }

  /// From a normal value, for many degrees of freedom: Abramowitz and Stegun, 26.7.5.
  private func expanded(_ z: Double) -> Double {
    let s = z * z
    let first = (s + 1) / 4
    let second = ((5 * s + 16) * s + 3) / 96
    let third = (((3 * s + 19) * s + 17) * s - 15) / 384
    let fourth = ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160
    let part = 1 / freedom
    return z + z * part * (first + part * (second + part * (third + part * fourth)))
  }

  /// ln(Γ(a + 1/2) / Γ(a)): Stirling's series of both, of which the large parts cancel.
  private static func logRatio(_ a: Double) -> Double {
    var large = a
    var product = 1.0
    while large < 16 {
      product *= large / (large + 0.5)
      large += 1
    }
    let square = 1 / (large * large)
    let last = 17.0 / 14336 - square * 31 / 18432
    let sum = 1.0 / 8 - square * (1.0 / 192 - square * (1.0 / 640 - square * last))
    return PortableMath.log(large * product * product) / 2 - sum / large
  }
}
