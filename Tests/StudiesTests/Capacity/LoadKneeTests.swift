import Foundation
import Models
import Scenario
import Testing

@testable import Studies

@Suite struct LoadKneeTests {
  private static let text = """
    version: 1
    name: knee-test
    seed: 4
    world: services
    services:
      load: {sessionsPerSecond: 55, warmUp: 10 s, window: 30 s}
      ranker: {servers: 4}
    budgets:
      - {metric: ranker_ms.p99, limit: "<= 30 ms"}
      - {metric: fallback_mismatch.count, limit: "< 1"}
      - {metric: feed_requests_per_second.rate, limit: "> 100"}
      - {metric: page_ms.p99, limit: "<= 1 ms"}

    """

  /// Covers: SIG-008, SIG-009, X-011.
  @Test func `the load at which the ranker's budget breaks is found within 5 percent`() async throws
  {
    let scenario = try StudyScenario.parse(Self.text, file: "knee.yaml")
    let knee = try #require(try await LoadKnee.run(scenario, replications: 8, threads: 2))
    #expect(knee.loadKey == "services.load.sessionsPerSecond" && knee.load == 55)
    let ranker = try #require(knee.findings.first { $0.budget.metric.metric == "ranker_ms" })
    let multiple = try #require(ranker.multiple)
    #expect(multiple.interval.halfWidth < 0.05 * multiple.value, "\(multiple)")
    // Other replications, a twentieth below and above.
    func late(_ factor: Double) throws -> Double {
      let load = try #require(scenario.plan.load)
      let runner = try ReplicationRunner(
        load.scaled(factor),
        ReplicationRequest(seed: 4, metrics: [.known("ranker_ms.p99")], lateLimit: .seconds(1)))
      let values = try (10..<26).map { replication in
        try #require(try runner.digest(replication)?.samples[0].value)
      }
      return values.reduce(0, +) / Double(values.count)
    }
    let (below, above) = (try late(0.95 * multiple.value), try late(1.05 * multiple.value))
    #expect(below < 30 && above > 30, "\(below) \(above) at \(multiple.value)")
  }

  @Test func `what never breaks, always does, or needs a load is told apart`() async throws {
    let scenario = try StudyScenario.parse(
      Self.text, file: "knee.yaml",
      overrides: [
        Override(set: "services.load.window=5 s"), Override(set: "services.load.warmUp=0 s"),
      ])
    let knee = try #require(try await LoadKnee.run(scenario, replications: 2, threads: 2))
    func finding(_ metric: String) throws -> LoadKnee.Finding {
      try #require(knee.findings.first { $0.budget.metric.metric == metric })
    }
    #expect(try finding("fallback_mismatch").never == 2)
    #expect(try finding("page_ms").always == 2)
    // A rate that is missed at the load is missed at every lower one.
    #expect(try finding("feed_requests_per_second").multiple == nil)
    let again = try #require(try await LoadKnee.run(scenario, replications: 2, threads: 1))
    #expect(again.findings.map(\.multiple) == knee.findings.map(\.multiple))
    #expect(knee.findings.last?.budget.metric.metric == "fallback_mismatch")
  }
}
