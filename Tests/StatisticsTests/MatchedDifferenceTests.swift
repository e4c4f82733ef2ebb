import Foundation
import Statistics
import Testing

@Suite struct MatchedDifferenceTests {
  /// Values that grow with what they are matched by, of which the first side has more; its values
  /// are larger by 3 besides.
  private static func sides(
    _ seed: UInt64, count: Int = 4_000, slope: Double = 10, knowsMatch: Bool = true
  ) -> (first: [MatchedDifference.Value], second: [MatchedDifference.Value]) {
    var draws = SplitMix64(seed: seed)
    var sides: (first: [MatchedDifference.Value], second: [MatchedDifference.Value]) = ([], [])
    for place in 0..<count {
      let (isFirst, size) = (draws.nextUniform() < 0.5, draws.nextUniform())
      let match = isFirst ? size.squareRoot() : size
      let value = MatchedDifference.Value(
        value: (isFirst ? 3 : 0) + slope * match + draws.nextUniform(),
        match: knowsMatch ? match : .nan, cluster: place / 8)
      if isFirst { sides.first.append(value) } else { sides.second.append(value) }
    }
    return sides
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func `what is matched biases the difference by little, and all of it where nobody says it`(
    _ seed: UInt64
  ) throws {
    let (first, second) = Self.sides(seed)
    let found = try MatchedDifference(first, second)
    #expect(found.isMatched && found.matched == first.count && found.all == first.count)
    // Five strata leave a tenth of the bias, which is 10 times a sixth.
    #expect(abs(found.estimate.value - 3) < 0.25, "\(found.estimate)")
    #expect(found.estimate.interval.halfWidth < 0.2)
    let bare = Self.sides(seed, knowsMatch: false)
    let biased = try MatchedDifference(bare.first, bare.second)
    #expect(!biased.isMatched && biased.estimate.value > 4.3)
  }

  @Test func `intervals hold the truth as often as they say`() throws {
    var held = 0
    for seed in 100..<300 {
      let (first, second) = Self.sides(UInt64(seed), count: 800, slope: 0)
      if try MatchedDifference(first, second).estimate.interval.contains(3) { held += 1 }
    }
    // 200 intervals of 95 %: four standard errors are 6 %.
    #expect(held >= 178 && held <= 200, "\(held)")
  }

  @Test func `too few of a side are refused`() throws {
    let (first, second) = Self.sides(7)
    #expect(throws: StatisticsError.self) {
      _ = try MatchedDifference(first, Array(second.prefix(9)))
    }
    // Of one cluster there is no telling how clusters differ.
    let one = second.map { MatchedDifference.Value(value: $0.value, match: $0.match, cluster: 0) }
    let same = first.map { MatchedDifference.Value(value: $0.value, match: $0.match, cluster: 0) }
    #expect(throws: StatisticsError.self) { _ = try MatchedDifference(same, one) }
  }

  @Test(arguments: [2, 7, 8, 19])
  func `few sessions are refused, or count as no more than they are`(_ count: Int) throws {
    let sides = Self.sides(8)
    func dealt(_ values: [MatchedDifference.Value]) -> [MatchedDifference.Value] {
      values.enumerated().map { place, value in
        MatchedDifference.Value(
          value: value.value, match: value.match, cluster: place % count)
      }
    }
    let (first, second) = (dealt(sides.first), dealt(sides.second))
    if count < MatchedDifference.leastGroups {
      #expect(throws: StatisticsError.self) { _ = try MatchedDifference(first, second) }
      return
    }
    let estimate = try MatchedDifference(first, second).estimate
    #expect(estimate.n == count)
    let error: Double = try #require(estimate.standardError)
    let ratio: Double = estimate.interval.halfWidth / error
    // Student's t for 95 % with 7 and 18 degrees of freedom.
    let expected: Double = count == 8 ? 2.3646 : 2.1009
    #expect(abs(ratio - expected) < 1e-3, "\(ratio)")
  }
}
