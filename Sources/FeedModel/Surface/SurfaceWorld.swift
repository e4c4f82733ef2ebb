import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Viewers who scroll a column of Shorts, Carousels and Merch, their devices and links (S05).
///
/// Included: gestures with the platforms' deceleration laws, sights of cards once a frame while
/// something moves, recycled cells, the visibility machine with its gate, the pool of players with
/// the device's costs, each card's chain of requests over the viewer's own link, its rungs by the
/// app's rule, cap and estimate, playback with stalls, the feed's pages. Pool, rules, estimate,
/// transport (``ViewerTransport``) and playhead are those of the other feed.
///
/// The pool's current item is the card around which its window serves the most of those that play
/// in the widget nearest to the middle, or of those that are mounted there while none plays. It is
/// told when a card is mounted or plays, so that what holds mounts back holds players back.
///
/// Left out: caches as such (the edge hits with a fixed probability; a miss costs the round trip to
/// the origin and its first byte), posters, storyboards, errors. Everything that a session has
/// loaded stays on its device until it ends. What each borrowed part leaves out stands at
/// ``NetworkProfile``, ``AccessLink``, ``CatalogueConfiguration`` and ``DeviceClass``.
public struct SurfaceWorld: ~Copyable, SimulatedWorld {
  public typealias Event = SurfaceEvent

  /// What all viewers share and nobody changes.
  let setting: UnsafeMutablePointer<FeedSetting>
  let surface: UnsafeMutablePointer<SurfaceConfiguration>
  private let byAddress = ByAddress()
  /// What viewers write into.
  var viewerContext: SurfaceContext

  // The viewers' places.
  var viewers: [SurfacePointer] = []
  var freeViewers: [UInt32] = []
  var activeSessions = 0

  /// Mean time between sessions, seconds.
  let sessionGap: Double

  var configuration: FeedConfiguration {
    unsafeAddress { UnsafePointer(setting.pointee.configurationPlace) }
  }
  var streams: RandomStreams { setting.pointee.sources.streams }

  static let audienceEntity: UInt32 = 0
  static let firstSession: UInt32 = 1024

  public init(
    _ configuration: FeedConfiguration, _ surface: SurfaceConfiguration, streams: RandomStreams
  ) {
    setting = .allocate(capacity: 1)
    setting.initialize(to: FeedSetting(configuration, streams: streams, servers: .modelled))
    self.surface = .allocate(capacity: 1)
    self.surface.initialize(to: surface)
    sessionGap = 1 / configuration.audience.sessionsPerSecondPerEdge
    var measures = FeedMeasures(
      networks: configuration.networks.count, devices: configuration.devices.count)
    for _ in configuration.windows { measures.windows.append(WindowMeasures()) }
    viewerContext = SurfaceContext(measures: measures, cells: configuration.cells(streams))
  }

  deinit {
    for viewer in viewers { SurfaceViewer.free(viewer) }
    setting.deinitialize(count: 1)
    setting.deallocate()
    surface.deinitialize(count: 1)
    surface.deallocate()
  }

  public static func tag(of event: SurfaceEvent) -> UInt32 { event.tag }
  public static func name(ofTag tag: UInt32) -> StaticString { SurfaceTag.name(of: tag) }

  /// Puts the first event into a simulation of this world.
  public static func start(_ simulation: inout Simulation<SurfaceWorld>) {
    let first = simulation.world.arrival(0, after: .zero)
    if first < simulation.world.arrivalsEnd {
      simulation.schedule(
        .sessionArrived(index: 0), at: first, for: audienceEntity, source: audienceEntity)
    }
  }

  private var arrivalsEnd: Instant { Instant.zero + configuration.audience.window }

  private func arrival(_ index: UInt32, after now: Instant) -> Instant {
    let u = streams.uniform(.arrival, entity: UInt64(index))
    return now.advanced(
      saturatingBy: TimeSpan(seconds: -PortableMath.log(1 - u) * sessionGap))
  }

  public mutating func handle(
    _ event: SurfaceEvent, target: UInt32, in context: inout Context<SurfaceEvent>
  ) {
    guard let slot = event.slot else {
      switch event {
      case .sessionArrived(let index): arrive(index, &context)
      case .cellChanged(let cell): progressCell(Int(cell), &context)
      default: break
      }
      return
    }
    let viewer = viewers[Int(slot)]
    handle(event, of: target, &viewer.pointee, &context)
  }

  /// An event of one viewer's, if he is still in that session.
  private mutating func handle(
    _ event: SurfaceEvent, of session: UInt32, _ viewer: inout SurfaceViewer,
    _ context: inout Context<SurfaceEvent>
  ) {
    if !viewer.isIn(session) { return }
    viewerContext.begin(at: context.now)
    switch event {
    case .requestAtEdge(_, let request, let generation): ask(&viewer, request, generation)
    case .edgeAnswered(_, let request, let generation): answer(&viewer, request, generation)
    default: viewer.act(event, &viewerContext)
    }
    endTurn(of: &viewer, &context)
    if !viewer.isActive { makeRoom(viewer.slot) }
  }

  private mutating func arrive(_ index: UInt32, _ context: inout Context<SurfaceEvent>) {
    let next = arrival(index + 1, after: context.now)
    if next < arrivalsEnd {
      context.schedule(
        .sessionArrived(index: index + 1), at: next, for: SurfaceWorld.audienceEntity)
    }
    begin(SurfaceWorld.firstSession + index, &context)
  }

  /// Ends the sessions that still run, as cut, and returns what was measured.
  mutating func finish(at now: Instant) -> FeedMeasures {
    viewerContext.begin(at: now)
    for viewer in viewers { cut(&viewer.pointee) }
    return viewerContext.measures
  }

  private mutating func cut(_ viewer: inout SurfaceViewer) {
    if !viewer.isActive { return }
    viewer.sumUp(isCut: true, &viewerContext)
    makeRoom(viewer.slot)
  }
}
