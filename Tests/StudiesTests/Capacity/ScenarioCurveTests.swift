import Foundation
import Models
import Scenario
import Studies
import Testing

/// Miss-ratio curves of what the viewers of shipped scenarios ask an edge.
@Suite struct ScenarioCurveTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scenarios").path

  private static func trace(_ name: String) throws -> CacheTrace {
    let scenario = try FeedScenario.load("\(folder)/\(name).yaml")
    let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
    let run = try FeedRun.run(
      scenario.configuration, plan: plan, seed: scenario.seed, replication: 0,
      keepsRequests: true)
    var handles: [UInt64: UInt32] = [:]
    var trace = CacheTrace()
    for request in try #require(run.edgeRequests) where request.edge == 0 {
      let next = UInt32(handles.count)
      let handle = handles[request.key, default: next]
      if handle == next { handles[request.key] = next }
      trace.objects.append(handle)
      trace.sizes.append(request.bytes)
    }
    trace.objectCount = handles.count
    return trace
  }

  @Test(arguments: [
    "wifi-budget-gate", "cdn-ttl-sweep", "cdn-ttl-flash-crowd", "network-matrix",
  ])
  func `SHARDS of 1 percent is within a point of the exact curve of a shipped scenario`(
    _ name: String
  ) throws {
    let trace = try Self.trace(name)
    let summary = CacheTraceSummary(trace, unitSizes: false)
    let capacities = [1, 2, 5, 10, 20, 30, 50, 70, 100].map { summary.workingSet / 100 * $0 }
    let exact = try #require(
      LRUMissRatioCurve.exact(trace, capacities: capacities, unitSizes: false))
    let estimate = try #require(
      SHARDS.curve(
        trace, capacities: capacities, limit: Int(summary.objects) / 100, unitSizes: false))
    for (exact, estimate) in zip(exact, estimate) {
      let error = Double(estimate.misses - exact.misses) / Double(summary.requests)
      #expect(
        abs(error) < 0.01,
        "\(exact.capacity) of \(summary.workingSet): \(error), \(summary.objects) objects")
    }
  }
}
