import CachePolicy
import FeedPolicy
import MediaUnits
import Models
import SimulationKernel

/// What happens in the floor.
enum FloorEvent: BitwiseCopyable, Sendable {
  /// It is time for what happens to a viewer next: a request for an object is at his edge, or he
  /// waits there.
  case viewerDue(slot: UInt32, object: UInt32)
  /// A viewer's first session begins.
  case viewerCame(slot: UInt32)
  /// What the caches had scheduled.
  case cache(CacheEvent)
}

/// The least that the simulated viewing takes: the real policies, transfers priced round by round,
/// look-ups at real caches, titles of the real catalogue, and one event for a viewer.
///
/// Included: what ``FloorViewer`` does; the scenario's caches with their stationary start, so that
/// the hit ratio is the scenario's; memory that is asked for in advance. Left out: measures,
/// records, an agenda, the fingerprint of what happens to viewers, pages of the feed, the disk,
/// decoders, presentation, patience, scrubs, telemetry, titles that are new or were shown before,
/// timeouts between caches, and of the network what ``FloorPath`` says.
struct FloorWorld: ~Copyable, SimulatedWorld {
  private let byAddress = ByAddress()
  private let setting: UnsafeMutablePointer<FloorSetting>
  private(set) var viewers: [UnsafeMutablePointer<FloorViewer>] = []
  /// Places of viewers who have left.
  private var free: [UInt32] = []
  /// Viewers in a session, and how many there should be.
  private(set) var active = 0
  private var wanted = 0
  private var sessions: UInt32 = 0
  var shared = FloorContext()
  private(set) var caches: CacheHierarchy
  private var cacheCommands: [CacheCommand] = []

  /// Viewers' entities follow those of the caches.
  private static let firstEntity = CacheHierarchy.entityLimit

  init(_ configuration: FeedConfiguration, plan: FeedPlan, streams: RandomStreams) {
    precondition(
      configuration.cdn.origin.outages.isEmpty && configuration.cdn.purges.isEmpty,
      "the floor's origin answers")
    guard let demand = plan.demand else {
      preconditionFailure("the floor's caches start as a long run has left them")
    }
    setting = .allocate(capacity: 1)
    setting.initialize(to: FloorSetting(configuration, streams: streams))
    caches = CacheHierarchy(
      configuration.cdn, headerBytes: configuration.transport.responseHeaderBytes,
      numbers: TitleNumbers(titles: configuration.catalogue.titles), streams: streams,
      untouched: plan.untouched,
      stationary: StationaryContents(
        configuration.cdn, untouched: plan.untouched, demand: demand,
        catalogue: configuration.catalogue, streams: streams))
  }

  deinit {
    for viewer in viewers { FloorViewer.free(viewer) }
    setting.deinitialize(count: 1)
    setting.deallocate()
  }

  static func tag(of event: FloorEvent) -> UInt32 {
    switch event {
    case .viewerDue: 0
    case .viewerCame: 1
    case .cache: 2
    }
  }

  static func name(ofTag tag: UInt32) -> StaticString { "an event of the floor" }

  static func isCounted(_ event: FloorEvent) -> Bool { false }

  // MARK: Viewers

  /// From now on so many viewers are to be in a session: new ones come evenly over `span`, and
  /// those who are too many leave when their sessions end.
  ///
  /// - Returns: who comes, and how long after now.
  mutating func want(
    _ count: Int, within span: TimeSpan
  ) -> [(slot: UInt32, after: TimeSpan)] {
    wanted = count
    var coming: [(slot: UInt32, after: TimeSpan)] = []
    let missing = Int64(max(0, count - active))
    for place in 0..<missing {
      coming.append((freePlace(), span * place / missing))
    }
    active += Int(missing)
    return coming
  }

  private mutating func freePlace() -> UInt32 {
    if let slot = free.popLast() { return slot }
    let slot = UInt32(viewers.count)
    let viewer = UnsafeMutablePointer<FloorViewer>.allocate(capacity: 1)
    viewer.initialize(to: FloorViewer(setting, slot: slot))
    viewers.append(viewer)
    return slot
  }

  static func entity(_ slot: UInt32) -> UInt32 { firstEntity + slot }

  /// Adds what the machines of sessions under way have commanded so far.
  mutating func countMachines() {
    for viewer in viewers { countMachines(of: viewer.pointee) }
  }

  private mutating func countMachines(of viewer: borrowing FloorViewer) {
    if viewer.isActive { viewer.countMachines(&shared) }
  }

  /// What all edges have answered so far.
  var answered: TierCounters {
    var sum = TierCounters()
    caches.forEachTier { tier, counters in
      if tier == .edge { sum.add(counters) }
    }
    return sum
  }

  // MARK: Events

  mutating func handle(
    _ event: FloorEvent, target: UInt32, in context: inout Context<FloorEvent>
  ) {
    switch event {
    case .viewerDue(let slot, _):
      let viewer = viewers[Int(slot)]
      forgetEvent(of: &viewer.pointee)
      goOn(slot, &context)
    case .viewerCame(let slot):
      let viewer = viewers[Int(slot)]
      shared.now = context.now
      begin(&viewer.pointee)
      goOn(slot, &context)
    case .cache(let event):
      caches.handle(event, at: context.now, into: &cacheCommands)
      performCacheCommands(acting: nil, &context)
    }
  }

  /// What his event was for happens now.
  private func forgetEvent(of viewer: inout FloorViewer) { _ = viewer.takeEvent() }

  private mutating func begin(_ viewer: inout FloorViewer) {
    sessions += 1
    viewer.begin(sessions, &shared)
  }

  /// Lets a viewer act, happening after happening, until he is to ask an edge or waits at one.
  ///
  /// Others may have turns in between, so he is held in the steps that are his alone.
  private mutating func goOn(_ slot: UInt32, _ context: inout Context<FloorEvent>) {
    let viewer = viewers[Int(slot)]
    giveUpAtEdge()
    while act(&viewer.pointee, &context) {
      performCacheCommands(acting: slot, &context)
      giveUpAtEdge()
    }
  }

  /// Does what happens to a viewer next; where that is later, there is an event for it.
  ///
  /// - Returns: whether it was done.
  @inline(__always)
  private mutating func act(
    _ viewer: inout FloorViewer, _ context: inout Context<FloorEvent>
  ) -> Bool {
    if !viewer.isActive {
      if active > wanted {
        active -= 1
        free.append(viewer.slot)
        return false
      }
      begin(&viewer)
      return true
    }
    let (time, what) = viewer.next
    let asksEdge = viewer.asksEdge(what)
    if (asksEdge || viewer.waitsAtEdge) && time > context.now {
      if time == FloorTimes.never { return false }
      viewer.keep(
        context.schedule(
          .viewerDue(slot: viewer.slot, object: viewer.object(of: what)), at: time,
          for: FloorWorld.entity(viewer.slot)))
      return false
    }
    precondition(time < FloorTimes.never, "something happens to a viewer in a session")
    shared.now = time
    if asksEdge, case .request(let index) = what {
      ask(&viewer, index)
    } else {
      viewer.act(what, &shared)
    }
    return true
  }

  private mutating func giveUpAtEdge() {
    if shared.givenUp.isEmpty { return }
    for request in shared.givenUp {
      caches.cancel(
        request.number, atEdge: Int(request.edge), key: UInt64(request.object), at: shared.now)
    }
    shared.givenUp.removeAll(keepingCapacity: true)
  }

  // MARK: Caches

  /// Looks up what a request is for at the viewer's edge. What the caches command then is left to
  /// be performed.
  private mutating func ask(_ viewer: inout FloorViewer, _ index: Int) {
    let (request, asker) = viewer.edgeRequest(index, at: shared.now)
    shared.counts.lookUps += 1
    let reply = caches.ask(
      request, by: asker, service: setting.pointee.service, into: &cacheCommands)
    switch reply {
    case .everything, .fresh: viewer.answer(index, after: setting.pointee.service, &shared)
    case .waits(let number, _): viewer.wait(index, as: number)
    }
  }

  /// Performs what the caches command. Timers are left out: the origin answers in time.
  ///
  /// - Parameter acting: the place of the viewer whose turn it is, which goes on.
  private mutating func performCacheCommands(
    acting: UInt32?, _ context: inout Context<FloorEvent>
  ) {
    if cacheCommands.isEmpty { return }
    let now = context.now
    var commands = cacheCommands
    cacheCommands = []
    for command in commands {
      switch command {
      case .schedule(let event, let time, let target, let phase):
        context.schedule(.cache(event), at: time, for: target, phase: phase)
      case .set, .cancel: break
      case .answer(let given):
        let viewer = viewers[Int(given.asker.slot)]
        let isActing = given.asker.slot == acting
        answer(given, &viewer.pointee, isActing: isActing, &context)
        if !isActing { goOn(given.asker.slot, &context) }
      case .send: preconditionFailure("the floor is in one piece")
      }
    }
    commands.removeAll(keepingCapacity: true)
    cacheCommands = commands
    shared.now = now
  }

  /// An edge answers a viewer who has waited; if it is not his turn, he has one now.
  private mutating func answer(
    _ given: EdgeAnswer, _ viewer: inout FloorViewer, isActing: Bool,
    _ context: inout Context<FloorEvent>
  ) {
    shared.now = context.now
    viewer.answer(Int(given.asker.request), after: given.delay, &shared)
    if !isActing { context.cancel(viewer.takeEvent()) }
  }
}
