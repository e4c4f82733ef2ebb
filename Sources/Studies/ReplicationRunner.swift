import MediaUnits
import Models
import Scenario
import SimulationKernel
import Synchronization

/// What progress reports count from.
final class ProgressCounter: Sendable {
  let cap: Int
  let nextLook: Int
  let verdicts: [Verdict]

  init(cap: Int, nextLook: Int, verdicts: [Verdict]) {
    self.cap = cap
    self.nextLook = nextLook
    self.verdicts = verdicts
  }
}

/// Runs replications side by side; each is a world of its own, and nothing is shared between them.
struct ReplicationRunner: Sendable {
  let scenario: FeedScenario
  let seed: UInt64
  /// Of the feed; nil where another world is simulated.
  let plan: FeedPlan?
  let metrics: [MetricReference]
  let lateLimit: TimeSpan
  let shuffleTies: UInt64?
  /// Threads of one replication, where it can be cut into parts.
  var partThreads = 1

  /// What a feed's replications have in common; nil for another world.
  static func plan(_ scenario: FeedScenario, seed: UInt64) throws(SimulationError) -> FeedPlan? {
    scenario.world == nil ? try FeedRun.plan(scenario.configuration, seed: seed) : nil
  }

  func digest(_ replication: Int) throws(SimulationError) -> ReplicationDigest {
    if let world = scenario.world {
      return ReplicationDigest(
        try world.replication(
          seed: seed, replication: UInt16(replication), shuffleTies: shuffleTies),
        replication: UInt16(replication), of: world.kind, metrics: metrics)
    }
    guard let plan else { preconditionFailure("a feed has a plan") }
    // In its parts also on one thread: the result is the same bytes whatever the number of threads.
    let parts = PartedReplication(
      scenario.configuration, plan: plan, seed: seed, replication: UInt16(replication),
      shuffleTies: shuffleTies, threads: partThreads)
    let result: FeedRunResult
    if let parts {
      result = try parts.run()
    } else {
      result = try FeedRun.run(
        scenario.configuration, plan: plan, seed: seed, replication: UInt16(replication),
        shuffleTies: shuffleTies)
    }
    return ReplicationDigest(
      result, replication: UInt16(replication), scenario: scenario, metrics: metrics,
      lateLimit: lateLimit)
  }

  /// Runs a range of replications and returns them in order.
  func run(
    _ range: Range<Int>, earlier: [ReplicationDigest], threads: Int, stop: StopRequest,
    counter: ProgressCounter, progress: @escaping @Sendable (StudyProgress) -> Void
  ) async throws -> [ReplicationDigest] {
    var status = StudyProgress(
      finished: earlier.count, cap: counter.cap, nextLook: counter.nextLook,
      views: earlier.reduce(0) { $0 + $1.cohorts.reduce(0) { $0 + $1.views } },
      events: earlier.reduce(0) { $0 + $1.events },
      simulated: earlier.reduce(.zero) { $0 + ($1.end - .zero) }, verdicts: counter.verdicts)
    // Threads that no replication needs work inside the others.
    var runner = self
    runner.partThreads = max(1, threads / max(1, range.count))
    let inner = runner
    var finished: [Int: ReplicationDigest] = [:]
    try await withThrowingTaskGroup(of: ReplicationDigest.self) { group in
      var next = range.lowerBound
      for _ in 0..<max(1, threads) where next < range.upperBound {
        let replication = next
        group.addTask { try inner.digest(replication) }
        next += 1
      }
      while let done = try await group.next() {
        finished[Int(done.replication)] = done
        status.finished += 1
        status.views += done.cohorts.reduce(0) { $0 + $1.views }
        status.events += done.events
        status.simulated += done.end - .zero
        progress(status)
        if next < range.upperBound && !stop.isRequested {
          let replication = next
          group.addTask { try inner.digest(replication) }
          next += 1
        }
      }
    }
    // In order, and only up to the first gap that a stop request left.
    var ordered: [ReplicationDigest] = []
    for replication in range {
      guard let done = finished[replication] else { break }
      ordered.append(done)
    }
    return ordered
  }
}
