import SlowTesting
import Statistics
import Testing

@testable import SimulationKernel

// docs/decisions/0003 and 0015: the queue by itself, against the sorted list of all its events.

/// What was done with a queue, one step after another; events are named by their number.
private struct QueueLog {
  enum Step {
    case push(Int)
    case pop(Int)
    case popNone
    case cancel(Int, wasPending: Bool)
  }

  struct Key {
    var time: Int64
    var upper, low, sequence: UInt32

    static func < (a: Key, b: Key) -> Bool {
      (a.time, a.upper, a.low, a.sequence) < (b.time, b.upper, b.low, b.sequence)
    }
  }

  var keys: [Key] = []
  var steps: [Step] = []

  /// How many steps were not what a sorted list of the pending events would have done.
  func faults() -> Int {
    let order = keys.indices.sorted { keys[$0] < keys[$1] }
    var ranks = [Int](repeating: 0, count: keys.count)
    for (rank, event) in order.enumerated() { ranks[event] = rank }
    var isPending = [Bool](repeating: false, count: keys.count)
    // No pending event has a rank below this.
    var least = 0
    var faults = 0
    for step in steps {
      switch step {
      case .push(let event):
        isPending[ranks[event]] = true
        least = min(least, ranks[event])
      case .cancel(let event, let wasPending):
        if isPending[ranks[event]] != wasPending { faults += 1 }
        isPending[ranks[event]] = false
      case .pop, .popNone:
        while least < isPending.count && !isPending[least] { least += 1 }
        let expected = least < isPending.count ? order[least] : nil
        if case .pop(let event) = step {
          if event != expected { faults += 1 }
          isPending[ranks[event]] = false
        } else if expected != nil {
          faults += 1
        }
      }
    }
    return faults
  }
}

/// How far ahead events are scheduled.
private enum Ahead: CaseIterable {
  /// Four instants, among them the present one.
  case crowded
  /// Evenly over a microsecond, a second or 30 days.
  case short, medium, long
  /// Delays of all magnitudes, up to ten hours.
  case wild
  /// Whole milliseconds, a third of them now.
  case ticks
  /// One instant for thousands of events.
  case together

  func time(after now: Int64, _ random: inout SplitMix64) -> Int64 {
    switch self {
    case .crowded: now + Int64(random.next(below: 4))
    case .short: now + Int64(random.next(below: 1_000))
    case .medium: now + Int64(random.next(below: 1_000_000_000))
    case .long: now + Int64(random.next(below: 30 * 86_400)) * 1_000_000_000
    case .wild:
      random.next(below: 1_000) == 0
        ? now + 1 << 45
        : now + Int64(random.next(below: 1 << random.next(below: 40)))
    case .ticks:
      (now / 1_000_000 + Int64(max(0, random.next(below: 30) - 10))) * 1_000_000 < now
        ? now : (now / 1_000_000 + Int64(random.next(below: 20) + 1)) * 1_000_000
    case .together: (now / 1_000_000 + 1) * 1_000_000
    }
  }
}

struct `The event queue by itself` {
  /// 7 ways of scheduling times 2 orders of ties times 120,000 steps.
  @Test(arguments: Ahead.allCases, [false, true])
  private func `it gives out what a sorted list would, with ties and cancels`(
    _ ahead: Ahead, _ isShuffled: Bool
  ) {
    var random = SplitMix64(seed: isShuffled ? 41 : 40)
    var queue = EventQueue<UInt32>(capacity: 1, isShuffled: isShuffled)
    var counters: [UInt32] = [0, 0, 0]
    var log = QueueLog()
    var handles: [EventHandle] = []
    var now: Int64 = 0
    var pushes = 50
    var mostPending = 0
    for step in 0..<SlowRun.count(30_000, slow: 120_000) {
      // Up to thousands of events and down to none, several times.
      if step % 6_000 == 0 { pushes = [45, 80, 20, 60, 10][step / 6_000 % 5] }
      mostPending = max(mostPending, queue.liveCount)
      let draw = random.next(below: 100)
      if draw < pushes {
        let event = log.keys.count
        let (target, source) = (UInt32(random.next(below: 5)), UInt32(random.next(below: 5)))
        let key = QueueLog.Key(
          time: ahead.time(after: now, &random),
          upper: UInt32(random.next(below: 3)) << 30
            | (isShuffled ? UInt32(random.next(below: 3)) : target),
          low: isShuffled ? target : source, sequence: UInt32(event))
        log.keys.append(key)
        log.steps.append(.push(event))
        handles.append(
          queue.push(
            UInt32(event), time: key.time, upper: key.upper, sequence: key.sequence,
            target: target, source: source))
      } else if draw < 90 {
        if let event = pop(&queue, &counters) {
          now = log.keys[event].time
          log.steps.append(.pop(event))
        } else {
          log.steps.append(.popNone)
        }
      } else if !handles.isEmpty {
        let recent = min(handles.count, 400)
        let event = handles.count - 1 - random.next(below: recent)
        log.steps.append(.cancel(event, wasPending: queue.cancel(handles[event])))
      }
    }
    while let event = pop(&queue, &counters) { log.steps.append(.pop(event)) }
    #expect(queue.liveCount == 0 && queue.firstTime == nil)
    #expect(queue.freeCount == queue.used, "every place was given back")
    #expect(log.faults() == 0)
    // Not vacuous: the heap was cut into buckets, and there were cancels of both kinds.
    #expect(mostPending > 10 * queue.spillLimit)
    #expect(log.steps.contains { if case .cancel(_, true) = $0 { true } else { false } })
    #expect(log.steps.contains { if case .cancel(_, false) = $0 { true } else { false } })
  }

  /// The next event that was not cancelled.
  private func pop(_ queue: inout EventQueue<UInt32>, _ counters: inout [UInt32]) -> Int? {
    counters.withUnsafeMutableBufferPointer { counters in
      guard let base = counters.baseAddress else { return nil }
      while queue.prepare(base, counters.count) {
        let key = queue.first
        let entry = queue.entries[key.slot]
        #expect(queue.firstTime == key.time)
        queue.removeFirst()
        if entry.isLive { return Int(entry.event) }
      }
      return nil
    }
  }

  @Test func `events far from one another in time pass through every rung`() {
    var queue = EventQueue<UInt32>(capacity: 1, isShuffled: false)
    var counters: [UInt32] = [0]
    var times: [Int64] = []
    for power in 0..<62 {
      for offset in 0..<100 { times.append(1 << Int64(power) + Int64(offset)) }
    }
    for (event, time) in times.enumerated() {
      _ = queue.push(
        UInt32(event), time: time, upper: 1 << 30, sequence: UInt32(event), target: 0, source: 0)
    }
    var popped: [Int64] = []
    while let event = pop(&queue, &counters) { popped.append(times[event]) }
    #expect(popped == times.sorted())
  }

  @Test func `a large queue keeps the order, ties and cancels included`() {
    var random = SplitMix64(seed: 12)
    var queue = EventQueue<UInt32>(capacity: 1, isShuffled: false)
    var counters: [UInt32] = [0]
    var log = QueueLog()
    var now: Int64 = 0
    for step in 0..<500_000 {
      let event = log.keys.count
      let target = UInt32(random.next(below: 3))
      let key = QueueLog.Key(
        time: now + Int64(random.next(below: 100_000)), upper: 1 << 30 | target, low: 0,
        sequence: UInt32(event))
      log.keys.append(key)
      log.steps.append(.push(event))
      let handle = queue.push(
        UInt32(event), time: key.time, upper: key.upper, sequence: key.sequence, target: target,
        source: 0)
      if step % 7 == 0 { log.steps.append(.cancel(event, wasPending: queue.cancel(handle))) }
      if queue.liveCount > 2 * EventQueue<UInt32>.largeCount, let least = pop(&queue, &counters) {
        now = log.keys[least].time
        log.steps.append(.pop(least))
      }
    }
    #expect(now > 0, "events were taken while the queue was large")
    while let least = pop(&queue, &counters) { log.steps.append(.pop(least)) }
    #expect(log.faults() == 0)
  }

  /// Each event schedules the next; every queue of steady size stops growing.
  @Test(arguments: [100, 1_000, 20_000])
  func `nothing is allocated for events once the queue has been this full`(_ pending: Int) {
    var random = SplitMix64(seed: 9)
    var queue = EventQueue<UInt32>(capacity: pending, isShuffled: false)
    var counters: [UInt32] = [0]
    var now: Int64 = 0
    var sequence: UInt32 = 0
    func push(_ queue: inout EventQueue<UInt32>) {
      let ahead = Int64(random.next(below: 1 << random.next(below: 30)))
      _ = queue.push(
        sequence, time: now + ahead, upper: 1 << 30, sequence: sequence, target: 0, source: 0)
      sequence += 1
    }
    for _ in 0..<pending { push(&queue) }
    func hold(_ count: Int) {
      for _ in 0..<count {
        counters.withUnsafeMutableBufferPointer { counters in
          _ = queue.prepare(counters.baseAddress!, counters.count)
        }
        now = Int64(queue.first.time)
        queue.removeFirst()
        push(&queue)
      }
    }
    hold(30 * pending)
    let before = (
      queue.heapCapacity, queue.capacity, queue.ladder.blockCapacity, queue.ladder.rungCapacity
    )
    hold(30 * pending)
    #expect(before.0 == queue.heapCapacity && before.1 == queue.capacity)
    #expect(before.2 == queue.ladder.blockCapacity && before.3 == queue.ladder.rungCapacity)
    #expect(queue.capacity == pending)
  }
}
