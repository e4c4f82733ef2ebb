import Foundation
import Scenario
import SlowTesting
import Statistics
import Testing

@testable import Studies

/// How often a key that is fitted by simulation lies in its interval: laws and policies are drawn
/// at random, some 18,000 views observed and as many predicted in each step. Only with
/// FIRSTFRAME_SLOW; FIRSTFRAME_WORLDS worlds, by default 4, from FIRSTFRAME_FIRST_WORLD on.
@Suite(.enabled(if: SlowRun.isOn), .serialized)
struct MatchingRecoverySlowTests {
  /// What is fitted, where the search begins, and what a world may have.
  private static let fitted: [(key: MatchedKey, start: Double, drawn: ClosedRange<Double>)] = [
    (MatchedKey("network.access[0].rateFactor", 0.1...4), 0.63, 0.4...1.4),
    (MatchedKey("network.access[0].roundTrip.median", 8...250, unit: "ms"), 45, 20...90),
    (MatchedKey("devices[0].decoderSetup", 8...500, unit: "ms"), 63, 25...160),
  ]

  private struct World {
    let access: String
    let pool, ahead: Int
    let watched: Double
    let truth: [Double]

    init(_ seed: UInt64) {
      var generator = SplitMix64(seed: seed)
      access = ["lte", "wifi-good", "3g"][generator.next(below: 3)]
      pool = 1 + generator.next(below: 4)
      ahead = generator.next(below: 4)
      watched = 0.7 + 0.6 * generator.nextUniform()
      truth = fitted.map { key in
        key.drawn.lowerBound
          + (key.drawn.upperBound - key.drawn.lowerBound) * generator.nextUniform()
      }
    }

    func views(
      seed: UInt64, _ settings: [Variant.Setting], replications: Int
    ) async throws -> ObservedViews {
      let changes =
        [
          "seed=\(seed)", "audience.viewsPerDayPerEdge=40000000", "audience.window=80 s",
          "audience.sessionLength={kind: lognormal, median: 20 s, sigma: 0.5}",
          "audience.personas=[{kind: typical, watchScale: \(watched)}]",
          "network.access=[{kind: \(access), "
            + "roundTrip: {kind: lognormal, median: 45 ms, sigma: 0.3}}]",
          "devices=[{kind: mid}]", "policy.pool.size=\(pool)",
          "policy.prefetch.itemsAhead=\(ahead)",
        ] + settings.map { "\($0.key)=\($0.value)" }
      return try await BacktestPrediction.views(
        #require(SmallScenario.make(changes).feed), replications: replications, threads: 2)
    }

    /// Twelve replications as a reader of telemetry has them.
    func observed(_ seed: UInt64) async throws -> ObservedViews {
      try await views(
        seed: seed, zip(fitted, truth).map { $0.key.setting($1) }, replications: 12
      ).asRead
    }
  }

  @Test func `what is told lies in its interval`() async throws {
    let worlds = SlowRun.number("FIRSTFRAME_WORLDS", 4)
    let first = SlowRun.number("FIRSTFRAME_FIRST_WORLD", 0)
    // Of each key: intervals with both ends in its range, with one, and how many hold the truth.
    var told = [(count: Int, inside: Int)](repeating: (0, 0), count: Self.fitted.count)
    var bounded = told
    for seed in UInt64(first)..<UInt64(first + worlds) {
      let world = World(seed)
      let observed = try await world.observed(5_000 + seed)
      let found = try await Matching.fit(
        Self.fitted.map { ($0.key, $0.start) }, observed: observed
      ) { settings in
        try await world.views(seed: 1_000 + seed, settings, replications: 12)
      }
      var line = "\(seed) \(world.access) pool \(world.pool) ahead \(world.ahead)"
      line += " views \(observed.views.count) runs \(found.answer.runs)"
      line += String(
        format: " misfit %.2f promised %.2f %@", found.answer.misfit,
        found.answer.promisedSquares, found.answer.hasConverged ? "at rest" : "NOT AT REST")
      for (place, estimate) in found.answer.estimates.enumerated() {
        let truth = world.truth[place]
        let isInside = estimate.interval.contains(truth)
        line += String(
          format: "; %.4g: %.4g in %.4g...%.4g%@", truth, estimate.value, estimate.interval.lower,
          estimate.interval.upper,
          (isInside ? "" : " OUTSIDE") + (estimate.isTold ? "" : " not told"))
        let (interval, range) = (estimate.interval, Self.fitted[place].key.range)
        let isOpen = interval.lower <= range.lowerBound && interval.upper >= range.upperBound
        if !found.answer.hasConverged || isOpen { continue }
        if estimate.isTold {
          told[place].count += 1
          if isInside { told[place].inside += 1 }
        } else {
          bounded[place].count += 1
          if isInside { bounded[place].inside += 1 }
        }
      }
      print(line)
    }
    for (place, fitted) in Self.fitted.enumerated() {
      let (told, bounded) = (told[place], bounded[place])
      print(
        "\(fitted.key.key): \(told.inside) of \(told.count) that are told are inside, and "
          + "\(bounded.inside) of \(bounded.count) with one end")
      for (count, inside) in [told, bounded] {
        // 90 of 100 are asked for; two standard errors of that are 0.6 of the square root.
        #expect(Double(inside) >= 0.9 * Double(count) - 0.6 * Double(count).squareRoot())
      }
      #expect(2 * (told.count + bounded.count) >= worlds, "hardly anything is known")
    }
  }
}
