/// Rounding as Python does it, without the C library.
enum PeerNumber {
  /// Beyond this every `Double` is whole: 2^52.
  private static let whole = 4_503_599_627_370_496.0

  /// Towards zero: Python's `int`. Values beyond ±2^52 become that bound, and NaN becomes 0.
  static func truncation(_ value: Double) -> Int64 {
    value == value ? Int64(max(-whole, min(value, whole))) : 0
  }

  /// The smallest whole number that is not below `value`; the value itself beyond ±2^52.
  static func ceiling(_ value: Double) -> Double {
    if !(abs(value) < whole) { return value }
    let towardsZero = Double(Int64(value))
    return towardsZero < value ? towardsZero + 1 : towardsZero
  }
}
