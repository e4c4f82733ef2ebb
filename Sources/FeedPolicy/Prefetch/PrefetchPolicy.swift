import MediaUnits

/// Decides which neighbouring items are fetched before the viewer gets there, how deep, and in
/// which order.
///
/// Two parts: a *family* (``PrefetchFamily``) says what is wanted now, the most urgent first; this
/// machine holds the number of fetches, starts, extends, cancels, suspends and resumes them. It
/// leaves out which rendition is fetched (``BitrateRule`` and ``BitrateCap``) and how an item is
/// cut into requests (the host).
///
/// - An item is *satisfied* when the host holds what is wanted of it; whatever it held before
///   counts. A fetch in progress is replaced by a deeper one when more is wanted: the host extends
///   it.
/// - Nothing starts while something more urgent waits for a place. A running fetch is never
///   preempted by a more urgent one.
/// - The item that becomes current leaves the policy: its fetch is neither cancelled nor counted
///   any more, the player goes on with it (VF-027). When the feed moves, fetches of items that are
///   no longer wanted are cancelled (VF-024).
/// - Offline all fetches are suspended; on the way back what is wanted then starts, in its new
///   order (VF-046). A stall of the current item suspends them where the configuration says so
///   (VF-026), and ``Event/hostHeld(_:)`` holds new starts for the host's own reasons.
///
/// Events may be late, repeated or out of order: each is handled or counted in ``ignored``.
///
/// Source: requirements SIG-023 to SIG-025, VF-013, VF-023 to VF-027, VF-046.
public struct PrefetchPolicy: PolicyMachine {
  /// How urgent a fetch is; smaller comes first (VF-025).
  public enum Priority: UInt8, Sendable, Equatable, Comparable, CaseIterable {
    /// The item after the current one.
    case next = 0
    /// An item after the next one; nearer ones come first.
    case further
    /// More of an item than its start.
    case deeper
    /// The item before the current one.
    case previous

    public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// An item became the current one; `last` is the last item known in the feed.
    case feedMoved(current: ItemID, last: ItemID)
    /// The feed grew; `last` is its last item. A feed never shrinks within the life of a policy.
    case feedExtended(last: ItemID)
    /// Buffer ahead of the current item; `isComplete` when the whole rest of it is downloaded.
    case bufferChanged(ahead: TimeSpan, isComplete: Bool)
    /// A new throughput estimate, and the bit rate at which items are being fetched.
    case throughputChanged(BitRate, bitrate: BitRate)
    /// The host holds this much of the item, counted from its beginning. A host that holds the
    /// whole of an item shorter than its target reports the target (or `TimeSpan.max`).
    case targetReached(ItemID, TimeSpan)
    /// The fetch of the item failed for good.
    case itemFailed(ItemID)
    /// The item is at a stage below media.
    case stageReached(ItemID, PrefetchStage)
    /// The length of an item, as the feed says it. Counts from the next event on.
    case durationKnown(ItemID, TimeSpan)
    /// Where the playhead is in the current item. Counts from the next event on.
    case positionChanged(TimeSpan)
    /// The host wants nothing of the item any more: it is cancelled, and not tried again until the
    /// feed moves.
    case withdrawn(ItemID)
    /// The network went or came back; a policy begins online.
    case connectivityChanged(isOnline: Bool)
    /// The current item stalls, or goes on.
    case stallChanged(isStalled: Bool)
    /// The host holds new starts, or lets them go on: a keyboard is open (REEL-025), the battery is
    /// low.
    case hostHeld(Bool)
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable {
    /// Fetch the item from its beginning until `length` is held. For an item whose fetch is in
    /// progress: the new length and priority replace the old ones.
    case start(ItemID, length: TimeSpan, Priority)
    /// Stop fetching the item.
    case cancel(ItemID)
    /// Bring the item to a stage below media; likewise.
    case warm(ItemID, PrefetchStage, Priority)
    /// Stop fetching the item for now; what has arrived will count.
    case suspend(ItemID)
    /// Load the current item no further ahead than this; nil: as the player does by itself.
    case limitBuffer(TimeSpan?)
  }

  /// What the policy was created with.
  public var configuration: Configuration { state.configuration }
  var state: PrefetchState
  var plan: PrefetchPlan
  var forecast: SwipeForecast
  /// Where the next plan is made, so that it can be held against the present one.
  private var draft: PrefetchPlan
  /// Whether ``plan`` is what the family would say now, if it reads no more than the feed and the
  /// rates.
  private var isPlanned = false
  /// Whether all that may begin by ``plan`` has begun, and nothing that decides it has changed.
  private var isSettled = false
  /// The limit that the host was told last.
  var limit: TimeSpan?
  var isStalled = false
  var isHeld = false

  /// Whether the network is there, as far as the policy knows.
  public private(set) var isOnline = true
  /// Start and warm commands given, deeper restarts of a fetch in progress included.
  public private(set) var starts = 0
  /// Cancel commands given.
  public private(set) var cancels = 0
  /// Suspend commands given.
  public private(set) var suspensions = 0
  /// Fetches that reached their depth.
  public private(set) var reached = 0
  /// Events that changed nothing: late, repeated, or of an item that is not being fetched.
  public private(set) var ignored = 0
  /// Fetches in progress; never more than `concurrency`.
  public private(set) var active = 0

  /// - Precondition: no count and no length is negative, the segment's is at least 0.1 s, and
  ///   the thresholds are numbers.
  public init(_ configuration: Configuration) {
    precondition(
      configuration.itemsAhead >= 0, "itemsAhead is not negative, got \(configuration.itemsAhead)")
    precondition(
      configuration.concurrency >= 0,
      "concurrency is not negative, got \(configuration.concurrency)")
    precondition(
      configuration.previousThreshold == configuration.previousThreshold,
      "previousThreshold is a number, got NaN")
    precondition(configuration.headLength >= .zero, "headLength is not negative")
    precondition(configuration.furtherLength >= .zero, "furtherLength is not negative")
    precondition(configuration.previousLength >= .zero, "previousLength is not negative")
    precondition(
      configuration.segmentLength >= .milliseconds(100), "segmentLength is at least 0.1 s")
    if let cover = configuration.cover { precondition(cover > 0, "cover is positive") }
    state = PrefetchState(configuration)
    plan = PrefetchPlan(reserving: configuration.itemsAhead + 2)
    draft = PrefetchPlan(reserving: configuration.itemsAhead + 2)
    forecast = SwipeForecast(
      items: configuration.family.readsHazard ? configuration.itemsAhead : 0)
  }

  /// Whether a fetch of the item is in progress.
  public func isActive(_ item: ItemID) -> Bool {
    guard let index = state.index(of: item) else { return false }
    if case .fetching = state.records[index].state { return true }
    return false
  }

  /// How much of the item the host is known to hold; zero when nothing is known.
  public func held(of item: ItemID) -> TimeSpan { state.held(item) }

  /// Where its records and its plans lie: a host with very many policies may ask the processor for
  /// that memory in advance. Not for reading.
  public var memory: (records: UnsafeRawPointer?, plan: UnsafeRawPointer?, draft: UnsafeRawPointer?)
  {
    (state.records.memory, plan.wishes.memory, draft.wishes.memory)
  }

  /// Whether new fetches may begin, apart from what the family says.
  @inline(__always)
  public var isStarting: Bool {
    isOnline && !isHeld && !(isStalled && configuration.suspendsOnStall)
  }

  /// - Complexity: that of the family, at most O(itemsAhead² · wishes); nothing is allocated beyond
  ///   the growth of `commands` and of the plan.
  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .feedExtended, .bufferChanged, .throughputChanged: break
    default: isSettled = false
    }
    switch event {
    case .feedMoved(let item, let last):
      state.last = max(state.last, last, item)
      move(to: item, into: &commands)
    case .feedExtended(let last):
      if last <= state.last { ignored += 1 }
      isPlanned = isPlanned && last <= state.last
      state.last = max(state.last, last)
    case .bufferChanged(let ahead, let isComplete):
      if state.current == nil { ignored += 1 }
      state.bufferAhead = max(.zero, min(ahead, PrefetchState.longest))
      state.isComplete = isComplete
    case .throughputChanged(let throughput, let bitrate):
      isPlanned = isPlanned && throughput == state.throughput && bitrate == state.bitrate
      state.throughput = throughput
      state.bitrate = bitrate
    case .positionChanged(let position):
      if state.current == nil { ignored += 1 }
      state.position = max(.zero, min(position, PrefetchState.longest))
      return
    case .targetReached(let item, let length): hold(item, .media(length))
    case .stageReached(let item, let stage): hold(item, PrefetchDepth(stage))
    case .durationKnown(let item, let duration):
      learn(item, duration)
      return
    case .itemFailed(let item): fail(item)
    case .withdrawn(let item): withdraw(item, into: &commands)
    case .connectivityChanged(let isOnline):
      if isOnline == self.isOnline { ignored += 1 }
      self.isOnline = isOnline
      if !isOnline { suspendAll(into: &commands) }
    case .stallChanged(let isStalled):
      if isStalled == self.isStalled { ignored += 1 }
      self.isStalled = isStalled
      if isStalled && configuration.suspendsOnStall { suspendAll(into: &commands) }
    case .hostHeld(let isHeld):
      if isHeld == self.isHeld { ignored += 1 }
      self.isHeld = isHeld
    }
    makePlan()
    if plan.bufferLimit != limit {
      limit = plan.bufferLimit
      commands.append(.limitBuffer(limit))
    }
    startWaiting(into: &commands)
  }

  // MARK: Events

  /// Makes `item` the current one; the same item again only clears the failures.
  private mutating func move(to item: ItemID, into commands: inout [Command]) {
    if item != state.current {
      state.bufferAhead = .zero
      state.position = .zero
      state.isComplete = false
      isStalled = false
    }
    state.current = item
    isPlanned = false
    makePlan()
    for index in 0..<state.records.count {
      switch state.records[index].state {
      case .idle: break
      case .failed: state.records[index].state = .idle
      case .fetching:
        let fetched = state.records[index].item
        if fetched != item && plan.wants(fetched) { break }
        state.records[index].state = .idle
        active -= 1
        if fetched == item { break }
        cancels += 1
        commands.append(.cancel(fetched))
      }
    }
  }

  private mutating func hold(_ item: ItemID, _ depth: PrefetchDepth) {
    guard let index = state.index(of: item) ?? state.add(item) else {
      ignored += 1
      return
    }
    let isNews = depth > state.records[index].held
    if isNews { state.records[index].held = depth }
    if case .fetching(let wanted) = state.records[index].state {
      if depth >= wanted {
        state.records[index].state = .idle
        active -= 1
        reached += 1
      }
    } else if !isNews {
      ignored += 1
    }
  }

  private mutating func learn(_ item: ItemID, _ duration: TimeSpan) {
    guard duration > .zero, let index = state.index(of: item) ?? state.add(item),
      state.records[index].duration != duration
    else {
      ignored += 1
      return
    }
    state.records[index].duration = duration
  }

  private mutating func fail(_ item: ItemID) {
    guard let index = state.index(of: item), case .fetching = state.records[index].state else {
      ignored += 1
      return
    }
    state.records[index].state = .failed
    active -= 1
  }

  private mutating func withdraw(_ item: ItemID, into commands: inout [Command]) {
    guard item != state.current, let index = state.index(of: item) ?? state.add(item),
      state.records[index].state != .failed
    else {
      ignored += 1
      return
    }
    if case .fetching = state.records[index].state {
      active -= 1
      cancels += 1
      commands.append(.cancel(item))
    }
    state.records[index].state = .failed
  }

  private mutating func suspendAll(into commands: inout [Command]) {
    for index in 0..<state.records.count {
      guard case .fetching = state.records[index].state else { continue }
      state.records[index].state = .idle
      active -= 1
      suspensions += 1
      commands.append(.suspend(state.records[index].item))
    }
  }

  /// Asks the family, unless nothing that it reads has changed since it was asked.
  private mutating func makePlan() {
    if isPlanned { return }
    state.configuration.family.plan(state, &forecast, into: &draft)
    isPlanned = !state.configuration.family.readsHazard
    if draft == plan { return }
    swap(&draft, &plan)
    isSettled = false
  }

  // MARK: Starts

  /// Fetches that may be in progress now.
  @inline(__always)
  private var places: Int { min(plan.parallel ?? .max, configuration.concurrency) }

  @inline(__always)
  private var isGateOpen: Bool {
    switch plan.gate {
    case .open: true
    case .closed: false
    case .buffer(let least): state.isComplete || state.bufferAhead >= least
    }
  }

  /// The most urgent wish that is to be started and has no place of `concurrency`; nil when there
  /// is none, or nothing may begin, or the family wants no more at once.
  public var waiting: (item: ItemID, priority: Priority)? {
    guard isStarting, isGateOpen else { return nil }
    if active >= places && places < configuration.concurrency { return nil }
    for index in 0..<plan.wishes.count where isOpen(index) {
      return (plan.wishes[index].item, plan.wishes[index].priority)
    }
    return nil
  }

  private mutating func startWaiting(into commands: inout [Command]) {
    guard isStarting, isGateOpen, !isSettled else { return }
    // What begins now leaves nothing more to begin.
    isSettled = true
    for index in 0..<plan.wishes.count where isOpen(index) {
      if !start(plan.wishes[index], into: &commands) { return }
    }
  }

  /// Whether a fetch of the item is in progress or still to come.
  @inline(__always)
  private func isWarming(_ item: ItemID) -> Bool {
    for index in 0..<plan.wishes.count where plan.wishes[index].item == item {
      guard let record = state.index(of: item) else { return true }
      if state.records[record].state != .failed
        && state.records[record].held < plan.wishes[index].depth
      {
        return true
      }
    }
    return false
  }

  /// Whether the wish at a place of the plan is to be started now. More of an item waits for the
  /// part of it that the plan has before.
  // Inlined with what it calls: a call would copy the policy, once for every wish.
  @inline(__always)
  private func isOpen(_ place: Int) -> Bool {
    let wish = plan.wishes[place]
    if let earlier = wish.after, isWarming(earlier) { return false }
    guard let index = state.index(of: wish.item) else { return true }
    if state.records[index].held >= wish.depth { return false }
    switch state.records[index].state {
    case .failed: return false
    case .idle: return true
    case .fetching(let depth):
      if depth >= wish.depth { return false }
      for before in 0..<place where plan.wishes[before].item == wish.item { return false }
      return true
    }
  }

  /// Starts the wish's fetch; false when there is no place for it.
  @inline(__always)
  private mutating func start(_ wish: PrefetchWish, into commands: inout [Command]) -> Bool {
    var found = state.index(of: wish.item)
    var isRunning = false
    if let index = found, case .fetching = state.records[index].state { isRunning = true }
    if !isRunning && active >= places { return false }
    if found == nil { found = state.add(wish.item) }
    guard let index = found else { return false }
    if !isRunning { active += 1 }
    state.records[index].state = .fetching(wish.depth)
    starts += 1
    if wish.depth.stage == .media {
      commands.append(.start(wish.item, length: wish.depth.length, wish.priority))
    } else {
      commands.append(.warm(wish.item, wish.depth.stage, wish.priority))
    }
    return true
  }
}
