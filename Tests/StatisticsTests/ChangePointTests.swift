import Testing

@testable import Statistics

@Suite struct ChangePointTests {
  /// Sums of twelve uniform numbers, less six: mean 0, standard deviation 1.
  private static func noise(_ count: Int, _ seed: UInt64) -> [Double] {
    var draws = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      (0..<12).reduce(-6.0) { sum, _ in sum + draws.nextUniform() }
    }
  }

  private static func shifted(_ count: Int, at place: Int, by shift: Double, _ seed: UInt64)
    -> [Double]
  {
    noise(count, seed).enumerated().map { $0 >= place ? $1 + shift : $1 }
  }

  @Test func `the energy distance is that of its definition`() {
    // Between 0, 1 and 3, 5: distances 3, 5, 2, 4, mean 3.5; within 1 and 2; 2 times 2 over 4.
    #expect(abs(ChangePoints.energy([0, 1], [3, 5]) - (2 * 3.5 - 1 - 2)) < 1e-12)
    // Between 0, 0, 0 and 1, 1: mean 1, within 0; 3 times 2 over 5.
    #expect(abs(ChangePoints.energy([0, 0, 0], [1, 1]) - 2 * 6.0 / 5) < 1e-12)
  }

  @Test func `the first cut is where the energy distance is largest`() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let values = Self.shifted(24, at: 5 + Int(seed % 14), by: 6, seed)
      let sizes = (2...22).map {
        ChangePoints.energy(Array(values[..<$0]), Array(values[$0...]))
      }
      let largest = try #require(sizes.max())
      let place = try #require(sizes.firstIndex(of: largest)) + 2
      let cuts = try ChangePoints(values).cuts
      #expect(cuts.contains { $0.index == place }, "\(seed): \(cuts), \(place)")
    }
  }

  @Test func `without a change one series in twenty has a cut, and no more`() throws {
    var alarms = 0
    for seed in 0..<400 as Range<UInt64> {
      let found = try ChangePoints(Self.noise(20, seed + 1_000), permutations: 199)
      if !found.cuts.isEmpty { alarms += 1 }
    }
    // 20 of 400 on average, with a standard error of 4.4: three of them to both sides.
    #expect(alarms >= 7 && alarms <= 33, "\(alarms)")
  }

  @Test func `a shift of three standard deviations is found, where it is`() throws {
    var found = 0
    for seed in 0..<100 as Range<UInt64> {
      let cuts = try ChangePoints(Self.shifted(30, at: 20, by: 3, seed + 50)).cuts
      if cuts.contains(where: { abs($0.index - 20) <= 1 }) { found += 1 }
    }
    #expect(found >= 90, "\(found)")
  }

  @Test func `two changes are found as two`() throws {
    let values = Self.noise(36, 9).enumerated().map { $1 + ($0 < 12 ? 0 : $0 < 24 ? 8 : 3) }
    #expect(try ChangePoints(values).cuts.map(\.index) == [12, 24])
  }

  @Test func `equal values have no cut, and one step among equal values has one`() throws {
    #expect(try ChangePoints([Double](repeating: 7, count: 40)).cuts.isEmpty)
    let step = [Double](repeating: 7, count: 14) + [Double](repeating: 7.1, count: 3)
    let cuts = try ChangePoints(step, level: 0.01).cuts
    #expect(cuts.map(\.index) == [14])
    // One of 340 orders has the same three at its end, another at its beginning.
    let pValue = try #require(cuts.first?.pValue)
    #expect(pValue > 0.001 && pValue < 0.01, "\(pValue)")
    // The last value alone is an outlier as much as a change.
    let last = [Double](repeating: 7, count: 14) + [8]
    #expect(try ChangePoints(last).cuts.isEmpty)
  }

  @Test func `the same seed gives the same cuts`() throws {
    let values = Self.shifted(40, at: 25, by: 1.2, 3)
    #expect(try ChangePoints(values) == ChangePoints(values))
  }

  @Test func `too few values, and values that are none, are refused`() {
    #expect(throws: StatisticsError.self) { try ChangePoints([1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7]) }
    let infinite = [Double](repeating: 1, count: 12) + [.infinity]
    #expect(throws: StatisticsError.self) { try ChangePoints(infinite) }
    #expect(throws: StatisticsError.self) {
      try ChangePoints([Double](repeating: 1, count: 12), level: 0)
    }
  }
}
