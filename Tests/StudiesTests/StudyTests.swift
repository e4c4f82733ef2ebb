import Foundation
import MediaUnits
import Models
import Scenario
import SlowTesting
import Statistics
import Testing

@testable import Studies

private func scenario(_ budgets: String, _ changes: [String] = []) throws -> StudyScenario {
  try StudyScenario.parse(
    "version: 1\nname: test\nbudgets:\n\(budgets)\n", file: "scenarios/test.yaml",
    overrides: (["audience.window=30 s"] + changes).map { Override(set: $0) })
}

private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()

@Suite struct StudyTests {
  //
  @Test func `one thread and two give the same result`() async throws {
    let made = try scenario("  - {metric: ttff_ms.p95, limit: \"< 2 s\"}")
    var results: [StudyResult] = []
    for threads in [1, 2, 3] {
      results.append(
        try await Study.run(
          made, options: StudyOptions(threads: threads, fixedReplications: 4)))
    }
    for result in results.dropFirst() {
      #expect(result.fingerprint == results[0].fingerprint)
      #expect(result.metrics == results[0].metrics)
      #expect(result.budgets == results[0].budgets)
      #expect(result.histograms == results[0].histograms)
      #expect(result.late == results[0].late)
    }
    #expect(results[0].replications == 4)
  }

  @Test func `no data is never a pass`() async throws {
    let made = try scenario(
      "  - {metric: ttff_cold_ms.p95, limit: \"< 100 s\", minimumSamples: 1000000}")
    let result = try await Study.run(
      made, options: StudyOptions(threads: 2, fixedReplications: 2))
    #expect(result.budgets[0].verdict == .invalid)
    #expect(result.budgets[0].reason.contains("1000000 are needed"))
    #expect(result.verdict == .invalid && result.exitCode == 13)
  }

  @Test func `verdicts have the exit codes of the contract, worst first`() async throws {
    let made = try scenario(
      """
        - {metric: ttff_ms.p95, limit: "< 100 s"}
        - {metric: not_started_ratio, limit: "> 99 %"}
        - {metric: wasted_ratio, limit: "< 1 %", level: soft}
      """)
    let result = try await Study.run(
      made, options: StudyOptions(threads: 2, fixedReplications: 4))
    #expect(result.budgets.map(\.verdict) == [.pass, .fail, .fail])
    #expect(result.exitCode == 10)
    var changed = result
    changed.budgets.remove(at: 1)
    #expect(changed.verdict == .pass && changed.exitCode == 0)
    changed.budgets[0].verdict = .inconclusive
    #expect(changed.exitCode == 12)
    changed.budgets = []
    #expect(changed.verdict == .notRun)
  }

  @Test func `a stop request leaves a partial result in order`() async throws {
    let made = try scenario("  - {metric: ttff_ms.p95, limit: \"< 2 s\"}")
    let stop = StopRequest()
    let result = try await Study.run(
      made, options: StudyOptions(threads: 1, fixedReplications: 6), stop: stop,
      progress: { if $0.finished == 2 { stop.stop() } })
    #expect(result.isPartial && result.replications == 2)
    #expect(result.exitCode == 14)
    #expect(result.budgets[0].verdict != .pass)
  }

  /// Of every world one first; the longer run has all.
  @Test(
    arguments: SlowRun.cases(
      [
        "wifi-budget-gate", "cdn-ttl-flash-crowd", "two-cdns", "tbm-push-poll",
        "feed-ranker-events", "upload-transcode-publish", "mixed-feed-scroll", "event-flush",
        "network-matrix", "prefetch-frontier", "startup-cap-ladder", "cdn-ttl-sweep", "cdn-faults",
        "pool-and-gating", "million-viewers", "internet-scale", "tbm-race-explorer",
        "presentation", "network-faults", "short-video-challenge",
      ], usual: 8))
  func `a shipped scenario fails nothing and its negative control fails`(_ name: String)
    async throws
  {
    let options = StudyOptions(threads: 2, fixedReplications: 4)
    let path = root.appendingPathComponent("scenarios").path
    let good = try StudyScenario.load("\(path)/\(name).yaml", short: true)
    let passed = try await Study.run(good, options: options)
    #expect(passed.budgets.filter { $0.budget.level == .hard }.allSatisfy { $0.verdict != .fail })
    let bad = try StudyScenario.load("\(path)/\(name).negative.yaml", short: true)
    let failed = try await Study.run(bad, options: options)
    #expect(failed.budgets.contains { $0.budget.level == .hard && $0.verdict == .fail })
    #expect(passed.fingerprint != failed.fingerprint || name == "network-matrix")
  }

  @Test func `every file in scenarios is loaded, resolved and told apart by its digest`() throws {
    let folder = root.appendingPathComponent("scenarios")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".yaml") }.sorted()
    #expect(files.count >= 4)
    var digests: Set<String> = []
    for file in files {
      let made = try StudyScenario.load(folder.appendingPathComponent(file).path)
      let again = try StudyScenario.parse(made.resolvedText, file: "scenarios/\(file)")
      #expect(again.resolvedText == made.resolvedText && again.digest == made.digest)
      #expect(digests.insert(made.digest).inserted)
      #expect(!made.budgets.isEmpty)
    }
  }
}

@Suite struct JudgeTests {
  private func digestless(
    _ values: [Double], limit: String, samples: Int64 = 5000, isLowerBound: Bool = false
  ) throws -> (MetricResult, Budget) {
    let made = try scenario("  - {metric: ttff_ms.p95, limit: \"\(limit)\"}")
    let metric = MetricResult(
      made.budgets[0].metric,
      values.map {
        var sample = MetricSample()
        sample.value = $0
        sample.samples = samples
        sample.isLowerBound = isLowerBound
        return sample
      })
    return (metric, made.budgets[0])
  }

  @Test func `an interval that straddles the limit decides nothing`() throws {
    let (metric, budget) = try digestless([900, 1100, 950, 1050], limit: "< 1 s")
    let judge = Judge(
      [budget], boundaries: try GroupSequentialBoundaries(fractions: [1], level: 0.05),
      looks: [4])
    #expect(judge.decide(budget, metric, look: 0) == nil)
  }

  @Test func `values far on one side decide, equal values decide at once`() throws {
    let boundaries = try GroupSequentialBoundaries(fractions: [1], level: 0.05)
    for (values, limit, verdict) in [
      ([900.0, 901, 899, 900], "< 1 s", Verdict.pass), ([1100, 1101, 1099, 1100], "< 1 s", .fail),
      ([0, 0, 0, 0], "< 1 s", .pass), ([1000, 1000, 1000, 1000], "< 1 s", .fail),
      ([1000, 1000, 1000, 1000], "<= 1 s", .pass),
    ] {
      let (metric, budget) = try digestless(values, limit: limit)
      let judge = Judge([budget], boundaries: boundaries, looks: [4])
      #expect(judge.decide(budget, metric, look: 0) == verdict)
    }
  }

  @Test func `a lower bound can miss a limit but never keep it`() throws {
    let boundaries = try GroupSequentialBoundaries(fractions: [1], level: 0.05)
    let (low, budget) = try digestless([900, 901, 899], limit: "< 1 s", isLowerBound: true)
    let judge = Judge([budget], boundaries: boundaries, looks: [3])
    #expect(judge.decide(budget, low, look: 0) == nil)
    let (high, _) = try digestless([2000, 2001, 1999], limit: "< 1 s", isLowerBound: true)
    #expect(judge.decide(budget, high, look: 0) == .fail)
  }

  @Test func `the looks are 8, 16, 32 and 64 up to the cap`() {
    #expect(Study.lookNumbers(cap: 64, isFixed: false) == [8, 16, 32, 64])
    #expect(Study.lookNumbers(cap: 20, isFixed: false) == [8, 16, 20])
    #expect(Study.lookNumbers(cap: 8, isFixed: false) == [8])
    #expect(Study.lookNumbers(cap: 5, isFixed: true) == [5])
  }
}

@Suite struct TimeHistogramTests {
  @Test func `every time lies in its bucket and buckets are narrow`() {
    var previous = -1
    for exponent in 0..<600 {
      let nanoseconds = Int64(1000 * PortableMath.exp(Double(exponent) * 0.03))
      let bucket = TimeHistogram.bucket(nanoseconds: nanoseconds)
      let milliseconds = Double(nanoseconds / 1000) / 1000
      #expect(TimeHistogram.lower(bucket) <= milliseconds)
      #expect(milliseconds < TimeHistogram.upper(bucket))
      let width = TimeHistogram.upper(bucket) - TimeHistogram.lower(bucket)
      #expect(width < 1.0001 * max(0.001, TimeHistogram.lower(bucket) / 32))
      #expect(bucket >= previous)
      previous = bucket
    }
    #expect(TimeHistogram.bucket(nanoseconds: 0) == 0)
    #expect(TimeHistogram.lower(1) == 0)
  }
}

@Suite struct MetricTests {
  @Test func `the metrics of a run agree with a plain count of its views`() throws {
    let scenario = try scenario(
      "  - {metric: ttff_ms.p95, limit: \"< 2 s\"}", ["network.access=[{kind: 3g}]"])
    let made = try #require(scenario.feed)
    let plan = try FeedRun.plan(made.configuration, seed: 1)
    let result = try FeedRun.run(made.configuration, plan: plan, seed: 1, replication: 0)
    let metrics = Study.standardMetrics(scenario)
    let digest = ReplicationDigest(
      result, replication: 0, feed: made.feed, metrics: metrics, lateLimit: .seconds(1))
    func sample(_ name: String) throws -> MetricSample {
      let place = try #require(metrics.firstIndex { $0.description == name })
      return digest.samples[place]
    }
    let views = result.measures.views
    let left = views.filter { !$0.hasStarted }
    #expect(left.count > 5)
    #expect(
      try sample("not_started_ratio.ratio").value == Double(left.count) / Double(views.count))
    let stalled = views.reduce(0.0) { $0 + Double($1.stalled.nanoseconds) }
    let played = views.reduce(0.0) { $0 + Double($1.played.nanoseconds) }
    let rebuffer = try #require(try sample("rebuffer_ratio.ratio").value)
    #expect(abs(rebuffer - stalled / (stalled + played)) < 1e-12)
    // Censored views are counted: the estimate can only be above the naive one.
    let censored = try #require(try sample("ttff_ms.p95").value)
    let naive = try #require(try sample("ttff_ms.p95_started").value)
    #expect(censored >= naive)
    let cold = views.filter { $0.flags.contains(.cold) }
    #expect(try sample("ttff_cold_ms.p50").samples == Int64(cold.count))
    let counted = digest.histograms[0][0]
    #expect(counted.started.total + counted.censored.total == Int64(views.count))
    let late = digest.late.started.reduce(0, +)
    #expect(late == Int64(views.filter { $0.hasStarted && $0.ttff > .seconds(1) }.count))
    #expect(digest.p95Band.parts.reduce(0, +) == digest.p95Band.total)
  }
}
