import Foundation
import Models
import SimulationKernel
import Testing

@testable import FeedModel
@testable import Reports
@testable import Scenario
@testable import Studies

// docs/decisions/0033: what reports say of an app's launch and of names that do not resolve.
@Suite struct DeviceCostTests {
  private func record(_ result: StudyResult) throws -> RunRecord {
    try JSONDecoder().decode(RunRecord.self, from: Data(ResultDocument.text(result).utf8))
  }

  private func timeline(_ devices: String) throws -> String {
    let scenario = try FeedStudy.parse(
      "version: 1\nname: x\naudience: {window: 30 s}\ndevices: [\(devices)]\n", file: "x.yaml")
    let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
    func run(_ session: UInt32?) throws -> FeedRunResult {
      try FeedRun.run(
        scenario.configuration, plan: plan, seed: scenario.seed, replication: 0, watching: session)
    }
    let session = try #require(
      try run(nil).measures.views.first { $0.hasStarted && $0.flags.contains(.cold) }
    ).session
    let watched = try run(session)
    return TraceTimeline.text(
      WatchedSession(
        scenario: scenario, seed: scenario.seed, replication: 0,
        recording: try #require(watched.recording), fingerprint: watched.fingerprint,
        lateLimit: Study.lateLimit(scenario.budgets)))
  }

  @Test func `a session begins at app open only where an app is launched`() throws {
    let without = try timeline("{kind: mid}")
    #expect(without.contains(", feed opened at ") && !without.contains("app open"))
    let launched = try timeline("{kind: mid, appLaunch: 700 ms}")
    #expect(launched.contains(", app open at ") && launched.contains(" = app launch 700.0 + feed"))
  }

  @Test func `the times say when a cold start's clock begins`() throws {
    var result = try Fixture.result()
    func text() -> String {
      TerminalReport.text(result, width: 120, color: false)
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    #expect(text().contains("cold: first views, from the feed's first request;"))
    result.waitedBand.parts[StartupPart.launch.rawValue] = 7_000_000
    #expect(text().contains("cold: first views, from app open;"))
    #expect(try record(result).startupBreakdown.waited.parts.first?.part == "launch")
  }

  @Test func `why tells of names that did not resolve, and of nothing else`() throws {
    var result = try Fixture.result()
    func why() throws -> String {
      WhyReport.text(ReadResult(record: try record(result)), against: nil, color: false)
    }
    #expect(try !why().contains("NAMES THAT DID NOT RESOLVE"))
    result.measures.counts.clientErrors = 5
    result.measures.counts.nameFailures = 3
    result.measures.counts.clientRetries = 4
    let text = try why()
    #expect(text.contains("NAMES THAT DID NOT RESOLVE\n  3 of 5 errors at viewers: the server's"))
    #expect(text.contains("4 requests were sent again"))
    result.metrics.append(
      try Fixture.metric("origin_offload", value: 0.9, half: 0.01, samples: 100))
    #expect(
      TerminalReport.text(result, width: 200, color: false)
        .contains("3 of them because a name did not resolve"))
  }
}
