/// The values of a column by size, eight steps to a power of two: enough for a median that tells
/// one unit from another.
struct UnitTally {
  private var counts = [UInt32](repeating: 0, count: UnitTally.steps)
  private(set) var total = 0

  private static let steps = 1_024
  /// 2 to the power of -64 is the first step.
  private static let first: UInt64 = (1_023 - 64) << 3

  /// Counts a value; 0 says nothing of the unit.
  @inline(__always)
  mutating func add(_ value: Double) {
    if !(value > 0) { return }
    let step = Int(clamping: Int64(value.bitPattern >> 49) - Int64(UnitTally.first))
    counts[min(max(step, 0), UnitTally.steps - 1)] &+= 1
    total += 1
  }

  /// The median of the values above 0, to a sixteenth; nil without any.
  var median: Double? {
    if total == 0 { return nil }
    var below = 0
    for (step, count) in counts.enumerated() {
      below += Int(count)
      if 2 * below >= total {
        let low = Double(bitPattern: (UInt64(step) + UnitTally.first) << 49)
        let high = Double(bitPattern: (UInt64(step) + UnitTally.first + 1) << 49)
        return (low + high) / 2
      }
    }
    return nil
  }
}
