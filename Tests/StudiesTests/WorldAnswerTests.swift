import Foundation
import Scenario
import Testing

@testable import Studies

/// A world of every kind, from the smallest file that names it.
private let worlds: [(name: String, text: String)] =
  [("feed", ""), ("mixed-feed", "surface: {}\n")]
  + World.kinds.map { ($0.name, "world: \($0.name)\n") }

@Suite struct WorldAnswerTests {
  private func scenario(_ text: String) throws -> StudyScenario {
    try StudyScenario.parse("version: 1\nname: x\n" + text, file: "x.yaml", short: true)
  }

  @Test func `every kind of world is asked here, once`() {
    #expect(worlds.map(\.name).sorted() == AuditWorld.allCases.map(\.rawValue).sorted())
  }

  @Test(arguments: worlds.map(\.text))
  func `a world says what it measures`(_ text: String) throws {
    let plan = try scenario(text).plan
    #expect(!plan.name.isEmpty && plan.title.hasSuffix(plan.name))
    #expect(!plan.replicationText.isEmpty)
    let metrics = plan.standardMetrics
    #expect(!metrics.isEmpty && Set(metrics).count == metrics.count)
    #expect(!plan.headline.isEmpty)
    for metric in plan.headline { #expect(metrics.contains(metric), "\(metric)") }
    for metric in metrics {
      #expect(plan.has(metric), "\(metric)")
      for (label, values) in [
        ("network", plan.labels.networks), ("device", plan.labels.devices),
        ("window", plan.labels.windows),
      ] {
        if let value = metric.label(label), !values.isEmpty { #expect(values.contains(value)) }
      }
    }
  }

  @Test func `no world has the metrics of a feed, and no feed those of a world`() throws {
    let feed = try scenario("").plan
    for kind in World.kinds {
      let plan = try scenario("world: \(kind.name)\n").plan
      #expect(plan.standardMetrics.allSatisfy { !feed.has($0) }, "\(kind.name)")
      #expect(feed.standardMetrics.allSatisfy { !plan.has($0) }, "\(kind.name)")
    }
  }

  @Test(arguments: worlds.map(\.text))
  func `a load has a key of the scenario, and once the load is the same world`(
    _ text: String
  ) throws {
    let scenario = try scenario(text)
    guard let load = scenario.plan.load else { return }
    #expect(scenario.file.tree.real(load.key) > 0)
    let same = load.scaled(1)
    #expect(same.name == scenario.plan.name && same.load?.key == load.key)
    #expect(same.standardMetrics == scenario.plan.standardMetrics)
  }

  @Test(arguments: worlds) func `studies have an answer for a world`(
    _ world: (name: String, text: String)
  ) throws {
    let scenario = try scenario(world.text)
    let studied = scenario.plan.studied
    #expect(AuditWorld(scenario).rawValue == world.name && !studied.audited.mutants.isEmpty)
    let memory = MemoryEstimate(scenario, replications: 2, threads: 2)
    #expect(memory.total > 0 && memory.terms.allSatisfy { $0.bytes >= 0 && !$0.meaning.isEmpty })
    #expect(studied.audienceLoad([]) == nil)
    // Only a protocol can be searched.
    let searched = try studied.shown(to: FuzzCounter())
    #expect((searched != nil) == ["messages", "calls"].contains(world.name))
  }

  @Test(arguments: World.kinds.map(\.name))
  func `a replication of a world has a sample for each metric asked for, in their order`(
    _ name: String
  ) throws {
    let plan = try scenario("world: \(name)\nshort: {share: 0.01}\n").plan
    let metrics = Array(plan.headline.reversed())
    let runner = try ReplicationRunner(
      plan, ReplicationRequest(seed: 1, metrics: metrics, lateLimit: .seconds(1)))
    let digest = try #require(try runner.digest(0))
    #expect(digest.samples.count == metrics.count)
    let whole = try ReplicationRunner(
      plan, ReplicationRequest(seed: 1, metrics: plan.standardMetrics, lateLimit: .seconds(1)))
    let samples = try #require(try whole.digest(0)).samples
    for (metric, sample) in zip(metrics, digest.samples) {
      let place = try #require(plan.standardMetrics.firstIndex(of: metric))
      #expect(sample == samples[place], "\(metric)")
    }
  }
}

/// Counts nothing: it only shows that there is something to search.
private struct FuzzCounter: FuzzVisitor {
  func visit<Target: FuzzTarget>(_ target: Target) throws -> Bool { true }
}
