import Foundation
import MediaUnits
import Scenario
import Statistics
import Testing

@testable import Studies

/// How often a backtest is right: scenarios whose laws and policies are drawn at random, held
/// against worlds of their own and of another law. Only with FIRSTFRAME_SLOW.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["FIRSTFRAME_SLOW"] != nil), .serialized)
struct BacktestRecoverySlowTests {
  /// A scenario's keys; each law can be off by a factor.
  private struct World {
    var access = "lte"
    var rate = 1.0, roundTrip = 40.0, watched = 1.0
    var pool = 3, ahead = 3

    /// Drawn by a seed.
    init(_ seed: UInt64) {
      var generator = SplitMix64(seed: seed)
      access = ["lte", "wifi-good", "3g"][generator.next(below: 3)]
      rate = 0.5 + generator.nextUniform()
      roundTrip = 20 + 60 * generator.nextUniform()
      watched = 0.7 + 0.6 * generator.nextUniform()
      pool = 1 + generator.next(below: 4)
      ahead = generator.next(below: 4)
    }

    func study(_ seed: UInt64) throws -> FeedStudy {
      try #require(
        SmallScenario.make([
          "seed=\(seed)", "audience.viewsPerDayPerEdge=40000000", "audience.window=120 s",
          "audience.sessionLength={kind: lognormal, median: 20 s, sigma: 0.5}",
          "audience.personas=[{kind: typical, watchScale: \(watched)}]",
          "network.access=[{kind: \(access), rateFactor: \(rate), "
            + "roundTrip: {kind: lognormal, median: \(Int64(roundTrip * 1_000)) us, sigma: 0.3}}]",
          "devices=[{kind: mid}]", "policy.pool.size=\(pool)",
          "policy.prefetch.itemsAhead=\(ahead)",
        ]).feed)
    }

    /// Twelve days of it, as a reader of telemetry has them.
    func observed(_ seed: UInt64) async throws -> ObservedViews {
      var views = try await BacktestPrediction.views(study(seed), replications: 12, threads: 2)
      // Nobody says whose bytes they were.
      views.totals = []
      // Requests are counted by hours: these are twelve days later by one each.
      for place in views.traffic.indices { views.traffic[place].block *= 24 }
      return views
    }
  }

  private func verdict(_ world: World, _ truth: World, seed: UInt64) async throws -> Backtest {
    let predicted = try await BacktestPrediction.views(
      world.study(1_000 + seed), replications: 16, threads: 2)
    return try Backtest(
      predicted: predicted, observed: try await truth.observed(5_000 + seed),
      options: Backtest.Options(seed: seed))
  }

  private static let seeds: Range<UInt64> = 0..<40

  @Test func `it agrees where nothing is wrong`() async throws {
    var counts: [Backtest.Verdict: Int] = [:]
    for seed in Self.seeds {
      let world = World(seed)
      let found = try await verdict(world, world, seed: seed)
      counts[found.verdict, default: 0] += 1
    }
    print("nothing wrong: \(counts)")
    // One alarm in twenty is asked for, two of forty; six have a probability of 1 %.
    #expect(counts[.disagrees, default: 0] < 6)
    #expect(counts[.agrees, default: 0] > 0)
  }

  @Test(arguments: ["rate", "roundTrip", "watched"])
  func `it disagrees where one law is off by a quarter`(_ law: String) async throws {
    var counts: [Backtest.Verdict: Int] = [:]
    for seed in Self.seeds {
      let world = World(seed)
      var truth = world
      switch law {
      case "rate": truth.rate *= 0.75
      case "roundTrip": truth.roundTrip *= 1.25
      default: truth.watched *= 0.75
      }
      counts[try await verdict(world, truth, seed: seed).verdict, default: 0] += 1
    }
    print("\(law): \(counts)")
    // What is off may move nothing by more than its tolerance, but is seldom taken for right.
    #expect(counts[.agrees, default: 0] < 6)
    #expect(counts[.disagrees, default: 0] >= 10)
  }
}
