import MediaUnits

/// A model of the world: one type per simulation, driven by one enum of events.
public protocol SimulatedWorld: ~Copyable {
  /// The events; a trivial value, so that scheduling allocates nothing.
  associatedtype Event: BitwiseCopyable & Sendable

  /// Does what happens at an event. `target` is the entity that the event was scheduled for.
  mutating func handle(_ event: Event, target: UInt32, in context: inout Context<Event>)

  /// A small number naming the kind of event, for the fingerprint and for messages.
  static func tag(of event: Event) -> UInt32

  /// Whether an event is counted and is part of the fingerprint. One that is not only says that it
  /// is time for something that the world counts itself.
  static func isCounted(_ event: Event) -> Bool

  /// What messages call the kind of event that has this number.
  static func name(ofTag tag: UInt32) -> StaticString

  /// An event will most likely happen soon. The world may ask for the memory that it needs, so that
  /// it is in the processor's caches by then; it changes nothing that can be seen. An event may be
  /// named several times, ever nearer, or never, and one that is named may be cancelled.
  mutating func approach(_ event: Event, _ nearness: Nearness)
}

/// How soon an event will most likely happen.
@frozen
public enum Nearness: UInt8, Sendable {
  /// With some dozen others, which are all named once before they are named a second time.
  case soon
  /// The same, the second time.
  case near
  /// After the next one.
  case second
  case next
}

extension SimulatedWorld where Self: ~Copyable {
  @inlinable @inline(__always)
  public mutating func approach(_ event: Event, _ nearness: Nearness) {}

  @inlinable @inline(__always)
  public static func isCounted(_ event: Event) -> Bool { true }
}

/// What a world sees of the kernel while it handles an event.
public struct Context<Event: BitwiseCopyable & Sendable>: ~Copyable {
  @usableFromInline var queue: EventQueue<Event>
  @usableFromInline var sequences: UnsafeMutablePointer<UInt32>
  @usableFromInline var sequenceCapacity: Int
  @usableFromInline var shuffle: UInt64?
  /// The time of the event being handled.
  @inlinable
  public var now: Instant { currentTime }
  @usableFromInline var currentTime: Instant
  /// The entity whose event is being handled: the source of everything scheduled meanwhile.
  @inlinable
  public var source: UInt32 { currentSource }
  @usableFromInline var currentSource: UInt32
  /// Whether ``stop()`` was called.
  @inlinable
  public var isStopped: Bool { stopRequested }
  @usableFromInline var stopRequested = false

  @inlinable
  init(shuffle: UInt64?, pending: Int) {
    queue = EventQueue(capacity: pending, isShuffled: shuffle != nil)
    sequenceCapacity = 1024
    sequences = .allocate(capacity: 1024)
    sequences.initialize(repeating: 0, count: 1024)
    self.shuffle = shuffle
    currentTime = .zero
    currentSource = 0
  }

  @inlinable
  deinit { sequences.deallocate() }

  /// Entities are numbered below this, densely: 4 bytes are kept for each number up to the largest
  /// source.
  @inlinable
  public static var entityLimit: UInt32 { 1 << 30 }

  /// Schedules an event at `time` for `target`.
  ///
  /// - Precondition: `time` is not before ``now``; `target` is below ``entityLimit``.
  @inlinable
  @discardableResult
  public mutating func schedule(
    _ event: Event, at time: Instant, for target: UInt32, phase: Phase = .normal
  ) -> EventHandle {
    precondition(time >= now, "an event cannot be scheduled in the past")
    precondition(target < Self.entityLimit, "an entity number is below 2^30")
    let sequence = takeSequence()
    return queue.push(
      event, time: time.nanoseconds, upper: upper(time, phase, target, source),
      sequence: sequence, target: target, source: source)
  }

  /// The same as coming from another entity than the one whose event is being handled.
  ///
  /// - Precondition: as ``schedule(_:at:for:phase:)``; `source` is below ``entityLimit``.
  @inlinable
  @discardableResult
  public mutating func schedule(
    _ event: Event, at time: Instant, for target: UInt32, source: UInt32, phase: Phase
  ) -> EventHandle {
    precondition(source < Self.entityLimit, "an entity number is below 2^30")
    let present = currentSource
    currentSource = source
    let handle = schedule(event, at: time, for: target, phase: phase)
    currentSource = present
    return handle
  }

  /// What of an event's key follows its time: the phase, and the target or, where ties are
  /// shuffled, a hash of the source.
  @inlinable
  @inline(__always)
  func upper(_ time: Instant, _ phase: Phase, _ target: UInt32, _ sender: UInt32) -> UInt32 {
    var second = target
    if let shuffle {
      let hash = Fingerprint.mix(UInt64(bitPattern: time.nanoseconds) ^ shuffle, UInt64(sender))
      second = UInt32(truncatingIfNeeded: hash >> 34)
    }
    return UInt32(phase.rawValue) << 30 | second
  }

  /// Cancels a scheduled event; true when it was still pending.
  @inlinable
  @discardableResult
  public mutating func cancel(_ handle: EventHandle) -> Bool { queue.cancel(handle) }

  /// Ends the run after the event being handled.
  @inlinable
  public mutating func stop() { stopRequested = true }

  @inlinable
  mutating func growSequences(to count: Int) {
    var larger = sequenceCapacity
    while larger < count { larger *= 2 }
    let grown = UnsafeMutablePointer<UInt32>.allocate(capacity: larger)
    grown.initialize(repeating: 0, count: larger)
    for index in 0..<sequenceCapacity { grown[index] = sequences[index] }
    sequences.deallocate()
    sequences = grown
    sequenceCapacity = larger
  }
}

/// Why a run was stopped by a limit.
public struct SimulationError: Error, Equatable, Sendable {
  public enum Code: Sendable, Equatable {
    /// More events than the run may handle.
    case eventLimit
    /// More events at one instant than allowed: most likely a loop without delay.
    case sameInstantLimit
    /// A policy that is not the program's could not decide any more; who runs it says why.
    case policyFailed
  }
  public let code: Code
  /// The limit that was reached.
  public let limit: UInt64
  /// The time of the event at which the run stopped; it was not handled and is still pending.
  public let time: Instant
  /// That event's tag, target and source.
  public let tag, target, source: UInt32
  /// What its world calls that kind of event: numbers mean something in one world only.
  public let event: StaticString

  @inlinable
  init(
    code: Code, limit: UInt64, time: Instant, tag: UInt32, event: StaticString, target: UInt32,
    source: UInt32
  ) {
    self.code = code
    self.limit = limit
    self.time = time
    self.tag = tag
    self.event = event
    self.target = target
    self.source = source
  }
}

extension SimulationError {
  /// That a foreign policy could not decide any more; no event stopped the run.
  public static func policyFailed(at time: Instant) -> SimulationError {
    SimulationError(
      code: .policyFailed, limit: 0, time: time, tag: 0, event: "", target: 0, source: 0)
  }

  public static func == (a: SimulationError, b: SimulationError) -> Bool {
    if a.code != b.code || a.limit != b.limit || a.time != b.time { return false }
    if a.tag != b.tag || a.target != b.target || a.source != b.source { return false }
    let count = a.event.utf8CodeUnitCount
    if count != b.event.utf8CodeUnitCount { return false }
    for index in 0..<count where a.event.utf8Start[index] != b.event.utf8Start[index] {
      return false
    }
    return true
  }
}

/// What a run did.
public struct RunSummary: Sendable, Equatable {
  /// Events handled; cancelled ones do not count.
  public var events: UInt64 = 0
  /// The time of the last event handled.
  public var lastEvent: Instant = .zero
  /// Whether events were left when the run ended; cancelled ones do not count.
  public var hasPendingEvents = false

  @inlinable
  public init() {}
}

/// One world and its pending events.
public struct Simulation<World: SimulatedWorld & ~Copyable>: ~Copyable {
  public var world: World
  @usableFromInline var context: Context<World.Event>
  /// The hash of every event handled so far; equal for equal runs.
  @inlinable
  public var fingerprint: Fingerprint { hash }
  @usableFromInline var hash = Fingerprint()

  /// - Parameters:
  ///   - shuffleTies: a seed that permutes events of equal time and phase from different sources; a
  ///     headline number that moves depends on an order that it should not.
  ///   - pendingEvents: how many pending events fit before the first growth.
  @inlinable
  public init(_ world: consuming World, shuffleTies: UInt64? = nil, pendingEvents: Int = 4096) {
    self.world = world
    context = Context(shuffle: shuffleTies, pending: pendingEvents)
  }

  /// Schedules an event from outside, as coming from `source`.
  ///
  /// - Precondition: `time` is not before ``now``; `target` and `source` are below
  ///   ``Context/entityLimit``.
  @inlinable
  @discardableResult
  public mutating func schedule(
    _ event: World.Event, at time: Instant, for target: UInt32, source: UInt32,
    phase: Phase = .normal
  ) -> EventHandle {
    precondition(source < Context<World.Event>.entityLimit, "an entity number is below 2^30")
    context.currentSource = source
    return context.schedule(event, at: time, for: target, phase: phase)
  }

  /// Handles events in order until none is left at or before `end`, a limit is reached, or the
  /// world stops the run. Can be called again to go on; each call counts toward its own limits.
  ///
  /// - Parameters:
  ///   - end: the last instant whose events are handled.
  ///   - eventLimit: how many events the call may handle.
  ///   - sameInstantLimit: how many events of one instant the call may handle.
  /// - Throws: ``SimulationError`` when one more event would pass a limit, naming that event.
  @inlinable
  public mutating func run(
    until end: Instant = .distantFuture, eventLimit: UInt64 = .max,
    sameInstantLimit: UInt64 = 1_000_000
  ) throws(SimulationError) -> RunSummary {
    var summary = RunSummary()
    summary.lastEvent = context.now
    var sameInstant: UInt64 = 0
    context.stopRequested = false
    while true {
      let isNewFront = context.queue.isFrontEmpty
      if !context.queue.prepare(context.sequences, context.sequenceCapacity) { break }
      if isNewFront { approachFront() }
      let key = context.queue.first
      let time = Int64(bitPattern: key.time)
      if time > end.nanoseconds { break }
      let entry = context.queue.entries[key.slot]
      if !entry.isLive {
        context.queue.removeFirst()
        continue
      }
      let tag = World.tag(of: entry.event)
      sameInstant = time == context.now.nanoseconds ? sameInstant + 1 : 1
      if summary.events == eventLimit || sameInstant > sameInstantLimit {
        throw SimulationError(
          code: summary.events == eventLimit ? .eventLimit : .sameInstantLimit,
          limit: summary.events == eventLimit ? eventLimit : sameInstantLimit,
          time: Instant(nanoseconds: time), tag: tag, event: World.name(ofTag: tag),
          target: entry.target, source: entry.source)
      }
      context.queue.removeFirst()
      context.currentTime = Instant(nanoseconds: time)
      if World.isCounted(entry.event) {
        summary.events += 1
        add(time: time, phase: key.phase, entry.target, entry.source, tag)
      }
      context.currentSource = entry.target
      if let next = context.queue.expectedNext {
        world.approach(context.queue.entries[next].event, .next)
        if let later = context.queue.expectedLater {
          world.approach(context.queue.entries[later].event, .second)
        }
      }
      world.handle(entry.event, target: entry.target, in: &context)
      if context.isStopped { break }
    }
    summary.lastEvent = context.now
    summary.hasPendingEvents = context.queue.liveCount > 0
    return summary
  }

  /// Tells the world which events have come to the front of the queue.
  @inlinable
  mutating func approachFront() {
    for index in 0..<context.queue.heapCount {
      world.approach(context.queue.entries[context.queue.heap[index].slot].event, .soon)
    }
    for index in 0..<context.queue.heapCount {
      world.approach(context.queue.entries[context.queue.heap[index].slot].event, .near)
    }
  }

  @inlinable
  mutating func add(
    time: Int64, phase: UInt64, _ target: UInt32, _ source: UInt32, _ tag: UInt32
  ) {
    hash.add(time: time, phase: phase, target: target, source: source, tag: tag)
  }

  /// No event is handled before this time; nil when none is pending. A cancelled event may make it
  /// earlier than need be.
  @inlinable
  public var nextEventTime: Instant? {
    context.queue.firstTime.map { Instant(nanoseconds: Int64(bitPattern: $0)) }
  }

  /// Whether any event is scheduled that was not cancelled.
  @inlinable
  public var hasPendingEvents: Bool { context.queue.liveCount > 0 }

  /// The time of the last event handled.
  @inlinable
  public var now: Instant { context.now }

  /// Gives up the simulation and returns its world.
  @inlinable
  public consuming func finish() -> World { world }
}
