/// Arithmetic of times and counts that cannot overflow: what is too late never happens.
enum TransferClock {
  /// Times from here on are never: 126 years, far from the end of `Int64`, so that differences and
  /// sums of two times are safe.
  static let never: Int64 = 4_000_000_000_000_000_000
  /// No wait is longer: 31 years.
  static let longestSpan = 1e18
  /// No sender has more packets out.
  static let mostPackets = 1e12

  /// Whole nanoseconds, rounded down, from 0 to ``longestSpan``; 0 for what is not a number.
  @inline(__always)
  static func span(_ nanoseconds: Double) -> Int64 {
    if nanoseconds >= longestSpan { return Int64(longestSpan) }
    return nanoseconds > 0 ? Int64(nanoseconds) : 0
  }

  /// Whole packets, rounded down, from 0 to ``mostPackets``; 0 for what is not a number.
  @inline(__always)
  static func packets(_ value: Double) -> Int64 {
    if value >= mostPackets { return Int64(mostPackets) }
    return value > 0 ? Int64(value) : 0
  }

  /// `time` plus a span of at least 0; `Int64.max` for never.
  @inline(__always)
  static func sum(_ time: Int64, _ span: Int64) -> Int64 {
    if time >= never || span >= never { return .max }
    let end = time + span
    return end < never ? end : .max
  }
}
