/// Decimals whose nearest `Double` is one division away.
enum ExactDecimal {
  /// `digits` / 10^`scale`, correctly rounded: both are exact below 2^53 and up to 10^22, so the
  /// division rounds once (Clinger 1990). Nil beyond.
  static func value(_ digits: UInt64, over scale: Int) -> Double? {
    if digits >= 1 << 53 || scale >= powers.count { return nil }
    return Double(digits) / powers[scale]
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
