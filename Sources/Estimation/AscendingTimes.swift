/// Sorting whole numbers, such as times in nanoseconds: what a quantile of many views costs.
public enum AscendingTimes {
  /// Bits that one pass looks at, and values from which on passes beat comparisons.
  private static let digitBits: UInt64 = 11
  private static let worthwhile = 512

  /// The values in ascending order.
  ///
  /// - Complexity: O(n) for each 11 bits of the range.
  public static func sorted(_ values: [Int64]) -> [Int64] {
    guard values.count >= worthwhile, let least = values.min(), let most = values.max() else {
      return values.sorted()
    }
    // Above the least: any two whole numbers of 64 bits are less than 2^64 apart.
    let range = UInt64(bitPattern: most &- least)
    var from = values
    var to = values
    var shift: UInt64 = 0
    while shift < 64 && range >> shift > 0 {
      pass(from, into: &to, above: least, shift)
      swap(&from, &to)
      shift += digitBits
    }
    return from
  }

  /// Sorts by one digit, and leaves values with the same one in their order.
  private static func pass(
    _ from: [Int64], into to: inout [Int64], above least: Int64, _ shift: UInt64
  ) {
    let mask = (UInt64(1) << digitBits) - 1
    var places = [Int](repeating: 0, count: Int(mask) + 1)
    for value in from { places[digit(value, least, shift, mask)] += 1 }
    var next = 0
    for digit in places.indices {
      let count = places[digit]
      places[digit] = next
      next += count
    }
    for value in from {
      let digit = digit(value, least, shift, mask)
      to[places[digit]] = value
      places[digit] += 1
    }
  }

  @inline(__always)
  private static func digit(
    _ value: Int64, _ least: Int64, _ shift: UInt64, _ mask: UInt64
  ) -> Int {
    Int(truncatingIfNeeded: UInt64(bitPattern: value &- least) >> shift & mask)
  }
}
