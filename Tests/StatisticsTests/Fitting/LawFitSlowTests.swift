import SlowTesting
import Testing

@testable import Statistics

/// The large samples; only with FIRSTFRAME_SLOW=1.
@Suite(.enabled(if: SlowRun.isOn))
struct LawFitSlowTests {
  @Test(arguments: LawFitTests.cases, [10_000, 100_000])
  func `known parameters come back from larger samples`(
    _ known: LawFitTests.Case, _ count: Int
  ) throws {
    let hits = try LawFitTests.coverage(known, count: count, seeds: 1..<101)
    for hits in hits { #expect(hits >= 90) }
  }

  @Test(arguments: LawFitTests.cases)
  func `known parameters come back from a million values`(_ known: LawFitTests.Case) throws {
    let hits = try LawFitTests.coverage(known, count: 1_000_000, seeds: 1..<101)
    for hits in hits { #expect(hits >= 90) }
  }

  @Test func `known parameters of a censored gamma law come back`() throws {
    let known = LawFitTests.Case(family: .gamma, parameters: [2.5, 4])
    let hits = try LawFitTests.coverage(
      known, count: 1_000, seeds: 1..<101, censoredShare: 0.4)
    for hits in hits { #expect(hits >= 90) }
  }

  @Test(arguments: LawFitTests.cases.filter { $0.family != .gamma })
  func `known parameters come back from many values of which two fifths are censored`(
    _ known: LawFitTests.Case
  ) throws {
    let hits = try LawFitTests.coverage(
      known, count: 100_000, seeds: 1..<101, censoredShare: 0.4)
    for hits in hits { #expect(hits >= 90) }
  }

  @Test func `the exponent comes back from a million views of sessions without repeats`() throws {
    var hits = 0
    for seed in 1..<101 as Range<UInt64> {
      let drawn = try PopularityFitTests.sessions(
        titles: 100_000, exponent: 1, sessions: 85_000, seed: seed)
      let fit = try PopularityFit(
        counts: drawn.counts, titles: 100_000, draws: .distinct(sessions: drawn.lengths))
      if fit.exponent.interval.contains(1) { hits += 1 }
    }
    #expect(hits >= 90, "\(hits)")
  }

  @Test func `the exponent of Zipf's law comes back from a million requests`() throws {
    var hits = 0
    for seed in 1..<101 as Range<UInt64> {
      let counts = try PopularityFitTests.counts(
        titles: 100_000, exponent: 1, requests: 1_000_000, seed: seed)
      let fit = try PopularityFit(counts: counts, titles: 100_000)
      if fit.exponent.interval.contains(1) { hits += 1 }
    }
    #expect(hits >= 90)
  }
}
