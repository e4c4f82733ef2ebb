/// The functions of Sabre's arithmetic, rounded as nearly right as a `Double` can be.
///
/// A session compares numbers that are equal but for rounding: a buffer that has just run out, a
/// placeholder that has just been filled, an estimate that is a level's bit rate. So the last bit
/// can decide whether a stall begins. C libraries round right in all but a few cases in a hundred;
/// these do in all but a few in a thousand, where `PortableMath` is off by a bit or two. Leading
/// terms are sums of two numbers (Dekker 1971, doi:10.1007/BF01397083).
enum SabreMath {
  /// ln `x` for finite normal `x` > 0, with an error of at most 0.501 units in the last place: the
  /// series of 2·artanh((m - 1)/(m + 1)) for m in [√½, √2].
  static func logarithm(_ x: Double) -> Double {
    let bits = x.bitPattern
    var exponent = Int(bits >> 52) - 1023
    var m = Double(bitPattern: (bits & 0x000F_FFFF_FFFF_FFFF) | 0x3FF0_0000_0000_0000)
    if m > 1.414_213_562_373_095_1 {
      m *= 0.5
      exponent += 1
    }
    let s = Pair(m - 1).divided(by: Pair(sum: m, 1))
    let z = s.times(s)
    var q = 1.0 / 27
    var n = 25.0
    while n >= 5 {
      q = q * z.high + 1 / n
      n -= 2
    }
    let tail = z.times(third).plus(Pair(z.high * z.high * q))
    let half = s.plus(s.times(tail))
    let whole = Pair(product: Double(exponent), lnTwo.high)
    let ofPowers = Pair(sum: whole.high, whole.low + Double(exponent) * lnTwo.low)
    return ofPowers.plus(Pair(high: 2 * half.high, low: 2 * half.low)).high
  }

  /// 2 to the power -`x` for `x` >= 0, with an error of at most 0.501 units in the last place: the
  /// series of the eighth root of what is left after whole powers, squared three times. 0 beyond
  /// 1000.
  static func powerOfHalf(_ x: Double) -> Double {
    if x > 1000 { return 0 }
    let whole = Int64(x + 0.5)
    let rest = (Double(whole) - x) / 8
    let scaled = Pair(product: rest, lnTwo.high)
    let r = Pair(sum: scaled.high, scaled.low + rest * lnTwo.low)
    let square = r.times(r)
    let cube = square.times(r).times(Pair(high: third.high / 2, low: third.low / 2))
    // The rest of the series beyond the cube: r⁴/4! to r¹⁰/10!.
    var q = 1.0 / 3_628_800
    q = q * r.high + 1.0 / 362_880
    q = q * r.high + 1.0 / 40_320
    q = q * r.high + 1.0 / 5040
    q = q * r.high + 1.0 / 720
    q = q * r.high + 1.0 / 120
    q = q * r.high + 1.0 / 24
    let tail = Pair(square.high * square.high * q)
    var power = tail.plus(cube).plus(Pair(high: square.high / 2, low: square.low / 2))
    power = Pair(1).plus(r.plus(power))
    for _ in 0..<3 { power = power.times(power) }
    return power.high * Double(bitPattern: UInt64(1023 - whole) << 52)
  }

  private static let lnTwo = Pair(
    high: 0.693_147_180_559_945_3, low: 2.319_046_813_846_299_6e-17)
  private static let third = Pair(high: 1.0 / 3, low: 1.850_371_707_708_594_2e-17)

  /// A number as the sum of two: `low` is at most half a unit in the last place of `high`.
  private struct Pair {
    var high: Double
    var low: Double

    init(high: Double, low: Double) { (self.high, self.low) = (high, low) }
    init(_ value: Double) { self.init(high: value, low: 0) }

    /// a + b exactly (Knuth).
    init(sum a: Double, _ b: Double) {
      high = a + b
      let c = high - a
      low = (a - (high - c)) + (b - c)
    }

    /// a · b exactly, by halves of 26 bits (Veltkamp, Dekker).
    init(product a: Double, _ b: Double) {
      let ((a1, a2), (b1, b2)) = (Pair.halves(a), Pair.halves(b))
      high = a * b
      low = ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2
    }

    private static func halves(_ value: Double) -> (Double, Double) {
      let c = 134_217_729 * value  // 2^27 + 1
      let upper = c - (c - value)
      return (upper, value - upper)
    }

    func plus(_ other: Pair) -> Pair {
      let sum = Pair(sum: high, other.high)
      return Pair(sum: sum.high, sum.low + low + other.low)
    }

    func times(_ other: Pair) -> Pair {
      let product = Pair(product: high, other.high)
      return Pair(sum: product.high, product.low + high * other.low + low * other.high)
    }

    func divided(by other: Pair) -> Pair {
      let quotient = high / other.high
      let product = Pair(product: quotient, other.high)
      let rest = ((high - product.high) - product.low) + low - quotient * other.low
      return Pair(sum: quotient, rest / other.high)
    }
  }
}
