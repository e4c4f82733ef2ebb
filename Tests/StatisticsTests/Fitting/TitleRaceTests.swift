import Foundation
import Testing

@testable import Statistics

@Suite struct TitleRaceTests {
  private static func shares(_ titles: Int, _ exponent: Double) -> [Double] {
    let weights = (1...titles).map { exp(-exponent * log(Double($0))) }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }

  /// The probability that a session of two shows a title is p + Σ q p / (1 - q) over the others.
  @Test(arguments: [(1_000, 1.0, 0.004), (20_000, 1.1, 0.004), (20_000, 1.5, 0.025)])
  func `a session of two has the titles that arithmetic says`(
    _ titles: Int, _ exponent: Double, _ tolerance: Double
  ) {
    let shares = Self.shares(titles, exponent)
    var race = TitleRace(shares: shares, sizes: shares.map { _ in 1 })
    let isEnded = race.end(at: 2)
    #expect(isEnded)
    let all = shares.reduce(0) { $0 + $1 / (1 - $1) }
    for title in [0, 1, 2, 5, 20, 500] {
      let share = shares[title]
      let exact = share * (1 + all - share / (1 - share))
      #expect(abs(race.chances[title] / exact - 1) < tolerance, "\(title)")
    }
  }

  @Test(arguments: [1.0, 2, 3, 7.5, 40, 900])
  func `the chances add up to the titles of the session`(_ titles: Double) {
    let shares = Self.shares(1_000, 1)
    var race = TitleRace(shares: shares, sizes: shares.map { _ in 1 })
    let isEnded = race.end(at: titles)
    #expect(isEnded)
    #expect(abs(race.chances.reduce(0, +) / titles - 1) < 1e-9)
    #expect(race.chances.allSatisfy { $0 > 0 && $0 <= 1 })
    #expect(zip(race.chances, race.chances.dropFirst()).allSatisfy { $0 >= $1 })
  }

  @Test func `drawn sessions have them as often`() throws {
    let (titles, sessions) = (1_000, 20_000)
    let drawn = try PopularityFitTests.sessions(
      titles: titles, exponent: 1, sessions: sessions, seed: 7)
    let shares = Self.shares(titles, 1)
    var race = TitleRace(shares: shares, sizes: shares.map { _ in 1 })
    var expected = [Double](repeating: 0, count: titles)
    for (length, count) in Dictionary(grouping: drawn.lengths, by: \.count).mapValues(\.count) {
      let isEnded = race.end(at: Double(length))
      #expect(isEnded)
      for title in 0..<titles { expected[title] += Double(count) * race.chances[title] }
    }
    for title in [0, 1, 2, 5, 10, 50, 200] {
      let share = expected[title] / Double(sessions)
      let error = (expected[title] * (1 - share)).squareRoot()
      #expect(abs(Double(drawn.counts[title]) - expected[title]) < 4 * error, "\(title)")
    }
  }
}
