import Foundation
import Models
import Scenario
import Statistics
import Testing

@testable import Studies

@Suite struct CapacityTests {
  private static let text = """
    version: 1
    name: capacity-test
    audience: {viewsPerDayPerEdge: 400000, window: 60 s, drain: 2 min, sessionLength: 30 s}
    catalogue: {titles: 5000}
    cdn: {edge: {capacity: 20 GB}}

    """

  private static func plan(
    _ audience: Double? = nil, text: String = text, assume: [String] = []
  ) async throws -> CapacityPlan {
    let scenario = try FeedStudy.parse(text, file: "test.yaml")
    let measures = try await CapacityMeasures.run(scenario, replications: 2, threads: 2)
    return try #require(
      try CapacityPlan(
        scenario, measures: measures,
        assumptions: try CapacityAssumptions.load(nil, overrides: assume.map { Override(set: $0) }),
        audience: audience, prices: nil, seed: 1))
  }

  @Test func `twice the audience takes twice the bandwidth and less than twice the servers`()
    async throws
  {
    let plan = try await Self.plan(2_000_000)
    let (once, twice) = (plan.levels[1], plan.levels[3])
    #expect(once.factor == 1 && twice.factor == 2)
    #expect(abs(twice.edgeRate / once.edgeRate - 2) < 1e-9)
    #expect(abs(twice.edgeRequests / once.edgeRequests - 2) < 1e-9)
    // More requests find a manifest fresh, and share a fetch.
    #expect(twice.hitRatio >= once.hitRatio)
    #expect(twice.originRequests < 2 * once.originRequests)
    for (small, large) in zip(once.pools, twice.pools) {
      let (a, b) = (try #require(small.servers), try #require(large.servers))
      #expect(b > a && b <= 2 * a)
    }
    #expect(twice.relayPorts > once.relayPorts && twice.relayPorts < 2 * once.relayPorts)
    #expect(plan.levels.map(\.factor) == [0.9, 1, 1.1, 2])
    #expect(zip(plan.levels, plan.levels.dropFirst()).allSatisfy { $0.edgeRate < $1.edgeRate })
  }

  /// Covers: SIG-008.
  @Test func `what was sized for the audience holds it, and gives way a little above`() async throws
  {
    let plan = try await Self.plan(2_000_000)
    for name in ["ranker", "api", "ingest", "transcoder"] {
      let found = try #require(plan.breaks.first { $0.name == name })
      let (multiple, closed) = (try #require(found.multiple), try #require(found.closedForm))
      #expect(closed >= 1 && closed < 1.5, "\(name) \(closed)")
      // The closed form sizes; the simulation may find it up to 5 % too generous.
      #expect(abs(multiple / closed - 1) < 0.05, "\(name) \(multiple) \(closed)")
      let interval = try #require(found.interval)
      #expect(interval.contains(multiple) && interval.halfWidth < 0.05 * multiple)
    }
    let order = plan.breaks.map { $0.multiple ?? .infinity }
    #expect(order == order.sorted())
    let relay = try #require(plan.breaks.first { $0.name == "relay" }?.multiple)
    #expect(relay >= 1 && relay < 1.5)
  }

  /// Without lifetimes an LRU cache hits what popularity says, at any rate of requests; where
  /// everything fits, a copy of lifetime L is fresh for rate·L / (1 + rate·L) of the requests.
  @Test func `caches behave as theory says when the load doubles`() async throws {
    let cache = try await Self.plan().cache
    let groups = cache.groups.map { group in
      ClosedFormCaches.Group(
        objects: group.objects, rate: group.rate, bytes: group.bytes, edge: (1e12, 0),
        shield: (1e12, 0), isCounted: true)
    }
    let eternal = ClosedFormCaches(groups: groups, edges: 1, hasShield: false)
    let size = eternal.workingSet / 10
    let once = eternal.flow(load: 1, edgeBytes: size, shieldBytes: nil)
    let twice = eternal.flow(load: 2, edgeBytes: size, shieldBytes: nil)
    #expect(abs(once.hitRatio - twice.hitRatio) < 1e-6 && once.hitRatio > 0.1)
    #expect(abs(twice.missedBytes / once.missedBytes - 2) < 1e-4)
    #expect(abs(ClosedFormCaches.hit(0.1, .infinity, (60, 0)) - 6.0 / 7) < 1e-12)
    // caches.md section 1: 30 s at 0.05 a second; with a window the waiting share is less.
    #expect(ClosedFormCaches.hit(0.05, .infinity, (15, 60)) > 0.97)
  }

  @Test func `the bytes for a hit ratio give that hit ratio`() async throws {
    let plan = try await Self.plan(500_000)
    let target = 0.5
    let bytes = try #require(plan.cache.edgeBytes(hitRatio: target, load: 2))
    let flow = plan.cache.flow(load: 2, edgeBytes: bytes, shieldBytes: nil)
    #expect(abs(flow.hitRatio - target) < 1e-3)
    #expect(plan.cache.edgeBytes(hitRatio: 0.999_999_9, load: 1e-3) == nil)
    let curve = plan.curve.map(\.miss)
    #expect(zip(curve, curve.dropFirst()).allSatisfy { $0 >= $1 - 1e-12 })
  }

  /// The closed form against the simulated edge, at the load that was simulated.
  @Test func `the closed form's hit ratio is near the simulated one`() async throws {
    let plan = try await Self.plan()
    #expect(abs(plan.closedHitRatio - plan.measures.hitRatio.value) < 0.05)
    #expect(abs(plan.load - 1) < 1e-9)
  }

  @Test func `a service that is late by itself is said to hold at no audience`() async throws {
    let plan = try await Self.plan(1_000_000, assume: ["ranker.limit=5 ms"])
    #expect(plan.level.pools[0].servers == nil)
    #expect(plan.breaks[0].name == "ranker" && plan.breaks[0].multiple == 0)
  }

  @Test func `assumptions are checked in one pass`() {
    do {
      _ = try CapacityAssumptions.load(
        nil, overrides: [Override(set: "burst=0"), Override(set: "rnaker.limit=1 s")])
      Issue.record("expected a rejection")
    } catch {
      #expect(error.problems.count == 2)
      #expect(error.description.contains("burst: expected a number from 1 to 100"))
    }
  }
}
