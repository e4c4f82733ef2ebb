import Foundation
import Models
import ReferenceFiles
import Scenario
import Testing

@testable import Studies

/// S02 on recorded links: the matrix's feed over HSDPA traces that Pensieve's authors use.
@Suite struct TraceMatrixTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func scenario(_ changes: [String]) throws -> StudyScenario {
    try PeerInputs.unpacked { peers in
      let access =
        "network.access=[{kind: trace, name: hsdpa, files: [\"\(peers.traces)\"], "
        + "roundTrip: {kind: lognormal, median: 130 ms, sigma: 0.3}, loss: 1 %, uplink: 700 kbps}]"
      return try StudyScenario.load(
        TraceMatrixTests.root.appendingPathComponent("scenarios/network-matrix.yaml").path,
        overrides: ([access, "budgets=[]"] + changes).map { Override(set: $0) }, short: true)
    }
  }

  @Test func `the feed runs on six recorded links, and peers' networks predict sooner starts`()
    async throws
  {
    let scenario = try scenario([])
    #expect(try #require(scenario.feed).configuration.networks[0].traces.count == 6)
    #expect(scenario.inputs.count == 6)
    let result = try await Study.run(
      scenario, options: StudyOptions(threads: 2, fixedReplications: 2))
    #expect(result.comparisons.map(\.model) == [.pensieve, .sabre])
    for comparison in result.comparisons {
      let cold = try #require(comparison.differences.first { $0.metric.metric == "ttff_cold_ms" })
      let (peer, ours) = (try #require(cold.peer), try #require(cold.ours))
      #expect(cold.network == "hsdpa" && peer < ours && cold.pairs == 2)
      let parts = zip(comparison.ourParts, comparison.peerParts)
      #expect(parts.contains { $0 > $1 })
    }
    #expect(result.metric("rebuffer_ratio.ratio")?.value ?? 0 > 0)
  }

  @Test func `a session's place in its trace is random, and its start is when asked`() async throws
  {
    let anywhere = try scenario(["network.compare=[]"])
    let start = try scenario(["network.compare=[]", "network.access[0].start=beginning"])
    let options = StudyOptions(threads: 2, fixedReplications: 1)
    let a = try await Study.run(anywhere, options: options)
    let b = try await Study.run(start, options: options)
    #expect(a.fingerprint != b.fingerprint)
    // The same audience, but for those who arrive while the last measured views end.
    let sessions = (a.measures.counts.sessions, b.measures.counts.sessions)
    #expect(abs(sessions.0 - sessions.1) <= 2 && sessions.0 > 100)
  }
}
