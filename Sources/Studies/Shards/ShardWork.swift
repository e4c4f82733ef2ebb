import Foundation
import Models
import Scenario
import SimulationKernel

/// How a shard of a plan stands.
public enum ShardState: String, Sendable {
  case finished, open
  /// A file of it is not as it was written; it will be done again.
  case damaged
}

/// Does shards of a plan, and looks at what has been done.
public struct ShardWork: Sendable {
  public let plan: ShardPlan
  private let path: String
  private let store: ShardStore

  /// - Parameter path: where the plan lies, for messages.
  public init(_ plan: ShardPlan, path: String, store: ShardStore) {
    self.plan = plan
    self.path = path
    self.store = store
  }

  private func found(_ replication: Int, of shard: ShardPlan.Shard) -> ShardStore.Found {
    store.found(ShardFile.name(plan.key(shard), replication))
  }

  /// How a shard stands, by its files alone.
  public func state(_ shard: ShardPlan.Shard) -> ShardState {
    let states = shard.replications.map { found($0, of: shard) }
    if states.contains(.damaged) { return .damaged }
    return states.contains(.absent) ? .open : .finished
  }

  /// Does a shard: runs the replications of it that are not kept, and keeps each when it is done.
  ///
  /// - Returns: how many were run.
  /// - Throws: what ``ShardPlan/subject(_:path:)`` does; ``SimulationKernel/SimulationError``;
  ///   ``StudyStopped`` when `stop` was requested first; an error of the file system.
  public func run(
    _ shard: ShardPlan.Shard, threads: Int, pilots: Pilots, stop: StopRequest
  ) throws -> Int {
    let open = shard.replications.filter { number in
      if case .file = found(number, of: shard) { return false }
      return true
    }
    if open.isEmpty { return 0 }
    let subject = try plan.subject(shard, path: path)
    let series = store.series(subject.subject)
    let worker = ShardWorker(subject, pilots, threads: threads)
    for (done, number) in open.enumerated() {
      let stopped = StudyStopped(finished: done, total: open.count)
      if stop.isRequested { throw stopped }
      let start = ProcessorTime.now
      guard let content = try worker.content(number, of: series, stop: stop) else { throw stopped }
      try series.keep(content, of: number, seconds: ProcessorTime.now - start)
    }
    return open.count
  }

  /// Runs a replication, if it is not kept, and keeps it.
  ///
  /// - Returns: the processor seconds that it took; nil where nobody measured.
  /// - Throws: as ``run(_:threads:pilots:stop:)``.
  public static func measure(
    _ wanted: WantedReplication, _ store: ShardStore, _ pilots: Pilots
  ) throws -> Double? {
    let series = store.series(wanted.subject)
    if case .file(let file) = series.found(wanted.replication), let known = file.origin.seconds {
      return known
    }
    let start = ProcessorTime.now
    let opened = try OpenedSubject(wanted.subject.source) { _ in wanted.subject }
    let worker = ShardWorker(opened, pilots, threads: 1)
    guard let content = try worker.content(wanted.replication, of: series, stop: StopRequest())
    else { return nil }
    let seconds = ProcessorTime.now - start
    try series.keep(content, of: wanted.replication, seconds: seconds)
    return seconds
  }

  /// A replication that was run again, and is not what is kept of it.
  public struct Difference: Sendable, Equatable {
    public var replication: Int
    /// Who had found it.
    public var origin: ShardOrigin
  }

  /// Runs a finished shard again and compares the bytes.
  ///
  /// - Returns: what differs; empty where all is equal.
  /// - Throws: as ``run(_:threads:pilots:stop:)``.
  public func audit(
    _ shard: ShardPlan.Shard, threads: Int, pilots: Pilots, stop: StopRequest
  ) throws -> [Difference] {
    let subject = try plan.subject(shard, path: path)
    let series = store.series(subject.subject)
    let worker = ShardWorker(subject, pilots, threads: threads)
    var differences: [Difference] = []
    for (done, number) in shard.replications.enumerated() {
      let stopped = StudyStopped(finished: done, total: shard.count)
      guard case .file(let file) = series.found(number) else { continue }
      guard !stop.isRequested, let content = try worker.content(number, of: series, stop: stop)
      else { throw stopped }
      if content != file.content {
        differences.append(Difference(replication: number, origin: file.origin))
      }
    }
    return differences
  }

  /// The shards that an audit of so large a share of the finished ones looks at, at least one of
  /// them: by their keys, so that nobody chooses them.
  public func sample(_ share: Double, of finished: [ShardPlan.Shard]) -> [ShardPlan.Shard] {
    if share <= 0 || finished.isEmpty { return [] }
    let count = min(finished.count, max(1, Int((share * Double(finished.count)).rounded(.up))))
    let ordered = finished.map { shard in
      (name: SHA256.text(of: "audit \(plan.key(shard)) \(shard.first)".utf8), shard: shard)
    }.sorted { $0.name < $1.name }
    return ordered.prefix(count).map(\.shard).sorted { $0.index < $1.index }
  }
}

/// Processor time of this process.
public enum ProcessorTime {
  /// Seconds, of all its threads together.
  public static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
