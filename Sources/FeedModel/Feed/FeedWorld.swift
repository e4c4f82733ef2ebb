import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Viewers of a short-video feed, their devices and links, and the CDN that serves them.
///
/// One world is one replication. The policies of ``FeedPolicy`` and ``CachePolicy`` decide; what
/// they command is performed by the viewers (``Viewer``) and the caches (``CacheHierarchy``), which
/// meet in a request and its answer. The world brings them together: it has the viewers' places,
/// lets each go on as far as nobody else can matter to him, and carries what one says to the other.
/// What each part includes and leaves out stands at ``NetworkProfile``, ``TransferCost``,
/// ``AccessLink``, ``CatalogueConfiguration``, ``CDNConfiguration``, ``DeviceClass`` and
/// ``AudienceConfiguration``.
public struct FeedWorld: ~Copyable, SimulatedWorld {
  public typealias Event = FeedEvent

  let setting: UnsafeMutablePointer<FeedSetting>
  private let byAddress = ByAddress()
  /// What viewers write into.
  var viewerContext: ViewerContext
  /// The edges and what stands behind them.
  var caches: CacheHierarchy
  var cacheCommands: [CacheCommand] = []
  var cacheTimers: CacheTimers

  // The viewers' places.
  var viewers: [ViewerPointer] = []
  /// The events that the simulation has for them, by the same places.
  var turns: [ViewerTurn] = []
  /// Places of viewers who are gone and whose memory can be used again.
  var freeViewers: [UInt32] = []
  /// Places without memory; in ``viewers`` all of them have ``nobody``.
  var vacantSlots: [UInt32] = []
  var nobody: ViewerPointer?
  var activeSessions = 0

  /// What viewers may do before it is their turn.
  var runAhead: RunAhead

  // Of a part of a run.
  /// What of the world this one has, and what has left for the other parts.
  let domain: FeedDomain
  var outbox: [DomainMessage] = []
  var sessionChanges: [AttendanceChange] = []
  /// Events that every part handles, and how many they were.
  var sharedEvents = Fingerprint()
  var sharedEventCount: UInt64 = 0

  /// What was heard from real servers, and how many of that was handled.
  var outsideAnswers: [OutsideAnswer] = []
  var answersHeard = 0

  /// Mean time between sessions, seconds.
  let sessionGap: Double
  /// Number of each crowd's first session.
  let crowdSessions: [UInt32]
  var windows: WindowBook
  /// What viewers asked their edges; nil unless it is kept.
  public internal(set) var edgeRequests: [EdgeRequest]?

  // Entities: the first 1024 numbers are the infrastructure's, sessions follow.
  static let audienceEntity: UInt32 = 0
  static let firstSession: UInt32 = 1024

  /// - Parameters:
  ///   - plan: with a demand where the caches start as a long run would have left them.
  ///   - watching: the session that is written down in ``recording``.
  ///   - servers: where requests go; with real servers there has to be one edge.
  ///   - players: where the viewers' players are; real ones need real servers over real links.
  ///   - domain: the part that this world has; with one, every edge has a cache behind it.
  public init(
    _ configuration: FeedConfiguration, streams: RandomStreams, plan: FeedPlan,
    watching session: UInt32? = nil,
    servers: FeedServers = .modelled, players: FeedPlayers = .modelled, domain: FeedDomain = .whole
  ) {
    precondition(servers == .modelled || configuration.cdn.edges == 1)
    precondition(players == .modelled || servers == .real, "real players play real media")
    precondition(
      FeedWorld.firstSession >= CacheHierarchy.entityLimit, "sessions and caches are told apart")
    self.domain = domain
    setting = .allocate(capacity: 1)
    setting.initialize(
      to: FeedSetting(configuration, streams: streams, servers: servers, players: players))
    viewerContext = ViewerContext(
      measures: FeedMeasures(
        networks: configuration.networks.count, devices: configuration.devices.count),
      cells: configuration.cells(streams),
      recording: SessionRecording(session: session ?? SessionRecording.nobody),
      measuredFrom: Instant.zero + configuration.cdn.warmUp,
      foreign: ForeignViewers(configuration, replication: streams.replication))
    runAhead = RunAhead(configuration, isOff: servers != .modelled)
    sessionGap =
      1 / (configuration.audience.sessionsPerSecondPerEdge * Double(configuration.cdn.edges))
    crowdSessions = FeedWorld.crowdSessions(configuration)
    windows = WindowBook(count: configuration.windows.count)
    caches = FeedWorld.caches(
      configuration, plan: plan, numbers: setting.pointee.numbers, domain: domain,
      streams: streams)
    cacheTimers = CacheTimers(nodes: caches.nodeCount)
    viewerContext.measures.providers = ProvidersMeasures(count: configuration.cdn.providers.count)
  }

  deinit {
    for viewer in viewers where viewer != nobody { Viewer.free(viewer) }
    if let nobody { Viewer.free(nobody) }
    setting.deinitialize(count: 1)
    setting.deallocate()
  }

  var configuration: FeedConfiguration {
    unsafeAddress { UnsafePointer(setting.pointee.configurationPlace) }
  }
  var audience: UnsafeMutablePointer<AudienceConfiguration> { setting.pointee.audience }
  var streams: RandomStreams { setting.pointee.streams }
  public internal(set) var measures: FeedMeasures {
    _read { yield viewerContext.measures }
    _modify { yield &viewerContext.measures }
  }
  /// What one session does, step by step; of nobody unless a session is watched.
  public var recording: SessionRecording { viewerContext.recording }

  public static func tag(of event: FeedEvent) -> UInt32 { event.tag }
  public static func name(ofTag tag: UInt32) -> StaticString { FeedTag.name(of: tag) }
  public static func isCounted(_ event: FeedEvent) -> Bool { event.isCounted }

  /// Puts the first event into a simulation of this world.
  public static func start(_ simulation: inout Simulation<FeedWorld>) {
    let warmUp = simulation.world.configuration.cdn.warmUp
    if warmUp > .zero {
      simulation.schedule(
        .warmUpEnded, at: Instant.zero + warmUp, for: audienceEntity, source: audienceEntity,
        phase: .observe)
    }
    let time = simulation.world.arrival(0, after: .zero)
    if let first = simulation.world.ownArrival(0, at: time) {
      simulation.schedule(
        .sessionArrived(index: first.index), at: first.time, for: audienceEntity,
        source: audienceEntity)
    }
    startCrowds(&simulation)
    startWindows(&simulation)
  }

  public mutating func handle(
    _ event: FeedEvent, target: UInt32, in context: inout Context<FeedEvent>
  ) {
    if freeViewers.count > spareViewers { releaseViewers() }
    switch event {
    case .sessionArrived(let index): arrive(index, &context)
    case .crowdArrived(let crowd, let index): arrive(inCrowd: Int(crowd), index, &context)
    case .viewerDue(let slot, _): act(slot, &context)
    case .requestAtEdge(let slot, let request, let generation):
      receiveAtEdge(slot, Int(request), generation, &context)
    case .pairAtEdge(let slot, let pair): receiveAtEdge(slot, pair, &context)
    case .sessionEnded(let slot): makeRoom(slot, at: context.now)
    case .warmUpEnded:
      noteShared(event, at: context.now)
      endWarmUp(at: context.now)
      runAhead.pass(context.now)
    case .heard(let number): hear(number, &context)
    case .windowEdge(let window, let isEnd):
      noteShared(event, at: context.now)
      passEdge(ofWindow: Int(window), isEnd: isEnd)
      runAhead.pass(context.now)
    case .requestAtNode(let node, let from, let fetch):
      tellCaches(.requestAtNode(node: node, from: from, fetch: fetch), &context)
    case .answerAtNode(let node, let fetch):
      tellCaches(.answerAtNode(node: node, fetch: fetch), &context)
    case .requestAtOrigin(let from, let fetch):
      tellCaches(.requestAtOrigin(from: from, fetch: fetch), &context)
    case .originDone(let from, let fetch):
      tellCaches(.originDone(from: from, fetch: fetch), &context)
    case .fetchExpired(let node, let fetch):
      tellCaches(.fetchExpired(node: node, fetch: fetch), &context)
    case .nodeTimer(let node, let machine):
      tellCaches(.machine(node: node, machine: machine), &context)
    case .cellChanged(let cell): progressCell(Int(cell), &context)
    }
  }

  /// Forgets what was measured so far; sessions, caches and connections go on.
  private mutating func endWarmUp(at now: Instant) {
    viewerContext.begin(at: now, source: FeedWorld.audienceEntity)
    for viewer in viewers { endWarmUp(of: &viewer.pointee) }
    forgetMeasures()
  }

  private mutating func endWarmUp(of viewer: inout Viewer) {
    syncLink(of: &viewer)
    viewer.forgetContention()
  }

  /// Brings the links of all viewers to the present.
  mutating func syncLinks(at now: Instant) {
    viewerContext.begin(at: now, source: FeedWorld.audienceEntity)
    for viewer in viewers { syncLink(of: &viewer.pointee) }
  }

  private mutating func syncLink(of viewer: inout Viewer) {
    if viewer.isActive { viewer.syncLink(at: viewerContext.now, &viewerContext) }
  }

  mutating func forgetMeasures() {
    measures = FeedMeasures(
      networks: configuration.networks.count, devices: configuration.devices.count)
    measures.providers = ProvidersMeasures(count: configuration.cdn.providers.count)
    measures.peakSessions = activeSessions
    sessionChanges.removeAll(keepingCapacity: true)
    // Sessions under way count: their views from now on do.
    measures.counts.sessions = Int64(activeSessions)
    caches.resetCounters()
  }

  /// - Throws: ``SimulationError`` when a foreign policy could not decide any more.
  func checkPolicies(at now: Instant) throws(SimulationError) {
    if viewerContext.foreign.hasFailed { throw SimulationError.policyFailed(at: now) }
  }

  /// Ends the sessions that still run, as cut, and returns what was measured.
  ///
  /// - Parameter sortsViews: not where the views of several parts are put together and sorted then.
  public mutating func finish(at now: Instant, sortsViews: Bool = true) -> FeedMeasures {
    viewerContext.begin(at: now, source: FeedWorld.audienceEntity)
    for viewer in viewers { cut(&viewer.pointee) }
    closeWindows()
    takeCounters()
    if sortsViews { measures.sortViews() }
    return measures
  }

  /// Ends a viewer's session as cut, if it still runs.
  private mutating func cut(_ viewer: inout Viewer) {
    if !viewer.isActive { return }
    viewer.cut(&viewerContext)
    giveUpAtEdge(viewer)
    makeRoom(viewer.slot, at: nil)
  }
}
