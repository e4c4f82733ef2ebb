import MediaUnits

/// Decides whether a swipe may make an item the active one before the item can be rendered.
///
/// Models: which items are ready, the walk of a jump over them, the snap back to the last ready
/// item, the escapes from an item that never becomes ready, and the playback that waits for
/// readiness. Leaves out: the animation of a snap and what the placeholder shows.
///
/// A jump walks from the active item towards its target, over items of which each is ready. With
/// ``Rule/gate`` it ends at the last of them: at the target, at an item before it, or where it
/// began (a *snap back*). With ``Rule/off`` it always reaches its target. The item that stopped a
/// jump is *blocked*; after ``Configuration/attempts`` snaps at it, or after
/// ``Configuration/timeout``, the next jump escapes. An item that becomes active without being
/// ready shows a placeholder, and playback begins when it is ready, provided that it is still the
/// active one (REEL-018).
///
/// A completion carries the generation of its preparation; one that is not the item's present
/// generation is counted and changes nothing (REEL-013, REEL-019).
///
/// Source: requirements REEL-003 to REEL-005, REEL-018, REEL-019, REEL-027.
public struct ReadinessGate: PolicyMachine {
  /// Whether jumps are held.
  public enum Rule: UInt8, Sendable, Equatable {
    /// Every jump reaches its target; what is not ready shows a placeholder.
    case off = 0
    /// A jump ends at the last ready item of its way.
    case gate
  }

  /// What an escape does.
  public enum Escape: UInt8, Sendable, Equatable {
    /// The jump reaches its target, which shows a placeholder.
    case letThrough = 0
    /// The jump goes on to the nearest ready item beyond the blocked one; where there is none, as
    /// ``letThrough``.
    case skip
  }

  /// How jumps are held, and for how long.
  public struct Configuration: Sendable, Equatable {
    /// Default `gate`: REEL-003.
    public var rule: Rule
    /// Snaps at one blocked item after which the next jump escapes; `Int.max` for never, which is
    /// the livelock of REEL-004. Default 3 (assumed).
    public var attempts: Int
    /// Time from the first snap at the blocked item after which the next jump escapes;
    /// `TimeSpan.max` for never. Default 2 s: start-up abandonment begins there (`parameters.md`
    /// section 6.4).
    public var timeout: TimeSpan
    /// Default `letThrough` (assumed; REEL-004 names both).
    public var escape: Escape
    /// Items of which readiness is known at once: no fewer than the pool has players, 1 ... 1,024.
    /// Default 16 (assumed: more than a phone has).
    public var recordLimit: Int

    public init(
      rule: Rule = .gate, attempts: Int = 3, timeout: TimeSpan = .seconds(2),
      escape: Escape = .letThrough, recordLimit: Int = 16
    ) {
      self.rule = rule
      self.attempts = attempts
      self.timeout = timeout
      self.escape = escape
      self.recordLimit = recordLimit
    }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// A swipe ended at this item.
    case jumped(to: ItemID)
    /// A player is being prepared for the item; readiness will carry this generation.
    case preparing(ItemID, generation: UInt32)
    /// The item can be rendered at once.
    case becameReady(ItemID, generation: UInt32)
    /// The item's player was given to another item, or failed.
    case dropped(ItemID, generation: UInt32)
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable {
    /// Stop rendering the item: it is not active any more.
    case pause(ItemID)
    /// Make the item the active one.
    case activate(ItemID)
    /// Scroll back to the item: the jump to the other one was stopped.
    case snapBack(to: ItemID, from: ItemID)
    /// Cover the active item: it is not ready.
    case showPlaceholder(ItemID)
    /// Uncover the item and start rendering: it is active and ready.
    case play(ItemID)
  }

  /// What is known of one item's player.
  struct Readiness: Sendable {
    var item: ItemID
    var generation: UInt32
    var isReady: Bool
  }

  /// The active item.
  enum State: Sendable, Equatable {
    /// No item was active yet. Can transition to: covered, playing.
    case idle
    /// The active item is not ready. Can transition to: playing, covered (another item).
    case covered(ItemID)
    /// The active item is being rendered. Can transition to: covered, playing (another item).
    case playing(ItemID)
  }

  /// The item that stopped the last jump.
  struct Block: Sendable {
    var item: ItemID
    var since: Instant
    var snaps: Int
  }

  public let configuration: Configuration
  var state = State.idle
  var block: Block?
  var records: [Readiness] = []

  /// Jumps that ended where they began.
  public private(set) var snapBacks = 0
  /// Jumps that ended before their target, elsewhere than they began.
  public private(set) var shortened = 0
  /// Jumps that escaped.
  public private(set) var escapes = 0
  /// Items that became active before they were ready.
  public private(set) var covers = 0
  /// Readiness reports that were too late for their player.
  public private(set) var staleReadiness = 0
  /// Other events that changed nothing.
  public private(set) var ignored = 0

  /// - Precondition: `attempts` is not negative, and `recordLimit` is 1 ... 1,024.
  public init(_ configuration: Configuration) {
    precondition(
      configuration.attempts >= 0, "attempts is not negative, got \(configuration.attempts)")
    precondition(
      (1...1024).contains(configuration.recordLimit),
      "recordLimit is 1 ... 1,024, got \(configuration.recordLimit)")
    self.configuration = configuration
    records.reserveCapacity(configuration.recordLimit)
  }

  /// The active item; nil before the first jump.
  public var active: ItemID? {
    switch state {
    case .idle: nil
    case .covered(let item), .playing(let item): item
    }
  }

  /// The item that is being rendered; nil when none is.
  public var playing: ItemID? {
    if case .playing(let item) = state { return item }
    return nil
  }

  /// The item that stopped the last jump, until it is ready or passed.
  public var blocked: ItemID? { block?.item }

  /// Whether the item can be rendered at once, as far as was reported.
  public func isReady(_ item: ItemID) -> Bool {
    guard let index = recordIndex(of: item) else { return false }
    return records[index].isReady
  }

  /// - Complexity: O(length of the jump), `recordLimit` items looked up for each.
  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .jumped(let target): jump(to: target, at: now, into: &commands)
    case .preparing(let item, let generation): prepare(item, generation, into: &commands)
    case .becameReady(let item, let generation): becomeReady(item, generation, into: &commands)
    case .dropped(let item, let generation): drop(item, generation, into: &commands)
    }
  }

  // MARK: Jumps

  private mutating func jump(
    to target: ItemID, at now: Instant, into commands: inout [Command]
  ) {
    guard let active else {
      activate(target, into: &commands)
      return
    }
    if target == active {
      ignored += 1
      return
    }
    if configuration.rule == .off {
      activate(target, into: &commands)
      return
    }
    let isAhead = target > active
    var reached = active
    var stop: ItemID?
    while reached != target {
      let next = ItemID(isAhead ? reached.index + 1 : reached.index - 1)
      if !isReady(next) {
        stop = next
        break
      }
      reached = next
    }
    guard let stop else {
      block = nil
      activate(target, into: &commands)
      return
    }
    if mayEscape(stop, at: now) {
      escapes += 1
      block = nil
      activate(
        configuration.escape == .skip ? beyond(stop, towards: target, isAhead) : target,
        into: &commands)
      return
    }
    if block?.item != stop { block = Block(item: stop, since: now, snaps: 0) }
    block!.snaps += 1
    if reached == active {
      snapBacks += 1
    } else {
      shortened += 1
      activate(reached, into: &commands)
    }
    commands.append(.snapBack(to: reached, from: target))
  }

  private func mayEscape(_ item: ItemID, at now: Instant) -> Bool {
    if configuration.attempts == 0 { return true }
    guard let block, block.item == item else { return false }
    if block.snaps >= configuration.attempts { return true }
    return now >= block.since.advanced(saturatingBy: configuration.timeout)
  }

  /// The nearest ready item beyond the blocked one in the direction of the jump, else the target.
  private func beyond(_ stop: ItemID, towards target: ItemID, _ isAhead: Bool) -> ItemID {
    var best: ItemID?
    for record in records where record.isReady {
      let item = record.item
      if isAhead ? item <= stop : item >= stop { continue }
      if let best, isAhead ? best <= item : best >= item { continue }
      best = item
    }
    return best ?? target
  }

  private mutating func activate(_ item: ItemID, into commands: inout [Command]) {
    if case .playing(let old) = state { commands.append(.pause(old)) }
    commands.append(.activate(item))
    if isReady(item) {
      state = .playing(item)
      commands.append(.play(item))
    } else {
      cover(item, into: &commands)
    }
  }

  private mutating func cover(_ item: ItemID, into commands: inout [Command]) {
    covers += 1
    state = .covered(item)
    commands.append(.showPlaceholder(item))
  }

  // MARK: Readiness

  private mutating func prepare(
    _ item: ItemID, _ generation: UInt32, into commands: inout [Command]
  ) {
    if let index = recordIndex(of: item) {
      let isRepeated = records[index].generation == generation
      if isRepeated {
        ignored += 1
        return
      }
      records[index].generation = generation
      records[index].isReady = false
      uncoverOrCover(item, into: &commands)
    } else if !addRecord(Readiness(item: item, generation: generation, isReady: false)) {
      ignored += 1
    }
  }

  private mutating func becomeReady(
    _ item: ItemID, _ generation: UInt32, into commands: inout [Command]
  ) {
    guard let index = recordIndex(of: item), records[index].generation == generation else {
      staleReadiness += 1
      return
    }
    if records[index].isReady {
      ignored += 1
      return
    }
    records[index].isReady = true
    if block?.item == item { block = nil }
    uncoverOrCover(item, into: &commands)
  }

  private mutating func drop(
    _ item: ItemID, _ generation: UInt32, into commands: inout [Command]
  ) {
    guard let index = recordIndex(of: item), records[index].generation == generation else {
      ignored += 1
      return
    }
    records.swapAt(index, records.count - 1)
    records.removeLast()
    uncoverOrCover(item, into: &commands)
  }

  /// Brings the active item's cover in line with its readiness.
  private mutating func uncoverOrCover(_ item: ItemID, into commands: inout [Command]) {
    switch state {
    case .covered(item) where isReady(item):
      state = .playing(item)
      commands.append(.play(item))
    case .playing(item) where !isReady(item):
      commands.append(.pause(item))
      cover(item, into: &commands)
    default: break
    }
  }

  private func recordIndex(of item: ItemID) -> Int? {
    for index in 0..<records.count where records[index].item == item { return index }
    return nil
  }

  /// Takes a record in, at the cost of the one farthest from the active item; false when the new
  /// one would itself be the farthest.
  private mutating func addRecord(_ record: Readiness) -> Bool {
    if records.count < configuration.recordLimit {
      records.append(record)
      return true
    }
    let centre = Int(active?.index ?? 0)
    var farthest = -1
    var distance = abs(Int(record.item.index) - centre)
    for index in 0..<records.count {
      let other = abs(Int(records[index].item.index) - centre)
      if other > distance {
        farthest = index
        distance = other
      }
    }
    if farthest < 0 { return false }
    if block?.item == records[farthest].item { block = nil }
    records[farthest] = record
    return true
  }
}
