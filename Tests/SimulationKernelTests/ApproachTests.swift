import MediaUnits
import SimulationKernel
import Statistics
import Testing

// Issue 8: a world of many viewers hears in advance which events come (docs/decisions/0020).

/// Writes down which events are named and which are handled.
private struct Listener: SimulatedWorld {
  enum Note: Equatable {
    case named(UInt32, Nearness)
    case handled(UInt32)
  }

  var notes: [Note] = []

  static func tag(of event: UInt32) -> UInt32 { event % 8 }
  static func name(ofTag tag: UInt32) -> StaticString { "event" }

  mutating func handle(_ event: UInt32, target: UInt32, in context: inout Context<UInt32>) {
    notes.append(.handled(event))
  }

  mutating func approach(_ event: UInt32, _ nearness: Nearness) {
    notes.append(.named(event, nearness))
  }
}

/// A run of so many events at times of their own.
private func listened(_ count: Int, seed: UInt64) throws -> [Listener.Note] {
  var random = SplitMix64(seed: seed)
  var simulation = Simulation(Listener())
  for event in 0..<count {
    let time = Int64(random.next(below: 1 << 40)) * Int64(count) + Int64(event)
    simulation.schedule(
      UInt32(event), at: Instant(nanoseconds: time), for: UInt32(event), source: 0)
  }
  _ = try simulation.run()
  return simulation.world.notes
}

struct `Events are named before they come` {
  @Test(arguments: [1, 2, 3, 50, 5000], [UInt64](1...4))
  func `the next one and the one after that are what comes`(_ count: Int, _ seed: UInt64) throws {
    let notes = try listened(count, seed: seed)
    var handled: [UInt32] = []
    // By what had been handled when they were named.
    var next: [Int: UInt32] = [:]
    var second: [Int: UInt32] = [:]
    for note in notes {
      switch note {
      case .handled(let event): handled.append(event)
      case .named(let event, .next): next[handled.count] = event
      case .named(let event, .second): second[handled.count] = event
      default: break
      }
    }
    #expect(handled.count == count && Set(handled).count == count)
    // They are named before the event that is due is handled.
    for (place, event) in next { #expect(handled[place + 1] == event) }
    for (place, event) in second { #expect(handled[place + 2] == event) }
    // Only the last of a batch has nobody after it.
    #expect(next.count >= (count - 1) * 9 / 10 && second.count >= (count - 2) * 8 / 10)
  }

  @Test(arguments: [UInt64](1...4))
  func `a batch is named twice, as a whole, before any of it is handled`(_ seed: UInt64) throws {
    let notes = try listened(5000, seed: seed)
    var soon: [UInt32] = []
    var near: [UInt32] = []
    var isOpen: Set<UInt32> = []
    var batches = 0
    for note in notes {
      switch note {
      case .named(let event, .soon):
        // The batch before is over.
        if !near.isEmpty {
          #expect(isOpen.isEmpty)
          (soon, near) = ([], [])
          batches += 1
        }
        soon.append(event)
      case .named(let event, .near):
        near.append(event)
        #expect(near.count <= soon.count && soon[near.count - 1] == event)
        isOpen.insert(event)
      case .named(let event, _):
        // Before the first batch the front has what was scheduled into it.
        if !near.isEmpty { #expect(isOpen.contains(event)) }
      case .handled(let event):
        if near.isEmpty { continue }
        #expect(near.count == soon.count)
        #expect(isOpen.remove(event) != nil, "\(event) was named")
      }
    }
    #expect(batches > 100)
  }
}
