import FeedPolicy
import Foundation
import MediaUnits
import PolicyTesting
import Testing

private func item(_ index: Int) -> ItemID { ItemID(UInt32(index)) }

/// A policy at item 10 of a feed of 100, on a link of `plenty` times the bit rate.
private func policy(
  _ configuration: PrefetchPolicy.Configuration, plenty: Double? = nil, at current: Int = 10
) -> PrefetchPolicy {
  var policy = PrefetchPolicy(configuration)
  if let plenty {
    _ = commands(
      of: .throughputChanged(
        BitRate(bitsPerSecond: Int64(plenty * 1_000_000)), bitrate: .megabits(1)), from: &policy)
  }
  _ = commands(of: .feedMoved(current: item(current), last: item(99)), from: &policy)
  return policy
}

private let full = PrefetchPolicy.Event.bufferChanged(ahead: .seconds(4), isComplete: false)
private let whole = PrefetchPolicy.Event.bufferChanged(ahead: .seconds(4), isComplete: true)
private let two = TimeSpan.seconds(2)

/// Everything that is fetched when each fetch is finished at once, in order.
private func sequence(
  of policy: inout PrefetchPolicy, after first: PrefetchPolicy.Event...
) -> [PrefetchPolicy.Command] {
  let limit = 100
  var waiting: [PrefetchPolicy.Command] = []
  for event in first { waiting += commands(of: event, from: &policy) }
  var order: [PrefetchPolicy.Command] = []
  while !waiting.isEmpty && order.count < limit {
    let command = waiting.removeFirst()
    order.append(command)
    switch command {
    case .start(let item, let length, _):
      waiting += commands(of: .targetReached(item, length), from: &policy)
    case .warm(let item, let stage, _):
      waiting += commands(of: .stageReached(item, stage), from: &policy)
    default: break
    }
  }
  return order
}

struct `Prefetch families` {
  /// Covers: VF-013
  @Test(arguments: 0...4, 1...8)
  func `VF-013: the first segments of the next items, each alike`(segments: Int, items: Int) {
    let length = two * Int64(segments)
    var policy = policy(
      .init(
        family: .firstSegments, itemsAhead: items, furtherLength: length, concurrency: 2))
    let order = sequence(of: &policy, after: full)
    let expected = (1...items).map { offset in
      PrefetchPolicy.Command.start(
        item(10 + offset), length: length, offset == 1 ? .next : .further)
    }
    #expect(order == (segments == 0 ? [] : expected))
  }

  /// Covers: SIG-023, SIG-025
  @Test(arguments: [(0.5, 6), (1, 6), (2, 4), (3, 2), (9, 2)] as [(Double, Int64)])
  func `VF-026: the head is as long as the throughput asks for`(plenty: Double, seconds: Int64) {
    var policy = policy(.init(itemsAhead: 1, cover: 3), plenty: plenty)
    #expect(
      commands(of: full, from: &policy).first
        == .start(item(11), length: .seconds(seconds), .next))
  }

  /// Covers: SIG-023
  @Test func `SIG-023: with twice the bit rate the next item has 5 to 8 s before the viewer moves`()
  {
    var policy = policy(.init(), plenty: 2)
    _ = sequence(of: &policy, after: full)
    #expect(policy.held(of: item(11)) >= .seconds(5))
    #expect(policy.held(of: item(11)) <= .seconds(8))
  }

  /// Covers: REEL-015, REEL-016, REEL-017, REEL-022
  @Test func `REEL-022: players load whatever the current item's buffer is`() {
    var policy = PrefetchPolicy(
      .init(
        family: .playerKnob, headLength: .seconds(4), itemsAhead: 2, furtherLength: .seconds(1),
        previousLength: two, concurrency: 4))
    #expect(
      commands(of: .feedMoved(current: item(10), last: item(99)), from: &policy) == [
        .start(item(11), length: .seconds(4), .next),
        .start(item(12), length: .seconds(1), .further), .start(item(9), length: two, .previous),
      ])
  }

  /// Covers: VF-026
  @Test func `VF-026: staged preload goes playlists, init, first segment, head, one at a time`() {
    var policy = policy(.init(family: .staged, itemsAhead: 4, concurrency: 1))
    #expect(
      sequence(of: &policy, after: full) == [
        .start(item(11), length: two, .next), .warm(item(12), .initSegment, .further),
        .warm(item(13), .playlists, .further), .warm(item(14), .playlists, .further),
        .start(item(11), length: .seconds(6), .deeper),
        .warm(item(9), .initSegment, .previous),
      ])
  }

  /// Covers: VF-026, REEL-023
  @Test func `VF-026, REEL-023: a connection or playlists only fetch no media`() {
    var connection = PrefetchPolicy(.init(family: .connection))
    #expect(
      commands(of: .feedMoved(current: item(10), last: item(99)), from: &connection) == [
        .warm(item(11), .connection, .next)
      ])
    var playlists = policy(.init(family: .playlists, itemsAhead: 2))
    #expect(
      sequence(of: &playlists, after: full) == [
        .warm(item(11), .playlists, .next), .warm(item(12), .playlists, .further),
      ])
  }

  /// A deeper stage than asked for counts for every one before it.
  @Test func `media that is held counts for the stages before it`() {
    var policy = policy(.init(family: .playlists, itemsAhead: 1))
    _ = commands(of: .targetReached(item(11), two), from: &policy)
    #expect(commands(of: full, from: &policy) == [])
  }

  /// Covers: VF-026
  @Test func `VF-026: Dashlet prefers the item that is reached sooner and more surely`() {
    let short = SwipeCurves([
      .init(below: .max, survival: (0...30).map { max(0, 1 - Double($0) / 20) })
    ])
    var policy = policy(.init(family: .dashlet, itemsAhead: 3, concurrency: 1, curves: short))
    let order = sequence(of: &policy, after: whole)
    #expect(order.first == .start(item(11), length: two, .next))
    // The second segment of the next item comes before the first of the last: it is needed sooner.
    let second = order.firstIndex {
      if case .start(item(11), length: .seconds(4), _) = $0 { true } else { false }
    }
    let last = order.firstIndex {
      if case .start(item(13), length: two, _) = $0 { true } else { false }
    }
    #expect(second != nil && last != nil && second! < last!)
  }

  /// Covers: VF-026
  @Test func `VF-026: Dashlet's segment in progress does not grow by news of its progress`() {
    var policy = policy(.init(family: .dashlet, concurrency: 1))
    #expect(commands(of: whole, from: &policy) == [.start(item(11), length: two, .next)])
    for part in 1..<8 as Range<Int64> {
      let held = TimeSpan.milliseconds(250 * part)
      #expect(commands(of: .targetReached(item(11), held), from: &policy) == [])
    }
    let next = commands(of: .targetReached(item(11), two), from: &policy)
    #expect(next.count == 1 && policy.reached == 1 && policy.active == 1)
  }

  /// Covers: VF-026
  @Test func `VF-026: Dashlet waits while the current item needs its own segment more`() {
    let loyal = SwipeCurves([.init(below: .max, survival: [1, 0.99])])
    var policy = policy(.init(family: .dashlet, concurrency: 1, curves: loyal))
    _ = commands(of: .durationKnown(item(10), .seconds(60)), from: &policy)
    #expect(commands(of: .bufferChanged(ahead: two, isComplete: false), from: &policy) == [])
    #expect(
      commands(of: .bufferChanged(ahead: .seconds(60), isComplete: true), from: &policy)
        == [.start(item(11), length: two, .next)])
  }

  /// Covers: VF-026
  @Test func `VF-026: PDAS gives loyal viewers a deeper limit, and fast links a lower one`() {
    func limit(_ survival: [Double], plenty: Double) -> TimeSpan {
      var policy = PrefetchPolicy(
        .init(
          family: .pdas, itemsAhead: 1,
          curves: SwipeCurves([.init(below: .max, survival: survival)])))
      _ = commands(of: .durationKnown(item(11), .seconds(60)), from: &policy)
      _ = commands(
        of: .throughputChanged(
          BitRate(bitsPerSecond: Int64(plenty * 1e6)), bitrate: .megabits(1)), from: &policy)
      _ = commands(of: .feedMoved(current: item(10), last: item(99)), from: &policy)
      for command in commands(of: whole, from: &policy) {
        if case .start(item(11), let length, _) = command { return length }
      }
      return .zero
    }
    let fickle = (0...20).map { PortableMath.power(0.7, Double($0)) }
    let loyal = (0...20).map { PortableMath.power(0.95, Double($0)) }
    #expect(limit(loyal, plenty: 1) > limit(fickle, plenty: 1))
    #expect(limit(loyal, plenty: 4) < limit(loyal, plenty: 1))
    #expect(limit(fickle, plenty: 4) == two)
  }

  /// Covers: VF-026, SIG-023
  @Test func `VF-026: by hazard all starts come first, and depth only where the link needs it`() {
    var fast = policy(.init(family: .hazard, itemsAhead: 3, concurrency: 1), plenty: 6)
    #expect(
      sequence(of: &fast, after: full) == [
        .start(item(11), length: two, .next), .start(item(12), length: two, .further),
        .start(item(13), length: two, .further),
      ])
    var slow = policy(.init(family: .hazard, itemsAhead: 3, concurrency: 4), plenty: 1.3)
    let order = sequence(of: &slow, after: whole)
    #expect(
      order == [
        .start(item(11), length: two, .next), .start(item(12), length: two, .further),
        .warm(item(13), .initSegment, .further),
        .start(item(11), length: .seconds(6), .deeper),
      ])
    // Less than `leastWatched` of the lab users see the eighth second of a 14 s item.
    #expect(slow.held(of: item(11)) == .seconds(6))
    #expect(slow.held(of: item(13)) == .zero)
  }

  /// Covers: VF-026
  @Test func `VF-026: by hazard breadth and number follow the throughput and the session's length`()
  {
    func starts(plenty: Double, views: Double?) -> (first: Int, media: Int, all: Int) {
      let configuration = PrefetchPolicy.Configuration(
        family: .hazard, headLength: two, itemsAhead: 8, concurrency: 4, viewsPerSession: views)
      var one = policy(configuration, plenty: plenty)
      var other = policy(configuration, plenty: plenty)
      let order = sequence(of: &other, after: whole)
      let media = order.filter { if case .start = $0 { true } else { false } }
      return (commands(of: whole, from: &one).count, media.count, order.count)
    }
    // First segments, and in all with the init segments of the items beyond.
    #expect(starts(plenty: 1, views: nil) == (1, 1, 8))
    #expect(starts(plenty: 1.6, views: nil) == (1, 3, 8))
    #expect(starts(plenty: 2.5, views: nil) == (2, 6, 8))
    #expect(starts(plenty: 9, views: nil) == (4, 8, 8))
    // Of sessions of seven views half are over after four more.
    #expect(starts(plenty: 9, views: 7) == (4, 4, 4))
  }

  /// Covers: REEL-028, VF-026
  @Test func `REEL-028: by hazard the current item's buffer follows the network`() {
    var policy = PrefetchPolicy(.init(family: .hazard))
    var found: [TimeSpan?] = []
    for plenty in [0.5, 1.5, 3, 10] {
      let commands =
        commands(
          of: .throughputChanged(
            BitRate(bitsPerSecond: Int64(plenty * 1e6)), bitrate: .megabits(1)), from: &policy)
        + commands(of: .feedMoved(current: item(10), last: item(99)), from: &policy)
      for command in commands { if case .limitBuffer(let limit) = command { found.append(limit) } }
    }
    #expect(found == [.seconds(20), .seconds(12), .seconds(6)])
  }
}

struct `Prefetch on and off the network` {
  /// Covers: VF-046
  @Test func `VF-046: offline suspends, and what matters then comes first on the way back`() {
    var policy = policy(.init(concurrency: 2))
    #expect(commands(of: full, from: &policy).count == 2)
    #expect(
      commands(of: .connectivityChanged(isOnline: false), from: &policy) == [
        .suspend(item(11)), .suspend(item(12)),
      ])
    #expect(policy.active == 0)
    #expect(commands(of: .feedMoved(current: item(20), last: item(99)), from: &policy) == [])
    #expect(commands(of: full, from: &policy) == [])
    // Late answers still count, and nothing starts.
    #expect(commands(of: .targetReached(item(21), two), from: &policy) == [])
    #expect(
      commands(of: .connectivityChanged(isOnline: true), from: &policy) == [
        .start(item(21), length: .seconds(6), .next), .start(item(22), length: two, .further),
      ])
    #expect(policy.ignored == 0)
    #expect(commands(of: .connectivityChanged(isOnline: true), from: &policy) == [])
    #expect(policy.ignored == 1)
  }

  /// Covers: VF-026
  @Test func `VF-026: a stall suspends fetches where it should, and only there`() {
    var keeping = policy(.init(pauseBelowBuffer: .zero))
    _ = commands(of: full, from: &keeping)
    #expect(commands(of: .stallChanged(isStalled: true), from: &keeping) == [])
    #expect(keeping.active == 2)
    var pausing = policy(.init(pauseBelowBuffer: .zero, suspendsOnStall: true))
    _ = commands(of: full, from: &pausing)
    #expect(
      commands(of: .stallChanged(isStalled: true), from: &pausing) == [
        .suspend(item(11)), .suspend(item(12)),
      ])
    #expect(commands(of: full, from: &pausing) == [])
    #expect(commands(of: .stallChanged(isStalled: false), from: &pausing).count == 2)
  }

  /// Covers: REEL-025
  @Test func `REEL-025: the host may hold new starts`() {
    var policy = policy(.init(concurrency: 1))
    _ = commands(of: full, from: &policy)
    #expect(commands(of: .hostHeld(true), from: &policy) == [])
    #expect(commands(of: .targetReached(item(11), .seconds(6)), from: &policy) == [])
    #expect(
      commands(of: .hostHeld(false), from: &policy) == [
        .start(item(12), length: two, .further)
      ])
  }

  /// Covers: VF-024
  @Test func `VF-024: a request that is withdrawn frees its place until the feed moves`() {
    var policy = policy(.init(concurrency: 1))
    _ = commands(of: full, from: &policy)
    #expect(
      commands(of: .withdrawn(item(11)), from: &policy) == [
        .cancel(item(11)), .start(item(12), length: two, .further),
      ])
    // What was queued can be withdrawn, too.
    #expect(commands(of: .withdrawn(item(13)), from: &policy) == [])
    #expect(commands(of: .targetReached(item(12), two), from: &policy) == [])
    #expect(policy.cancels == 1)
    #expect(
      commands(of: .feedMoved(current: item(10), last: item(99)), from: &policy) == [
        .start(item(11), length: .seconds(6), .next)
      ])
  }
}

/// What every family has to hold, whatever comes.
struct `Prefetch conformance` {
  static func log(_ seed: UInt64, length: Int) -> [PrefetchPolicy.Event] {
    var generator = SeededGenerator(seed)
    var log: [PrefetchPolicy.Event] = []
    var position = 0
    var last = 6
    for _ in 0..<length {
      let near = item(max(0, position + generator.below(8) - 2))
      switch generator.below(28) {
      case 0, 1, 2:
        position = max(0, position + generator.below(5) - 1)
        last = max(last, position)
        log.append(.feedMoved(current: item(position), last: item(last)))
      case 3:
        last += generator.below(3)
        log.append(.feedExtended(last: item(last - generator.below(2))))
      case 4...7:
        log.append(
          .bufferChanged(
            ahead: generator.once(in: 30) ? .max : .seconds(Int64(generator.below(12))),
            isComplete: generator.once(in: 4)))
      case 8, 9:
        log.append(
          .throughputChanged(
            .kilobits(Int64(generator.below(5_000))),
            bitrate: .kilobits(Int64(generator.below(1_500)))))
      case 10: log.append(.itemFailed(near))
      case 11: log.append(.withdrawn(near))
      case 12, 13:
        log.append(
          .durationKnown(
            near, generator.once(in: 30) ? .max : .seconds(Int64(generator.below(90)))))
      case 14, 15:
        log.append(
          .positionChanged(
            generator.once(in: 30) ? .max : .seconds(Int64(generator.below(40)) - 2)))
      case 16: log.append(.connectivityChanged(isOnline: generator.below(3) > 0))
      case 17: log.append(.stallChanged(isStalled: generator.once(in: 2)))
      case 18: log.append(.hostHeld(generator.once(in: 3)))
      case 19, 20: log.append(.stageReached(near, PrefetchStage.allCases[generator.below(5)]))
      case 21 where !log.isEmpty: log.append(log[generator.below(log.count)])
      default:
        let length = generator.once(in: 9) ? .max : two * Int64(generator.below(6))
        log.append(.targetReached(near, length))
      }
    }
    return log
  }

  static let settings: [(items: Int, concurrency: Int, cover: Double?, suspends: Bool)] = [
    (3, 2, nil, false), (5, 4, 3, true), (1, 1, nil, true), (8, 6, 2, false), (10, 3, nil, false),
  ]

  /// Covers: VF-023, VF-024, VF-025, VF-026, VF-027, VF-046
  @Test(arguments: PrefetchFamily.allCases, Array(0..<12 as Range<UInt64>))
  func `VF-023 to VF-027, VF-046: cap, cancel, order and offline hold in any order of events`(
    family: PrefetchFamily, seed: UInt64
  ) {
    let setting = Self.settings[Int(seed) % Self.settings.count]
    var policy = PrefetchPolicy(
      .init(
        family: family, itemsAhead: setting.items, previousThreshold: 1,
        concurrency: setting.concurrency, cover: setting.cover,
        suspendsOnStall: setting.suspends))
    var running: Set<ItemID> = []
    var current: ItemID?
    var limit: TimeSpan?
    var faults: [String] = []
    func check(_ isFine: Bool, _ text: @autoclosure () -> String) {
      if !isFine && faults.count < 5 { faults.append(text()) }
    }
    for (step, event) in Self.log(seed, length: 1_200).enumerated() {
      let before = (policy.reached, policy.starts, policy.ignored)
      let wasRunning = running
      if case .feedMoved(let item, _) = event {
        running.remove(item)
        current = item
      }
      var urgent: PrefetchPolicy.Priority?
      for command in commands(of: event, from: &policy) {
        switch command {
        case .start(let item, _, let priority), .warm(let item, _, let priority):
          check(policy.isOnline, "\(step): a start while offline")
          check(item != current, "\(step): a start of the current item")
          check(urgent == nil || priority >= urgent!, "\(step): categories out of order")
          urgent = priority
          running.insert(item)
        case .cancel(let item), .suspend(let item):
          check(running.remove(item) != nil, "\(step): \(item) was not being fetched")
        case .limitBuffer(let new):
          check(new != limit && (new ?? two) > .zero, "\(step): no news in a limit")
          limit = new
        }
      }
      let answered: ItemID? =
        switch event {
        case .targetReached(let item, _), .stageReached(let item, _), .itemFailed(let item): item
        default: nil
        }
      if let answered, !policy.isActive(answered) { running.remove(answered) }
      // A cancelled or suspended fetch never completes.
      let isCompletion = policy.reached > before.0
      check(!isCompletion || wasRunning.contains(answered!), "\(step): completed without a fetch")
      check(policy.active == running.count, "\(step): \(policy.active) are not \(running.count)")
      check(policy.active <= setting.concurrency, "\(step): more than the cap")
      for item in running { check(policy.isActive(item), "\(step): \(item) is lost") }
      // Nothing waits with a place free, and nothing less urgent was started before it.
      if let waiting = policy.waiting {
        check(policy.active == setting.concurrency, "\(step): \(waiting) waits for nothing")
        check(urgent == nil || urgent! <= waiting.priority, "\(step): started before \(waiting)")
      }
      check(policy.isOnline || running.isEmpty, "\(step): a fetch while offline")
    }
    #expect(faults.isEmpty, "\(family), seed \(seed): \(faults)")
    #expect(policy.starts > 0)
    #expect(policy.ignored > 0)
  }

  @Test(arguments: PrefetchFamily.allCases)
  func `a recorded log gives every family's commands again`(family: PrefetchFamily) {
    let log = Self.log(5, length: 1_500).enumerated().map { step, event in
      (now: Instant(nanoseconds: Int64(step)), event: event)
    }
    let runs = replayed(log, .init(family: family), of: PrefetchPolicy.self)
    #expect(runs.separate == runs.reused)
    #expect(runs.separate == runs.copied)
  }

  /// Covers: VF-025
  @Test(arguments: PrefetchFamily.allCases)
  func `VF-025: every wish is served in the end`(family: PrefetchFamily) {
    var policy = PrefetchPolicy(
      .init(family: family, itemsAhead: 4, previousThreshold: 1, concurrency: 1))
    let order = sequence(
      of: &policy,
      after: .throughputChanged(.kilobits(1_500), bitrate: .megabits(1)),
      .feedMoved(current: item(10), last: item(99)), whole)
    #expect(!order.isEmpty)
    #expect(order.count < 100)
    #expect(policy.waiting == nil)
    #expect(policy.active == 0)
  }

  @Test func `every file of a family is registered`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
    let folder = root.appending(path: "../../Sources/FeedPolicy/Prefetch/Families").path
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(files.filter { $0.hasSuffix(".swift") }.count == PrefetchFamily.allCases.count)
  }
}

struct `Swipe curves` {
  @Test func `values stand at whole seconds and are straight between`() {
    let curves = SwipeCurves([
      .init(below: .seconds(10), survival: [1, 0.5]), .init(below: .max, survival: [1, 0.8, 0.2]),
    ])
    #expect(curves.survival(at: .milliseconds(500), of: .seconds(9)) == 0.75)
    #expect(curves.survival(at: .seconds(5), of: .seconds(9)) == 0.5)
    #expect(curves.survival(at: .seconds(9), of: .seconds(9)) == 0)
    #expect(abs(curves.survival(at: .milliseconds(1_500), of: .seconds(10)) - 0.5) < 1e-12)
    #expect(curves.survival(at: .seconds(-1), of: .seconds(10)) == 1)
  }

  /// The pooled figures of `parameters.md` section 6.2 at the median length: 35 % have swiped by
  /// 5 s, 59 % by 10 s, over all lengths.
  @Test func `the lab users' curves fall as their fit says`() {
    for (bucket, fit) in SwipeCurves.labFits.enumerated() {
      for second in 0...SwipeCurves.seconds {
        let power = PortableMath.power(Double(second) / fit.scale, fit.shape)
        let others = (1 - fit.completion) * PortableMath.exp(-power)
        let exact = second == 0 ? 1 : fit.completion + others
        #expect(abs(SwipeCurves.lab.curves[bucket].survival[second] - exact) < 1e-12)
      }
    }
  }

  @Test func `a mixture lies between its parts`() {
    let other = SwipeCurves.labFits.map {
      SwipeCurves.Fit(below: $0.below, completion: 1, shape: 1, scale: 1)
    }
    let mixed = SwipeCurves(mixing: [(0.5, SwipeCurves.labFits), (0.5, other)])
    let lab = SwipeCurves.lab.survival(at: .seconds(4), of: .seconds(15))
    let found = mixed.survival(at: .seconds(4), of: .seconds(15))
    #expect(abs(found - (lab + 1) / 2) < 1e-12)
  }
}
