import CacheModel
import FeedPolicy
import MediaUnits

/// What a foreign policy has in progress, as follows from what it was told and has commanded.
public struct ForeignFetches: Sendable {
  /// How far behind the current item something may be fetched.
  static let behind: UInt32 = 2

  private let reach: UInt32
  private var current: UInt32?
  private var last: UInt32 = 0
  private var active: [(item: UInt32, depth: PrefetchDepth)] = []
  /// As ``FeedPolicy/PrefetchPolicy`` counts them.
  private(set) var starts = 0
  private(set) var cancels = 0
  private(set) var reached = 0

  /// - Parameter reach: how many items ahead something may be fetched.
  public init(reach: Int) { self.reach = UInt32(reach) }

  /// Whether a fetch of the item is in progress.
  public func isActive(_ item: UInt32) -> Bool { place(of: item) != nil }

  private func place(of item: UInt32) -> Int? {
    for index in 0..<active.count where active[index].item == item { return index }
    return nil
  }

  private mutating func remove(_ item: UInt32) -> Bool {
    guard let index = place(of: item) else { return false }
    active.remove(at: index)
    return true
  }

  /// Takes note of what it was told.
  public mutating func note(_ event: PrefetchPolicy.Event) {
    switch event {
    case .feedMoved(let item, let end):
      current = item.index
      last = max(last, end.index, item.index)
      // The player goes on with it.
      _ = remove(item.index)
    case .feedExtended(let end): last = max(last, end.index)
    case .targetReached(let item, let length): reach(item, .media(length))
    case .stageReached(let item, let stage): reach(item, PrefetchDepth(stage))
    case .itemFailed(let item): _ = remove(item.index)
    case .bufferChanged, .throughputChanged, .durationKnown, .positionChanged, .withdrawn,
      .connectivityChanged, .stallChanged, .hostHeld:
      break
    }
  }

  private mutating func reach(_ item: ItemID, _ depth: PrefetchDepth) {
    guard let index = place(of: item.index), depth >= active[index].depth else { return }
    active.remove(at: index)
    reached += 1
  }

  /// Takes note of what it commands.
  ///
  /// - Returns: why that cannot be done; nil where it can.
  public mutating func note(_ command: PrefetchPolicy.Command) -> PrefetchFault? {
    switch command {
    case .start(let item, let length, _):
      if length <= .zero || length > .days(1) { return .length }
      return begin(item.index, .media(length))
    case .warm(let item, let stage, _):
      if stage == .nothing || stage == .media { return .stage }
      return begin(item.index, PrefetchDepth(stage))
    case .cancel(let item):
      if !remove(item.index) { return .notInProgress }
      cancels += 1
    case .suspend(let item):
      if !remove(item.index) { return .notInProgress }
    case .limitBuffer(let limit):
      if let limit, limit < .zero { return .length }
    }
    return nil
  }

  private mutating func begin(_ item: UInt32, _ depth: PrefetchDepth) -> PrefetchFault? {
    guard let current else { return .noCurrent }
    if item == current { return .current }
    let isNear =
      item > current
      ? item - current <= reach && item <= last : current - item <= ForeignFetches.behind
    if !isNear { return .outOfReach }
    if let index = place(of: item) {
      active[index].depth = depth
    } else {
      active.append((item, depth))
    }
    starts += 1
    return nil
  }
}

/// A foreign policy of one session: what it was told, what it has answered, and what of that waits.
struct ForeignPrefetch {
  private let decider: any PrefetchDecider
  /// Told and not answered.
  private var told: [PrefetchTold] = []
  /// Answered and not done: commands, and where those of each event end.
  private var commands: [PrefetchPolicy.Command] = []
  private var ends: [Int] = []
  private var taken = 0
  private var next = 0
  private(set) var fetches: ForeignFetches

  init(_ decider: any PrefetchDecider, reach: Int) {
    self.decider = decider
    fetches = ForeignFetches(reach: reach)
  }

  mutating func tell(_ event: PrefetchPolicy.Event, at now: Instant) {
    told.append(PrefetchTold(event, at: now))
  }

  /// Has all answered that was told.
  mutating func ask() {
    if told.isEmpty { return }
    let before = ends.count
    var place = commands.count
    decider.decide(told, into: &commands, ends: &ends)
    precondition(ends.count == before + told.count, "every event is answered")
    for index in 0..<told.count {
      fetches.note(told[index].event)
      let end = ends[before + index]
      while place < end {
        if let fault = fetches.note(commands[place]) {
          decider.refuse(commands[place], fault, after: told[index])
          giveUp(from: before + index, place)
          return
        }
        place += 1
      }
    }
    told.removeAll(keepingCapacity: true)
  }

  /// What is wrong and what follows it is not done.
  private mutating func giveUp(from event: Int, _ place: Int) {
    commands.removeLast(commands.count - place)
    for index in event..<ends.count { ends[index] = place }
    told.removeAll(keepingCapacity: true)
  }

  /// Moves the commands of the oldest event whose commands were not taken into a list.
  mutating func take(into list: inout [PrefetchPolicy.Command]) {
    if next == ends.count { ask() }
    let end = ends[next]
    while taken < end {
      list.append(commands[taken])
      taken += 1
    }
    next += 1
    if next < ends.count { return }
    commands.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    taken = 0
    next = 0
  }

  /// The session is over.
  func close() { decider.close(told) }
}

/// The foreign policies of a world's sessions; of none where the program's own decide.
struct ForeignViewers {
  private struct Seat {
    var session: UInt32
    var policy: ForeignPrefetch
  }

  private let deciders: (any PrefetchDeciders)?
  private let replication: UInt16
  private let reach: Int
  /// Where there is one viewer in each place, at that place; extra cold starts have one place for
  /// several.
  private var seats: [Seat?] = []
  /// Whether there are any.
  let isUsed: Bool
  let readsHazard, readsStalls: Bool
  /// Who decides something else.
  private var rules: [any RuleDecider] = []

  init(_ configuration: FeedConfiguration, replication: UInt16) {
    let policy = configuration.policy
    deciders = policy.prefetchDeciders
    for rule in configuration.foreignRules { rules.append(rule.decider) }
    self.replication = replication
    reach = policy.prefetch.itemsAhead
    isUsed = policy.prefetchDeciders != nil
    readsHazard = policy.prefetchDeciders?.readsHazard ?? false
    readsStalls = policy.prefetchDeciders?.readsStalls ?? false
  }

  /// Nobody's.
  init() {
    deciders = nil
    replication = 0
    reach = 0
    isUsed = false
    readsHazard = false
    readsStalls = false
  }

  var hasFailed: Bool {
    for rule in rules where rule.hasFailed { return true }
    return deciders?.hasFailed ?? false
  }

  /// Where the seat of a session is; nil: it has none.
  private func place(_ slot: UInt32, _ session: UInt32) -> Int? {
    let likely = Int(slot)
    if likely < seats.count, let seat = seats[likely], seat.session == session { return likely }
    for index in 0..<seats.count {
      if let seat = seats[index], seat.session == session { return index }
    }
    return nil
  }

  mutating func begin(slot: UInt32, session: UInt32) {
    guard let deciders else { return }
    while seats.count <= Int(slot) { seats.append(nil) }
    var place = Int(slot)
    while place < seats.count && seats[place] != nil { place += 1 }
    if place == seats.count { seats.append(nil) }
    seats[place] = Seat(
      session: session,
      policy: ForeignPrefetch(
        deciders.decider(replication: replication, session: session), reach: reach))
  }

  mutating func tell(
    slot: UInt32, session: UInt32, _ event: PrefetchPolicy.Event, at now: Instant
  ) {
    guard let place = place(slot, session) else { return }
    seats[place]?.policy.tell(event, at: now)
  }

  mutating func take(slot: UInt32, session: UInt32, into list: inout [PrefetchPolicy.Command]) {
    guard let place = place(slot, session) else { return }
    seats[place]?.policy.take(into: &list)
  }

  /// Whether a fetch of the item is in progress.
  mutating func isActive(slot: UInt32, session: UInt32, _ item: UInt32) -> Bool {
    guard let place = place(slot, session) else { return false }
    seats[place]?.policy.ask()
    return seats[place]?.policy.fetches.isActive(item) ?? false
  }

  /// The session is over.
  ///
  /// - Returns: what the policy has done.
  mutating func end(slot: UInt32, session: UInt32) -> ForeignFetches? {
    guard let place = place(slot, session), let seat = seats[place] else { return nil }
    seat.policy.close()
    seats[place] = nil
    return seat.policy.fetches
  }
}
