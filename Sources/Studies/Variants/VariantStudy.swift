import MediaUnits
import Models
import Scenario
import SimulationKernel
import Synchronization

/// How far a study of several variants is.
public struct VariantProgress: Sendable {
  /// Replications done, those of them found on disk, and all of them.
  public var finished: Int
  public var restored: Int
  public var total: Int
  public var views: Int64
}

/// A study of several variants was stopped before its end; what was finished is kept.
public struct StudyStopped: Error, Sendable {
  public var finished: Int
  public var total: Int
}

/// Runs replications of several variants. All variants share their random numbers: replication i of
/// each has the same arrivals, titles and draws of viewers, so differences are paired.
public struct VariantStudy: Sendable {
  public var variants: [Variant]
  public var metrics: [MetricReference]
  public var threads: Int
  /// Where finished replications are kept; nil to keep none.
  public var store: ShardStore?
  /// Where pilots come from: variants that have the same share it.
  public var pilots: Pilots
  /// Who runs what shares its beginnings, where there is a store; nil: nobody. The results do not
  /// depend on it.
  public var workers: (any PrefixWorkers)?
  /// Whether records have the times to the first frame; digests are what is kept on disk then.
  public var keepsTimes = false

  public init(
    _ variants: [Variant], metrics: [MetricReference], threads: Int, store: ShardStore? = nil,
    pilots: Pilots = Pilots()
  ) {
    self.pilots = pilots
    self.variants = variants
    self.metrics = metrics
    self.threads = max(1, threads)
    self.store = store
  }

  private struct Task: Sendable, Hashable {
    var variant: Int
    var replication: Int
  }

  /// Runs replications `range` of the variants named in `members`, all of them by default.
  ///
  /// - Parameter seeds: the seed of each variant; the scenario's by default.
  /// - Returns: for each member the records in the order of their numbers.
  /// - Throws: ``StudyStopped`` when `stop` was requested first; ``SimulationError``;
  ///   ``ReplicationsMissing`` where nothing is to be simulated and not all are kept; an error of
  ///   the file system.
  public func run(
    _ range: Range<Int>, members: [Int]? = nil, stop: StopRequest = StopRequest(),
    progress: @escaping @Sendable (VariantProgress) -> Void = { _ in }
  ) async throws -> [[ReplicationRecord]] {
    let members = members ?? Array(variants.indices)
    for member in members { try variants[member].check(metrics) }
    var records = [[ReplicationRecord?]](
      repeating: [ReplicationRecord?](repeating: nil, count: range.count), count: members.count)
    var open: [Task] = []
    var status = VariantProgress(
      finished: 0, restored: 0, total: members.count * range.count, views: 0)
    for (place, member) in members.enumerated() {
      let series = series(member)
      var planned: ShardSeries?
      for replication in range {
        if let known = series?.record(replication) {
          records[place][replication - range.lowerBound] = known
          status.finished += 1
          status.restored += 1
          status.views += known.views
        } else {
          if store?.isClosed == true {
            planned = planned ?? self.series(member, isPlanned: true)
            planned?.want(replication)
          }
          open.append(Task(variant: place, replication: replication))
        }
      }
    }
    progress(status)
    try store?.checkNothingIsMissing()
    if members.elementsEqual(variants.indices) {
      let found = try await sharePrefixes(range, open, status, stop: stop, progress: progress)
      status = found.status
      for (variant, record) in found.records {
        records[variant][record.replication - range.lowerBound] = record
      }
      open.removeAll { records[$0.variant][$0.replication - range.lowerBound] != nil }
    }
    let spare = SpareThreads()
    let runners = try await runners(
      members.map { variants[$0] }, for: open, spare: spare, stop: stop)
    let tasks = open
    try await SideBySide.run(tasks.count, threads: threads, stop: stop, spare: spare) { number in
      let task = tasks[number]
      guard let runner = runners[task.variant] else {
        preconditionFailure("a variant with open replications has a runner")
      }
      guard let digest = try runner.digest(task.replication, stop: stop) else {
        return ReplicationRecord?.none
      }
      let record = ReplicationRecord(digest, keepsTimes: keepsTimes)
      try series(members[task.variant])?.keep(digest)
      return record
    } finished: { number, record in
      guard let record else { return }
      records[tasks[number].variant][record.replication - range.lowerBound] = record
      status.finished += 1
      status.views += record.views
      progress(status)
    }
    if status.finished < status.total {
      throw StudyStopped(finished: status.finished, total: status.total)
    }
    return records.map { $0.compactMap(\.self) }
  }

  /// Where a variant's replications are kept.
  ///
  /// - Parameter isPlanned: whether a plan wants to know what one needs.
  func series(_ member: Int, isPlanned: Bool = false) -> ShardSeries? {
    guard let store else { return nil }
    if let known = variants[member].facts?.subject, known.kind == kind, known.metrics == metrics,
      known.memoryBytes != nil || !isPlanned
    {
      return store.series(known)
    }
    let scenario = variants[member].scenario
    return store.series(scenario, seed: scenario.seed, metrics: metrics, kind: kind)
  }

  /// What is kept of a replication.
  private var kind: ShardSubject.Kind { keepsTimes ? .digest : .record }

  /// The record of a replication that was finished before.
  func kept(_ member: Int, _ replication: Int) -> ReplicationRecord? {
    series(member)?.record(replication)
  }

  /// What the workers have found.
  private struct Shared: Sendable {
    var status: VariantProgress
    var records: [(variant: Int, record: ReplicationRecord)] = []
  }

  /// Lets the workers run what shares its beginnings, all variants being members.
  private func sharePrefixes(
    _ range: Range<Int>, _ open: [Task], _ status: VariantProgress, stop: StopRequest,
    progress: @escaping @Sendable (VariantProgress) -> Void
  ) async throws -> Shared {
    guard let workers, store != nil, !open.isEmpty, !stop.isRequested else {
      return Shared(status: status)
    }
    let left = Set(open)
    var plan = prefixPlan(range) { left.contains(Task(variant: $0, replication: $1)) }
    plan.open = open.count
    guard workers.begin(plan), !plan.units.isEmpty else { return Shared(status: status) }
    var found = Shared(status: status)
    // One call that lasts as long as the workers: they end with the thread that has begun them.
    try await SideBySide.run(1, threads: 1) { _ in
      var shared = Shared(status: status)
      workers.run(stop: stop) { variant, replication in
        guard let record = kept(variant, replication) else { return }
        shared.records.append((variant, record))
        shared.status.finished += 1
        shared.status.views += record.views
        progress(shared.status)
      }
      return shared
    } finished: { _, shared in
      found = shared
    }
    return found
  }

  /// A runner of a variant's replications, and with it a pilot run.
  func runner(_ scenario: StudyScenario) throws(SimulationError) -> ReplicationRunner {
    try ReplicationRunner(
      scenario.plan,
      ReplicationRequest(
        seed: scenario.seed, metrics: metrics, lateLimit: Study.lateLimit(scenario.budgets),
        pilots: pilots))
  }

  /// A runner, and with it a pilot run, for each variant that has something left to do.
  private func runners(
    _ members: [Variant], for open: [Task], spare: SpareThreads, stop: StopRequest
  ) async throws -> [ReplicationRunner?] {
    var runners = [ReplicationRunner?](repeating: nil, count: members.count)
    let variants = open.map(\.variant)
    let places = zip(variants.indices, variants).filter { $0 == 0 || variants[$0 - 1] != $1 }
      .map(\.1)
    try await SideBySide.run(places.count, threads: threads, stop: stop) { number in
      var made = try runner(members[places[number]].built())
      made.spare = spare
      return made
    } finished: { number, runner in
      runners[places[number]] = runner
    }
    return runners
  }
}
