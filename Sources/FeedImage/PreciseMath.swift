import MediaUnits

/// A number as the sum of two, the second one below the last place of the first: twice the digits.
///
/// Source of the sums and products: T. Dekker, "A floating-point technique for extending the
/// available precision", 1971, DOI 10.1007/BF01397083.
struct PreciseNumber {
  var high, low: Double

  init(_ high: Double, _ low: Double = 0) {
    self.high = high
    self.low = low
  }

  /// The sum of two numbers without an error.
  static func sum(_ a: Double, _ b: Double) -> PreciseNumber {
    let sum = a + b
    let part = sum - a
    return PreciseNumber(sum, (a - (sum - part)) + (b - part))
  }

  /// The product of two numbers without an error, where none of its parts is too large or small.
  static func product(_ a: Double, _ b: Double) -> PreciseNumber {
    let (x, y) = (halves(a), halves(b))
    let product = a * b
    let error = ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low
    return PreciseNumber(product, error)
  }

  /// A number cut in two of 26 bits each.
  private static func halves(_ number: Double) -> PreciseNumber {
    let scaled = 134_217_729 * number
    let high = scaled - (scaled - number)
    return PreciseNumber(high, number - high)
  }

  static func + (a: PreciseNumber, b: PreciseNumber) -> PreciseNumber {
    let sum = PreciseNumber.sum(a.high, b.high)
    return PreciseNumber.sum(sum.high, sum.low + (a.low + b.low))
  }

  static func * (a: PreciseNumber, b: PreciseNumber) -> PreciseNumber {
    let product = PreciseNumber.product(a.high, b.high)
    return PreciseNumber.sum(
      product.high, product.low + (a.high * b.low + a.low * b.high))
  }

  static func / (a: PreciseNumber, b: Double) -> PreciseNumber {
    let quotient = a.high / b
    let whole = PreciseNumber.product(quotient, b)
    return PreciseNumber.sum(
      quotient, ((a.high - whole.high) - whole.low + a.low) / b)
  }
}

/// Elementary functions that are off by little more than half a unit of the last place, on every
/// platform.
///
/// What the C library makes differs from these in few bits of few results, since its own errors are
/// as small; so what a scenario's laws made of it is told by hardly more than the laws' parameters.
/// Arguments are cut by tables (P. Tang, "Table-driven implementation of the exponential function",
/// 1989, DOI 10.1145/63522.214389, and 1990, DOI 10.1145/98267.98294), which are made when a value
/// is.
struct PreciseMath {
  /// Steps of an octave, and of the numbers around 1.
  private static let steps = 64
  /// ln 2.
  private static let octave = PreciseNumber(0.693_147_180_559_945_3, 2.319_046_813_846_299_6e-17)
  /// The first step of ``logarithms``, in parts of ``steps``.
  private static let first = 44

  /// 2 to the power of i / 64.
  private let powers: [PreciseNumber]
  /// ln((``first`` + i) / 64), up to √2.
  private let logarithms: [PreciseNumber]

  init() {
    powers = (0..<PreciseMath.steps).map { step in
      let exponent = PreciseMath.octave * PreciseNumber(Double(step) / 64)
      var term = PreciseNumber(1)
      var sum = term
      for number in 1...28 {
        term = term * exponent / Double(number)
        sum = sum + term
      }
      return sum
    }
    logarithms = (PreciseMath.first...92).map { step in
      // 2 artanh of (x - 1) / (x + 1).
      let ratio = PreciseNumber(Double(step - 64)) / Double(step + 64)
      let square = ratio * ratio
      var power = ratio
      var sum = power
      for number in 1...24 {
        power = power * square
        sum = sum + power / Double(2 * number + 1)
      }
      return PreciseNumber(2 * sum.high, 2 * sum.low)
    }
  }

  /// e to the power `x`.
  func exp(_ x: Double) -> Double { exp(PreciseNumber(x)) }

  /// e to the power `x`, whose digits may be twice as many.
  func exp(_ x: PreciseNumber) -> Double {
    // What is not a usual number: here the last digit does not count.
    if !(x.high > -700 && x.high < 700) { return PortableMath.exp(x.high) }
    let count = x.high * 92.332_482_616_893_66
    let number = Int(count + (count < 0 ? -0.5 : 0.5))
    let n = Double(number)
    let part = PreciseMath.octave.high / 64
    let whole = PreciseNumber.product(n, part)
    let difference = PreciseNumber.sum(x.high, -whole.high)
    let r = PreciseNumber.sum(
      difference.high,
      difference.low - whole.low + x.low - n * (PreciseMath.octave.low / 64))
    let e = r.high
    var tail = 1.0 / 5040
    tail = tail * e + 1.0 / 720
    tail = tail * e + 1.0 / 120
    tail = tail * e + 1.0 / 24
    tail = tail * e + 1.0 / 6
    let square = PreciseNumber.product(e, e)
    let head = PreciseNumber.sum(e, square.high / 2)
    let less = PreciseNumber.sum(
      head.high, head.low + square.low / 2 + r.low + e * r.low + tail * e * square.high)
    let power = powers[number & 63]
    let product = PreciseNumber.product(power.high, less.high)
    let sum = PreciseNumber.sum(power.high, product.high)
    let rest =
      sum.low + (product.low + (power.low + (power.low * less.high + power.high * less.low)))
    return (sum.high + rest) * Double(sign: .plus, exponent: number >> 6, significand: 1)
  }

  /// The natural logarithm of `x`, above 0.
  func log(_ x: Double) -> Double {
    let result = log(PreciseNumber(x))
    return result.high + result.low
  }

  /// The natural logarithm of `x`, which has twice the digits, above 0.
  func log(_ x: PreciseNumber) -> PreciseNumber {
    // As in `exp`.
    if !(x.high > 1e-290 && x.high < 1e290) { return PreciseNumber(PortableMath.log(x.high)) }
    var exponent = Int(x.high.bitPattern >> 52) - 1023
    var scale = Double(sign: .plus, exponent: -exponent, significand: 1)
    if x.high * scale > 1.414_213_562_373_095_1 {
      exponent += 1
      scale /= 2
    }
    let m = PreciseNumber(x.high * scale, x.low * scale)
    let step = Int(m.high * 64 + 0.5)
    let center = Double(step) / 64
    let f = (PreciseNumber.sum(m.high, -center) + PreciseNumber(m.low)) / center
    let e = f.high
    var tail = 0.0
    for number in stride(from: 12, through: 3, by: -1) {
      tail = (number & 1 == 1 ? 1 : -1) / Double(number) + tail * e
    }
    let square = PreciseNumber.product(e, e)
    let head = PreciseNumber.sum(e, -square.high / 2)
    let near = PreciseNumber.sum(
      head.high, head.low - square.low / 2 + f.low - e * f.low + tail * e * square.high)
    if exponent == 0 && step == 64 { return near }
    let whole =
      PreciseNumber.product(Double(exponent), PreciseMath.octave.high)
      + PreciseNumber(Double(exponent) * PreciseMath.octave.low)
    return whole + (logarithms[step - PreciseMath.first] + near)
  }

  /// `base` to the power `exponent`, for `base` above 0.
  func power(_ base: Double, _ exponent: Double) -> Double {
    exp(log(PreciseNumber(base)) * PreciseNumber(exponent))
  }

  /// The quantile of the standard normal law at `p`, at most 1/2.
  ///
  /// Source: M. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution",
  /// 1988, DOI 10.2307/2347330.
  func normal(_ p: Double) -> Double {
    let distance = p - 0.5
    if distance >= -0.425 {
      return distance * PreciseMath.small.value(at: 0.180625 - distance * distance)
    }
    let root = (-log(p)).squareRoot()
    return root <= 5
      ? -PreciseMath.middle.value(at: root - 1.6) : -PreciseMath.far.value(at: root - 5)
  }

  /// A polynomial over another, the coefficient of the highest power first.
  private struct Ratio {
    var above, below: [Double]

    func value(at x: Double) -> Double {
      func sum(_ coefficients: [Double]) -> Double {
        coefficients.dropFirst().reduce(coefficients[0]) { x * $0 + $1 }
      }
      return sum(above) / sum(below)
    }
  }

  private static var small: Ratio {
    Ratio(
      above: [
        2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
        13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608,
      ],
      below: [
        5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
        5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1,
      ])
  }

  private static var middle: Ratio {
    Ratio(
      above: [
        7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
        1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055,
        4.6303378461565452959, 1.42343711074968357734,
      ],
      below: [
        1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966,
        0.14810397642748007459, 0.68976733498510000455, 1.6763848301838038494,
        2.05319162663775882187, 1,
      ])
  }

  private static var far: Ratio {
    Ratio(
      above: [
        2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386,
        0.026532189526576123093, 0.29656057182850489123, 1.7848265399172913358,
        5.4637849111641143699, 6.6579046435011037772,
      ],
      below: [
        2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5,
        7.868691311456132591e-4, 0.0148753612908506148525, 0.13692988092273580531,
        0.59983220655588793769, 1,
      ])
  }
}
