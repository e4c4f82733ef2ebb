import Foundation
import Scenario
import Testing

@testable import Studies

@Suite struct AuditTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scenarios")

  /// The shipped scenarios without their negative controls.
  private static let shipped: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".yaml") && !$0.hasSuffix(".negative.yaml") }.sorted()
  }()

  private static func load(_ name: String) throws -> StudyScenario {
    try StudyScenario.load(folder.appendingPathComponent(name).path)
  }

  // MARK: The tables

  @Test func `names are stable words, once in each world`() {
    for world in AuditWorld.allCases {
      let names = world.mutants.map(\.name)
      #expect(names.count >= 10, "\(world)")
      #expect(Set(names).count == names.count, "\(world)")
      for mutant in world.mutants {
        #expect(mutant.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
        #expect(!mutant.summary.isEmpty && !mutant.summary.hasSuffix("."))
      }
    }
  }

  @Test(arguments: [
    ("wifi-budget-gate", AuditWorld.feed), ("mixed-feed-scroll", .mixedFeed),
    ("tbm-push-poll", .messages), ("call-nat-timeouts", .calls),
    ("feed-ranker-events", .services), ("upload-transcode-publish", .pipeline),
  ])
  func `every world has a shipped scenario with mutants that apply`(
    _ name: String, _ world: AuditWorld
  ) throws {
    let base = try Self.load("\(name).yaml")
    #expect(AuditWorld(base) == world)
    #expect(world.mutants.contains { MutantPlan($0, of: base).isApplicable })
  }

  @Test(arguments: shipped)
  func `the mutants of a shipped scenario are valid, and the others say why not`(
    _ name: String
  ) throws {
    let base = try Self.load(name)
    for plan in Audit(base, replications: nil, threads: 1).plans {
      if let variant = plan.scenario {
        #expect(plan.notApplicable == nil && !plan.settings.isEmpty)
        #expect(!Variant.differences(base, variant).isEmpty, "\(plan.name)")
        #expect(variant.seed == base.seed && variant.budgets == base.budgets, "\(plan.name)")
      } else {
        let reason = try #require(plan.notApplicable, "\(plan.name)")
        // A refusal is for scenarios of users; a table that makes one here is wrong.
        #expect(!reason.isEmpty && !reason.hasPrefix("refused"), "\(plan.name): \(reason)")
      }
    }
  }

  @Test func `round trips are moved by the median, and what is so already does not apply`() throws {
    let base = try SmallScenario.make(["policy.pool.size=1"])
    let plans = Audit(base, replications: nil, threads: 1).plans
    let later = try #require(plans.first { $0.name == "round-trip-30" })
    #expect(
      later.settings == [
        .init(
          key: "network.access[0].roundTrip",
          value: "{kind: lognormal, median: 50000000 ns, sigma: 0.35}")
      ])
    #expect(
      plans.first { $0.name == "pool-of-one" }?.notApplicable == "the scenario is so already")
    #expect(
      plans.first { $0.name == "telemetry-dropped" }?.notApplicable == "client.telemetry is none")
  }

  @Test func `laws of any shape are moved and written so that they are read again`() throws {
    let laws = [
      "40 ms", "{kind: uniform, min: 1 ms, max: 3 ms}", "{kind: exponential, mean: 7 ms}",
      "{kind: triangular, min: 1 ms, mode: 2 ms, max: 3 ms}",
      "{kind: lognormal, median: 5 ms, sigma: 0.4, clip: {max: 9 ms}}",
      "{kind: mixture, parts: [{weight: 0.9, law: 1 ms}, {weight: 0.1, law: 2 ms}]}",
    ]
    for law in laws {
      let base = try SmallScenario.make(["feed.latency=\(law)"])
      let plan = try #require(
        Audit(base, replications: nil, threads: 1).plans.first { $0.name == "ranker-slow" })
      let variant = try #require(plan.scenario, "\(law): \(plan.notApplicable ?? "")")
      let (before, after) = (
        base.file.tree.law("feed.latency"), variant.file.tree.law("feed.latency")
      )
      #expect(after == before.scaled(by: 2), "\(law)")
    }
  }

  // MARK: Running

  private static let budgets = """
      - {metric: ttff_swipe_ms.mean, limit: "< 200 ms", minimumSamples: 10}
      - {metric: ttff_ms.p95, limit: "< 100 s", minimumSamples: 10}
      - {metric: wasted_ratio, limit: "< 100 %", level: soft, minimumSamples: 10}
    """

  private func audit(
    _ names: [String], budgets: String = budgets, threads: Int = 2, replications: Int? = 6
  ) async throws -> AuditResult {
    try await Audit(
      SmallScenario.make(budgets: budgets), mutants: names, replications: replications,
      threads: threads
    ).run()
  }

  @Test func `no prefetch is noticed, and a budget that cannot fail is called out`() async throws {
    let found = try await audit(["prefetch-off", "telemetry-dropped"])
    #expect(found.base.exitCode == 0)
    let row = try #require(found.rows.first { $0.name == "prefetch-off" })
    #expect(row.status == .noticed && row.notices[0] == .fails && row.noticing(.hard) == [0])
    #expect(row.moved.contains { $0.outcome == .worse })
    #expect(found.rows.first { $0.name == "telemetry-dropped" }?.status == .notApplicable)
    #expect(found.score == 1 && found.silent.contains(1) && !found.silent.contains(0))
    #expect(found.exitCode(minimum: 1) == 0 && found.suggestions.isEmpty)
  }

  @Test func `a survivor lowers the score and gets a limit that the base keeps`() async throws {
    let loose = """
        - {metric: ttff_ms.p95, limit: "< 100 s", minimumSamples: 10}
      """
    let found = try await audit(["prefetch-off"], budgets: loose)
    #expect(found.rows[0].status == .survived && found.score == 0)
    #expect(found.exitCode(minimum: nil) == 0 && found.exitCode(minimum: 0.5) == 10)
    let suggestion = try #require(found.suggestions.first)
    #expect(suggestion.mutants == ["prefetch-off"] && suggestion.replications == 6)
    #expect(
      suggestion.falseAlarm < AuditSuggestion.mostFalseAlarms
        && suggestion.limit.holds(suggestion.base))
    // Pasted into the scenario, it does what it says.
    let samples = suggestion.minimumSamples.map { ", minimumSamples: \($0)" } ?? ""
    let pasted =
      loose
      + "\n  - {metric: \"\(suggestion.metric)\", limit: \"\(suggestion.limitText)\"\(samples)}"
    let again = try await audit(["prefetch-off"], budgets: pasted)
    #expect(again.base.exitCode == 0 && again.score == 1)
  }

  @Test func `the base must pass, and without relevant mutants there is no score`() async throws {
    let strict = """
        - {metric: ttff_ms.mean, limit: "< 1 ms", minimumSamples: 10}
      """
    let failed = try await audit([], budgets: strict)
    #expect(failed.rows.isEmpty && failed.exitCode(minimum: nil) == 10)
    let silent = try await audit(["telemetry-dropped"])
    #expect(silent.score == nil && silent.exitCode(minimum: nil) == 0)
    #expect(silent.exitCode(minimum: 0) == 13)
  }

  @Test func `the same is found on one thread and on two`() async throws {
    let names = ["pool-of-one", "prefetch-off", "cap-off"]
    let (one, two) = (
      try await audit(names, threads: 1), try await audit(names, threads: 2)
    )
    #expect(one.rows.map(\.differences) == two.rows.map(\.differences))
    #expect(one.rows.map(\.budgets) == two.rows.map(\.budgets))
    #expect(
      one.rows.map { $0.run?.fingerprint.value } == two.rows.map { $0.run?.fingerprint.value })
    #expect(one.suggestions == two.suggestions && one.score == two.score)
  }

  @Test func `an audit that is stopped says how far it was`() async throws {
    let stop = StopRequest()
    stop.stop()
    await #expect(throws: StudyStopped.self) {
      _ = try await Audit(
        SmallScenario.make(budgets: Self.budgets), replications: 4, threads: 1
      ).run(stop: stop)
    }
  }

  // MARK: Limits

  @Test(arguments: [
    (100.0, 900.0, "500 ms", MetricReference.Unit.milliseconds),
    (1180, 1420, "1.3 s", .milliseconds), (0.4, 0.9, "0.6 ms", .milliseconds),
    (97.1, 99.2, "98 %", .ratio), (0, 33, "20", .number), (12.01, 12.09, "12.05", .number),
  ])
  func `a limit has few digits and stands well inside`(
    _ near: Double, _ far: Double, _ text: String, _ unit: MetricReference.Unit
  ) throws {
    let round = try #require(RoundLimit(between: near, and: far))
    #expect(round.text(unit) == text)
    #expect(RoundLimit(between: far, and: near) == round)
    #expect(RoundLimit(between: near, and: near) == nil)
    guard case .success(let limit) = BudgetLimit.parse("< " + round.text(unit), unit: unit) else {
      Issue.record("\(text) is a limit")
      return
    }
    #expect(abs(limit.value - (unit == .ratio ? round.value / 100 : round.value)) < 1e-9)
  }

  @Test func `a notice needs a budget that the base passes`() {
    #expect(AuditNotice(base: .pass, mutant: .fail) == .fails)
    #expect(AuditNotice(base: .pass, mutant: .inconclusive) == .inconclusive)
    #expect(AuditNotice(base: .pass, mutant: .invalid) == .invalid)
    #expect(AuditNotice(base: .pass, mutant: .pass) == .none)
    #expect(AuditNotice(base: .inconclusive, mutant: .fail) == .none)
  }
}
