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
  private final class Box {
    var part: FeedPart
    var error: SimulationError?

    init(_ part: consuming FeedPart) { self.part = part }
  }

  private let boxes: [Box]
  private let lookahead: TimeSpan
  private let end: Instant
  /// Instants that a window may not run over: what is counted there is counted of all parts alike.
  private let marks: [Instant]
  private let threads: Int

  // A window's number makes the threads begin it; the last one to end it makes the caller go on.
  private let window = Atomic<Int>(0)
  private let nextPart = Atomic<Int>(0)
  private let finished = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)
  private let limit = Atomic<Int64>(0)

  /// nil where a run of this configuration cannot be cut.
  init?(
    _ configuration: FeedConfiguration, plan: FeedPlan, seed: UInt64, replication: UInt16,
    shuffleTies: UInt64?, threads: Int
  ) {
    lookahead = FeedPart.lookahead(configuration)
    if lookahead <= .zero { return nil }
    boxes = FeedPart.domains(configuration).map { domain in
      Box(
        FeedPart(
          configuration, plan: plan, seed: seed, replication: replication, domain: domain,
          shuffleTies: shuffleTies))
    }
    end = FeedPart.end(configuration)
    let warmUp = configuration.cdn.warmUp
    marks = warmUp > .zero ? [Instant.zero + warmUp] : []
    self.threads = min(max(1, threads), boxes.count)
  }

  /// Runs to the end; once.
  ///
  /// - Throws: the first part's ``SimulationError``, in the order of the parts.
  func run() throws(SimulationError) -> FeedRunResult {
    for _ in 1..<threads {
      let thread = Thread { self.work() }
      thread.stackSize = 8 << 20
      thread.start()
    }
    defer { isOver.store(true, ordering: .releasing) }
    var marks = marks[...]
    while let next = boxes.compactMap({ $0.part.nextEventTime }).min(), next <= end {
      var until = next + lookahead - TimeSpan(nanoseconds: 1)
      while let mark = marks.first, mark <= next { marks.removeFirst() }
      if let mark = marks.first, mark <= until { until = mark - TimeSpan(nanoseconds: 1) }
      advance(to: min(until, end))
      for box in boxes { if let error = box.error { throw error } }
      exchange()
    }
    let hasPending = boxes.contains { $0.part.hasPendingEvents }
    let last = boxes.map({ $0.part.now }).max() ?? end
    return FeedPart.join(boxes.map { $0.part.finish(at: hasPending ? end : last) })
  }

  private func exchange() {
    for box in boxes {
      for message in box.part.takeMessages() {
        switch message.domain {
        case .edge(let edge): boxes[Int(edge) + 1].part.deliver(message)
        case .behind, .whole: boxes[0].part.deliver(message)
        }
      }
    }
  }

  // MARK: Threads

  private func advance(to time: Instant) {
    limit.store(time.nanoseconds, ordering: .relaxed)
    finished.store(0, ordering: .relaxed)
    nextPart.store(0, ordering: .releasing)
    if threads > 1 { window.wrappingAdd(1, ordering: .releasing) }
    takeParts()
    while finished.load(ordering: .acquiring) < boxes.count { sched_yield() }
  }

  /// Advances parts that nobody has taken yet.
  private func takeParts() {
    while true {
      let place = nextPart.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
      if place >= boxes.count { return }
      let box = boxes[place]
      do throws(SimulationError) {
        try box.part.advance(to: Instant(nanoseconds: limit.load(ordering: .relaxed)))
      } catch {
        box.error = error
      }
      finished.wrappingAdd(1, ordering: .releasing)
    }
  }

  private func work() {
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
      takeParts()
    }
  }
}
