import BenchBaselines
import MediaUnits
import Models
import Scenario
import SimulationKernel

/// Heap bytes of a viewer in a session and of one who is gone, by malloc's own count.
///
/// One replication of the scenario's viewers, with caches that hold everything, so that what grows
/// is theirs. The heap is read at the end of the arrivals, with viewers in all stages of their
/// sessions, and when the last one has left; views' records are thrown away. Arrivals last for
/// three times the median session: a long session has more on its disk than a short one.
enum MemoryBenchmark {
  /// Reads the heap.
  private struct Reader: FeedObserver {
    let arrivalsEnd: Instant
    var begun: Int64?
    /// At the end of the arrivals.
    var busy: (bytes: Int64, viewers: Int)?

    func nextPass(after now: Instant) -> Instant {
      if begun == nil { return now + .milliseconds(1) }
      return now < arrivalsEnd ? arrivalsEnd : .distantFuture
    }

    mutating func pass(_ world: inout FeedWorld, at now: Instant, events: UInt64) -> Bool {
      world.withViews { $0 = [] }
      if begun == nil {
        begun = bench_heap().liveBytes
      } else if busy == nil {
        busy = (bench_heap().liveBytes, world.activeViewers)
      }
      if now > arrivalsEnd { idle = (bench_heap().liveBytes, world.idleViewers) }
      return true
    }

    /// When all have left.
    var idle: (bytes: Int64, viewers: Int)?
  }

  static func facts(_ path: String) throws -> [BenchmarkFact] {
    if !Work.countsAllocations { return [] }
    let scenario = try FeedStudy.load(
      path,
      overrides: [
        "cdn.start={kind: everything}", "audience.warmUp=0 s", "audience.window=20 min",
        "audience.drain=24 h", "audience.viewsPerDayPerEdge=40000000",
      ].map { Override(set: $0) })
    let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
    var reader = Reader(
      arrivalsEnd: Instant.zero + scenario.configuration.audience.window)
    _ = try FeedRun.run(
      scenario.configuration, plan: plan, seed: scenario.seed, replication: 0, observer: &reader)
    guard let begun = reader.begun, let busy = reader.busy, let idle = reader.idle else {
      preconditionFailure("the heap was read at all times")
    }
    let perIdle = Double(idle.bytes - begun) / Double(max(1, idle.viewers))
    let perActive = Double(busy.bytes - idle.bytes) / Double(max(1, busy.viewers)) + perIdle
    return [
      BenchmarkFact(name: "memory/active-viewers", unit: "viewers", value: Double(busy.viewers)),
      BenchmarkFact(name: "memory/bytes-per-active-viewer", unit: "bytes", value: perActive),
      BenchmarkFact(name: "memory/bytes-per-idle-viewer", unit: "bytes", value: perIdle),
    ]
  }
}
