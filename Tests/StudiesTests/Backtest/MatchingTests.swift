import Foundation
import Scenario
import Statistics
import Testing

@testable import Studies

/// Keys of a feed fitted by simulation.
@Suite struct MatchingTests {
  /// A small feed on two networks, of whose links the rates are `rates` times those of the kinds.
  static func scenario(
    _ seed: Int, rates: (Double, Double) = (1, 1), _ changes: [String] = []
  ) throws -> StudyScenario {
    try SmallScenario.make(
      [
        "seed=\(seed)", "audience.viewsPerDayPerEdge=40000000", "audience.window=60 s",
        "audience.sessionLength={kind: lognormal, median: 20 s, sigma: 0.5}",
        "network.access=[{kind: lte, name: a, weight: 0.5, rateFactor: \(rates.0)}, "
          + "{kind: wifi-good, name: b, weight: 0.5, rateFactor: \(rates.1)}]",
        "devices=[{kind: mid}]",
      ] + changes)
  }

  /// Twelve replications as a reader of telemetry has them.
  static func observed(_ study: StudyScenario) async throws -> ObservedViews {
    try await BacktestPrediction.views(#require(study.feed), replications: 12, threads: 2).asRead
  }

  @Test func `rates of two networks are found, each in its interval`() async throws {
    let observed = try await Self.observed(Self.scenario(900, rates: (0.5, 0.12)))
    let keys = [
      MatchedKey("network.access[0].rateFactor", 0.1...4),
      MatchedKey("network.access[1].rateFactor", 0.02...4),
    ]
    let found = try await Matching.fit(
      [(keys[0], 0.63), (keys[1], 0.28)], observed: observed
    ) { settings in
      let set = settings.map { "\($0.key)=\($0.value)" }
      return try await BacktestPrediction.views(
        #require(Self.scenario(1, set).feed), replications: 8, threads: 2)
    }
    #expect(found.answer.hasConverged)
    for (estimate, truth) in zip(found.answer.estimates, [0.5, 0.12]) {
      // At three standard errors: one set of data must not fail by chance.
      let half = 1.5 * log(estimate.interval.upper / estimate.interval.lower) / 2
      let error = abs(log(estimate.value / truth))
      #expect(estimate.isTold && error < half && half < 0.6, "\(estimate) \(truth)")
    }
    let row = found.rows.first { $0.metric.name == "ttff_cold_ms.p50" }
    #expect(row?.cohort == "network=a")
    #expect(found.answer.squares < 0.1 * found.answer.startSquares)
    #expect(found.views == observed.views.count)
    #expect(found.settings.map(\.key) == keys.map(\.key))
  }

  @Test(arguments: [
    ("a.b=1..60 Mbps", "a.b", 1.0, 60.0, "Mbps"), (" x = 0.5 .. 2 ", "x", 0.5, 2, ""),
    ("r=20..200 ms", "r", 20, 200, "ms"),
  ])
  func `a key with its range is read`(
    _ text: String, _ key: String, _ low: Double, _ high: Double, _ unit: String
  ) throws {
    let read = try #require(MatchedKey(text))
    #expect(read == MatchedKey(key, low...high, unit: unit))
  }

  @Test(arguments: [
    "a", "a=", "a=1", "a=1..", "a=0..2", "a=2..1", "a=1 Mbps..2 Mbps", "=1..2", "a=1...2",
  ])
  func `what is none is refused`(_ text: String) { #expect(MatchedKey(text) == nil) }

  @Test func `values have six digits and their unit`() {
    let key = MatchedKey("a", 1e-4...1e9, unit: "ms")
    #expect(key.text(1.0 / 3) == "0.333333 ms" && key.text(1234567.8) == "1234568.0 ms")
    #expect(MatchedKey("a", 1...2).text(0.000123456789) == "0.000123457")
  }
}
