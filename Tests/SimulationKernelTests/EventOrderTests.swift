import MediaUnits
import Statistics
import Testing

@testable import SimulationKernel

// Issue 2 item 3; docs/decisions/0003: the total order of events, cancelling,
// ties, growth.

/// What happens when event `label` is handled, as a function of the label alone: a program that the
/// kernel and a naive list of events both run.
private struct Script {
  enum Action {
    case schedule(delay: Int64, target: UInt32, phase: Phase)
    case cancel(UInt32)
  }

  let seed: UInt64
  let eventLimit: UInt32

  func actions(after label: UInt32, scheduled: UInt32) -> [Action] {
    var random = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(label))
    let phases: [Phase] = [.arrival, .normal, .observe]
    return (0..<random.next(below: 5)).map { _ in
      if random.next(below: 3) == 0 { return .cancel(UInt32(random.next(below: Int(scheduled)))) }
      return .schedule(
        delay: Int64(random.next(below: 3)), target: UInt32(random.next(below: 4)),
        phase: phases[random.next(below: 3)])
    }
  }
}

private enum Entry: Equatable {
  case handled(UInt32, at: Int64, target: UInt32)
  case cancelled(UInt32, Bool)
}

private struct ScriptedWorld: SimulatedWorld {
  struct Event: BitwiseCopyable, Sendable { var label: UInt32 }

  let script: Script
  var handles: [EventHandle] = []
  var log: [Entry] = []

  static func tag(of event: Event) -> UInt32 { 0 }
  static func name(ofTag tag: UInt32) -> StaticString { "event" }

  mutating func handle(_ event: Event, target: UInt32, in context: inout Context<Event>) {
    log.append(.handled(event.label, at: context.now.nanoseconds, target: target))
    for action in script.actions(after: event.label, scheduled: UInt32(handles.count)) {
      switch action {
      case .schedule(let delay, let target, let phase):
        if handles.count >= Int(script.eventLimit) { continue }
        let label = UInt32(handles.count)
        handles.append(
          context.schedule(
            Event(label: label), at: context.now + .nanoseconds(delay), for: target, phase: phase))
      case .cancel(let label):
        log.append(.cancelled(label, context.cancel(handles[Int(label)])))
      }
    }
  }
}

/// The same program on a list that is searched from end to end for the least event.
private struct NaiveSimulation {
  struct Pending {
    let key: (Int64, UInt8, UInt32, UInt32, UInt32)
    let label: UInt32
  }

  let script: Script
  var pending: [Pending] = []
  var sequences: [UInt32: UInt32] = [:]
  var scheduled: UInt32 = 0
  var log: [Entry] = []

  mutating func schedule(at time: Int64, target: UInt32, source: UInt32, phase: Phase) {
    let sequence = sequences[source, default: 0]
    sequences[source] = sequence + 1
    pending.append(
      Pending(key: (time, phase.rawValue, target, source, sequence), label: scheduled))
    scheduled += 1
  }

  mutating func run() {
    while let least = pending.indices.min(by: { pending[$0].key < pending[$1].key }) {
      let event = pending.remove(at: least)
      let (now, target) = (event.key.0, event.key.2)
      log.append(.handled(event.label, at: now, target: target))
      for action in script.actions(after: event.label, scheduled: scheduled) {
        switch action {
        case .schedule(let delay, let to, let phase):
          if scheduled >= script.eventLimit { continue }
          schedule(at: now + delay, target: to, source: target, phase: phase)
        case .cancel(let label):
          let index = pending.firstIndex { $0.label == label }
          if let index { pending.remove(at: index) }
          log.append(.cancelled(label, index != nil))
        }
      }
    }
  }
}

struct `The order of events` {
  @Test(arguments: [UInt64](1...150))
  func `random programs with ties and cancels run as on a plain list`(_ seed: UInt64) throws {
    let script = Script(seed: seed, eventLimit: 500)
    var naive = NaiveSimulation(script: script)
    // Four places, so that growth and reuse of places happen all the time.
    var simulation = Simulation(ScriptedWorld(script: script), pendingEvents: 4)
    for each in crowdedEvents(30, seed: seed) {
      naive.schedule(at: each.time, target: each.target, source: each.source, phase: each.phase)
      let handle = simulation.schedule(
        ScriptedWorld.Event(label: each.label), at: Instant(nanoseconds: each.time),
        for: each.target, source: each.source, phase: each.phase)
      simulation.world.handles.append(handle)
    }
    naive.run()
    let summary = try simulation.run()
    #expect(simulation.world.log == naive.log)
    let handled = naive.log.count { if case .handled = $0 { true } else { false } }
    let cancelled = naive.log.count { if case .cancelled(_, true) = $0 { true } else { false } }
    #expect(summary.events == UInt64(handled))
    #expect(!summary.hasPendingEvents)
    // Not vacuous: programs reach events that they schedule, and cancels hit and miss.
    #expect(handled > 30 && cancelled > 0)
    #expect(naive.log.contains { if case .cancelled(_, false) = $0 { true } else { false } })
  }

  @Test(arguments: [UInt64](1...40))
  func `events leave in the order of time, phase, target, source and sequence`(
    _ seed: UInt64
  ) throws {
    let events = crowdedEvents(200, seed: seed)
    #expect(try runLog(events) == canonical(events))
  }

  @Test(arguments: [UInt64](1...20))
  func `the order does not depend on how sources take turns in scheduling`(
    _ seed: UInt64
  ) throws {
    let events = crowdedEvents(120, seed: seed)
    // Each source keeps its own order; the sources come one after the other, last first.
    let bySource = (0..<5).reversed().flatMap { source in
      events.filter { $0.source == UInt32(source) }
    }
    #expect(bySource != events)
    #expect(try runLog(bySource) == canonical(events))
  }

  @Test func `arrivals come before timers and users, and sampling last, whatever else is equal`()
    throws
  {
    func event(_ label: UInt32, _ phase: Phase, _ target: UInt32) -> Handled {
      Handled(time: 5, phase: phase, target: target, source: 9 - target, label: label)
    }
    let log = try runLog([
      event(0, .observe, 0), event(1, .normal, 1), event(2, .arrival, 2), event(3, .observe, 1),
      event(4, .normal, 0), event(5, .arrival, 3),
    ])
    #expect(log.map(\.label) == [2, 5, 4, 1, 0, 3])
  }

  @Test func `extreme times and entity numbers keep the order`() throws {
    let last = Context<Recorder.Event>.entityLimit - 1
    let events = [
      Handled(time: .max, phase: .arrival, target: 0, source: 0, label: 0),
      Handled(time: .max - 1, phase: .observe, target: last, source: 70_000, label: 1),
      Handled(time: 0, phase: .normal, target: last, source: 0, label: 2),
      Handled(time: 0, phase: .normal, target: 0, source: 1, label: 3),
      Handled(time: 0, phase: .observe, target: 0, source: 0, label: 4),
      Handled(time: 1 << 40, phase: .normal, target: 1, source: 1, label: 5),
    ]
    #expect(try runLog(events).map(\.label) == [3, 2, 4, 5, 1, 0])
  }
}

struct `Cancelling` {
  private func event(_ label: UInt32, at time: Int64) -> Handled {
    Handled(time: time, phase: .normal, target: 0, source: 0, label: label)
  }

  @Test func `a cancelled event does not happen and can be cancelled once`() throws {
    var simulation = Simulation(Recorder())
    simulation.schedule(event(0, at: 1))
    let handle = simulation.schedule(event(1, at: 2))
    simulation.schedule(event(2, at: 3))
    let first = simulation.context.cancel(handle)
    let second = simulation.context.cancel(handle)
    #expect(first && !second)
    let summary = try simulation.run()
    #expect(summary.events == 2)
    #expect(simulation.world.log.map(\.label) == [0, 2])
    let late = simulation.context.cancel(handle)
    #expect(!late)
  }

  @Test func `the handle of no event and of a past event cancel nothing`() throws {
    var simulation = Simulation(Recorder())
    let none = simulation.context.cancel(.none)
    let past = simulation.schedule(event(0, at: 1))
    _ = try simulation.run()
    let afterwards = simulation.context.cancel(past)
    let noneAgain = simulation.context.cancel(.none)
    #expect(!none && !afterwards && !noneAgain)
  }

  @Test func `an old handle does not reach the event that took over its place`() throws {
    var simulation = Simulation(Recorder(), pendingEvents: 1)
    var old: [EventHandle] = []
    for label in 0..<1000 {
      let handle = simulation.schedule(event(UInt32(label), at: Int64(label)))
      for each in old.suffix(5) {
        let reached = simulation.context.cancel(each)
        #expect(!reached)
      }
      old.append(handle)
      _ = try simulation.run()
    }
    #expect(simulation.world.log.count == 1000)
    #expect(Set(old.map(\.slot)) == [0])
    #expect(Set(old.map(\.generation)).count == 1000)
  }

  @Test func `only events that will happen count as pending`() throws {
    var simulation = Simulation(Recorder())
    simulation.schedule(event(0, at: 1))
    let late = simulation.schedule(event(1, at: 100))
    let before = try simulation.run(until: Instant(nanoseconds: 50))
    #expect(before.hasPendingEvents)
    let isCancelled = simulation.context.cancel(late)
    #expect(isCancelled)
    let after = try simulation.run(until: Instant(nanoseconds: 50))
    #expect(!after.hasPendingEvents && after.events == 0)
  }
}

struct `The memory of the queue` {
  @Test(arguments: [0, 1, 2, 3, 64])
  func `it grows beyond its first capacity and keeps what it holds`(_ capacity: Int) throws {
    let events = crowdedEvents(5000, seed: 77)
    #expect(try runLog(events, pendingEvents: capacity) == canonical(events))
  }

  @Test func `nothing grows once the most pending events were reached`() throws {
    var simulation = Simulation(HoldWorld(), pendingEvents: 1)
    for source in 0..<1500 {
      simulation.schedule(
        .held, at: Instant(nanoseconds: Int64(source)), for: UInt32(source),
        source: UInt32(source))
    }
    _ = try simulation.run(until: Instant(nanoseconds: 10_000))
    let queue = simulation.context.queue.capacity
    let sequences = simulation.context.sequenceCapacity
    let addresses = (simulation.context.queue.heap, simulation.context.queue.entries)
    let summary = try simulation.run(until: Instant(nanoseconds: 2_000_000))
    #expect(summary.events > 1_000_000)
    #expect(simulation.context.queue.capacity == queue && queue >= 1500 && queue < 6000)
    #expect(simulation.context.sequenceCapacity == sequences && sequences >= 1500)
    #expect(simulation.context.queue.heap == addresses.0)
    #expect(simulation.context.queue.entries == addresses.1)
  }

  @Test func `sources with large numbers keep separate sequences`() throws {
    // The table of sequences grows on the way; each source's own order must survive it.
    var events: [Handled] = []
    for source: UInt32 in [0, 3, 5000, 0, 3, 100_000, 5000, 0, 1023, 1024] {
      for _ in 0..<3 {
        events.append(
          Handled(
            time: 1, phase: .normal, target: 7, source: source, label: UInt32(events.count)))
      }
    }
    #expect(try runLog(events) == canonical(events))
  }
}

/// Every event schedules another one and cancels one in two of them for a later one.
private struct HoldWorld: SimulatedWorld {
  enum Event: BitwiseCopyable, Sendable { case held }

  static func tag(of event: Event) -> UInt32 { 0 }
  static func name(ofTag tag: UInt32) -> StaticString { "event" }

  mutating func handle(_ event: Event, target: UInt32, in context: inout Context<Event>) {
    let ahead = Int64((target &* 2_654_435_761) >> 21)
    let first = context.schedule(.held, at: context.now + .nanoseconds(ahead + 1), for: target)
    if context.now.nanoseconds & 1 == 0 {
      context.cancel(first)
      context.schedule(.held, at: context.now + .nanoseconds(ahead + 2), for: target)
    }
  }
}
