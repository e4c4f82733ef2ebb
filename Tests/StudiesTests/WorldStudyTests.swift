import Foundation
import Scenario
import Testing

@testable import Studies

@Suite struct WorldStudyTests {
  private let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func load(_ name: String, _ set: [String] = []) throws -> StudyScenario {
    try StudyScenario.load(
      root.appendingPathComponent("scenarios/\(name).yaml").path,
      overrides: set.map { Override(set: $0) }, short: true)
  }

  @Test func `a world is judged, swept and compared like the feed, whatever the threads`()
    async throws
  {
    let made = try load("tbm-push-poll")
    var results: [StudyResult] = []
    for threads in [1, 3] {
      results.append(try await Study.run(made, options: StudyOptions(threads: threads)))
    }
    #expect(results[0].fingerprint.value == results[1].fingerprint.value)
    #expect(results[0].metrics == results[1].metrics && results[0].budgets == results[1].budgets)
    #expect(results[0].exitCode == 0 && results[0].metrics.count == MessagesPlan.kind.metrics.count)
    let sweep = try Sweep(made, plan: made.sweep, threads: 2, store: nil)
    #expect(sweep.metrics == made.plan.headline)
  }

  /// Covers: TBM-007, TBM-010.
  @Test
  func `push alone leaves screens wrong after an opening, and a world without data passes nothing`()
    async throws
  {
    let options = StudyOptions(threads: 2, fixedReplications: 4)
    let failed = try await Study.run(load("tbm-push-poll.negative"), options: options)
    let opening = failed.budgets[0]
    #expect(opening.budget.metric.metric == "open_error_ratio" && opening.verdict == .fail)
    let silent = try await Study.run(
      load("tbm-push-poll", ["messages.audience.sendsPerDay=0"]), options: options)
    #expect(silent.verdict == .invalid && silent.exitCode == 13)
  }
}
