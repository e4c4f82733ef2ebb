import Foundation
import SlowTesting
import Testing

@testable import Statistics

@Suite struct PopularityFitTests {
  static func counts(
    titles: Int, exponent: Double, requests: Int, seed: UInt64
  ) throws -> [Int] {
    let table = try AliasTable(weights: ZipfLaw(count: titles, exponent: exponent).probabilities)
    var random = SplitMix64(seed: seed)
    var counts = [Int](repeating: 0, count: titles)
    for _ in 0..<requests {
      let column = random.next(below: titles)
      counts[table.outcome(column: column, bits: UInt32(truncatingIfNeeded: random.next()))] += 1
    }
    return counts
  }

  @Test(
    arguments: SlowRun.cases(
      [(1_000, 1.0, 1_000), (2_000, 0.8, 20_000), (20_000, 1.1, 50_000)], usual: 2))
  func `the exponent comes back in at least 90 of 100 seeds`(
    _ titles: Int, _ exponent: Double, _ requests: Int
  ) throws {
    var (known, unknown, total) = (0, 0, 0)
    for seed in 1..<101 as Range<UInt64> {
      let counts = try Self.counts(
        titles: titles, exponent: exponent, requests: requests, seed: seed)
      let fit = try PopularityFit(counts: counts, titles: titles)
      if fit.exponent.interval.contains(exponent) { known += 1 }
      if seed > 40 { continue }
      guard let free = try? PopularityFit(counts: counts) else { continue }
      total += 1
      if free.exponent.interval.contains(exponent)
        && free.titles.interval.contains(Double(titles))
      {
        unknown += 1
      }
    }
    #expect(known >= 90)
    #expect(total >= 36 && Double(unknown) >= 0.85 * Double(total), "\(unknown) of \(total)")
  }

  /// Sessions that draw again what they have had, as a feed does that repeats nothing.
  static func sessions(
    titles: Int, exponent: Double, sessions: Int, seed: UInt64, lateShare: Double = 0
  ) throws -> (counts: [Int], lengths: [Range<Int>]) {
    let table = try AliasTable(weights: ZipfLaw(count: titles, exponent: exponent).probabilities)
    var random = SplitMix64(seed: seed)
    var counts = [Int](repeating: 0, count: titles)
    var lengths: [Range<Int>] = []
    for _ in 0..<sessions {
      let length = 1 + Int(-12 * log(random.nextUniform()))
      // Of others what comes before the log begins is not seen.
      let begin = lateShare > 0 && random.nextUniform() < lateShare ? random.next(below: length) : 0
      var had: Set<Int> = []
      while had.count < length {
        let column = random.next(below: titles)
        let title = table.outcome(
          column: column, bits: UInt32(truncatingIfNeeded: random.next()))
        if had.insert(title).inserted && had.count > begin { counts[title] += 1 }
      }
      lengths.append(begin..<length)
    }
    return (counts, lengths)
  }

  @Test(
    arguments: SlowRun.cases(
      [(1_000, 1.0, 100), (2_000, 0.8, 1_000), (20_000, 1.1, 4_000)], usual: 2))
  func `the exponent comes back where no session has a title twice`(
    _ titles: Int, _ exponent: Double, _ sessions: Int
  ) throws {
    var (known, ignored, unknown, total) = (0, 0, 0, 0)
    for seed in 1..<101 as Range<UInt64> {
      let drawn = try Self.sessions(
        titles: titles, exponent: exponent, sessions: sessions, seed: seed)
      let draws = PopularityFit.Draws.distinct(sessions: drawn.lengths)
      let fit = try PopularityFit(counts: drawn.counts, titles: titles, draws: draws)
      if fit.exponent.interval.contains(exponent) { known += 1 }
      if seed > 10 { continue }
      let plain = try PopularityFit(counts: drawn.counts, titles: titles)
      if plain.exponent.interval.contains(exponent) { ignored += 1 }
      guard let free = try? PopularityFit(counts: drawn.counts, draws: draws) else { continue }
      total += 1
      if free.exponent.interval.contains(exponent) { unknown += 1 }
    }
    #expect(known >= 90, "\(known)")
    // Without that knowledge the head looks flatter than it is.
    if sessions >= 1_000 { #expect(ignored <= 1, "\(ignored)") }
    #expect(total >= 9 && unknown >= total - 2, "\(unknown) of \(total)")
  }

  @Test func `the exponent comes back where half of the sessions had begun before the log`()
    throws
  {
    var (known, ignored) = (0, 0)
    for seed in 1..<41 as Range<UInt64> {
      let drawn = try Self.sessions(
        titles: 2_000, exponent: 1, sessions: 1_000, seed: seed, lateShare: 0.5)
      let fit = try PopularityFit(
        counts: drawn.counts, titles: 2_000, draws: .distinct(sessions: drawn.lengths))
      if fit.exponent.interval.contains(1) { known += 1 }
      if seed > 10 { continue }
      let plain = try PopularityFit(
        counts: drawn.counts, titles: 2_000,
        draws: .distinct(sessions: drawn.lengths.map { 0..<$0.count }))
      if plain.exponent.interval.contains(1) { ignored += 1 }
    }
    #expect(known >= 36, "\(known)")
    #expect(ignored <= 2, "\(ignored)")
  }

  @Test func `too little is refused`() {
    #expect(throws: StatisticsError.self) { try PopularityFit(counts: [5, 5, 5]) }
    #expect(throws: StatisticsError.self) {
      try PopularityFit(counts: [Int](repeating: 1, count: 500))
    }
    #expect(throws: StatisticsError.self) {
      try PopularityFit(counts: [Int](repeating: 50, count: 100), titles: 50)
    }
  }
}
