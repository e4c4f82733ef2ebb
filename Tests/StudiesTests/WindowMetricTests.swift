import MediaUnits
import Models
import Scenario
import Testing

@testable import Studies

@Suite struct WindowMetricTests {
  private func scenario(_ budgets: String) throws -> FeedStudy {
    try FeedStudy.parse(
      """
      version: 1
      name: test
      network: {access: [{kind: wifi-good}, {kind: 3g}]}
      audience:
        window: 2 min
        warmUp: 20 s
        crowds: [{name: burst, from: 40 s, length: 40 s, factor: 4}]
      catalogue: {titles: 500, republish: [{at: 1 min}]}
      windows: [{name: first, from: 0 s, to: 40 s}, {name: rest, from: 80 s, to: 62 min}]
      budgets:
      \(budgets)
      """, file: "scenarios/test.yaml")
  }

  private func digest(
    _ scenario: FeedStudy, _ names: [String]
  ) throws -> (FeedRunResult, [MetricSample]) {
    let plan = try FeedRun.plan(scenario.configuration, seed: 1)
    let result = try FeedRun.run(scenario.configuration, plan: plan, seed: 1, replication: 0)
    let digest = ReplicationDigest(
      result, replication: 0, feed: scenario.feed,
      metrics: try names.map { try MetricReference.parse($0).get() }, lateLimit: .seconds(1))
    return (result, digest.samples)
  }

  @Test func `a window's metrics are those of the views whose clock started in it`() throws {
    let (result, samples) = try digest(
      try scenario("  - {metric: ttff_ms.p95, limit: \"< 9 s\"}"),
      [
        "ttff_ms{window=burst}.p95_started", "not_started_ratio{window=burst}",
        "rebuffer_ratio{window=burst,network=3g}", "ttff_ms{window=first}.p50",
        "ttff_ms{window=rest}.p50", "ttff_ms.p50", "hit_ratio{window=burst}", "hit_ratio",
        "origin_offload{window=burst}",
      ])
    let views = result.measures.views.filter {
      $0.settledAt >= .zero + .seconds(60) && $0.settledAt < .zero + .seconds(100)
    }
    let started = views.filter(\.hasStarted).map(\.ttff.nanoseconds).sorted()
    let rank = Int((0.95 * Double(started.count)).rounded(.up)) - 1
    #expect(samples[0].value == Double(started[rank]) / 1e6)
    let left = views.filter { !$0.hasStarted }
    #expect(left.count > 3)
    #expect(samples[1].value == Double(left.count) / Double(views.count))
    let slow = views.filter { $0.network == 1 }
    let stalled = slow.reduce(0) { $0 + $1.stalled.nanoseconds }
    let played = slow.reduce(0) { $0 + $1.played.nanoseconds }
    let rebuffer = try #require(samples[2].value)
    #expect(abs(rebuffer - Double(stalled) / Double(stalled + played)) < 1e-12)
    // The three windows tile the run, but for views that were under way when the warm-up ended.
    let early = result.measures.views.count { $0.settledAt < .zero + .seconds(20) }
    let inside = samples[3].samples + samples[4].samples + samples[0].samples
    #expect(inside + Int64(early) == samples[5].samples && early < 50)
    #expect(samples[6].samples > 0 && samples[6].samples < samples[7].samples)
    #expect(samples[6].value != samples[7].value)
    #expect(samples[8].samples == result.measures.windows[2].requests)
  }

  // SIG-069
  @Test func `staleness is judged by its largest value`() throws {
    let (result, samples) = try digest(
      try scenario("  - {metric: manifest_staleness_ms.max, limit: \"<= 120 s\"}"),
      ["manifest_staleness_ms.max", "manifest_staleness_ms.mean", "old_version_ratio"])
    let seen = result.measures.republish
    #expect(samples[0].value == Double(seen.largestStaleness) / 1e6)
    #expect(samples.map(\.samples) == [seen.manifests, seen.manifests, seen.views])
    let (largest, mean) = (try #require(samples[0].value), try #require(samples[1].value))
    #expect(mean > 0 && mean < largest && largest <= 120_000)
  }

  @Test func `a budget of a window is judged by that window`() async throws {
    let result = try await Study.run(
      try scenario(
        """
          - {metric: ttff_ms.p95, during: burst, limit: "< 100 s", minimumSamples: 10}
          - {metric: ttff_ms.p95, during: first, limit: "< 100 s", minimumSamples: 1000000}
        """
      ).scenario, options: StudyOptions(threads: 2, fixedReplications: 3))
    #expect(result.budgets.map(\.verdict) == [.pass, .invalid])
    #expect(result.measures.windows.count == 3)
    let views = result.budgets.map(\.metric.samples)
    #expect(views[0] > views[1])
    for name in ["first", "rest", "burst"] {
      for metric in Study.windowMetrics(name) { #expect(result.metric(metric)?.value != nil) }
    }
  }
}
