import BenchBaselines
import Foundation
import MediaUnits
import SimulationKernel

/// The hold model: with N events pending, take the earliest and schedule a new one, again and again
/// (D. Jones, "An empirical comparison of priority-queue and event-set implementations", CACM
/// 29(4), 1986, DOI 10.1145/5684.5686).
///
/// The baseline is C++'s std::priority_queue built beside it at -O2, with the same order (time,
/// phase, target, source, sequence), payload, entities and delays: a plain one of events, and one
/// of 24-byte keys with payloads in a slab, which is faster when there are many. The kernel does
/// more: it can cancel, makes a fingerprint and counts the events of an instant.
enum HoldBenchmark {
  static let holds = 1_000_000

  private enum Form: Int32 {
    case events = 0
    case keys = 1

    var baseline: String {
      switch self {
      case .events: "std::priority_queue of events, C++ -O2"
      case .keys: "std::priority_queue of keys, C++ -O2"
      }
    }
  }

  static func measure(into sheet: inout BenchmarkSheet) {
    for law in DelayLaw.allCases {
      for pending in [1_000, 100_000, 1_000_000] {
        let name = "\(law.rawValue)/\(pending)"
        sheet.rows.append(row("queue/" + name, law, .events, pending: pending))
        sheet.rows.append(row("queue-slab/" + name, law, .keys, pending: pending))
      }
    }
    sheet.rows.append(
      row(
        "queue/state/1000000", .exponential, .events, pending: 1_000_000, touchesState: true))
  }

  private static func row(
    _ name: String, _ law: DelayLaw, _ form: Form, pending: Int, touchesState: Bool = false
  ) -> BenchmarkRow {
    let delays = law.delays()
    return delays.withUnsafeBufferPointer { delays in
      var simulation = Simulation(
        HoldWorld(delays, entities: pending, touchesState: touchesState),
        pendingEvents: pending)
      for index in 0..<pending {
        let entity = UInt32(index)
        simulation.schedule(
          HoldWorld.Event(first: UInt64(index), second: 0),
          at: Instant(nanoseconds: simulation.world.delay()), for: entity, source: entity)
      }
      let hold = bench_hold_make(
        form.rawValue, touchesState ? 1 : 0, UInt64(pending), UInt64(pending),
        delays.baseAddress, UInt64(delays.count - 1))
      defer { bench_hold_free(hold) }
      // Each call of either side handles the same events; the sums tell.
      var theirs: [UInt64] = []
      var ours: [UInt64] = []
      let result = BenchmarkRow(
        name, unit: "events/s", units: Double(holds), against: form.baseline,
        { theirs.append(bench_hold_run(hold, UInt64(holds))) },
        subject: {
          simulation.world.begin(holds)
          do {
            let summary = try simulation.run()
            precondition(summary.events == UInt64(holds), "\(summary.events) events were handled")
          } catch {
            preconditionFailure("the hold model met a limit: \(error)")
          }
          ours.append(simulation.world.sum)
        })
      precondition(theirs == ours, "\(name): the two sides did not handle the same events")
      Stopwatch.keep(simulation.fingerprint.value)
      return result
    }
  }
}

/// How far ahead the hold model schedules; both sides take the same numbers in turn.
private enum DelayLaw: String, CaseIterable {
  /// A second on average.
  case exponential
  /// Half timers of a millisecond, four in ten of 100 ms, one in ten of 3 s, all exponential; a
  /// tenth of each on the whole millisecond below.
  case mixed

  func delays() -> [Int64] {
    var random = SplitMix64(seed: 5)
    func exponential() -> Double { -log((Double(random.next() >> 11) + 0.5) * 0x1p-53) }
    return (0..<1 << 18).map { _ in
      switch self {
      case .exponential: return Int64(exponential() * 1e9)
      case .mixed:
        let kind = random.next() % 100
        let delay = Int64(exponential() * (kind < 50 ? 1e6 : kind < 90 ? 1e8 : 3e9))
        return random.next() % 10 == 0 ? delay / 1_000_000 * 1_000_000 : delay
      }
    }
  }
}

/// Schedules one event for each that it handles.
private struct HoldWorld: SimulatedWorld {
  struct Event: BitwiseCopyable, Sendable {
    var first, second: UInt64
  }

  /// A cache line of an entity.
  struct State {
    var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
      (0, 0, 0, 0, 0, 0, 0, 0)

    @inline(__always)
    mutating func add(_ value: UInt64) {
      words.0 &+= value
      words.1 &+= value
      words.2 &+= value
      words.3 &+= value
      words.4 &+= value
      words.5 &+= value
      words.6 &+= value
      words.7 &+= value
    }
  }

  private let delays: UnsafeBufferPointer<Int64>
  private var place = 0
  private var random = SplitMix64(seed: 3)
  private var states: [State]
  private var left = 0
  /// Over times and targets, in order.
  private(set) var sum: UInt64 = 0

  init(_ delays: UnsafeBufferPointer<Int64>, entities: Int, touchesState: Bool) {
    self.delays = delays
    states = [State](repeating: State(), count: touchesState ? entities : 0)
  }

  static func tag(of event: Event) -> UInt32 { UInt32(truncatingIfNeeded: event.first & 15) }
  static func name(ofTag tag: UInt32) -> StaticString { "event" }

  mutating func delay() -> Int64 {
    place += 1
    return delays[(place - 1) & (delays.count - 1)]
  }

  mutating func begin(_ holds: Int) {
    left = holds
    sum = 0
  }

  mutating func handle(_ event: Event, target: UInt32, in context: inout Context<Event>) {
    left -= 1
    if left == 0 { context.stop() }
    sum = sum &* 31 &+ UInt64(bitPattern: context.now.nanoseconds) &+ UInt64(target)
    var next = target
    if !states.isEmpty {
      states[Int(target)].add(event.first)
      next = UInt32(truncatingIfNeeded: ((random.next() >> 32) * UInt64(states.count)) >> 32)
    }
    context.schedule(event, at: context.now + .nanoseconds(delay()), for: next)
  }
}
