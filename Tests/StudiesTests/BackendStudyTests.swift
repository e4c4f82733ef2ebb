import Foundation
import Scenario
import Testing

@testable import Studies

/// The shipped scenarios of the worlds `services` and `pipeline`, in their short form.
@Suite struct BackendStudyTests {
  private let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func study(
    _ name: String, _ set: [String] = [], threads: Int = 2, replications: Int = 4
  ) async throws -> StudyResult {
    let made = try StudyScenario.load(
      root.appendingPathComponent("scenarios/\(name).yaml").path,
      overrides: set.map { Override(set: $0) }, short: true)
    return try await Study.run(
      made, options: StudyOptions(threads: threads, fixedReplications: replications))
  }

  private func value(_ result: StudyResult, _ name: String) throws -> Double {
    let wanted = try MetricReference.parse(name).get()
    let found = try #require(result.metrics.first { $0.reference == wanted })
    return try #require(found.value)
  }

  /// Covers: SIG-008, SIG-009, SIG-053.
  @Test(arguments: ["feed-ranker-events", "upload-transcode-publish"])
  func `a world gives the same numbers whatever the threads`(_ name: String) async throws {
    let one = try await study(name, threads: 1)
    let three = try await study(name, threads: 3)
    #expect(one.fingerprint == three.fingerprint && one.metrics == three.metrics)
  }

  /// Covers: SIG-008, SIG-009.
  @Test func `the ranker's 99th percentile rises with the load, and what it misses is Trending`()
    async throws
  {
    var before = 0.0
    for rate in [30, 60, 110] {
      let result = try await study(
        "feed-ranker-events", ["services.load.sessionsPerSecond=\(rate)"], replications: 2)
      let found = try value(result, "ranker_ms.p99")
      #expect(found > before)
      before = found
      #expect(try value(result, "fallback_mismatch.count") == 0)
      #expect(
        try value(result, "fallback_ratio") == value(result, "over_deadline_ratio"))
    }
    #expect(before > 30)
  }

  /// Covers: SIG-047.
  @Test func `larger pages ask less often`() async throws {
    func run(_ size: Int) async throws -> StudyResult {
      try await study(
        "feed-ranker-events", ["services.load.pageSize=\(size)", "services.load.trigger=4"],
        replications: 2)
    }
    let (small, large) = (try await run(5), try await run(20))
    #expect(
      try value(small, "feed_requests_per_second.rate")
        > 1.5 * value(large, "feed_requests_per_second.rate"))
  }

  /// Covers: SIG-054.
  @Test func `a longer limit costs more and rejects less`() async throws {
    func run(_ longest: Int) async throws -> StudyResult {
      try await study(
        "upload-transcode-publish",
        ["pipeline.rules.longest=\(longest) s", "pipeline.uploads.duration.sigma=1.2"])
    }
    let (short, long) = (try await run(30), try await run(600))
    #expect(
      try value(short, "rejected_ratio{code=E_TOO_LONG}")
        > value(long, "rejected_ratio{code=E_TOO_LONG}"))
    #expect(
      try value(short, "cost_per_video{stage=all}.rate")
        < value(long, "cost_per_video{stage=all}.rate"))
  }

  @Test func `what a world cannot be is told at its key`() {
    func problems(_ body: String) -> [String] {
      do throws(ScenarioRejected) {
        _ = try StudyScenario.parse("version: 1\nname: test\n" + body, file: "s.yaml")
        return []
      } catch {
        return error.problems.map(\.description)
      }
    }
    let services = problems(
      """
      world: services
      services:
        ranker: {deadline: 30, breaker: {window: 5, failures: 9}}
        content: {cursor: keys}

      """)
    #expect(services.contains { $0.contains("services.ranker.deadline") })
    #expect(services.contains { $0.contains("did you mean key") })
    #expect(
      problems(
        "world: services\nservices: {ranker: {breaker: {window: 5, failures: 9}}}\n"
      ).contains { $0.contains("services.ranker.breaker.failures: expected at most") })
    #expect(
      problems("world: pipeline\npipeline: {client: {partSize: 1 MB}}\n")
        .contains { $0.contains("pipeline.client.partSize: expected 4 MB or more") })
  }
}
