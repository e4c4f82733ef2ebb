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

/// How far the replications of a range are together; reports to one at a time.
private final class ProgressBoard: Sendable {
  private struct State {
    var status: StudyProgress
    var underWay: [Int: ReplicationWatch.State] = [:]
  }

  private let state: Mutex<State>
  private let progress: @Sendable (StudyProgress) -> Void

  init(_ status: StudyProgress, progress: @escaping @Sendable (StudyProgress) -> Void) {
    state = Mutex(State(status: status))
    self.progress = progress
    progress(status)
  }

  func note(_ replication: Int, _ watched: ReplicationWatch.State) {
    state.withLock { state in
      state.underWay[replication] = watched
      progress(ProgressBoard.sum(state))
    }
  }

  func finish(_ digest: ReplicationDigest) {
    state.withLock { state in
      state.underWay[Int(digest.replication)] = nil
      state.status.finished += 1
      state.status.views += digest.cohorts.reduce(0) { $0 + $1.views }
      state.status.events += digest.events
      state.status.simulated += digest.end - .zero
      progress(ProgressBoard.sum(state))
    }
  }

  private static func sum(_ state: State) -> StudyProgress {
    var status = state.status
    for (_, watched) in state.underWay.sorted(by: { $0.key < $1.key }) {
      status.underWay += watched.share
      status.views += watched.views
      status.events += watched.events
      status.simulated += watched.simulated
    }
    return status
  }
}

/// Runs replications side by side; each is a world of its own, and nothing is shared between them.
struct ReplicationRunner: Sendable {
  /// Views of a replication whose records are kept: half a gigabyte of them.
  static let mostRows = 2_000_000

  /// Nil where nothing is to be simulated.
  private let replications: (any Replications)?
  private let kept: ShardSeries?
  /// Threads of one replication, where it can be cut into parts.
  var partThreads = 1
  /// Where they take more from.
  var spare: SpareThreads?

  /// Runs what replications have in common, a feed's pilot for one.
  ///
  /// - Parameter kept: where finished replications lie, and where more are put.
  init(
    _ plan: World, _ request: ReplicationRequest, kept: ShardSeries? = nil
  ) throws(SimulationError) {
    self.kept = kept
    replications = kept?.isClosed == true ? nil : try plan.studied.replications(request)
  }

  /// Runs one replication, unless it is kept; nil when it was given up.
  ///
  /// - Parameter fork: where it becomes another variant's.
  /// - Precondition: something may be simulated.
  /// - Throws: ``SimulationKernel/SimulationError``; an error of the file system where it is kept.
  func digest(
    _ replication: Int, stop: StopRequest = StopRequest(), fork: (any RunFork)? = nil,
    report: @escaping @Sendable (ReplicationWatch.State) -> Void = { _ in }
  ) throws -> ReplicationDigest? {
    if let known = kept?.digest(replication) { return known }
    guard let replications else { preconditionFailure("nothing is to be simulated") }
    let digest: ReplicationDigest?
    do throws(SimulationError) {
      digest = try replications.digest(
        UInt16(replication), threads: partThreads, spare: spare, stop: stop, fork: fork,
        report: report)
    } catch {
      // A policy of somebody else's failed: those that are finished stay; none of the others can
      // be.
      if error.code != .policyFailed { throw error }
      stop.abandon()
      return nil
    }
    if let digest { try kept?.keep(digest) }
    return digest
  }

  /// The kept replications of a range; those that are missing are listed, in order, so that whoever
  /// asks twice is told the same.
  ///
  /// - Returns: nothing unless all are there.
  /// - Throws: ``KeptStop`` when one ran into a limit, once all are known.
  private func collect(
    _ range: Range<Int>, from kept: ShardSeries
  ) throws(KeptStop) -> [ReplicationDigest] {
    var digests: [ReplicationDigest] = []
    var stop: KeptStop?
    var isWhole = true
    for replication in range {
      if let known = kept.digest(replication) {
        digests.append(known)
      } else if let found = kept.stop(replication) {
        stop = stop ?? found
      } else {
        kept.want(replication)
        isWhole = false
      }
    }
    if let stop, isWhole { throw stop }
    return digests.count == range.count ? digests : []
  }

  /// Runs a range of replications and returns them in order.
  func run(
    _ range: Range<Int>, earlier: [ReplicationDigest], threads: Int, stop: StopRequest,
    counter: ProgressCounter, progress: @escaping @Sendable (StudyProgress) -> Void
  ) async throws -> [ReplicationDigest] {
    let board = ProgressBoard(
      StudyProgress(
        finished: earlier.count, cap: counter.cap, nextLook: counter.nextLook,
        views: earlier.reduce(0) { $0 + $1.cohorts.reduce(0) { $0 + $1.views } },
        events: earlier.reduce(0) { $0 + $1.events },
        simulated: earlier.reduce(.zero) { $0 + ($1.end - .zero) }, verdicts: counter.verdicts),
      progress: progress)
    if let kept, kept.isClosed {
      let known = try collect(range, from: kept)
      for digest in known { board.finish(digest) }
      return known
    }
    // Threads that no replication needs, or needs any more, work inside the others.
    let spare = SpareThreads()
    var runner = self
    runner.spare = spare
    let inner = runner
    var finished: [Int: ReplicationDigest] = [:]
    try await SideBySide.run(range.count, threads: threads, stop: stop, spare: spare) { number in
      let replication = range.lowerBound + number
      return try inner.digest(replication, stop: stop) { board.note(replication, $0) }
    } finished: { _, done in
      guard let done else { return }
      finished[Int(done.replication)] = done
      board.finish(done)
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
