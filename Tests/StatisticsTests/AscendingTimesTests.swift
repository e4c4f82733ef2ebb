import Testing

@testable import Statistics

/// Sorting by digits against the standard library's.
@Suite struct AscendingTimesTests {
  private static func values(_ count: Int, _ range: ClosedRange<Int64>) -> [Int64] {
    var random = LinearRandom(state: UInt64(count) &+ UInt64(bitPattern: range.upperBound))
    return (0..<count).map { _ in Int64.random(in: range, using: &random) }
  }

  /// Knuth's linear congruential generator (MMIX): fixed, so that a failure comes again.
  private struct LinearRandom: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state
    }
  }

  @Test(
    "as the standard library sorts",
    arguments: [0, 1, 2, 511, 512, 513, 10_000],
    [0...0, 0...1, -5...5, 0...2047, -1...2047, 0...4_000_000_000, Int64.min...Int64.max])
  func agrees(count: Int, range: ClosedRange<Int64>) {
    let values = AscendingTimesTests.values(count, range)
    #expect(AscendingTimes.sorted(values) == values.sorted())
  }

  @Test("what is sorted already, and backwards")
  func sortedInput() {
    let ascending = (0..<5000).map { Int64($0) * 1_000_003 - 2_000_000_000 }
    #expect(AscendingTimes.sorted(ascending) == ascending)
    #expect(AscendingTimes.sorted(ascending.reversed()) == ascending)
  }
}
