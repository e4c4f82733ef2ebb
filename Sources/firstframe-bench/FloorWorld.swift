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
    for viewer in viewers {
      viewer.pointee.release()
      viewer.deinitialize(count: 1)
      viewer.deallocate()
    }
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
    for viewer in viewers where viewer.pointee.isActive { viewer.pointee.countMachines(&shared) }
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
      viewer.pointee.event = .none
      goOn(viewer, &context)
    case .viewerCame(let slot):
      let viewer = viewers[Int(slot)]
      shared.now = context.now
      begin(viewer)
      goOn(viewer, &context)
    case .cache(let event):
      caches.handle(event, at: context.now, into: &cacheCommands)
      performCacheCommands(acting: nil, &context)
    }
  }

  private mutating func begin(_ viewer: UnsafeMutablePointer<FloorViewer>) {
    sessions += 1
    viewer.pointee.begin(sessions, &shared)
  }

  /// Lets a viewer act, happening after happening, until he is to ask an edge or waits at one.
  private mutating func goOn(
    _ viewer: UnsafeMutablePointer<FloorViewer>, _ context: inout Context<FloorEvent>
  ) {
    while true {
      giveUpAtEdge()
      if !viewer.pointee.isActive {
        if active > wanted {
          active -= 1
          free.append(viewer.pointee.slot)
          return
        }
        begin(viewer)
        continue
      }
      let (time, what) = viewer.pointee.next
      let asksEdge = viewer.pointee.asksEdge(what)
      if (asksEdge || viewer.pointee.requests.waitingAtEdge > 0) && time > context.now {
        if time == FloorTimes.never { return }
        viewer.pointee.event = context.schedule(
          .viewerDue(slot: viewer.pointee.slot, object: viewer.pointee.object(of: what)), at: time,
          for: FloorWorld.entity(viewer.pointee.slot))
        return
      }
      precondition(time < FloorTimes.never, "something happens to a viewer in a session")
      shared.now = time
      if asksEdge, case .request(let index) = what {
        ask(viewer, index, &context)
      } else {
        viewer.pointee.act(what, &shared)
      }
    }
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

  /// Looks up what a request is for at the viewer's edge.
  private mutating func ask(
    _ viewer: UnsafeMutablePointer<FloorViewer>, _ index: Int,
    _ context: inout Context<FloorEvent>
  ) {
    let request = viewer.pointee.requests[index]
    shared.counts.lookUps += 1
    let reply = caches.ask(
      EdgeRequest(
        at: shared.now, key: UInt64(request.object),
        asset: request.isPoster ? .poster : .segment, bytes: request.bytes,
        edge: viewer.pointee.session.edge),
      by: EdgeAsker(slot: viewer.pointee.slot, request: UInt32(index)),
      service: setting.pointee.service, into: &cacheCommands)
    switch reply {
    case .everything, .fresh:
      viewer.pointee.answer(index, after: setting.pointee.service, &shared)
    case .waits(let number, _):
      viewer.pointee.requests.wait(index, as: number)
    }
    performCacheCommands(acting: viewer, &context)
  }

  /// Performs what the caches command. Timers are left out: the origin answers in time.
  private mutating func performCacheCommands(
    acting: UnsafeMutablePointer<FloorViewer>?, _ context: inout Context<FloorEvent>
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
        shared.now = now
        viewer.pointee.answer(Int(given.asker.request), after: given.delay, &shared)
        if viewer == acting { continue }
        context.cancel(viewer.pointee.event)
        viewer.pointee.event = .none
        goOn(viewer, &context)
      case .send: preconditionFailure("the floor is in one piece")
      }
    }
    commands.removeAll(keepingCapacity: true)
    cacheCommands = commands
    shared.now = now
  }
}
