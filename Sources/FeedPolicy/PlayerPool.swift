import MediaUnits

/// Gives the player slots of one viewer to the items around the current one.
///
/// Models: which item each slot holds, when a slot is given to another item, which slot plays, and
/// the generation that tells an old completion from a new one. Leaves out: what a slot costs to
/// create or to prepare (the host knows that) and how much media a prepared slot downloads.
///
/// Items are served in this order: the current one, then the items ahead nearest first, then the
/// items behind nearest first. The first `size` of them are *wanted* and keep the slot they have. A
/// wanted item without a slot gets a free slot, or the slot of a victim: an item that is not
/// wanted, outside `current - behind ... current + ahead` if there is one, the farthest from the
/// current item first, the later item on a tie. The current item is never a victim.
///
/// The host may deliver events late, twice or out of order: a completion whose generation is not
/// the slot's is counted and changes nothing.
///
/// Source: requirements SIG-022, REEL-008 to REEL-013.
public struct PlayerPool: PolicyMachine {
  /// How many players there are, and for which items they are meant.
  public struct Configuration: Sendable, Equatable {
    /// Players that may live at once, at least 1. Default 3: the upper end of SIG-022; REEL-008
    /// says 5.
    public var size: Int
    /// Items after the current one that are prepared. Default 1 (SIG-023: the next item is warmed).
    public var ahead: Int
    /// Items before the current one that are prepared. Default 1: what is left of a pool of 3
    /// (assumed; REEL-008 has two ahead and two behind in a pool of 5).
    public var behind: Int

    public init(size: Int = 3, ahead: Int = 1, behind: Int = 1) {
      self.size = size
      self.ahead = ahead
      self.behind = behind
    }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// An item became the current one. `last` is the last item known in the feed. The same item
    /// again asks once more for a player, for instance after a failure.
    case currentChanged(ItemID, last: ItemID)
    /// The feed grew; `last` is its last item. Only the new items are looked at: a failed item is
    /// tried again when the viewer moves. A feed never shrinks within the life of a pool.
    case feedExtended(last: ItemID)
    /// The slot can render its item at once.
    case slotReady(SlotID, generation: UInt32)
    /// The slot cannot play its item.
    case slotFailed(SlotID, generation: UInt32)
    /// The system asks for memory back.
    case memoryPressure
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable {
    /// Put the item into the slot. The slot's player is created if the slot is empty and retargeted
    /// otherwise; readiness is to be reported with this generation.
    case prepare(SlotID, ItemID, generation: UInt32)
    /// Start rendering: the slot holds the current item and is ready.
    case play(SlotID)
    /// Stop rendering and keep the player with its item.
    case pause(SlotID)
    /// Destroy the slot's player.
    case release(SlotID)
  }

  /// What one slot is doing.
  enum SlotState: Sendable, Equatable {
    /// No player. Can transition to: preparing.
    case empty
    /// The item is being made ready. Can transition to: preparing (another item), ready, playing,
    /// empty.
    case preparing(ItemID)
    /// The item can be rendered at once. Can transition to: preparing (another item), playing,
    /// empty.
    case ready(ItemID)
    /// The current item is being rendered. Can transition to: ready, preparing (another item),
    /// empty.
    case playing(ItemID)

    var item: ItemID? {
      switch self {
      case .empty: return nil
      case .preparing(let item), .ready(let item), .playing(let item): return item
      }
    }
  }

  /// What the pool was created with.
  public let configuration: Configuration
  var states: [SlotState]
  var generations: [UInt32]
  var last = ItemID(0)
  /// After memory pressure only the current item is served, until the viewer moves.
  var isTrimmed = false

  /// The current item, nil before the first ``Event/currentChanged(_:last:)``.
  public private(set) var current: ItemID?
  /// Players created: preparations of an empty slot.
  public private(set) var creates = 0
  /// Players given to another item: preparations of a slot in use.
  public private(set) var retargets = 0
  /// Readiness reports that were too late for their slot or of an unknown slot (REEL-013).
  public private(set) var staleReadiness = 0
  /// Other events that changed nothing: repeated readiness, late failures, a feed that did not
  /// grow.
  public private(set) var ignored = 0
  /// Slots with a player; never more than `size` (REEL-009).
  public private(set) var liveSlots = 0

  /// - Precondition: `size` is at least 1; `ahead` and `behind` are not negative.
  public init(_ configuration: Configuration) {
    precondition(configuration.size >= 1, "a pool has at least one slot, got \(configuration.size)")
    precondition(configuration.ahead >= 0, "ahead is not negative, got \(configuration.ahead)")
    precondition(configuration.behind >= 0, "behind is not negative, got \(configuration.behind)")
    self.configuration = configuration
    states = [SlotState](repeating: .empty, count: configuration.size)
    generations = [UInt32](repeating: 0, count: configuration.size)
  }

  /// Where its slots lie: a host with very many pools may ask the processor for that memory in
  /// advance. Not for reading.
  public var memory: (slots: UnsafeRawPointer?, generations: UnsafeRawPointer?) {
    (states.memory, generations.memory)
  }

  /// The slot that holds the item, ready or not; nil when there is none.
  /// - Complexity: O(size).
  public func slot(for item: ItemID) -> SlotID? {
    for index in 0..<states.count where states[index].item == item { return SlotID(UInt32(index)) }
    return nil
  }

  /// The item in the slot; nil when the slot is empty or unknown.
  public func item(in slot: SlotID) -> ItemID? {
    slot.index < UInt32(states.count) ? states[Int(slot.index)].item : nil
  }

  /// How often the slot was prepared; 0 for a slot that is unknown.
  public func generation(of slot: SlotID) -> UInt32 {
    slot.index < UInt32(generations.count) ? generations[Int(slot.index)] : 0
  }

  /// Whether the slot can render its item at once or is rendering it.
  public func isReady(_ slot: SlotID) -> Bool {
    guard slot.index < UInt32(states.count) else { return false }
    switch states[Int(slot.index)] {
    case .ready, .playing: return true
    case .empty, .preparing: return false
    }
  }

  /// The slot that is rendering; nil when none is.
  public var playing: SlotID? {
    for index in 0..<states.count {
      if case .playing = states[index] { return SlotID(UInt32(index)) }
    }
    return nil
  }

  /// - Complexity: O(size²); nothing is allocated beyond the growth of `commands`.
  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    handle(event, into: &commands) { pool, _, current in pool.farthest(from: current) }
  }

  /// The same, with somebody else's choice of the player that gives way.
  ///
  /// - Parameter victim: a place in ``PoolSnapshot/players``; another number leaves the choice to
  ///   the pool. It is asked where there is a choice.
  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command],
    victim: (PoolSnapshot) -> Int
  ) {
    handle(event, into: &commands) { pool, item, current in
      pool.chosen(by: victim, for: item, around: current)
    }
  }

  /// The slot that gives way: of a pool without a free one, for an item, around the current one.
  private typealias Victim = (borrowing PlayerPool, ItemID, _ current: ItemID) -> Int

  private mutating func handle(
    _ event: Event, into commands: inout [Command], _ victim: Victim
  ) {
    switch event {
    case .currentChanged(let item, let last):
      isTrimmed = false
      self.last = max(self.last, last, item)
      if item != current { move(to: item, into: &commands) }
      assignSlots(into: &commands, victim)
    case .feedExtended(let last):
      if last <= self.last {
        ignored += 1
        break
      }
      let known = self.last
      self.last = last
      if !isTrimmed { assignSlots(beyond: known, into: &commands, victim) }
    case .slotReady(let slot, let generation):
      becomeReady(slot, generation, into: &commands)
    case .slotFailed(let slot, let generation):
      guard isCurrentGeneration(slot, generation) else {
        ignored += 1
        break
      }
      release(Int(slot.index), into: &commands)
    case .memoryPressure:
      isTrimmed = true
      for index in 0..<states.count {
        if let item = states[index].item, item != current { release(index, into: &commands) }
      }
    }
  }

  private func isCurrentGeneration(_ slot: SlotID, _ generation: UInt32) -> Bool {
    item(in: slot) != nil && generations[Int(slot.index)] == generation
  }

  private mutating func becomeReady(
    _ slot: SlotID, _ generation: UInt32, into commands: inout [Command]
  ) {
    guard isCurrentGeneration(slot, generation) else {
      staleReadiness += 1
      return
    }
    guard case .preparing(let item) = states[Int(slot.index)] else {
      ignored += 1
      return
    }
    states[Int(slot.index)] = .ready(item)
    playIfReady(into: &commands)
  }

  /// Pauses whatever plays and makes `item` the current one.
  private mutating func move(to item: ItemID, into commands: inout [Command]) {
    for index in 0..<states.count {
      if case .playing(let old) = states[index] {
        states[index] = .ready(old)
        commands.append(.pause(SlotID(UInt32(index))))
      }
    }
    current = item
  }

  private mutating func playIfReady(into commands: inout [Command]) {
    guard let item = current else { return }
    for index in 0..<states.count where states[index] == .ready(item) {
      states[index] = .playing(item)
      commands.append(.play(SlotID(UInt32(index))))
    }
  }

  private mutating func release(_ index: Int, into commands: inout [Command]) {
    states[index] = .empty
    liveSlots -= 1
    commands.append(.release(SlotID(UInt32(index))))
  }

  /// Items of the window that exist in the feed, after and before the current one.
  private func existing(around current: ItemID) -> (ahead: Int, behind: Int) {
    (
      min(configuration.ahead, Int(last.index) - Int(current.index)),
      min(configuration.behind, Int(current.index))
    )
  }

  /// 0 for the current item, then the order in which items are served; nil outside the window.
  private func rank(of item: ItemID, around current: ItemID) -> Int? {
    let window = existing(around: current)
    let offset = Int(item.index) - Int(current.index)
    if offset >= 0 { return offset <= window.ahead ? offset : nil }
    return -offset <= window.behind ? window.ahead - offset : nil
  }

  /// Gives a slot to every wanted item that has none, in order of rank; `beyond` leaves out the
  /// items up to that one, so that a feed that grows does not try a failed item again.
  private mutating func assignSlots(
    beyond known: ItemID? = nil, into commands: inout [Command], _ victim: Victim
  ) {
    guard let current else { return }
    let window = existing(around: current)
    let wanted = min(states.count, 1 + window.ahead + window.behind)
    for rank in 0..<wanted {
      let offset = rank <= window.ahead ? rank : window.ahead - rank
      let item = ItemID(UInt32(Int(current.index) + offset))
      if let known, item <= known { continue }
      if slot(for: item) == nil { prepare(item, around: current, into: &commands, victim) }
      if rank == 0 { playIfReady(into: &commands) }
    }
  }

  private mutating func prepare(
    _ item: ItemID, around current: ItemID, into commands: inout [Command], _ victim: Victim
  ) {
    // A slot may be taken whenever a wanted item has none, because at most `size` are wanted.
    let index = firstFree ?? victim(self, item, current)
    if states[index] == .empty {
      creates += 1
      liveSlots += 1
    } else {
      retargets += 1
    }
    states[index] = .preparing(item)
    generations[index] &+= 1
    commands.append(.prepare(SlotID(UInt32(index)), item, generation: generations[index]))
  }

  private var firstFree: Int? {
    for index in 0..<states.count where states[index] == .empty { return index }
    return nil
  }

  /// The slot that gives way by the rule of the pool.
  private func farthest(from current: ItemID) -> Int {
    var victim = -1
    var victimIsOutside = false
    var victimDistance = -1
    var victimItem = ItemID(0)
    for index in 0..<states.count {
      guard let item = states[index].item else { continue }
      let itemRank = rank(of: item, around: current)
      if let itemRank, itemRank < states.count { continue }
      let isOutside = itemRank == nil
      let distance = abs(Int(item.index) - Int(current.index))
      let isBetter: Bool
      if isOutside != victimIsOutside {
        isBetter = isOutside
      } else if distance != victimDistance {
        isBetter = distance > victimDistance
      } else {
        isBetter = item > victimItem
      }
      if victim < 0 || isBetter {
        victim = index
        victimIsOutside = isOutside
        victimDistance = distance
        victimItem = item
      }
    }
    precondition(victim >= 0, "no slot may be taken: \(states.count) slots, all of them wanted")
    return victim
  }

  /// The slot that gives way by somebody else's rule, where there is a choice.
  private func chosen(
    by rule: (PoolSnapshot) -> Int, for item: ItemID, around current: ItemID
  ) -> Int {
    var slots: [Int] = []
    var snapshot = PoolSnapshot(current: current, wanted: item, players: [])
    for index in 0..<states.count {
      guard let held = states[index].item else { continue }
      let heldRank = rank(of: held, around: current)
      if let heldRank, heldRank < states.count { continue }
      slots.append(index)
      snapshot.players.append(
        PoolSnapshot.Player(
          item: held, isReady: states[index] == .ready(held), isInWindow: heldRank != nil))
    }
    if slots.count < 2 { return farthest(from: current) }
    let place = rule(snapshot)
    return slots.indices.contains(place) ? slots[place] : farthest(from: current)
  }
}
