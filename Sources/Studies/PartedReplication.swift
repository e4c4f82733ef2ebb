import Foundation
import MediaUnits
import Models
import SimulationKernel
import Synchronization

/// Runs one replication in its parts, side by side on several threads.
///
/// All parts are brought to the same instant, hand over their messages, and go on: the window is
/// as long as a message takes at least. What a part does between two such instants depends on
/// nothing that the others do meanwhile, so any number of threads gives the same bytes.
///
/// Unchecked: a part is one thread's at a time, by the counters below.
final class PartedReplication: @unchecked Sendable {
  private struct Box: ~Copyable {
    var part: FeedPart
    var error: SimulationError?

    init(_ part: consuming FeedPart) { self.part = part }
  }

  /// What one thread has folded, whichever parts it came from.
  private final class Tally {
    /// Its own from the first view on.
    var sums: ViewSums
    var views: Int64 = 0

    init(_ sums: ViewSums) { self.sums = sums }
  }

  /// In memory of their own: many thousand windows a second look at each, and an object would be
  /// counted and guarded every time.
  private let boxes: UnsafeMutableBufferPointer<Box>
  /// One for each thread that there may be; empty where the views' records are kept.
  private let tallies: [Tally]
  private var watch: ReplicationWatch?
  private let fork: (any RunFork)?
  private(set) var load: LoadMeter
  /// Before it views are not measured.
  private let measured: Instant
  private let lookahead: TimeSpan
  private let end: Instant
  /// Instants that a window may not run over: what is counted there is counted of all parts alike.
  private let marks: [Instant]
  /// Threads that work, those that were taken from the spare ones included, and most of them.
  private var threads: Int
  private let mostThreads: Int
  private let spare: SpareThreads?
  private var taken = 0
  /// Memory of ``exchange()``.
  private var messages: [DomainMessage] = []

  // A window's number makes the threads begin it; the last one to end it makes the caller go on.
  private let window = Atomic<Int>(0)
  private let nextPart = Atomic<Int>(0)
  private let finished = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)
  private let limit = Atomic<Int64>(0)

  /// Most views of a part that wait to be folded.
  private static let batch = 256

  /// nil where a run of this configuration cannot be cut.
  ///
  /// - Parameters:
  ///   - spare: where it takes more threads from, one a window as they become free.
  ///   - sums: what the views are folded into; nil to keep their records.
  ///   - watch: is told how far it is, and may stop it.
  ///   - fork: where it becomes another variant's.
  init?(
    _ configuration: FeedConfiguration, plan: FeedPlan, seed: UInt64, replication: UInt16,
    shuffleTies: UInt64?, threads: Int, spare: SpareThreads? = nil, sums: ViewSums? = nil,
    watch: ReplicationWatch? = nil, fork: (any RunFork)? = nil
  ) {
    lookahead = FeedPart.lookahead(configuration)
    if lookahead <= .zero { return nil }
    let domains = FeedPart.domains(configuration)
    boxes = .allocate(capacity: domains.count)
    for place in domains.indices {
      boxes.initializeElement(
        at: place,
        to: Box(
          FeedPart(
            configuration, plan: plan, seed: seed, replication: replication,
            domain: domains[place], shuffleTies: shuffleTies)))
    }
    end = configuration.end
    let warmUp = configuration.cdn.warmUp
    marks = warmUp > .zero ? [Instant.zero + warmUp] : []
    let threads = min(max(1, threads), boxes.count)
    self.threads = threads
    self.spare = spare
    let most = spare == nil ? threads : boxes.count
    mostThreads = most
    tallies = sums.map { sums in (0..<most).map { _ in Tally(sums) } } ?? []
    self.watch = watch
    self.fork = fork
    measured = Instant.zero + warmUp
    load = LoadMeter(measuredFrom: measured, plan: SeriesPlan(configuration))
  }

  deinit {
    boxes.deinitialize()
    boxes.deallocate()
  }

  /// Runs to the end; once.
  ///
  /// - Throws: the first part's ``SimulationError``, in the order of the parts.
  func run() throws(SimulationError) -> FeedRunResult {
    guard let (result, _) = try runFolding() else {
      preconditionFailure("nobody stopped the run")
    }
    return result
  }

  /// The same with the sums of the views, if they are folded; nil when the watch stopped it.
  func runFolding() throws(SimulationError) -> (result: FeedRunResult, sums: ViewSums?)? {
    for worker in 1..<threads { begin(worker) }
    defer {
      isOver.store(true, ordering: .releasing)
      spare?.give(taken)
    }
    var marks = marks[...]
    var parting = fork?.next
    while let next = nextEventTime, next <= end {
      while let instant = parting, instant <= next { parting = becomeAnother() }
      var until = next + lookahead - TimeSpan(nanoseconds: 1)
      load.pass(to: next) { traffic(before: $0) }
      if load.mark <= until { until = load.mark - TimeSpan(nanoseconds: 1) }
      while let mark = marks.first, mark <= next { marks.removeFirst() }
      if let mark = marks.first, mark <= until { until = mark - TimeSpan(nanoseconds: 1) }
      if let instant = parting, instant <= until { until = instant - TimeSpan(nanoseconds: 1) }
      advance(to: min(until, end))
      for place in boxes.indices { if let error = boxes[place].error { throw error } }
      exchange()
      takeThread()
      let goesOn =
        watch?.pass(
          at: next, events: eventCount, views: viewCount) ?? true
      if !goesOn { return nil }
    }
    load.pass(to: end) { traffic(before: $0) }
    var hasPending = false
    var last = Instant.zero
    for place in boxes.indices {
      hasPending = hasPending || boxes[place].part.hasPendingEvents
      last = max(last, boxes[place].part.now)
    }
    var outcomes: [FeedPart.Outcome] = []
    for place in boxes.indices {
      var outcome = boxes[place].part.finish(at: hasPending ? end : last)
      if let tally = tallies.first { fold(&outcome.measures.views, into: tally) }
      outcomes.append(outcome)
    }
    var sums = tallies.first?.sums
    for tally in tallies.dropFirst() { sums?.add(tally.sums) }
    return (FeedPart.join(outcomes), sums)
  }

  /// Becomes another variant's, all parts between the same two instants.
  ///
  /// - Returns: the next instant at which it may.
  private func becomeAnother() -> Instant? {
    guard let fork else { return nil }
    let faults = fork.pass()
    for place in boxes.indices { boxes[place].part.goOn(under: faults) }
    return fork.next
  }

  /// Threads that worked at the same time at most.
  var mostAtWork: Int { threads }

  /// When the next event of any part happens; nil when none is pending.
  private var nextEventTime: Instant? {
    var least: Instant?
    for place in boxes.indices {
      guard let next = boxes[place].part.nextEventTime else { continue }
      if least.map({ next < $0 }) ?? true { least = next }
    }
    return least
  }

  private func traffic(before mark: Instant) -> TrafficTotals {
    var totals = TrafficTotals()
    for place in boxes.indices { totals.add(boxes[place].part.traffic(before: mark)) }
    return totals
  }

  private func fold(_ views: inout [ViewRecord], into tally: Tally) {
    tally.sums.add(views)
    tally.views += Int64(views.count)
    views.removeAll(keepingCapacity: true)
  }

  /// Views of the measured time so far.
  private var viewCount: Int64 {
    if !tallies.isEmpty { return tallies.reduce(0) { $0 + $1.views } }
    var count: Int64 = 0
    for place in boxes.indices { count += boxes[place].part.withViews { Int64($0.count) } }
    return count
  }

  private var eventCount: UInt64 {
    var count: UInt64 = 0
    for place in boxes.indices {
      count += boxes[place].part.eventCount
      // An event of all parts is one of the run.
      if place > 0 { count -= boxes[place].part.sharedEventCount }
    }
    return count
  }

  private func exchange() {
    for place in boxes.indices { boxes[place].part.takeMessages(into: &messages) }
    if messages.isEmpty { return }
    for message in messages {
      switch message.domain {
      case .edge(let edge): boxes[Int(edge) + 1].part.deliver(message)
      case .behind, .whole: boxes[0].part.deliver(message)
      }
    }
    messages.removeAll(keepingCapacity: true)
  }

  // MARK: Threads

  private func begin(_ worker: Int) {
    let thread = Thread { self.work(worker) }
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Goes on with one thread more where one is spare.
  private func takeThread() {
    guard threads < mostThreads, let spare, spare.take() else { return }
    taken += 1
    begin(threads)
    threads += 1
  }

  private func advance(to time: Instant) {
    limit.store(time.nanoseconds, ordering: .relaxed)
    finished.store(0, ordering: .relaxed)
    nextPart.store(0, ordering: .releasing)
    if threads > 1 { window.wrappingAdd(1, ordering: .releasing) }
    takeParts(0)
    while finished.load(ordering: .acquiring) < boxes.count { sched_yield() }
  }

  /// Advances parts that nobody has taken yet.
  private func takeParts(_ worker: Int) {
    while true {
      let place = nextPart.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
      if place >= boxes.count { return }
      // Of the window that the part belongs to. A thread that was held up here since it ended its
      // last part may find the next window's parts: to bring one only to the end of the window
      // before would hand over its messages too late.
      let limit = Instant(nanoseconds: limit.load(ordering: .relaxed))
      // Viewers may go ahead of the windows, but not over the end of the warm-up.
      let barrier = limit < measured ? measured - TimeSpan(nanoseconds: 1) : end
      do throws(SimulationError) {
        try boxes[place].part.advance(to: limit, barrier: barrier)
      } catch {
        boxes[place].error = error
      }
      boxes[place].part.withViews { views in
        // What the warm-up wrote is forgotten at its end.
        if limit < measured {
          views.removeAll(keepingCapacity: true)
        } else if !tallies.isEmpty && views.count >= PartedReplication.batch {
          fold(&views, into: tallies[worker])
        }
      }
      finished.wrappingAdd(1, ordering: .releasing)
    }
  }

  private func work(_ worker: Int) {
    var seen = 0
    while true {
      var looks = 0
      while window.load(ordering: .acquiring) == seen {
        if isOver.load(ordering: .acquiring) { return }
        looks += 1
        // Windows follow each other within microseconds; a caller that takes longer is left alone.
        if looks > 200 { sched_yield() }
      }
      seen = window.load(ordering: .acquiring)
      takeParts(worker)
    }
  }
}
