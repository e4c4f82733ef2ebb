import Models
import Scenario
import Testing

@testable import Studies

@Suite struct QualityMetricTests {
  private static let metrics = ["shown_rate_ratio", "top_rung_ratio", "switched_ratio"].map {
    MetricReference.known($0)
  }

  @Test(arguments: ["", "{by=bytes}", "{tier=client,class=segment}", "{class=media_manifest}"])
  func `the effective hit ratio is the hit ratio`(_ labels: String) throws {
    let scenario = try SmallScenario.make([
      "cdn.ttl.segments={maxAge: 5 s, staleWhileRevalidate: 5 s}"
    ])
    let made = try #require(scenario.feed)
    let plan = try FeedRun.plan(made.configuration, seed: 1)
    let result = try FeedRun.run(made.configuration, plan: plan, seed: 1, replication: 0)
    let metrics = try ["hit_ratio", "hit_ratio_effective"].map {
      try MetricReference.parse($0 + labels).get()
    }
    let samples = ReplicationDigest(
      result, replication: 0, feed: made.feed, metrics: metrics, lateLimit: .seconds(1)
    ).samples
    #expect(samples[0].samples > 0 && samples[0] == samples[1])
  }

  private func samples(_ changes: [String]) throws -> [Double?] {
    let made = try #require(SmallScenario.make(changes).feed)
    let plan = try FeedRun.plan(made.configuration, seed: 1)
    let result = try FeedRun.run(made.configuration, plan: plan, seed: 1, replication: 0)
    return ReplicationDigest(
      result, replication: 0, feed: made.feed, metrics: Self.metrics, lateLimit: .seconds(1)
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
    #expect(Self.metrics.map(\.isWorseWhenHigher) == [false, false, true])
  }

  /// Covers: VF-009, VF-037.
  @Test func `a mixed feed that shows nothing has no data`() throws {
    var measures = FeedMeasures(networks: 1, devices: 1)
    let made = try #require(SmallScenario.make().feed)
    func sample(_ name: String) -> MetricSample {
      var evaluator = MetricEvaluator(measures, cohorts: [CohortSums()], feed: made.feed)
      return evaluator.sample(MetricReference.known(name))
    }
    measures.surface.sessionTime = 60_000_000_000
    measures.surface.gestures = 5_000
    for name in FeedMetrics.standard(.surface) {
      let sample = sample(name)
      #expect(sample.value == nil && sample.samples == 0, "\(name)")
    }
    measures.surface.binds = 300
    measures.surface.frameMessages = 900
    #expect(sample("mounts_per_minute").value == 0)
    #expect(sample("flaps_per_minute").value == nil)
    measures.surface.plays = 20
    measures.surface.flaps = 2
    #expect(sample("flaps_per_minute").value == 2)
    #expect(sample("flaps_per_minute").samples == 20)
  }

  @Test func `the sessions of a mixed feed are not traced`() throws {
    let made = try FeedStudy.parse("version: 1\nname: x\nsurface: {}\n", file: "s.yaml")
    #expect(throws: WatchedSession.Missing.self) {
      try WatchedSession.run(made, session: 1024, replication: 0)
    }
  }
}
