import Foundation
import Scenario
import Testing

@testable import Studies

@Suite struct CallsStudyTests {
  private let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func run(
    _ name: String, _ set: [String] = [], threads: Int = 2
  ) async throws -> StudyResult {
    let scenario = try StudyScenario.load(
      root.appendingPathComponent("scenarios/\(name).yaml").path,
      overrides: set.map { Override(set: $0) }, short: true)
    return try await Study.run(
      scenario, options: StudyOptions(threads: threads, fixedReplications: 4))
  }

  private func verdicts(_ result: StudyResult, _ metric: String) -> [Verdict] {
    result.budgets.filter { $0.budget.metric.metric == metric }.map(\.verdict)
  }

  private func value(_ result: StudyResult, _ metric: String) throws -> Double {
    let found = try #require(
      result.metrics.first { $0.reference.description == metric }, "\(metric)")
    return try #require(found.value, "\(metric)")
  }

  /// Covers: ICC-005, ICC-014, ICC-016, ICC-017, ICC-024, ICC-026, ICC-050, OQ-17, OQ-18.
  @Test
  func `S12: one caller wins, nobody rings ghosts, and a wrong lock and the literal rule show`()
    async throws
  {
    let sound = try await run("call-presence-contention")
    for metric in ["double_rings", "ghost_rings", "ghost_ms", "stuck_call_ms", "recovery_ms"] {
      #expect(verdicts(sound, metric) == [.pass], "\(metric)")
    }
    let other = try await run("call-presence-contention", threads: 1)
    #expect(other.fingerprint.value == sound.fingerprint.value && other.budgets == sound.budgets)
    let faulty = try await run("call-presence-contention.negative")
    #expect(verdicts(faulty, "double_rings") == [.fail])
    #expect(verdicts(faulty, "ghost_rings") == [.fail])
    // A longer life lets more late heartbeats through and keeps ghosts for longer.
    let patient = try await run(
      "call-presence-contention", ["calls.protocol.presenceLife=45 s"])
    let expiry = "false_expiry_ratio.ratio"
    #expect(try value(patient, expiry) < value(sound, expiry) - 0.2)
    #expect(try value(patient, "ghost_ms.max") > value(sound, "ghost_ms.max") + 5_000)
  }

  /// Covers: ICC-028, ICC-029, ICC-030, ICC-031, ICC-036, ICC-038, ICC-039, ICC-040, OQ-19, OQ-20.
  @Test func `S13: calls connect or fail cleanly, and none that needs a relay without relays`()
    async throws
  {
    let sound = try await run("call-nat-timeouts")
    for metric in ["call_setup_ms", "failed_setup_ms", "connected_ratio"] {
      #expect(verdicts(sound, metric).allSatisfy { $0 == .pass }, "\(metric)")
    }
    let down = try await run("call-nat-timeouts.negative")
    #expect(verdicts(down, "connected_ratio") == [.fail])
    #expect(verdicts(down, "relay_blocked_ratio") == [.fail])
    #expect(verdicts(down, "failed_setup_ms") == [.pass])
    #expect(try value(down, "relay_blocked_ratio.ratio") == 1)
    // Exactly one reason: what did not connect adds up.
    let reasons = ["offer-answer", "ice", "connecting", "other"]
    for found in [sound, down] {
      let failed = try reasons.reduce(0) {
        try $0 + value(found, "setup_failed_ratio{reason=\($1)}.ratio")
      }
      // Calls that are still being set up at the end are neither.
      #expect(abs(failed + (try value(found, "connected_ratio.ratio")) - 1) < 0.01)
    }
  }

  /// Which timer fires first (ICC-031): 15 s from the answer, or 20 s from the accept.
  /// Covers: ICC-031.
  @Test func `with descriptions that take five seconds the cap ends calls that ICE would not`()
    async throws
  {
    let slow = "calls.media.describing={kind: uniform, min: 2.6 s, max: 4.5 s}"
    let capped = try await run("call-nat-timeouts.negative", [slow])
    #expect(try value(capped, "setup_failed_ratio{reason=ice}.ratio") == 0)
    #expect(try value(capped, "setup_failed_ratio{reason=connecting}.ratio") > 0.1)
    #expect(verdicts(capped, "failed_setup_ms") == [.pass])
    let early = try await run(
      "call-nat-timeouts.negative", [slow, "calls.protocol.timeouts.iceClock=accept"])
    #expect(try value(early, "setup_failed_ratio{reason=connecting}.ratio") == 0)
    #expect(try value(early, "setup_failed_ratio{reason=ice}.ratio") > 0.1)
  }
}
