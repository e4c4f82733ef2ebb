import MediaUnits
import Models
import Scenario
import Testing

@testable import Studies

/// Results with cold starts that nobody else notices.
@Suite("Results with extra cold starts") struct ExtraColdStartStudyTests {
  private static let text = """
    version: 1
    name: test
    network: {access: [{kind: wifi-good}, {kind: 3g}]}
    audience: {window: 40 s, drain: 30 s, viewsPerDayPerEdge: 2000000, viewsPerSession: 20}
    windows: [{name: first, from: 0 s, to: 20 s}]
    budgets:
      - {metric: "ttff_cold_ms{network=3g}.p90", limit: "< 90 s"}
      - {metric: "ttff_cold_ms{window=first}.mean", limit: "< 90 s"}
      - {metric: ttff_ms.max, limit: "< 90 s"}

    """

  private func overrides(_ count: Int) -> [Override] {
    [Override(set: "audience.extraColdStarts=\(count)")]
  }

  private func result(
    _ count: Int, threads: Int = 2, _ changes: [String] = []
  ) async throws -> StudyResult {
    try await Study.run(
      StudyScenario.parse(
        ExtraColdStartStudyTests.text, file: "test.yaml",
        overrides: overrides(count) + changes.map { Override(set: $0) }),
      options: StudyOptions(threads: threads, fixedReplications: 4))
  }

  private func isCold(_ metric: MetricReference) -> Bool { metric.metric == "ttff_cold_ms" }

  @Test func `move the clock of cold starts and nothing else`() async throws {
    let plain = try await result(0)
    let more = try await result(100)
    #expect(more.fingerprint == plain.fingerprint)
    #expect(more.histograms == plain.histograms && more.late == plain.late)
    var cold = 0
    for (a, b) in zip(
      plain.metrics + plain.budgets.map(\.metric), more.metrics + more.budgets.map(\.metric))
    {
      #expect(a.reference == b.reference)
      if isCold(a.reference) {
        cold += 1
        let whole = a.reference.label("network") == nil && a.reference.label("window") == nil
        if whole { #expect(b.samples == a.samples + 400) }
        #expect(b.samples > a.samples)
        #expect(b.value != a.value)
      } else {
        #expect(a == b)
      }
    }
    #expect(cold > 8)
    #expect(more.measures.counts.extraColdStarts == 400)
  }

  /// Also where a run without them is cut into its edges and what is behind them.
  ///
  @Test(arguments: [["cdn.edges=1"], ["cdn.edges=3", "audience.viewsPerDayPerEdge=700000"]])
  func `are the same by one thread and by two`(_ changes: [String]) async throws {
    let one = try await result(100, threads: 1, changes)
    let two = try await result(100, changes)
    #expect(one.metrics == two.metrics && one.budgets == two.budgets)
    #expect(one.measures.counts.extraColdStarts == 400)
    #expect(try await result(0, changes).fingerprint == one.fingerprint)
  }

  ///
  @Test func `are among the times of views that are summed up as they end`() throws {
    let made = try FeedStudy.parse(
      ExtraColdStartStudyTests.text, file: "test.yaml", overrides: overrides(100))
    let (plan, metrics) = (made.scenario.plan, made.budgets.map(\.metric))
    func samples(mostRows: Int) throws -> [MetricSample] {
      let request = ReplicationRequest(
        seed: 3, metrics: metrics, lateLimit: .seconds(1), mostRows: mostRows)
      return try #require(try ReplicationRunner(plan, request).digest(0)).samples
    }
    let (rows, sums) = (try samples(mostRows: .max), try samples(mostRows: 0))
    #expect(sums.map(\.samples) == rows.map(\.samples))
    for (sum, row) in zip(sums, rows) {
      let (a, b) = (try #require(sum.value), try #require(row.value))
      #expect(abs(a - b) <= max(FineHistogram.relativeError * b, 0.0005))
    }
    #expect(rows[1].samples > 30)
  }
}
