import MediaUnits

/// The gamma law of scale 1, without a library of numerics.
///
/// Series and continued fraction for its two sides, behind a factor whose large parts cancel before
/// they are computed. Sources: A. DiDonato, A. Morris 1986, DOI 10.1145/22721.23109; NIST Digital
/// Library of Mathematical Functions, 8.7.1 (series), 8.9.2 (fraction, its even part), 5.11.1
/// (Stirling's series).
struct PortableGamma {
  private let shape: Double
  /// From this shape on Stirling's series is right to 1e-15.
  private static let large = 16.0

  init(shape: Double) { self.shape = shape }

  /// x with P(X ≤ x) = `p`.
  func quantile(lowerTail p: Double) throws(StatisticsError) -> Double {
    p <= 0.5 ? try lower(p) : try upper(1 - p)
  }

  /// x with P(X > x) = `q`.
  func quantile(upperTail q: Double) throws(StatisticsError) -> Double {
    q <= 0.5 ? try upper(q) : try lower(1 - q)
  }

  private func lower(_ p: Double) throws(StatisticsError) -> Double {
    let wanted = PortableMath.log(p)
    // P(X ≤ x) is at most x^shape / Γ(shape + 1): the root is not below this.
    let least = PortableMath.exp((wanted + logGammaOfNext) / shape)
    let start = max(least, middle(-PortableQuantiles.roughNormal(upperTail: p)))
    // A quantile under the least normal number is 0 for every purpose of ours.
    if start < Double.leastNormalMagnitude { return 0 }
    return try PortableQuantiles.root(from: start) { x in
      let sum = series(x)
      return (logFront(x) + PortableMath.log(sum) - wanted, shape / sum)
    }
  }

  private func upper(_ q: Double) throws(StatisticsError) -> Double {
    let wanted = PortableMath.log(q)
    let z = PortableQuantiles.roughNormal(upperTail: q)
    // Shapes under 1 may have their median far below their mean.
    let least = PortableMath.exp((logGammaOfNext - 0.693_147_180_559_945_3) / shape)
    return try PortableQuantiles.root(from: max(least, middle(z))) { x in
      if x < shape + 1 {
        let front = PortableMath.exp(logFront(x))
        let above = 1 - front * series(x)
        return (PortableMath.log(above) - wanted, -shape * front / above)
      }
      let fraction = fraction(x)
      return (logFront(x) + PortableMath.log(shape * fraction) - wanted, -1 / fraction)
    }
  }

  /// A quantile near that of a normal value `z`: W. Wilson and M. Hilferty 1931, DOI
  /// 10.1073/pnas.17.12.684.
  private func middle(_ z: Double) -> Double {
    let part = 1 / (9 * shape)
    let root = max(0, 1 - part + z * part.squareRoot())
    return shape * root * root * root
  }

  /// P(X ≤ x) over e^``logFront(_:)``, for `x` below the shape + 1.
  private func series(_ x: Double) -> Double {
    var sum = 1.0
    var term = 1.0
    var next = shape
    while term > 1e-17 * sum {
      next += 1
      term *= x / next
      sum += term
    }
    return sum
  }

  /// P(X > x) over shape · e^``logFront(_:)``, for `x` from the shape + 1 on.
  private func fraction(_ x: Double) -> Double {
    var b = x + 1 - shape
    var c = Double.infinity
    var d = 1 / b
    var value = d
    var number = 0.0
    while number < 1e6 {
      number += 1
      let a = -number * (number - shape)
      b += 2
      d = 1 / (b + a * d)
      c = b + a / c
      let factor = c * d
      value *= factor
      if abs(factor - 1) < 4e-16 { break }
    }
    return value
  }

  /// ln(x^shape · e^-x / Γ(shape + 1)).
  private func logFront(_ x: Double) -> Double {
    if shape < PortableGamma.large { return shape * PortableMath.log(x) - x - logGammaOfNext }
    return shape * PortableLogarithm.onePlusLess((x - shape) / shape)
      - PortableMath.log(2 * Double.pi * shape) / 2 - PortableGamma.stirling(shape)
  }

  /// ln Γ(shape + 1).
  private var logGammaOfNext: Double {
    var large = shape
    var product = 1.0
    while large < PortableGamma.large {
      large += 1
      product *= large
    }
    return large * PortableMath.log(large) - large + PortableMath.log(2 * Double.pi * large) / 2
      + PortableGamma.stirling(large) - PortableMath.log(product)
  }

  /// What ln Γ(a + 1) has beyond a·ln a - a + ln(2πa) / 2.
  private static func stirling(_ a: Double) -> Double {
    let square = 1 / (a * a)
    let sum = 1.0 / 1260 - square * (1.0 / 1680 - square / 1188)
    return (1.0 / 12 - square * (1.0 / 360 - square * sum)) / a
  }
}
