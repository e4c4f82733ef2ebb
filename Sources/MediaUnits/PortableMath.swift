/// Elementary functions that give the same bits on every platform.
///
/// The C library's versions differ between platforms, so nothing below L3 calls them. These use
/// only IEEE 754 addition, multiplication, division and exponent scaling, which are exact to the
/// rounding mode everywhere. Errors are measured by the tests against the C library over the stated
/// ranges.
public enum PortableMath {
  /// e to the power `x`. Relative error at most 4e-16 for |x| ≤ 700; 0 below -745, infinity above
  /// 709.78.
  ///
  /// Range reduction by ln 2 split in two parts, then the Taylor polynomial of degree 13 on ±0.347.
  @inlinable
  public static func exp(_ x: Double) -> Double {
    if x != x { return x }
    if x > 709.78 { return .infinity }
    if x < -745.2 { return 0 }
    // The nearest integer by truncation: `rounded` would call the C library on most targets.
    let k = Int(x * 1.442_695_040_888_963_4 + (x < 0 ? -0.5 : 0.5))
    let n = Double(k)
    let r = (x - n * 6.931_471_803_691_238_16e-01) - n * 1.908_214_929_270_587_70e-10
    var p = 1.605_904_383_682_161_5e-10
    p = p * r + 2.087_675_698_786_81e-09
    p = p * r + 2.505_210_838_544_171_9e-08
    p = p * r + 2.755_731_922_398_589_1e-07
    p = p * r + 2.755_731_922_398_589_1e-06
    p = p * r + 2.480_158_730_158_730_2e-05
    p = p * r + 1.984_126_984_126_984_1e-04
    p = p * r + 1.388_888_888_888_888_9e-03
    p = p * r + 8.333_333_333_333_333_3e-03
    p = p * r + 4.166_666_666_666_666_6e-02
    p = p * r + 1.666_666_666_666_666_6e-01
    p = p * r + 0.5
    let result = (p * r * r + r) + 1
    if k < -1000 {
      return result * power(ofTwo: k + 200) * power(ofTwo: -200)
    }
    return k > 1000
      ? result * power(ofTwo: k - 200) * power(ofTwo: 200) : result * power(ofTwo: k)
  }

  /// The natural logarithm. Relative error at most 4e-16 away from 1 and absolute error at most
  /// 4e-17 within 1e-3 of 1; -infinity at 0, NaN below.
  ///
  /// Reduces to [√½, √2] and sums the series of 2·artanh((m-1)/(m+1)) to the 23rd power.
  @inlinable
  public static func log(_ x: Double) -> Double {
    if x != x || x < 0 { return .nan }
    if x == 0 { return -.infinity }
    if x == .infinity { return x }
    var value = x
    var exponent = 0
    if value < 2.225_073_858_507_201_4e-308 {
      value *= 18_014_398_509_481_984  // 2^54
      exponent = -54
    }
    let bits = value.bitPattern
    exponent += Int(bits >> 52) - 1023
    var m = Double(bitPattern: (bits & 0x000F_FFFF_FFFF_FFFF) | 0x3FF0_0000_0000_0000)
    if m > 1.414_213_562_373_095_1 {
      m *= 0.5
      exponent += 1
    }
    let f = m - 1
    let s = f / (m + 1)
    let z = s * s
    var p = 1.0 / 23.0
    p = p * z + 1.0 / 21.0
    p = p * z + 1.0 / 19.0
    p = p * z + 1.0 / 17.0
    p = p * z + 1.0 / 15.0
    p = p * z + 1.0 / 13.0
    p = p * z + 1.0 / 11.0
    p = p * z + 1.0 / 9.0
    p = p * z + 1.0 / 7.0
    p = p * z + 1.0 / 5.0
    p = p * z + 1.0 / 3.0
    // log m = 2s + 2s·z·p, with 2s taken as f - s·f so that the leading part is exact.
    let correction = s * (f - 2 * z * p)
    let k = Double(exponent)
    return k * 6.931_471_803_691_238_16e-01 - ((correction - k * 1.908_214_929_270_587_70e-10) - f)
  }

  /// `base` to the power `exponent` for `base` > 0, as exp(exponent · log(base)).
  @inlinable
  public static func power(_ base: Double, _ exponent: Double) -> Double {
    exp(exponent * log(base))
  }

  @inlinable
  static func power(ofTwo exponent: Int) -> Double {
    Double(bitPattern: UInt64(exponent + 1023) << 52)
  }
}
