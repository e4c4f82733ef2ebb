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
    let scenario = try FeedStudy.load("\(folder)/\(name).yaml")
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
    func errors(_ limit: Int) throws -> [Double] {
      let estimate = try #require(
        SHARDS.curve(trace, capacities: capacities, limit: limit, unitSizes: false))
      return zip(exact, estimate).map { exact, estimate in
        abs(Double(estimate.misses - exact.misses)) / Double(summary.requests)
      }
    }
    let share = Int(summary.objects) / 100
    // As replay cache does it: 1 %, and never fewer than 8,192 objects.
    let floored = try errors(max(8_192, share))
    #expect(floored.allSatisfy { $0 < 0.01 }, "\(floored), \(summary.objects) objects")
    // A thousand objects: within a point on average over the curve.
    let bare = try errors(share)
    #expect(bare.reduce(0, +) / Double(bare.count) < 0.01, "\(bare), \(share) objects")
    #expect(bare.allSatisfy { $0 < 0.025 }, "\(bare), \(share) objects")
  }
}
