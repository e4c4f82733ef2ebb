import Foundation
import Scenario
import Statistics
import Testing

@testable import Studies

/// Which law would explain the errors of a backtest.
@Suite struct SuspectTests {
  /// A small feed; `changes` are what the world has otherwise.
  private static func scenario(_ seed: Int, _ changes: [String] = []) throws -> StudyScenario {
    try SmallScenario.make(
      [
        "seed=\(seed)", "audience.viewsPerDayPerEdge=40000000", "audience.window=60 s",
        "audience.sessionLength={kind: lognormal, median: 40 s, sigma: 0.5}",
        "network.access=[{kind: lte, roundTrip: {kind: lognormal, median: 50 ms, sigma: 0.3}}]",
        "audience.personas=[{kind: measured, watchTime: {kind: gamma, shape: 2, scale: 3 s}, "
          + "completion: 0.2, shorter: [{below: 10 s, completion: 0.4, "
          + "watchTime: {kind: weibull, shape: 1.5, scale: 4 s}}]}]",
        "devices=[{kind: mid}]",
      ] + changes)
  }

  /// Ten days of a world, as a reader has them.
  private func observed(_ changes: [String]) async throws -> ObservedViews {
    let study = try #require(Self.scenario(900, changes).feed)
    return try await BacktestPrediction.views(study, replications: 10, threads: 2).asRead
  }

  private static let wrong: [(law: String, factor: Double, changes: [String])] = [
    ("rates of links", 0.6, ["network.access[0].rateFactor=0.6"]),
    (
      "round trips", 1.4,
      ["network.access[0].roundTrip={kind: lognormal, median: 70 ms, sigma: 0.3}"]
    ),
    (
      "watch times", 0.75,
      [
        "audience.personas[0].watchTime={kind: gamma, shape: 2, scale: 2250 ms}",
        "audience.personas[0].shorter[0].watchTime={kind: weibull, shape: 1.5, scale: 3 s}",
      ]
    ),
    (
      "session length", 0.7,
      ["audience.sessionLength={kind: lognormal, median: 28 s, sigma: 0.5}"]
    ),
  ]

  @Test func `each law is found where it is off, and none where nothing is`() async throws {
    let scenario = try Self.scenario(1)
    let study = try #require(scenario.feed)
    let predicted = try await BacktestPrediction.views(study, replications: 8, threads: 2)
    var known: [String: ObservedViews] = [:]
    func suspects(_ changes: [String]) async throws -> Suspects {
      let observed = try await observed(changes)
      let backtest = try Backtest(predicted: predicted, observed: observed)
      return try await backtest.suspects(
        of: scenario, predicted: predicted, observed: observed
      ) { scaled, name in
        if let found = known[name] { return found }
        let feed = try #require(scaled.feed)
        let views = try await BacktestPrediction.views(feed, replications: 8, threads: 2)
        known[name] = views
        return views
      }
    }
    for (law, factor, changes) in Self.wrong {
      let found = try await suspects(changes)
      let first = try #require(found.laws.first)
      #expect(first.name == law && found.candidates.first?.name == law, "\(law): \(found.laws)")
      // Within three standard errors, and a tenth for what is not in proportion.
      let half = (log(first.interval.upper) - log(first.interval.lower)) / 2
      #expect(abs(log(first.factor / factor)) < 3 * half / 1.96 + 0.1, "\(law): \(first)")
      #expect(first.explained > 0.5, "\(law): \(first)")
      #expect(found.runs == 18 && found.notScaled.isEmpty)
      #expect(found.metrics.contains("watched_seconds_per_view"))
    }
    let nothing = try await suspects([])
    #expect(nothing.outcome == .none && nothing.candidates.isEmpty, "\(nothing.laws)")
    #expect(nothing.laws.count == 9)
  }

  // MARK: Scaling

  @Test func `every law is scaled at all the keys that it has`() throws {
    let scenario = try Self.scenario(1)
    for law in ScaledLaw.all {
      for factor in ScaledLaw.factors {
        let plan = law.plan(factor, of: scenario)
        #expect(plan.isApplicable, "\(law.name): \(plan.notApplicable ?? "")")
      }
    }
    let watch = try #require(ScaledLaw.all.first { $0.name == "watch times" })
    #expect(
      watch.plan(1.25, of: scenario).settings == [
        .init(
          key: "audience.personas[0].watchTime",
          value: "{kind: gamma, shape: 2.0, scale: 3750000000 ns}"),
        .init(
          key: "audience.personas[0].shorter[0].watchTime",
          value: "{kind: weibull, shape: 1.5, scale: 5000000000 ns}"),
      ])
    // The four kinds of the default.
    let usual = watch.plan(0.75, of: try SmallScenario.make())
    #expect(
      usual.settings
        == [0.75, 0.30000000000000004, 0.8999999999999999, 0.75].enumerated().map {
          .init(key: "audience.personas[\($0.offset)].watchScale", value: "\($0.element)")
        })
    let rates = try #require(ScaledLaw.all.first { $0.name == "rates of links" })
    #expect(
      rates.plan(0.75, of: scenario).settings == [
        .init(key: "network.access[0].rateFactor", value: "0.75")
      ])
  }

  @Test func `what a scenario has not is said`() throws {
    let scenario = try Self.scenario(1, ["cdn.edge.capacity=none"])
    let bytes = try #require(ScaledLaw.all.first { $0.name == "bytes of edges" })
    #expect(bytes.plan(0.75, of: scenario).notApplicable == "nothing of it can be scaled")
  }

  @Test func `laws of any shape are scaled and read again`() throws {
    let laws = [
      "{kind: normal, mean: 40 ms, sd: 4 ms}", "{kind: weibull, shape: 1.5, scale: 40 ms}",
      "{kind: gamma, shape: 2, scale: 20 ms, clip: {max: 80 ms}}",
      "{kind: pareto, alpha: 2, min: 20 ms, max: 80 ms}",
      "{kind: beta, a: 2, b: 3, min: 8 ms, max: 80 ms}",
      "{kind: empirical, values: [8 ms, 16 ms, 40 ms]}",
    ]
    let answers = try #require(ScaledLaw.all.first { $0.name == "the feed's answers" })
    for law in laws {
      let base = try Self.scenario(1, ["feed.latency=\(law)"])
      let plan = answers.plan(1.25, of: base)
      let scaled = try #require(plan.scenario, "\(law): \(plan.notApplicable ?? "")")
      #expect(
        scaled.file.tree.law("feed.latency")
          == base.file.tree.law("feed.latency").scaled(by: 1.25), "\(law)")
    }
  }

  // MARK: What can be said

  private func law(_ name: String, gain: Double) -> SuspectedLaw {
    SuspectedLaw(
      name, keys: [], factor: 1.2, interval: Interval(lower: 1.1, upper: 1.3), explained: 0.5,
      gain: gain)
  }

  @Test func `a name is given where one law explains the errors and no other as well`() {
    func found(_ gains: Double...) -> Suspects {
      Suspects(
        laws: gains.enumerated().map { law("law \($0.offset)", gain: $0.element) }, leastGain: 5)
    }
    // Twenty times likelier is a gain of 5.99 more.
    #expect(found(30, 20).outcome == .named && found(5.1, 4.9).outcome == .named)
    #expect(found(30, 25).outcome == .notToldApart && found(30, 25).candidates.count == 2)
    #expect(found(4.9, 0).outcome == .none && found().outcome == .none)
  }
}
