import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private func item(_ index: Int) -> ItemID { ItemID(UInt32(index)) }

/// A policy at item `current` of a feed of 100 with enough buffer, and what it commanded by then.
private func policy(
  at current: Int = 10, _ configuration: PrefetchPolicy.Configuration = .init()
) -> PrefetchPolicy {
  var policy = PrefetchPolicy(configuration)
  _ = commands(of: .feedMoved(current: item(current), last: item(99)), from: &policy)
  return policy
}

private let full = PrefetchPolicy.Event.bufferChanged(ahead: .seconds(4), isComplete: false)
private let six = TimeSpan.seconds(6)
private let two = TimeSpan.seconds(2)

struct `Prefetch time lines` {
  // SIG-023
  @Test func `nothing starts before the current item has its buffer`() {
    var policy = policy()
    let short = TimeSpan.seconds(4) - .nanoseconds(1)
    #expect(commands(of: .bufferChanged(ahead: short, isComplete: false), from: &policy) == [])
    #expect(
      commands(of: full, from: &policy) == [
        .start(item(11), length: six, .next), .start(item(12), length: two, .further),
      ])
  }

  @Test func `a short current item that is complete does not hold the rest up`() {
    var policy = policy()
    #expect(
      commands(of: .bufferChanged(ahead: .seconds(1), isComplete: true), from: &policy) == [
        .start(item(11), length: six, .next), .start(item(12), length: two, .further),
      ])
  }

  // VF-023
  @Test func `a place that becomes free goes to the next in order`() {
    var policy = policy()
    _ = commands(of: full, from: &policy)
    #expect(commands(of: .targetReached(item(11), two), from: &policy) == [])
    #expect(
      commands(of: .targetReached(item(11), six), from: &policy) == [
        .start(item(13), length: two, .further)
      ])
    #expect(commands(of: .targetReached(item(12), two), from: &policy) == [])
    #expect(policy.starts == 3)
    #expect(policy.reached == 2)
    #expect(policy.active == 1)
  }

  // VF-027
  @Test func `the item that becomes current is neither cancelled nor started again`() {
    var policy = policy(at: 10, .init(concurrency: 1))
    _ = commands(of: full, from: &policy)
    #expect(policy.isActive(item(11)))
    #expect(commands(of: .feedMoved(current: item(11), last: item(99)), from: &policy) == [])
    #expect(policy.active == 0)
    #expect(commands(of: full, from: &policy) == [.start(item(12), length: six, .next)])
    #expect(policy.cancels == 0)
  }

  @Test func `an item that moves up gets a longer start in its place`() {
    var policy = policy(at: 10, .init(concurrency: 2))
    _ = commands(of: full, from: &policy)
    _ = commands(of: .feedMoved(current: item(11), last: item(99)), from: &policy)
    #expect(policy.active == 1)
    #expect(
      commands(of: full, from: &policy) == [
        .start(item(12), length: six, .next), .start(item(13), length: two, .further),
      ])
    #expect(policy.active == 2)
    // The old, shorter target is no longer the end of the fetch.
    #expect(commands(of: .targetReached(item(12), two), from: &policy) == [])
    #expect(policy.active == 2)
  }

  @Test func `what an item holds already counts`() {
    var policy = policy()
    _ = commands(of: .targetReached(item(11), six), from: &policy)
    _ = commands(of: .targetReached(item(12), .seconds(1)), from: &policy)
    #expect(
      commands(of: full, from: &policy) == [
        .start(item(12), length: two, .further), .start(item(13), length: two, .further),
      ])
  }

  // VF-024
  @Test func `fetches outside the window are cancelled when the feed moves`() {
    var policy = policy()
    _ = commands(of: full, from: &policy)
    #expect(
      commands(of: .feedMoved(current: item(50), last: item(99)), from: &policy) == [
        .cancel(item(11)), .cancel(item(12)),
      ])
    #expect(policy.active == 0)
    // A late answer to a cancelled fetch frees no place twice.
    _ = commands(of: .targetReached(item(11), six), from: &policy)
    _ = commands(of: .itemFailed(item(12)), from: &policy)
    #expect(policy.active == 0)
    #expect(policy.reached == 0)
    #expect(policy.ignored == 1)
    #expect(policy.held(of: item(11)) == six)
  }

  @Test func `a failed item frees its place and waits for the feed to move`() {
    var policy = policy(at: 10, .init(concurrency: 1))
    _ = commands(of: full, from: &policy)
    #expect(
      commands(of: .itemFailed(item(11)), from: &policy) == [
        .start(item(12), length: two, .further)
      ])
    #expect(
      commands(of: .targetReached(item(12), two), from: &policy) == [
        .start(item(13), length: two, .further)
      ])
    #expect(commands(of: .targetReached(item(13), two), from: &policy) == [])
    // The same item again is a request to try again; its buffer is still known.
    #expect(
      commands(of: .feedMoved(current: item(10), last: item(99)), from: &policy) == [
        .start(item(11), length: six, .next)
      ])
  }

  // SIG-024, SIG-025
  @Test func `the previous item comes last, when the throughput allows and the next is warm`() {
    var policy = policy(at: 10, .init(itemsAhead: 1))
    _ = commands(of: .throughputChanged(.kilobits(3_299), bitrate: .kilobits(1_100)), from: &policy)
    #expect(commands(of: full, from: &policy) == [.start(item(11), length: six, .next)])
    #expect(commands(of: .targetReached(item(11), six), from: &policy) == [])
    #expect(
      commands(
        of: .throughputChanged(.kilobits(3_300), bitrate: .kilobits(1_100)), from: &policy) == [
          .start(item(9), length: two, .previous)
        ])
    // A throughput that falls again starts nothing more and cancels nothing.
    #expect(
      commands(of: .throughputChanged(.kilobits(100), bitrate: .kilobits(1_100)), from: &policy)
        == [])
    #expect(policy.isActive(item(9)))
  }

  @Test func `the previous item waits while the next one is being fetched`() {
    var policy = policy(at: 10, .init(itemsAhead: 1))
    _ = commands(of: .throughputChanged(.megabits(50), bitrate: .megabits(1)), from: &policy)
    #expect(commands(of: full, from: &policy) == [.start(item(11), length: six, .next)])
    #expect(
      commands(of: .itemFailed(item(11)), from: &policy) == [
        .start(item(9), length: two, .previous)
      ])
  }

  @Test func `a buffer that falls holds new starts only`() {
    var policy = policy(at: 10, .init(concurrency: 1))
    _ = commands(of: full, from: &policy)
    #expect(commands(of: .bufferChanged(ahead: .zero, isComplete: false), from: &policy) == [])
    #expect(commands(of: .targetReached(item(11), six), from: &policy) == [])
    #expect(commands(of: full, from: &policy) == [.start(item(12), length: two, .further)])
  }

  @Test func `the end of the feed is respected until the feed grows`() {
    var policy = PrefetchPolicy(.init())
    _ = commands(of: .feedMoved(current: item(10), last: item(10)), from: &policy)
    #expect(commands(of: full, from: &policy) == [])
    #expect(
      commands(of: .feedExtended(last: item(11)), from: &policy) == [
        .start(item(11), length: six, .next)
      ])
  }

  @Test(arguments: [
    PrefetchPolicy.Configuration(headLength: .zero), .init(itemsAhead: 0), .init(concurrency: 0),
  ])
  func `each way of turning prefetch off works`(configuration: PrefetchPolicy.Configuration) {
    var policy = policy(at: 10, configuration)
    #expect(commands(of: full, from: &policy) == [])
    #expect(commands(of: .feedExtended(last: item(500)), from: &policy) == [])
    #expect(policy.starts == 0)
  }
}

/// Each state of one item against each event about it: the state after, and the commands.
struct `Prefetch state table` {
  enum State: String, CaseIterable { case unknown, held, fetching, failed, promoted, cancelled }

  /// Item 11 in the state, with item 10 current (11 when promoted, 50 when cancelled), one place,
  /// and only the next item considered.
  static func policy(in state: State) -> PrefetchPolicy {
    var policy = PrefetchPolicy(.init(itemsAhead: 1, concurrency: 1))
    _ = commands(of: .feedMoved(current: item(10), last: item(99)), from: &policy)
    switch state {
    case .unknown: break
    case .held: _ = commands(of: .targetReached(item(11), six), from: &policy)
    case .fetching, .failed, .promoted, .cancelled: _ = commands(of: full, from: &policy)
    }
    switch state {
    case .unknown, .held, .fetching: break
    case .failed: _ = commands(of: .itemFailed(item(11)), from: &policy)
    case .promoted:
      _ = commands(of: .feedMoved(current: item(11), last: item(99)), from: &policy)
    case .cancelled:
      _ = commands(of: .feedMoved(current: item(50), last: item(99)), from: &policy)
    }
    return policy
  }

  struct Answer: Equatable {
    var commands: [PrefetchPolicy.Command]
    var active: Int
    var ignored: Int
  }

  static let events: [PrefetchPolicy.Event] = [
    .targetReached(item(11), two), .targetReached(item(11), six), .itemFailed(item(11)),
    full, .feedMoved(current: item(10), last: item(99)),
    .feedMoved(current: item(11), last: item(99)), .feedExtended(last: item(99)),
  ]

  static func expected(_ state: State) -> [Answer] {
    let start = [PrefetchPolicy.Command.start(item(11), length: six, .next)]
    func answer(_ commands: [PrefetchPolicy.Command], _ active: Int, _ ignored: Int) -> Answer {
      Answer(commands: commands, active: active, ignored: ignored)
    }
    let quiet = answer([], 0, 0)
    let ignored = answer([], 0, 1)
    switch state {
    case .unknown: return [quiet, quiet, ignored, answer(start, 1, 0), quiet, quiet, ignored]
    case .held: return [ignored, ignored, ignored, quiet, quiet, quiet, ignored]
    case .fetching:
      return [
        answer([], 1, 0), quiet, quiet, answer([], 1, 0), answer([], 1, 0), quiet,
        answer([], 1, 1),
      ]
    case .failed:
      // The same item again tries again: the buffer of item 10 is still known.
      return [quiet, quiet, ignored, quiet, answer(start, 1, 0), quiet, ignored]
    case .promoted:
      let next = answer([.start(item(12), length: six, .next)], 1, 0)
      return [quiet, quiet, ignored, next, quiet, quiet, ignored]
    case .cancelled:
      let next = answer([.start(item(51), length: six, .next)], 1, 0)
      return [quiet, quiet, ignored, next, quiet, quiet, ignored]
    }
  }

  @Test(arguments: State.allCases)
  func `every event has its exact answer`(in state: State) {
    let expected = Self.expected(state)
    for (index, event) in Self.events.enumerated() {
      var policy = Self.policy(in: state)
      let before = policy.ignored
      let found = commands(of: event, from: &policy)
      let answer = Answer(
        commands: found, active: policy.active, ignored: policy.ignored - before)
      #expect(answer == expected[index], "\(state) × \(event)")
    }
  }
}

/// The rules once more, written as slowly as possible: what may be started, and what must be.
private struct PrefetchOracle {
  let configuration: PrefetchPolicy.Configuration
  var current: Int?
  var last = 0
  var isBuffered = false
  var throughput = 0.0
  var bitrate = 0.0
  var held: [Int: TimeSpan] = [:]
  var active: [Int: TimeSpan] = [:]
  var failed: Set<Int> = []

  func target(_ item: Int) -> TimeSpan? {
    guard let current, configuration.headLength > .zero else { return nil }
    if item == current - 1 && item >= 0 {
      let isRich = bitrate > 0 && throughput >= configuration.previousThreshold * bitrate
      return isRich ? configuration.previousLength : nil
    }
    if item <= current || item > current + configuration.itemsAhead || item > last { return nil }
    return item == current + 1 ? configuration.headLength : configuration.furtherLength
  }

  /// Items in order of urgency.
  var order: [Int] {
    guard let current else { return [] }
    return (0..<configuration.itemsAhead).map { current + 1 + $0 } + [current - 1]
  }

  func needs(_ item: Int) -> Bool {
    guard let target = target(item), !failed.contains(item) else { return false }
    return held[item, default: .zero] < target && active[item, default: .zero] < target
  }

  /// The first item that should be fetched and is not, and for which there is a place.
  var waiting: Int? {
    guard isBuffered, let current else { return nil }
    for item in order where needs(item) {
      if item == current - 1 {
        let next = current + 1
        if let target = target(next), !failed.contains(next), held[next, default: .zero] < target {
          return nil
        }
      }
      return active[item] != nil || active.count < configuration.concurrency ? item : nil
    }
    return nil
  }

  mutating func take(_ event: PrefetchPolicy.Event) {
    switch event {
    case .feedMoved(let item, let end):
      if current != Int(item.index) { isBuffered = configuration.pauseBelowBuffer <= .zero }
      current = Int(item.index)
      last = max(last, Int(end.index), Int(item.index))
      failed = []
      active[Int(item.index)] = nil
    case .feedExtended(let end): last = max(last, Int(end.index))
    case .bufferChanged(let ahead, let isComplete):
      isBuffered = isComplete || ahead >= configuration.pauseBelowBuffer
    case .throughputChanged(let rate, let needed):
      throughput = Double(rate.bitsPerSecond)
      bitrate = Double(needed.bitsPerSecond)
    case .targetReached(let item, let length):
      let index = Int(item.index)
      held[index] = max(held[index, default: .zero], length)
      if let wanted = active[index], length >= wanted { active[index] = nil }
    case .itemFailed(let item):
      if active.removeValue(forKey: Int(item.index)) != nil { failed.insert(Int(item.index)) }
    default: break
    }
  }
}

private func prefetchLog(_ seed: UInt64, length: Int)
  -> [(now: Instant, event: PrefetchPolicy.Event)]
{
  var generator = SeededGenerator(seed)
  var log: [(now: Instant, event: PrefetchPolicy.Event)] = []
  var position = 0
  var last = 6
  for step in 0..<length {
    let near = item(max(0, position + generator.below(7) - 2))
    let event: PrefetchPolicy.Event
    switch generator.below(16) {
    case 0, 1:
      position = max(0, position + generator.below(5) - 1)
      last = max(last, position)
      event = .feedMoved(current: item(position), last: item(last))
    case 2:
      last += generator.below(3)
      event = .feedExtended(last: item(last - generator.below(2)))
    case 3...6:
      event = .bufferChanged(
        ahead: .seconds(Int64(generator.below(8))), isComplete: generator.once(in: 6))
    case 7:
      event = .throughputChanged(
        .kilobits(Int64(generator.below(5_000))), bitrate: .kilobits(Int64(generator.below(1_500))))
    case 8: event = .itemFailed(near)
    default: event = .targetReached(near, .seconds(Int64(generator.below(4)) * 2))
    }
    log.append((Instant(nanoseconds: Int64(step)), event))
  }
  return log
}

struct `Prefetch properties` {
  static let configurations: [PrefetchPolicy.Configuration] = [
    .init(), .init(concurrency: 1), .init(itemsAhead: 6, concurrency: 4),
    .init(itemsAhead: 1, previousThreshold: 1), .init(headLength: two, concurrency: 3),
    .init(itemsAhead: 2, previousThreshold: 0, concurrency: 6, pauseBelowBuffer: .zero),
  ]

  // SIG-023, SIG-024, VF-023, VF-024, VF-027
  @Test(arguments: Array(0..<60 as Range<UInt64>))
  func `any order of events agrees with the rules`(seed: UInt64) {
    let configuration = Self.configurations[Int(seed) % Self.configurations.count]
    var policy = PrefetchPolicy(configuration)
    var oracle = PrefetchOracle(configuration: configuration)
    for entry in prefetchLog(seed, length: 400) {
      let before = oracle.active
      oracle.take(entry.event)
      for command in commands(of: entry.event, from: &policy) {
        switch command {
        case .cancel(let item):
          let index = Int(item.index)
          #expect(before[index] != nil, "seed \(seed): \(index) was not being fetched")
          #expect(oracle.target(index) == nil, "seed \(seed): \(index) is still wanted")
          #expect(oracle.current != index, "seed \(seed): the current item was cancelled")
          oracle.active[index] = nil
        case .start(let item, let length, let priority):
          let index = Int(item.index)
          #expect(oracle.waiting == index, "seed \(seed): \(index) was not the first to wait")
          #expect(oracle.target(index) == length, "seed \(seed)")
          let offset = index - (oracle.current ?? 0)
          #expect(priority == (offset == 1 ? .next : offset < 0 ? .previous : .further))
          oracle.active[index] = length
        case .warm, .suspend, .limitBuffer: Issue.record("seed \(seed): not of this family")
        }
      }
      #expect(oracle.waiting == nil, "seed \(seed): an item waits although there is a place")
      #expect(policy.active == oracle.active.count, "seed \(seed)")
      #expect(policy.active <= configuration.concurrency, "seed \(seed)")
      for index in oracle.active.keys { #expect(policy.isActive(item(index)), "seed \(seed)") }
      if case .feedMoved = entry.event {
        for index in oracle.active.keys { #expect(oracle.target(index) != nil, "seed \(seed)") }
      }
    }
    #expect(policy.starts > 0)
  }

  @Test func `a recorded log gives the same commands again`() {
    let configuration = PrefetchPolicy.Configuration(previousThreshold: 1.5)
    let runs = replayed(prefetchLog(3, length: 2_000), configuration, of: PrefetchPolicy.self)
    #expect(runs.separate == runs.reused)
    #expect(runs.separate == runs.copied)
    #expect(digest(of: runs.separate) == 3_952_899_834_710_764_577)
  }
}
