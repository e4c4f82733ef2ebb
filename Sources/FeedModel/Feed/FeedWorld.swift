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
/// One world is one replication. The policies of ``FeedPolicy`` and ``CachePolicy`` decide; this
/// type performs what they command and lets time pass. What each part includes and leaves out
/// stands at ``NetworkProfile``, ``TransferCost``, ``AccessLink``, ``CatalogueConfiguration``,
/// ``CDNConfiguration``, ``DeviceClass`` and ``AudienceConfiguration``.
///
/// Its functions are `mutating` even where they change nothing of the world itself: the compiler
/// gives one that is not a copy of the whole structure, 1.7 kB a call.
public struct FeedWorld: ~Copyable, SimulatedWorld {
  public typealias Event = FeedEvent

  private let boxedConfiguration: Boxed<FeedConfiguration>
  var configuration: FeedConfiguration { _read { yield boxedConfiguration.value } }
  // The same in memory of the world's own, so that reading a field copies no more than the field.
  let catalogue: UnsafeMutablePointer<CatalogueConfiguration>
  let transport: UnsafeMutablePointer<TransportConfiguration>
  let policy: UnsafeMutablePointer<PolicyConfiguration>
  let networks: UnsafeMutablePointer<NetworkProfile>
  let devices: UnsafeMutablePointer<DeviceClass>
  let audience: UnsafeMutablePointer<AudienceConfiguration>
  let clientSettings: UnsafeMutablePointer<ClientConfiguration>
  /// Whether any of them is set.
  let hasClient: Bool
  let servers: FeedServers
  /// What of the world this one has, and what has left for the other parts.
  let domain: FeedDomain
  var outbox: [DomainMessage] = []
  var sessionChanges: [AttendanceChange] = []
  /// Events that every part handles, and how many they were.
  var sharedEvents = Fingerprint()
  var sharedEventCount: UInt64 = 0
  /// What leaves for real servers, and what was heard from them; empty where servers are modelled.
  var outsideCommands: [OutsideCommand] = []
  var outsideAnswers: [OutsideAnswer] = []
  /// How many of those were handled.
  var answersHeard = 0
  /// Whether what the viewers' machines are told and answer leaves as ``OutsideCommand/told``.
  var logsPolicies = false
  let sources: DrawSources
  /// Mean time between sessions, seconds.
  let sessionGap: Double
  var viewers: [UnsafeMutablePointer<Viewer>] = []
  /// Places of viewers who are gone and whose memory can be used again.
  var freeViewers: [UInt32] = []
  /// Places without memory; in ``viewers`` all of them have ``nobody``.
  var vacantSlots: [UInt32] = []
  var nobody: UnsafeMutablePointer<Viewer>?
  /// Memory of viewers' items.
  var blocks = WordBlocks()
  /// The edges and what stands behind them.
  var caches: CacheHierarchy
  var cacheCommands: [CacheCommand] = []
  var cacheTimers: CacheTimers
  let edges: Int
  let deviceCount: Int
  /// Items that a viewer knows at once; a power of two.
  let itemCount: Int
  /// What the origin says of objects, by class.
  let said: OriginDirectives
  /// Whether a device takes an object for fresh as long as its lifetime says, by class.
  let freshByLifetime: [Bool]
  /// Nothing happens later.
  let lastInstant: Instant
  /// Whether devices may keep objects of a class.
  let keptByDevices: [Bool]
  var cells: [Cell]
  let firstCell: [Int]
  public internal(set) var measures: FeedMeasures
  /// Of ``continueLoading(_:_:_:)``: a request that may travel with the next one.
  var companion: TravellingRequest?
  /// The viewer whose link is planned anew when all of the event's changes are made, and whether
  /// there was one.
  var changingLink: ViewerPointer?
  var hasChangedLink = false
  var poolCommands: [PlayerPool.Command] = []
  var prefetchCommands: [PrefetchPolicy.Command] = []
  var scrubCommands: [ScrubSession.Command] = []
  var spriteFetches: [UInt32] = []
  var activeSessions = 0
  let numbers: TitleNumbers
  // Of AudienceScale, for every item.
  let headTitles: UInt32
  let titleStride: UInt32
  /// Whether requests and views are counted by length of title: in a pilot.
  var isCounting = false
  /// What a pilot counts delays from; nil where they are not counted.
  var firstRequests: FirstRequests?
  /// Number of each crowd's first session.
  let crowdSessions: [UInt32]
  var windows: WindowBook
  /// What one session does, step by step; of nobody unless a session is watched.
  public internal(set) var recording: SessionRecording
  /// What viewers asked their edges; nil unless it is kept.
  public internal(set) var edgeRequests: [EdgeRequest]?

  var streams: RandomStreams { sources.streams }

  // Entities: the first 1024 numbers are the infrastructure's, sessions follow.
  static let audienceEntity: UInt32 = 0
  static let firstSession: UInt32 = 1024

  /// - Parameters:
  ///   - demand: what a stationary start draws from; nil only when the caches start otherwise.
  ///   - untouched: the stationary contents of tiers that are smaller than the catalogue; nil for
  ///     tiers that hold all of it.
  ///   - watching: the session that is written down in ``recording``.
  ///   - servers: where requests go; with real servers there has to be one edge.
  ///   - domain: the part that this world has; with one, every edge has a cache behind it.
  public init(
    _ configuration: FeedConfiguration, streams: RandomStreams, demand: StationaryDemand?,
    untouched: TierContents, watching session: UInt32? = nil, servers: FeedServers = .modelled,
    domain: FeedDomain = .whole
  ) {
    precondition(servers == .modelled || configuration.cdn.edges == 1)
    precondition(
      FeedWorld.firstSession >= CacheHierarchy.entityLimit, "sessions and caches are told apart")
    self.servers = servers
    self.domain = domain
    boxedConfiguration = Boxed(configuration)
    catalogue = .allocate(capacity: 1)
    catalogue.initialize(to: configuration.catalogue)
    transport = .allocate(capacity: 1)
    transport.initialize(to: configuration.transport)
    policy = .allocate(capacity: 1)
    policy.initialize(to: configuration.policy)
    networks = .allocate(capacity: configuration.networks.count)
    for index in 0..<configuration.networks.count {
      (networks + index).initialize(to: configuration.networks[index])
    }
    devices = .allocate(capacity: configuration.devices.count)
    for index in 0..<configuration.devices.count {
      (devices + index).initialize(to: configuration.devices[index])
    }
    audience = .allocate(capacity: 1)
    audience.initialize(to: configuration.audience)
    clientSettings = .allocate(capacity: 1)
    clientSettings.initialize(to: configuration.client)
    hasClient = configuration.client.isActive
    sources = DrawSources(streams: streams, normal: configuration.normal)
    sessionGap =
      1 / (configuration.audience.sessionsPerSecondPerEdge * Double(configuration.cdn.edges))
    measures = FeedMeasures(
      networks: configuration.networks.count, devices: configuration.devices.count)
    (cells, firstCell) = FeedWorld.cells(configuration)
    numbers = TitleNumbers(configuration)
    headTitles = configuration.scale.headTitles
    titleStride = configuration.scale.stride
    crowdSessions = FeedWorld.crowdSessions(configuration)
    windows = WindowBook(count: configuration.windows.count)
    recording = SessionRecording(session: session ?? FeedWorld.nobody)
    edges = configuration.cdn.edges
    deviceCount = configuration.devices.count
    itemCount = configuration.itemCount
    let said = OriginDirectives(configuration.cdn)
    self.said = said
    freshByLifetime = said.directives.map { $0.maxAge != nil && !$0.options.contains(.noCache) }
    lastInstant = servers == .modelled ? FeedPart.end(configuration) : .distantFuture
    keptByDevices = said.directives.map { CacheFreshness.isStorable($0, shared: false) }
    caches = FeedWorld.caches(
      configuration, demand: demand, untouched: untouched, numbers: numbers, domain: domain,
      streams: streams)
    cacheTimers = CacheTimers(nodes: caches.nodeCount)
  }

  deinit {
    catalogue.deinitialize(count: 1)
    catalogue.deallocate()
    transport.deinitialize(count: 1)
    transport.deallocate()
    policy.deinitialize(count: 1)
    policy.deallocate()
    networks.deinitialize(count: configuration.networks.count)
    networks.deallocate()
    devices.deinitialize(count: configuration.devices.count)
    devices.deallocate()
    audience.deinitialize(count: 1)
    audience.deallocate()
    clientSettings.deinitialize(count: 1)
    clientSettings.deallocate()
    for viewer in viewers where viewer != nobody {
      viewer.pointee.release()
      viewer.deinitialize(count: 1)
      viewer.deallocate()
    }
    if let nobody {
      nobody.pointee.release()
      nobody.deinitialize(count: 1)
      nobody.deallocate()
    }
  }

  public static func tag(of event: FeedEvent) -> UInt32 { event.tag }
  public static func name(ofTag tag: UInt32) -> StaticString { FeedTag.name(of: tag) }

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
    case .warmUpEnded:
      noteShared(event, at: context.now)
      endWarmUp(at: context.now)
    case .heard(let number): hear(number, &context)
    case .windowEdge(let window, let isEnd):
      noteShared(event, at: context.now)
      passEdge(ofWindow: Int(window), isEnd: isEnd)
    case .requestAtEdge(let slot, let request, let generation):
      receiveAtEdge(viewers[Int(slot)], Int(request), generation, target, &context)
    case .pairAtEdge(let slot, let pair):
      receiveAtEdge(viewers[Int(slot)], pair, target, &context)
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
    case .diskRead(let slot, let request, let generation):
      let viewer = viewers[Int(slot)]
      if isCurrent(viewer, target, request, generation) {
        complete(viewer, Int(request), &context)
      }
    case .requestRetried(let slot, let request, let generation):
      let viewer = viewers[Int(slot)]
      if isCurrent(viewer, target, request, generation) {
        retry(viewer, Int(request), &context)
      }
    default: handleViewer(event, target, &context)
    }
  }

  /// Viewers who are gone whose memory is kept.
  @inline(__always)
  var spareViewers: Int { 64 + activeSessions / 16 }

  private mutating func handleViewer(
    _ event: FeedEvent, _ target: UInt32, _ context: inout Context<FeedEvent>
  ) {
    let slot: UInt32
    switch event {
    case .linkChanged(let place), .watchEnded(let place), .patienceEnded(let place),
      .settled(let place), .bufferEnded(let place), .loadResumed(let place),
      .scrubBegan(let place), .scrubMoved(let place), .scrubTimer(let place),
      .burstEnded(let place), .framePresented(let place):
      slot = place
    case .playerReady(let place, _, _): slot = place
    case .handOver(let place, _): slot = place
    case .pauseBegan(let place), .pauseEnded(let place), .passEnded(let place),
      .passBegan(let place):
      slot = place
    case .telemetryTimer(let place, _), .offlineChanged(let place, _): slot = place
    default: return
    }
    let viewer = viewers[Int(slot)]
    guard viewer.pointee.isActive, viewer.pointee.session == target else { return }
    switch event {
    case .linkChanged: progressLink(viewer, &context)
    case .watchEnded: endView(viewer, &context)
    case .patienceEnded: losePatience(viewer, &context)
    case .settled: settle(viewer, &context)
    case .bufferEnded: checkBuffer(viewer, &context)
    case .loadResumed: continueLoading(viewer, viewer.pointee.current, &context)
    case .playerReady(_, let player, let generation):
      receiveReadiness(viewer, player, generation, &context)
    case .scrubBegan: beginScrub(viewer, &context)
    case .scrubMoved: moveScrub(viewer, &context)
    case .scrubTimer: fireScrubTimer(viewer, &context)
    case .burstEnded: endBurst(viewer, &context)
    case .framePresented: startPlayback(viewer, &context)
    case .handOver(_, let index): handOver(viewer, Int(index), &context)
    default: handleClient(event, viewer, &context)
    }
  }

  private mutating func isCurrent(
    _ viewer: UnsafeMutablePointer<Viewer>, _ session: UInt32, _ request: UInt32,
    _ generation: UInt32
  ) -> Bool {
    guard viewer.pointee.isActive, viewer.pointee.session == session else { return false }
    let state = viewer.pointee.requests[Int(request)]
    return state.isActive && state.generation == generation
  }

  /// Forgets what was measured so far; sessions, caches and connections go on.
  private mutating func endWarmUp(at now: Instant) {
    for viewer in viewers where viewer.pointee.isActive {
      syncLink(viewer, at: now)
      viewer.pointee.link.contention = Contention()
    }
    forgetMeasures()
  }

  mutating func forgetMeasures() {
    measures = FeedMeasures(
      networks: configuration.networks.count, devices: configuration.devices.count)
    measures.peakSessions = activeSessions
    sessionChanges.removeAll(keepingCapacity: true)
    // Sessions under way count: their views from now on do.
    measures.counts.sessions = Int64(activeSessions)
    caches.resetCounters()
  }

  /// Ends the sessions that still run, as cut, and returns what was measured.
  public mutating func finish(at now: Instant) -> FeedMeasures {
    for viewer in viewers where viewer.pointee.isActive { cut(viewer, at: now) }
    closeWindows()
    takeCounters()
    return measures
  }
}
