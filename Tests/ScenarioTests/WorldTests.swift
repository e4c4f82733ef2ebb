import Testing

@testable import Scenario

@Suite struct WorldTests {
  private func parse(_ body: String, _ set: [String] = []) throws(ScenarioRejected) -> StudyScenario
  {
    try StudyScenario.parse(
      "version: 1\nname: test\n" + body, file: "s.yaml", overrides: set.map { Override(set: $0) })
  }

  private func problems(_ body: String, _ set: [String] = []) -> [String] {
    do throws(ScenarioRejected) {
      _ = try parse(body, set)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test func `a world has its own section and no part of the feed`() throws {
    let made = try parse("world: messages\nmessages: {audience: {groups: 7}}\n")
    #expect(made.plan.name == "messages" && made.networks.isEmpty)
    guard case .messages(let plan) = made.plan else { return }
    #expect(plan.groups == 7)
    #expect(
      problems("world: messages\naudience: {window: 1 min}\n").first?.contains("audience") == true)
    #expect(made.feed == nil)
    #expect(try parse("").feed?.kind == .fullScreen)
    #expect(try parse("surface: {}\n").feed?.kind == .mixed)
  }

  @Test func `the short form runs the stated share of a world`() throws {
    let text = "version: 1\nname: x\nworld: messages\nmessages: {audience: {groups: 40}}\n"
    let made = try StudyScenario.parse(text, file: "s.yaml", short: true)
    guard case .messages(let plan) = made.plan else { return }
    #expect(plan.groups == 4 && made.replications == 2)
  }

  @Test func `an unknown world, and metrics of another, are named with what there is`() {
    let unknown = problems("world: mesages\n")
    #expect(unknown.count == 1)
    #expect(unknown.first?.hasPrefix("s.yaml:3:8: world: expected ") == true)
    #expect(unknown.first?.hasSuffix(", got mesages (did you mean messages?)") == true)
    let found = problems(
      """
      world: messages
      messages: {push: {loss: 7}}
      budgets:
        - {metric: ttff_ms.p95, limit: "< 1 s"}
        - {metric: "visible_lag_ms{state=seen}.p95", limit: "< 1 s"}

      """)
    #expect(found.contains { $0.contains("messages.push.loss") })
    let budgets = problems(
      """
      world: messages
      budgets:
        - {metric: ttff_ms.p95, limit: "< 1 s"}
        - {metric: "visible_lag_ms{state=seen}.p95", limit: "< 1 s"}
        - {metric: open_error_ratio, limit: "< 1 s"}

      """)
    #expect(budgets.count == 3)
    #expect(budgets.first?.contains("a metric of the world messages") == true)
    #expect(
      problems("budgets:\n  - {metric: open_error_ratio, limit: \"< 1 %\"}\n").first?
        .contains("a metric of the feed") == true)
  }

  @Test func `a metric of a world is read with its only stat, and its labels in any order`() throws
  {
    #expect(
      try MetricReference.parse("open_error_ratio").get().description == "open_error_ratio.ratio")
    let lag = try MetricReference.parse("visible_lag_ms{state=viewed}.p95").get()
    #expect(lag.unit == .milliseconds && !lag.isQuotient)
    #expect(try MetricReference.parse("polls_per_video").get().isQuotient)
    #expect(throws: MetricReference.Fault.self) {
      try MetricReference.parse("visible_lag_ms.p95").get()
    }
  }

  @Test func `every metric of every world is read back as itself`() throws {
    for kind in World.kinds {
      for metric in kind.metrics {
        #expect(try MetricReference.parse(metric.reference.description).get() == metric.reference)
        #expect(!metric.summary.isEmpty)
      }
      #expect(kind.headlineReferences.count == kind.headline.count)
      #expect(Set(kind.references).count == kind.references.count)
    }
  }
}
