import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private typealias Command = PlayerPool.Command

private func item(_ index: UInt32) -> ItemID { ItemID(index) }
private func slot(_ index: UInt32) -> SlotID { SlotID(index) }

private func pool(_ size: Int = 3, ahead: Int = 1, behind: Int = 1) -> PlayerPool {
  PlayerPool(.init(size: size, ahead: ahead, behind: behind))
}

struct `Player pool time lines` {
  // SIG-022, SIG-023, REEL-008
  @Test func `the first item is prepared first and plays once it is ready`() {
    var pool = pool()
    #expect(
      commands(of: .currentChanged(item(0), last: item(9)), from: &pool) == [
        .prepare(slot(0), item(0), generation: 1), .prepare(slot(1), item(1), generation: 1),
      ])
    #expect(commands(of: .slotReady(slot(1), generation: 1), from: &pool) == [])
    #expect(commands(of: .slotReady(slot(0), generation: 1), from: &pool) == [.play(slot(0))])
    #expect(commands(of: .slotReady(slot(0), generation: 1), from: &pool) == [])
    #expect(pool.ignored == 1)
    #expect(pool.playing == slot(0))
  }

  // REEL-010, REEL-011
  @Test func `a swipe pauses, plays what is ready at once, and retargets the farthest slot last`() {
    var pool = pool()
    _ = commands(of: .currentChanged(item(0), last: item(9)), from: &pool)
    _ = commands(of: .slotReady(slot(0), generation: 1), from: &pool)
    _ = commands(of: .slotReady(slot(1), generation: 1), from: &pool)
    #expect(
      commands(of: .currentChanged(item(1), last: item(9)), from: &pool) == [
        .pause(slot(0)), .play(slot(1)), .prepare(slot(2), item(2), generation: 1),
      ])
    #expect(
      commands(of: .currentChanged(item(2), last: item(9)), from: &pool) == [
        .pause(slot(1)), .prepare(slot(0), item(3), generation: 2),
      ])
    #expect(commands(of: .slotReady(slot(2), generation: 1), from: &pool) == [.play(slot(2))])
    #expect(pool.creates == 3)
    #expect(pool.retargets == 1)
    #expect(pool.liveSlots == 3)
  }

  // REEL-013
  @Test func `readiness of the old item is counted and ignored after a retarget`() {
    var pool = pool(1)
    _ = commands(of: .currentChanged(item(0), last: item(9)), from: &pool)
    #expect(
      commands(of: .currentChanged(item(1), last: item(9)), from: &pool) == [
        .prepare(slot(0), item(1), generation: 2)
      ])
    #expect(commands(of: .slotReady(slot(0), generation: 1), from: &pool) == [])
    #expect(pool.staleReadiness == 1)
    #expect(!pool.isReady(slot(0)))
    #expect(commands(of: .slotReady(slot(0), generation: 2), from: &pool) == [.play(slot(0))])
  }

  @Test func `a swipe back plays the item that kept its slot`() {
    var pool = pool()
    for (index, generation) in [(0, 1), (1, 1), (2, 1)] as [(UInt32, UInt32)] {
      _ = commands(of: .currentChanged(item(index), last: item(9)), from: &pool)
      _ = commands(of: .slotReady(slot(index), generation: generation), from: &pool)
    }
    #expect(
      commands(of: .currentChanged(item(1), last: item(9)), from: &pool) == [
        .pause(slot(2)), .play(slot(1)), .prepare(slot(0), item(0), generation: 3),
      ])
  }

  // REEL-008
  @Test func `a pool of five prepares ahead nearest first and then behind nearest first`() {
    var pool = pool(5, ahead: 2, behind: 2)
    #expect(
      commands(of: .currentChanged(item(4), last: item(9)), from: &pool) == [
        .prepare(slot(0), item(4), generation: 1), .prepare(slot(1), item(5), generation: 1),
        .prepare(slot(2), item(6), generation: 1), .prepare(slot(3), item(3), generation: 1),
        .prepare(slot(4), item(2), generation: 1),
      ])
  }

  @Test func `a pool smaller than its window leaves out what comes last`() {
    var pool = pool(2, ahead: 2, behind: 2)
    #expect(
      commands(of: .currentChanged(item(4), last: item(9)), from: &pool) == [
        .prepare(slot(0), item(4), generation: 1), .prepare(slot(1), item(5), generation: 1),
      ])
    // Both neighbours want the one other slot; it stays with the one ahead.
    #expect(
      commands(of: .currentChanged(item(5), last: item(9)), from: &pool) == [
        .prepare(slot(0), item(6), generation: 2)
      ])
  }

  @Test func `at the ends of the feed the window is cut off`() {
    var pool = pool()
    #expect(
      commands(of: .currentChanged(item(0), last: item(0)), from: &pool) == [
        .prepare(slot(0), item(0), generation: 1)
      ])
    #expect(
      commands(of: .feedExtended(last: item(1)), from: &pool) == [
        .prepare(slot(1), item(1), generation: 1)
      ])
    #expect(commands(of: .feedExtended(last: item(1)), from: &pool) == [])
    #expect(commands(of: .feedExtended(last: item(5)), from: &pool) == [])
    var other = PlayerPool(.init())
    let end = item(.max)
    #expect(
      commands(of: .currentChanged(end, last: item(3)), from: &other) == [
        .prepare(slot(0), end, generation: 1),
        .prepare(slot(1), item(.max - 1), generation: 1),
      ])
  }

  @Test func `memory pressure leaves only the current item until the viewer moves`() {
    var pool = pool()
    _ = commands(of: .currentChanged(item(3), last: item(9)), from: &pool)
    _ = commands(of: .slotReady(slot(0), generation: 1), from: &pool)
    #expect(commands(of: .memoryPressure, from: &pool) == [.release(slot(1)), .release(slot(2))])
    #expect(pool.liveSlots == 1)
    #expect(commands(of: .feedExtended(last: item(12)), from: &pool) == [])
    #expect(commands(of: .slotReady(slot(1), generation: 1), from: &pool) == [])
    #expect(pool.staleReadiness == 1)
    // Nor does a neighbour that is new in the feed get a player.
    var atEnd = FeedPolicyTests.pool()
    _ = commands(of: .currentChanged(item(3), last: item(3)), from: &atEnd)
    _ = commands(of: .memoryPressure, from: &atEnd)
    #expect(commands(of: .feedExtended(last: item(4)), from: &atEnd) == [])
    #expect(
      commands(of: .currentChanged(item(4), last: item(12)), from: &pool) == [
        .pause(slot(0)), .prepare(slot(1), item(4), generation: 2),
        .prepare(slot(2), item(5), generation: 2),
      ])
    #expect(pool.creates == 5)
    #expect(pool.retargets == 0)
  }

  @Test func `a failed slot is released and its item tried again when asked for`() {
    var pool = pool()
    _ = commands(of: .currentChanged(item(0), last: item(0)), from: &pool)
    #expect(commands(of: .slotFailed(slot(0), generation: 1), from: &pool) == [.release(slot(0))])
    #expect(commands(of: .slotFailed(slot(0), generation: 1), from: &pool) == [])
    #expect(pool.ignored == 1)
    #expect(
      commands(of: .currentChanged(item(0), last: item(0)), from: &pool) == [
        .prepare(slot(0), item(0), generation: 2)
      ])
  }

  @Test func `a feed that grows does not try a failed item again`() {
    var pool = pool(3, ahead: 2, behind: 0)
    _ = commands(of: .currentChanged(item(0), last: item(1)), from: &pool)
    #expect(commands(of: .slotFailed(slot(1), generation: 1), from: &pool) == [.release(slot(1))])
    #expect(
      commands(of: .feedExtended(last: item(2)), from: &pool) == [
        .prepare(slot(1), item(2), generation: 2)
      ])
  }

  // REEL-010
  @Test(arguments: [[4, 6], [6, 4]] as [[UInt32]])
  func `of two equally far victims the later item goes`(order: [UInt32]) {
    var pool = pool(2, ahead: 0, behind: 0)
    for index in order {
      _ = commands(of: .currentChanged(item(index), last: item(9)), from: &pool)
    }
    #expect(
      commands(of: .currentChanged(item(5), last: item(9)), from: &pool) == [
        .prepare(slot(order[0] == 6 ? 0 : 1), item(5), generation: 2)
      ])
  }

  // REEL-010
  @Test func `of several victims the farthest goes`() {
    var pool = pool(3, ahead: 0, behind: 0)
    for index in [4, 6] as [UInt32] {
      _ = commands(of: .currentChanged(item(index), last: item(9)), from: &pool)
    }
    _ = commands(of: .currentChanged(item(8), last: item(9)), from: &pool)
    #expect(
      commands(of: .currentChanged(item(5), last: item(9)), from: &pool) == [
        .prepare(slot(2), item(5), generation: 2)
      ])
    #expect(
      commands(of: .currentChanged(item(7), last: item(9)), from: &pool) == [
        .prepare(slot(0), item(7), generation: 2)
      ])
  }

  /// A pool of three that was at the items 4, 6 and 8, all of which are ready.
  private func visited() -> PlayerPool {
    var pool = pool(3, ahead: 0, behind: 0)
    for index in [4, 6, 8] as [UInt32] {
      _ = commands(of: .currentChanged(item(index), last: item(9)), from: &pool)
    }
    _ = commands(of: .slotReady(slot(1), generation: 1), from: &pool)
    return pool
  }

  @Test func `somebody else's rule sees who may give way and chooses`() {
    var pool = visited()
    var asked: [PoolSnapshot] = []
    var told: [PlayerPool.Command] = []
    pool.handle(.currentChanged(item(5), last: item(9)), at: .zero, into: &told) { snapshot in
      asked.append(snapshot)
      return 1
    }
    #expect(told == [.prepare(slot(1), item(5), generation: 2)])
    #expect(
      asked == [
        PoolSnapshot(
          current: item(5), wanted: item(5),
          players: [
            .init(item: item(4), isReady: false, isInWindow: false),
            .init(item: item(6), isReady: true, isInWindow: false),
            .init(item: item(8), isReady: false, isInWindow: false),
          ])
      ])
  }

  @Test(arguments: [-1, 3, Int.max, Int.min])
  func `a choice that is nobody leaves it to the pool`(answer: Int) {
    var pool = visited()
    var told: [PlayerPool.Command] = []
    pool.handle(.currentChanged(item(5), last: item(9)), at: .zero, into: &told) { _ in answer }
    #expect(told == [.prepare(slot(2), item(5), generation: 2)])
  }

  @Test func `nobody is asked where there is no choice`() {
    var pool = pool(1, ahead: 0, behind: 0)
    var told: [PlayerPool.Command] = []
    for index in 0..<5 as Range<UInt32> {
      pool.handle(.currentChanged(item(index), last: item(9)), at: .zero, into: &told) { _ in
        Issue.record("asked")
        return 0
      }
    }
    #expect(pool.retargets == 4)
  }
}

/// Every state of the one slot of a pool of one against every event. Item 5 is current but for the
/// row of the pool that nobody looked at yet.
struct `Player pool state table` {
  enum State: CaseIterable { case unused, empty, preparing, ready, playing }

  /// A pool of size 1 in the state, its slot at generation 1 (0 when unused). `ready` without
  /// playing is reachable in a pool of two only: there the slot is 1 and holds item 6.
  static func pool(in state: State) -> PlayerPool {
    var pool = PlayerPool(.init(size: state == .ready ? 2 : 1, ahead: 1, behind: 0))
    if state == .unused { return pool }
    _ = commands(of: .currentChanged(item(5), last: item(9)), from: &pool)
    switch state {
    case .unused, .preparing: break
    case .empty: _ = commands(of: .slotFailed(slot(0), generation: 1), from: &pool)
    case .ready:
      _ = commands(of: .slotReady(slot(0), generation: 1), from: &pool)
      _ = commands(of: .slotReady(slot(1), generation: 1), from: &pool)
    case .playing: _ = commands(of: .slotReady(slot(0), generation: 1), from: &pool)
    }
    return pool
  }

  static func expected(_ state: State, _ event: PlayerPool.Event) -> [PlayerPool.Command] {
    let subject = slot(state == .ready ? 1 : 0)
    switch (state, event) {
    case (_, .slotReady(let asked, _)) where asked != subject: return []
    case (_, .slotFailed(let asked, _)) where asked != subject: return []
    case (.preparing, .slotReady(_, generation: 1)): return [.play(subject)]
    case (_, .slotReady): return []
    case (.unused, .slotFailed), (.empty, .slotFailed): return []
    case (_, .slotFailed(_, generation: 1)): return [.release(subject)]
    case (_, .slotFailed): return []
    case (.ready, .memoryPressure): return [.release(subject)]
    case (_, .memoryPressure), (_, .feedExtended): return []
    case (.unused, .currentChanged(let new, _)): return [.prepare(subject, new, generation: 1)]
    case (.empty, .currentChanged(let new, _)): return [.prepare(subject, new, generation: 2)]
    case (.ready, .currentChanged(let new, _)) where new == item(6):
      return [.pause(slot(0)), .play(slot(1)), .prepare(slot(0), item(7), generation: 2)]
    case (_, .currentChanged(let new, _)) where new == item(5): return []
    case (.preparing, .currentChanged(let new, _)):
      return [.prepare(subject, new, generation: 2)]
    case (.playing, .currentChanged(let new, _)):
      return [.pause(subject), .prepare(subject, new, generation: 2)]
    case (.ready, .currentChanged): return []
    }
  }

  static let events: [PlayerPool.Event] = [
    .currentChanged(item(5), last: item(9)), .currentChanged(item(6), last: item(9)),
    .feedExtended(last: item(9)), .feedExtended(last: item(30)),
    .slotReady(slot(0), generation: 1), .slotReady(slot(1), generation: 1),
    .slotReady(slot(0), generation: 0), .slotReady(slot(1), generation: 7),
    .slotReady(slot(99), generation: 1), .slotFailed(slot(0), generation: 9),
    .slotFailed(slot(1), generation: 9), .slotFailed(slot(99), generation: 1), .memoryPressure,
  ]

  @Test(arguments: State.allCases)
  func `every event has its exact answer`(in state: State) {
    let subject = slot(state == .ready ? 1 : 0)
    for event in Self.events + [.slotFailed(subject, generation: 1)] {
      var pool = Self.pool(in: state)
      let found = commands(of: event, from: &pool)
      #expect(found == Self.expected(state, event), "\(state) × \(event)")
    }
  }
}

/// A host that keeps its own books from the commands alone and complains about impossible ones.
private struct PoolHost {
  let configuration: PlayerPool.Configuration
  var current: ItemID?
  var items: [ItemID?]
  var generations: [UInt32]
  var ready: [Bool]
  var playing: SlotID?
  var prepared: [(SlotID, UInt32)] = []
  /// Whether the pool's own rule chooses who gives way.
  let choosesFarthest: Bool

  init(_ configuration: PlayerPool.Configuration, choosesFarthest: Bool = true) {
    self.configuration = configuration
    self.choosesFarthest = choosesFarthest
    items = Array(repeating: nil, count: configuration.size)
    generations = Array(repeating: 0, count: configuration.size)
    ready = Array(repeating: false, count: configuration.size)
  }

  func isOutside(_ item: ItemID, _ current: ItemID) -> Bool {
    let offset = Int(item.index) - Int(current.index)
    return offset > configuration.ahead || -offset > configuration.behind
  }

  func checkVictim(_ victim: ItemID, for newcomer: ItemID, seed: UInt64) {
    guard let current else { return }
    func distance(_ item: ItemID) -> Int { abs(Int(item.index) - Int(current.index)) }
    #expect(victim != current, "seed \(seed): the current item lost its slot")
    let outside = items.compactMap { $0 }.filter { isOutside($0, current) }
    #expect(!items.contains(nil), "seed \(seed): a victim although a slot was free")
    if !choosesFarthest {
      #expect(
        isOutside(victim, current) || rank(victim, current) > rank(newcomer, current),
        "seed \(seed): a more urgent victim")
      return
    }
    if let farthest = outside.map(distance).max() {
      #expect(isOutside(victim, current), "seed \(seed): a victim inside the window")
      #expect(distance(victim) == farthest, "seed \(seed): a victim that is not the farthest")
    } else {
      // Inside the window only an item of lower priority gives way.
      #expect(
        rank(victim, current) > rank(newcomer, current), "seed \(seed): a more urgent victim")
    }
  }

  func rank(_ item: ItemID, _ current: ItemID) -> Int {
    let offset = Int(item.index) - Int(current.index)
    return offset >= 0 ? offset : 1_000 - offset
  }

  mutating func perform(_ command: PlayerPool.Command, seed: UInt64) {
    switch command {
    case .prepare(let slot, let item, let generation):
      let index = Int(slot.index)
      #expect(!items.contains(item), "seed \(seed): an item in two slots")
      #expect(playing != slot, "seed \(seed): a playing slot retargeted without a pause")
      #expect(generation == generations[index] + 1, "seed \(seed): a generation used twice")
      if let victim = items[index] { checkVictim(victim, for: item, seed: seed) }
      items[index] = item
      generations[index] = generation
      ready[index] = false
      prepared.append((slot, generation))
    case .play(let slot):
      #expect(playing == nil, "seed \(seed): two slots play")
      #expect(items[Int(slot.index)] == current, "seed \(seed): a slot plays another item")
      #expect(ready[Int(slot.index)], "seed \(seed): a slot plays before it is ready")
      playing = slot
    case .pause(let slot):
      #expect(playing == slot, "seed \(seed): a pause of what does not play")
      playing = nil
    case .release(let slot):
      #expect(items[Int(slot.index)] != nil, "seed \(seed): a release of an empty slot")
      items[Int(slot.index)] = nil
      ready[Int(slot.index)] = false
      if playing == slot { playing = nil }
    }
  }
}

private func poolLog(_ seed: UInt64, _ configuration: PlayerPool.Configuration, length: Int)
  -> [(now: Instant, event: PlayerPool.Event)]
{
  var generator = SeededGenerator(seed)
  var log: [(now: Instant, event: PlayerPool.Event)] = []
  var position = 0
  var last = 5
  for step in 0..<length {
    let slot = SlotID(UInt32(generator.below(configuration.size + 1)))
    // Generations near the front of the log's age, right and wrong ones.
    let generation = UInt32(generator.below(step / 4 + 2))
    let event: PlayerPool.Event
    switch generator.below(12) {
    case 0...3:
      position = max(0, position + generator.below(6) - 2)
      last = max(last, position)
      event = .currentChanged(ItemID(UInt32(position)), last: ItemID(UInt32(last)))
    case 4:
      last += generator.below(3)
      event = .feedExtended(last: ItemID(UInt32(last)))
    case 5: event = .slotFailed(slot, generation: generation)
    case 6: event = generator.once(in: 4) ? .memoryPressure : .slotReady(slot, generation: 0)
    default: event = .slotReady(slot, generation: generation)
    }
    log.append((Instant(nanoseconds: Int64(step) * 1_000), event))
  }
  return log
}

struct `Player pool properties` {
  static let configurations: [PlayerPool.Configuration] = [
    .init(), .init(size: 1), .init(size: 2, ahead: 2, behind: 2),
    .init(size: 5, ahead: 2, behind: 2), .init(size: 7, ahead: 1, behind: 1),
    .init(size: 4, ahead: 3, behind: 0), .init(size: 3, ahead: 2, behind: 1),
  ]

  // SIG-022, SIG-039, REEL-009, REEL-010, REEL-013
  @Test(arguments: Array(0..<60 as Range<UInt64>))
  func `any order of events keeps the pool within its bounds`(seed: UInt64) {
    let configuration = Self.configurations[Int(seed) % Self.configurations.count]
    var pool = PlayerPool(configuration)
    var host = PoolHost(configuration)
    var generator = SeededGenerator(seed + 1_000)
    for entry in poolLog(seed, configuration, length: 400) {
      var event = entry.event
      // Half of the completions are true ones: right now, late, or twice.
      if case .slotReady = event, generator.once(in: 2), !host.prepared.isEmpty {
        let (slot, generation) = host.prepared[generator.below(host.prepared.count)]
        event = .slotReady(slot, generation: generation)
      }
      if case .slotReady(let slot, let generation) = event, Int(slot.index) < configuration.size {
        let index = Int(slot.index)
        if host.items[index] != nil && host.generations[index] == generation {
          host.ready[index] = true
        }
      }
      if case .currentChanged(let item, _) = event { host.current = item }
      for command in commands(of: event, from: &pool) { host.perform(command, seed: seed) }
      check(pool, host, configuration, seed)
      guard case .currentChanged(let item, let last) = event else { continue }
      let ahead = min(configuration.ahead, Int(last.index - item.index))
      for offset in 0...ahead where offset < configuration.size {
        #expect(pool.slot(for: ItemID(item.index + UInt32(offset))) != nil, "seed \(seed)")
      }
    }
    #expect(pool.staleReadiness > 0)
    #expect(pool.retargets > 0)
  }

  private func check(
    _ pool: PlayerPool, _ host: PoolHost, _ configuration: PlayerPool.Configuration, _ seed: UInt64
  ) {
    let live = host.items.filter { $0 != nil }.count
    #expect(pool.liveSlots == live, "seed \(seed)")
    #expect(pool.liveSlots <= configuration.size, "seed \(seed)")
    #expect(pool.playing == host.playing, "seed \(seed)")
    for index in 0..<configuration.size {
      let slot = SlotID(UInt32(index))
      #expect(pool.item(in: slot) == host.items[index], "seed \(seed)")
      #expect(pool.isReady(slot) == host.ready[index], "seed \(seed)")
      #expect(pool.generation(of: slot) == host.generations[index], "seed \(seed)")
    }
    if let current = host.current, let slot = pool.slot(for: current), pool.isReady(slot) {
      #expect(pool.playing == slot, "seed \(seed): the current item is ready and does not play")
    }
  }

  /// The pool's own rule, of what somebody else's is shown.
  private static func farthest(_ snapshot: PoolSnapshot) -> Int {
    func rank(_ place: Int) -> (Int, Int, UInt32) {
      let player = snapshot.players[place]
      let distance = abs(Int(player.item.index) - Int(snapshot.current.index))
      return (player.isInWindow ? 0 : 1, distance, player.item.index)
    }
    return snapshot.players.indices.max { rank($0) < rank($1) } ?? -1
  }

  @Test(arguments: Array(0..<60 as Range<UInt64>))
  func `somebody else's rule can be the pool's own`(seed: UInt64) {
    let configuration = Self.configurations[Int(seed) % Self.configurations.count]
    var (own, other) = (PlayerPool(configuration), PlayerPool(configuration))
    for entry in poolLog(seed, configuration, length: 400) {
      let expected = commands(of: entry.event, from: &own)
      var told: [PlayerPool.Command] = []
      other.handle(entry.event, at: entry.now, into: &told, victim: Self.farthest)
      #expect(told == expected, "seed \(seed)")
    }
  }

  @Test(arguments: Array(0..<60 as Range<UInt64>))
  func `whatever somebody else's rule answers, the pool keeps within its bounds`(seed: UInt64) {
    let configuration = Self.configurations[Int(seed) % Self.configurations.count]
    var pool = PlayerPool(configuration)
    var host = PoolHost(configuration, choosesFarthest: false)
    var generator = SeededGenerator(seed + 2_000)
    for entry in poolLog(seed, configuration, length: 400) {
      if case .currentChanged(let item, _) = entry.event { host.current = item }
      if case .slotReady(let slot, let generation) = entry.event,
        Int(slot.index) < configuration.size, host.items[Int(slot.index)] != nil,
        host.generations[Int(slot.index)] == generation
      {
        host.ready[Int(slot.index)] = true
      }
      var told: [PlayerPool.Command] = []
      pool.handle(entry.event, at: entry.now, into: &told) { generator.below($0.players.count + 2) }
      for command in told { host.perform(command, seed: seed) }
      check(pool, host, configuration, seed)
    }
  }

  @Test func `a recorded log gives the same commands again`() {
    let configuration = PlayerPool.Configuration(size: 5, ahead: 2, behind: 2)
    let log = poolLog(7, configuration, length: 2_000)
    let runs = replayed(log, configuration, of: PlayerPool.self)
    #expect(runs.separate == runs.reused)
    #expect(runs.separate == runs.copied)
    #expect(digest(of: runs.separate) == 2_953_721_678_064_473_981)
  }
}
