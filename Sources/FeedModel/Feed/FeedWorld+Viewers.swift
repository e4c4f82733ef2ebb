import CacheModel
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The viewers' places, and how far each goes on by himself.
extension FeedWorld {
  /// Viewers who are gone whose memory is kept.
  @inline(__always)
  var spareViewers: Int { 64 + activeSessions / 16 }

  /// A session begins.
  mutating func begin(_ session: UInt32, _ context: inout Context<FeedEvent>) {
    let slot = takePlace(session, at: context.now)
    activeSessions += 1
    noteSessions(1, at: context.now)
    measures.counts.sessions += 1
    if activeSessions > measures.peakSessions { measures.peakSessions = activeSessions }
    let viewer = viewers[Int(slot)]
    begin(&viewer.pointee, session, context)
    goOn(slot, &context)
  }

  private mutating func begin(
    _ viewer: inout Viewer, _ session: UInt32, _ context: borrowing Context<FeedEvent>
  ) {
    turns[Int(viewer.slot)] = ViewerTurn()
    viewerContext.begin(at: context.now, source: context.source)
    viewer.begin(session, &viewerContext)
  }

  /// The place of a viewer in memory, reused when there is one.
  private mutating func takePlace(_ session: UInt32, at now: Instant) -> UInt32 {
    if let free = freeViewers.popLast() { return free }
    let viewer = ViewerPointer.allocate(capacity: 1)
    let slot = vacantSlots.popLast() ?? UInt32(viewers.count)
    viewer.initialize(to: Viewer(UnsafePointer(setting), slot: slot, session: session, at: now))
    if Int(slot) == viewers.count {
      viewers.append(viewer)
      turns.append(ViewerTurn())
    } else {
      viewers[Int(slot)] = viewer
    }
    return slot
  }

  /// Gives back the memory of viewers who are gone, all but those that the next arrivals need:
  /// their places are then empty.
  mutating func releaseViewers() {
    viewerContext.blocks.trim(to: spareViewers)
    while freeViewers.count > spareViewers {
      let slot = freeViewers.removeLast()
      let viewer = viewers[Int(slot)]
      vacantSlots.append(slot)
      if let nobody {
        viewers[Int(slot)] = nobody
        Viewer.free(viewer)
      } else {
        // One of them stands in all empty places, for answers that come too late.
        nobody = viewer
      }
    }
  }

  /// A viewer has left: his place is another's.
  ///
  /// - Parameter now: nil at the end of the run.
  mutating func makeRoom(_ slot: UInt32, at now: Instant?) {
    if let now { noteSessions(-1, at: now) }
    freeViewers.append(slot)
    activeSessions -= 1
  }

  // MARK: Turns

  /// It is time for what happens to a viewer next.
  mutating func act(_ slot: UInt32, _ context: inout Context<FeedEvent>) {
    let viewer = viewers[Int(slot)]
    actNow(&viewer.pointee, context)
    goOn(slot, &context)
  }

  @inline(__always)
  private mutating func actNow(_ viewer: inout Viewer, _ context: borrowing Context<FeedEvent>) {
    turns[Int(viewer.slot)].event = .none
    viewer.act(&viewerContext)
    runAhead.count(at: context.now, isAhead: false)
  }

  /// After a turn of a viewer: what it leaves behind for others, and what happens to him next as
  /// far as nobody else can matter to that. Then there is one event for him.
  ///
  /// Others may have turns in his cell, and he as well; so he is held by none of this but in the
  /// steps that are his alone.
  mutating func goOn(_ slot: UInt32, _ context: inout Context<FeedEvent>) {
    let viewer = viewers[Int(slot)]
    endTurn(of: &viewer.pointee)
    repeat {
      if let change = takeCellChange(of: viewer.pointee) { note(change, &context) }
    } while actAhead(&viewer.pointee, &context)
  }

  @inline(__always)
  private mutating func endTurn(of viewer: inout Viewer) {
    viewer.endTurn(&viewerContext)
    giveUpAtEdge(viewer)
  }

  /// Does what happens to a viewer next, if nobody else can matter to that; else there is an event
  /// for it, or room where he is.
  ///
  /// - Returns: whether it was done.
  @inline(__always)
  private mutating func actAhead(
    _ viewer: inout Viewer, _ context: inout Context<FeedEvent>
  ) -> Bool {
    if !viewer.isActive {
      if !turns[Int(viewer.slot)].hasLeft { leave(viewer, &context) }
      return false
    }
    guard let next = viewer.next else {
      cancelEvent(ofSlot: viewer.slot, &context)
      return false
    }
    let asksEdge = viewer.asksEdge(next.happening)
    if asksEdge || !mayRunAhead(viewer, to: next.time) {
      schedule(viewer, next, asksEdge: asksEdge, &context)
      return false
    }
    viewer.act(&viewerContext)
    runAhead.count(at: next.time, isAhead: next.time > context.now)
    giveUpAtEdge(viewer)
    return true
  }

  /// Whether what happens to a viewer at `time` can be done now.
  @inline(__always)
  private func mayRunAhead(_ viewer: borrowing Viewer, to time: Instant) -> Bool {
    time <= runAhead.limit && viewer.isByHimself && !viewerContext.isCounting
      && runAhead.isOrdinary(time)
  }

  /// Gives a viewer his event: for a request that reaches its edge, or for what happens to him when
  /// it is time.
  private mutating func schedule(
    _ viewer: borrowing Viewer, _ next: Agenda.Entry, asksEdge: Bool,
    _ context: inout Context<FeedEvent>
  ) {
    let (slot, session) = (viewer.slot, viewer.session)
    if turns[Int(slot)].isFor(next, asksEdge: asksEdge) { return }
    context.cancel(turns[Int(slot)].event)
    var event = FeedEvent.viewerDue(slot: slot, isSettling: next.happening.tag == .settled)
    if asksEdge {
      switch next.happening {
      case .requestAtEdge(let request, let generation):
        event = .requestAtEdge(slot: slot, request: request, generation: generation)
      case .pairAtEdge(let pair): event = .pairAtEdge(slot: slot, pair)
      default: break
      }
    }
    let handle = context.schedule(
      event, at: next.time,
      for: asksEdge ? CacheHierarchy.edgeEntity(Int(viewer.edge)) : session,
      source: next.source, phase: next.happening.phase)
    turns[Int(slot)] = ViewerTurn(handle, for: next, asksEdge: asksEdge)
  }

  private mutating func cancelEvent(ofSlot slot: UInt32, _ context: inout Context<FeedEvent>) {
    context.cancel(turns[Int(slot)].event)
    turns[Int(slot)].event = .none
  }

  /// A viewer's session is over, now or later: there is room when it is time.
  private mutating func leave(
    _ viewer: borrowing Viewer, _ context: inout Context<FeedEvent>
  ) {
    turns[Int(viewer.slot)].hasLeft = true
    cancelEvent(ofSlot: viewer.slot, &context)
    if viewerContext.now == context.now {
      makeRoom(viewer.slot, at: context.now)
    } else {
      context.schedule(
        .sessionEnded(slot: viewer.slot), at: viewerContext.now, for: viewer.session)
    }
  }

  /// Takes back what waits at the edge and was given up.
  mutating func giveUpAtEdge(_ viewer: borrowing Viewer) {
    if viewerContext.givenUp.isEmpty { return }
    for request in viewerContext.givenUp {
      caches.cancel(
        request.number, atEdge: Int(request.edge), key: request.key, at: viewerContext.now)
    }
    viewerContext.givenUp.removeAll(keepingCapacity: true)
  }
}

/// The event that the simulation has for a viewer.
struct ViewerTurn {
  var event = EventHandle.none
  /// Whether the world knows that the session is over.
  var hasLeft = false
  // What the event is for, and whether that asks an edge.
  private var asksEdge = false
  private var serial: UInt32 = 0
  private var time = Instant.zero

  /// None yet.
  init() {}

  init(_ event: EventHandle, for next: Agenda.Entry, asksEdge: Bool) {
    self.event = event
    self.asksEdge = asksEdge
    serial = next.serial
    time = next.time
  }

  /// Whether there is an event, for that happening.
  func isFor(_ next: Agenda.Entry, asksEdge: Bool) -> Bool {
    event != .none && time == next.time && serial == next.serial && self.asksEdge == asksEdge
  }
}

/// How far viewers may go on before the simulation is there: where nothing of theirs can matter to
/// others, and nothing of others to them.
struct RunAhead {
  /// The latest time that anybody may go on to.
  private(set) var limit: Instant
  /// Instants at which all viewers have to be: what is counted there is counted of all alike. In
  /// order; those before ``place`` are over.
  private var barriers: [Instant] = []
  private var place = 0
  private var horizon: Instant
  private let isOff: Bool
  /// Happenings of the latest instant. A great many of them are the simulation's affair, which has
  /// a limit for that.
  private var instant = Instant.zero
  private var count = 0
  private static let ordinaryCount = 1000
  /// Happenings that were done ahead of their time.
  private(set) var aheadCount: UInt64 = 0

  /// - Parameter isOff: nobody ever goes ahead.
  init(_ configuration: FeedConfiguration, isOff: Bool) {
    self.isOff = isOff
    horizon = .distantFuture
    limit = .zero
    let begin = Instant.zero + configuration.cdn.warmUp
    var instants = [begin]
    for window in configuration.windows { instants += [begin + window.from, begin + window.to] }
    // What begins with the run has no event to pass it.
    barriers = instants.filter { $0 > .zero }.sorted()
    bound()
  }

  /// Nobody may go on beyond this until the next call.
  mutating func bound(by horizon: Instant) {
    self.horizon = horizon
    bound()
  }

  /// A barrier is passed.
  mutating func pass(_ now: Instant) {
    while place < barriers.count && barriers[place] <= now { place += 1 }
    bound()
  }

  private mutating func bound() {
    limit = place < barriers.count ? min(barriers[place], horizon) : horizon
    if isOff { limit = Instant(nanoseconds: -1) }
  }

  /// Counts a happening; `isAhead`: done before the simulation was there.
  mutating func count(at time: Instant, isAhead: Bool) {
    count = time == instant ? count + 1 : 1
    instant = time
    if isAhead { aheadCount += 1 }
  }

  /// Whether no more has happened at a time than does.
  func isOrdinary(_ time: Instant) -> Bool {
    time != instant || count < RunAhead.ordinaryCount
  }
}
