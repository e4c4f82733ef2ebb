import Models
import Scenario
import Testing

@testable import Studies

@Suite struct QualityMetricTests {
  @Test(arguments: ["", "{by=bytes}", "{tier=client,class=segment}", "{class=media_manifest}"])
  func `the effective hit ratio is the hit ratio`(_ labels: String) throws {
    let made = try SmallScenario.make(["cdn.ttl.segments={maxAge: 5 s, staleWhileRevalidate: 5 s}"])
    let plan = try FeedRun.plan(made.configuration, seed: 1)
    let result = try FeedRun.run(made.configuration, plan: plan, seed: 1, replication: 0)
    let metrics = try ["hit_ratio", "hit_ratio_effective"].map {
      try MetricReference.parse($0 + labels).get()
    }
    let samples = ReplicationDigest(
      result, replication: 0, scenario: made, metrics: metrics, lateLimit: .seconds(1)
    ).samples
    #expect(samples[0].samples > 0 && samples[0] == samples[1])
  }

  private func samples(_ changes: [String]) throws -> [Double?] {
    let made = try SmallScenario.make(changes)
    let plan = try FeedRun.plan(made.configuration, seed: 1)
    let result = try FeedRun.run(made.configuration, plan: plan, seed: 1, replication: 0)
    let metrics = MetricReference.qualityMetrics.map { MetricReference.known($0) }
    return ReplicationDigest(
      result, replication: 0, scenario: made, metrics: metrics, lateLimit: .seconds(1)
    ).samples.map(\.value)
  }

  @Test func `one rung alone has its share of the top rate, and nothing switches`() throws {
    let second = try samples([
      "policy.abr={kind: fixed, rung: 1}", "policy.startupCap.rate=none",
    ])
    let rate = try #require(second[0])
    #expect(abs(rate - 600.0 / 2500) < 0.001)
    #expect(second[1] == 0 && second[2] == 0)
    let top = try samples(["policy.abr={kind: fixed, rung: 3}", "policy.startupCap.rate=none"])
    #expect(abs((top[0] ?? 0) - 1) < 0.001 && top[1] == 1 && top[2] == 0)
  }

  @Test func `under a cap that is lifted items switch, and more is better only of the rates`()
    throws
  {
    let capped = try samples(["policy.startupCap.rate=300 kbps"])
    #expect((capped[2] ?? 0) > 0.02 && (capped[1] ?? 1) < 1)
    let worse = MetricReference.qualityMetrics.map { MetricReference.known($0).isWorseWhenHigher }
    #expect(worse == [false, false, true])
  }

  /// Covers: VF-009, VF-037.
  @Test func `a mixed feed that shows nothing has no data`() {
    var seen = SurfaceMeasures()
    seen.sessionTime = 60_000_000_000
    seen.gestures = 5_000
    for metric in MetricReference.surfaceMetrics {
      let sample = MetricEvaluator.surface(metric, seen)
      #expect(sample.value == nil && sample.samples == 0, "\(metric)")
    }
    seen.binds = 300
    seen.frameMessages = 900
    #expect(MetricEvaluator.surface("mounts_per_minute", seen).value == 0)
    #expect(MetricEvaluator.surface("flaps_per_minute", seen).value == nil)
    seen.plays = 20
    seen.flaps = 2
    #expect(MetricEvaluator.surface("flaps_per_minute", seen).value == 2)
    #expect(MetricEvaluator.surface("flaps_per_minute", seen).samples == 20)
  }

  @Test func `the sessions of a mixed feed are not traced`() throws {
    let made = try FeedScenario.parse("version: 1\nname: x\nsurface: {}\n", file: "s.yaml")
    #expect(throws: WatchedSession.Missing.self) {
      try WatchedSession.run(made, session: 1024, replication: 0)
    }
  }
}
