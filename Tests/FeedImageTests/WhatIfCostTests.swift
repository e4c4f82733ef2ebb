import FeedImage
import Metering
import Models
import Scenario
import Statistics
import Testing

@testable import Studies
@testable import WhatIf

/// What a page says a month costs, beside what a run says and what two runs differ by.
@Suite struct WhatIfCostTests {
  private static let prices =
    "cost: {prices: \(FeedImageTests.root.path)/scenarios/prices/cloudfront.yaml, stored: 3 TB}\n"

  private static func scenario(
    _ changes: [String] = [], _ text: String = prices, short: Bool = false
  ) throws -> FeedStudy {
    try FeedStudy.parse(
      "version: 1\nname: cost\nreplications: 6\ncatalogue: {titles: 2000}\n" + text,
      file: "cost.yaml",
      overrides: (["audience.window=1 min", "audience.viewsPerDayPerEdge=300000"] + changes).map {
        Override(set: $0)
      }, short: short)
  }

  /// The numbers of the cost: the last ones, with a count of 1 in the head.
  private static func cost(_ numbers: [Double]) throws -> [Double] {
    try #require(numbers[4] == 1)
    return Array(numbers.suffix(14))
  }

  @Test func theBaseCostsWhatTheRunSays() async throws {
    let scenario = try Self.scenario()
    let (base, plan, result) = try await WhatIfTests.planned(scenario)
    let own = try #require(result.cost)
    #expect(base.cost == own)
    let numbers = try Self.cost(
      WhatIfTests.numbers(try WhatIfTests.samples(scenario, plan), plan))
    #expect(numbers[0].bitPattern == own.total.value.bitPattern)
    #expect(WhatIfTests.isClose(numbers[1], own.total.interval?.lower))
    #expect(WhatIfTests.isClose(numbers[2], own.total.interval?.upper))
    #expect(numbers[6].bitPattern == own.perMillionViews.bitPattern)
    #expect(WhatIfTests.isClose(numbers[7], own.monthly.millionViews.interval?.lower))
    #expect(numbers[12].bitPattern == own.viewsPerDay.bitPattern)
    // The same events.
    for place in [3, 4, 5, 9, 10, 11, 13] { #expect(numbers[place] == 0, "\(place)") }
  }

  @Test(arguments: [
    ["policy.prefetch.headLength=0 s"],
    ["audience.viewsPerDayPerEdge=450000", "cdn.edgesBehindShield=40"],
  ]) func differencesAreThoseOfTwoRuns(changes: [String]) async throws {
    let (_, plan, before) = try await WhatIfTests.planned(try Self.scenario())
    let other = try Self.scenario(changes)
    let (_, _, after) = try await WhatIfTests.planned(other)
    let (left, right) = (try #require(before.cost), try #require(after.cost))
    let numbers = try Self.cost(WhatIfTests.numbers(try WhatIfTests.samples(other, plan), plan))
    #expect(numbers[0].bitPattern == right.total.value.bitPattern)
    #expect(numbers[12].bitPattern == right.viewsPerDay.bitPattern)
    // As a comparison of the runs subtracts and divides.
    #expect(numbers[3].bitPattern == (right.total.value - left.total.value).bitPattern)
    let (own, its) = (left.perMillionViews, right.perMillionViews)
    #expect(numbers[9].bitPattern == (its - own).bitPattern)
    #expect(numbers[13].bitPattern == (its / own - 1).bitPattern)
    let months = try Estimates.pairedDifference(
      candidate: right.bills.compactMap { $0?.total },
      baseline: left.bills.compactMap { $0?.total }
    ).difference
    #expect(WhatIfTests.isClose(numbers[4], months.interval.lower))
    #expect(WhatIfTests.isClose(numbers[5], months.interval.upper))
    #expect(numbers[10] < numbers[9] && numbers[9] < numbers[11])
  }

  /// What a configuration says of its audience is what the scenario says, to the last bit.
  @Test(arguments: [
    [], ["audience.viewsPerDayPerEdge=1234567", "cdn.edgesBehindShield=17"],
    ["audience.sampling={share: 10 %}", "audience.viewsPerDayPerEdge=777777"],
    ["audience.background={viewers: 4000000}", "cdn.edgesBehindShield=30"],
    ["cost.viewsPerDay=1234.5"], ["audience.viewsPerDayPerEdge=300000.25"],
  ]) func viewsADayAreTheScenarios(changes: [String]) throws {
    for (short, cut) in [(false, "1"), (true, "0.02"), (true, "0.37"), (true, "1")] {
      // A fraction cannot be told from one that a cut has made.
      if changes.contains(where: { $0.hasSuffix(".25") }) && cut != "1" { continue }
      let scenario = try Self.scenario(
        changes + ["short={window: 30 s, share: \(cut)}"], short: short)
      let plan = try #require(scenario.cost)
      let found = plan.terms.viewsPerDay(of: scenario.configuration)
      #expect(found.bitPattern == plan.viewsPerDay.bitPattern, "\(changes) \(cut)")
    }
  }

  @Test func withoutPricesNothingIsSaid() async throws {
    let scenario = try Self.scenario([], "")
    let (base, plan, _) = try await WhatIfTests.planned(scenario)
    #expect(base.cost == nil && plan.cost == nil)
    #expect(WhatIfTests.numbers(try WhatIfTests.samples(scenario, plan), plan)[4] == 0)
  }

  @Test func whatIsMissingIsNoNumber() async throws {
    let scenario = try Self.scenario()
    let (_, plan, result) = try await WhatIfTests.planned(scenario)
    let samples = try WhatIfTests.samples(scenario, plan)
    let none = try Self.cost(WhatIfTests.numbers([], plan))
    #expect(none.allSatisfy { $0.isNaN })
    // With one replication there is a value and no interval.
    let one = try Self.cost(WhatIfTests.numbers(Array(samples.prefix(1)), plan))
    #expect(one[0] == result.cost?.bills[0]?.total && one[3] == 0)
    #expect([1, 2, 4, 5, 7, 8, 10, 11].allSatisfy { one[$0].isNaN })
    // A replication without views does not count, and what is left are no pairs.
    var empty = samples
    empty[1].bill = nil
    let rest = try Self.cost(WhatIfTests.numbers(empty, plan))
    let bills = (result.cost?.bills ?? []).enumerated().filter { $0.offset != 1 }.map(\.element)
    let expected = MonthlyCost(
      bills, viewsPerDay: samples[0].viewsPerDay, quantiles: GSLQuantiles())
    #expect(rest[0] == expected?.total.value)
    #expect(rest[3] == rest[0] - (result.cost?.total.value ?? 0))
    #expect([4, 5, 10, 11].allSatisfy { rest[$0].isNaN } && !rest[1].isNaN)
  }
}
