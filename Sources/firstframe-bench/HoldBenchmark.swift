import Foundation
import MediaUnits
import SimulationKernel

/// The hold model: with N events pending, take the earliest and schedule a new one, again and again
/// (D. Jones, "An empirical comparison of priority-queue and event-set implementations", CACM
/// 29(4), 1986, DOI 10.1145/5684.5686). Delays are uniform in 1...2^20 ns.
enum HoldBenchmark {
  static let holds = 1_000_000

  /// Prints the table and returns the kernel's events per second at 1,000 pending.
  static func report() -> Double {
    print("\nkernel, hold model: million events/s against a binary heap of (time, number) keys")
    print("(baseline: a Swift array in this program; no payload, phases, cancels or fingerprint)")
    print("   pending     kernel   baseline      ratio")
    var first = 0.0
    for pending in [1_000, 100_000, 1_000_000] {
      let kernel = kernelRate(pending)
      let plain = plainRate(pending)
      if first == 0 { first = kernel }
      print(
        String(
          format: "%10d %10.2f %10.2f %10.2f", pending, kernel / 1e6, plain / 1e6, kernel / plain))
    }
    return first
  }

  private static func kernelRate(_ pending: Int) -> Double {
    var simulation = Simulation(HoldWorld(), pendingEvents: pending + 1)
    var random = SplitMix64(seed: 1)
    for index in 0..<pending {
      let entity = UInt32(index & 0xFFFF)
      simulation.schedule(
        HoldWorld.Event(first: UInt64(index), second: 0),
        at: Instant(nanoseconds: HoldWorld.delay(&random)), for: entity, source: entity)
    }
    func run() {
      simulation.world.left = holds
      do {
        let summary = try simulation.run()
        precondition(summary.events == UInt64(holds), "\(summary.events) events were handled")
      } catch {
        preconditionFailure("the hold model met a limit: \(error)")
      }
    }
    let rate = Stopwatch.rate(units: holds, run)
    Stopwatch.keep(simulation.fingerprint.value)
    return rate
  }

  private static func plainRate(_ pending: Int) -> Double {
    var heap = PlainHeap(capacity: pending + 1)
    var random = SplitMix64(seed: 1)
    var number: UInt64 = 0
    for _ in 0..<pending {
      heap.push(PlainHeap.Key(time: HoldWorld.delay(&random), number: number))
      number += 1
    }
    let rate = Stopwatch.rate(units: holds) {
      for _ in 0..<holds {
        let earliest = heap.pop()
        heap.push(PlainHeap.Key(time: earliest.time + HoldWorld.delay(&random), number: number))
        number += 1
      }
    }
    Stopwatch.keep(number)
    return rate
  }
}

/// Schedules one event for each that it handles.
private struct HoldWorld: SimulatedWorld {
  struct Event: BitwiseCopyable, Sendable {
    var first, second: UInt64
  }

  var random = SplitMix64(seed: 2)
  var left = 0

  static func tag(of event: Event) -> UInt32 { UInt32(truncatingIfNeeded: event.first & 15) }

  static func delay(_ random: inout SplitMix64) -> Int64 {
    Int64(random.next() >> 44) + 1
  }

  mutating func handle(_ event: Event, target: UInt32, in context: inout Context<Event>) {
    left -= 1
    if left == 0 { context.stop() }
    let ahead = TimeSpan.nanoseconds(HoldWorld.delay(&random))
    context.schedule(event, at: context.now + ahead, for: target)
  }
}

/// What a first version of a simulator would use: keys only, no payload.
private struct PlainHeap {
  struct Key {
    var time: Int64
    var number: UInt64

    static func < (a: Key, b: Key) -> Bool {
      a.time != b.time ? a.time < b.time : a.number < b.number
    }
  }

  private var keys: [Key] = []

  init(capacity: Int) { keys.reserveCapacity(capacity) }

  mutating func push(_ key: Key) {
    keys.append(key)
    var hole = keys.count - 1
    while hole > 0 {
      let parent = (hole - 1) / 2
      if !(key < keys[parent]) { break }
      keys[hole] = keys[parent]
      hole = parent
    }
    keys[hole] = key
  }

  mutating func pop() -> Key {
    let earliest = keys[0]
    let moved = keys.removeLast()
    if keys.isEmpty { return earliest }
    var hole = 0
    while true {
      var child = 2 * hole + 1
      if child >= keys.count { break }
      if child + 1 < keys.count && keys[child + 1] < keys[child] { child += 1 }
      if !(keys[child] < moved) { break }
      keys[hole] = keys[child]
      hole = child
    }
    keys[hole] = moved
    return earliest
  }
}
