import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

typealias SurfacePointer = UnsafeMutablePointer<SurfaceViewer>

/// Who a viewer is: what is drawn when his session begins and stays.
struct SurfaceTraits {
  let session: UInt32
  let network: Int
  let device: Int
  let persona: Int
  let arrivedAt: Instant
  let geometry: FeedGeometry
  let law: DecelerationLaw
  /// How many times slower than a fast device, at least one.
  let slowness: Double

  init(
    _ session: UInt32, at now: Instant, _ setting: UnsafePointer<FeedSetting>,
    _ surface: UnsafePointer<SurfaceConfiguration>
  ) {
    let streams = setting.pointee.streams
    self.session = session
    (network, device, persona) = setting.pointee.configuration.choices(of: session, streams)
    arrivedAt = now
    let entity = UInt64(session)
    let screen = surface.pointee.screenChoice.index(
      streams.bits(.surfaceScreen, entity: entity, draw: 0))
    geometry = surface.pointee.screens[Int(screen)]
    let isAndroid =
      streams.uniform(.surfaceScreen, entity: entity, draw: 1) < surface.pointee.habits.android
    law = isAndroid ? .android : surface.pointee.habits.uikit
    // A fast device creates a player in 10 ms (parameters.md section 3).
    let slowness = setting.pointee.devices[device].playerCreation.quantile(0.5) / 0.010
    self.slowness = slowness > 1 ? slowness : 1
  }

  /// Random numbers of something that a session has many of.
  func entity(_ number: UInt32) -> UInt64 { UInt64(session) << 32 | UInt64(number) }
}

/// What is scheduled for a viewer and may have to be cancelled.
struct SurfaceTimers {
  /// The link's next change, the next frame of a motion, the end of a rest, a tap.
  enum Timer: Int, CaseIterable { case link, frame, rest, tap }

  private var events = InlineArray<4, EventHandle>(repeating: .none)

  mutating func set(_ timer: Timer, _ event: EventHandle) { events[timer.rawValue] = event }

  /// Forgets an event.
  ///
  /// - Returns: it, to be cancelled if it has not come.
  @discardableResult
  mutating func take(_ timer: Timer) -> EventHandle {
    let event = events[timer.rawValue]
    events[timer.rawValue] = .none
    return event
  }
}

/// One viewer of a mixed feed: his session, his transport, the policies of his app, the column
/// with its cards, and what he does. Each part keeps its own state.
///
/// What happens to him is an event of the simulation, which ``act(_:_:)`` does; what will happen to
/// him he leaves as commands in the ``SurfaceContext``. He meets others in the requests that reach
/// the edge, in the answers to them and in a cell, and in nothing else.
struct SurfaceViewer: ~Copyable {
  let setting: UnsafePointer<FeedSetting>
  let surface: UnsafePointer<SurfaceConfiguration>
  private let byAddress = ByAddress()
  let slot: UInt32
  let traits: SurfaceTraits
  private(set) var isActive = true

  // The network.
  var transport: ViewerTransport
  var requests = SurfaceRequests()
  /// What is on the link has changed in this turn.
  private var isLinkChanged = false
  var estimator: PlayerEstimator

  // The policies.
  var machine: VisibilityMachine
  var gate: ScrollGate
  var feed: WidgetFeed
  var pager: FeedPager

  // The column.
  var column = SurfaceColumn()
  var items: [SurfaceItem] = []
  var players: SurfacePlayers

  // The viewer.
  var motion = SurfaceMotion()
  var habit = SurfaceHabit()
  var view = SurfaceView()
  /// Views that were written down.
  private(set) var views: UInt32 = 0
  var timers = SurfaceTimers()

  /// - Parameter gone: whose transport's memory he has; of him nothing is left.
  init(
    _ setting: UnsafePointer<FeedSetting>, _ surface: UnsafePointer<SurfaceConfiguration>,
    slot: UInt32, _ traits: SurfaceTraits, afterGone gone: SurfacePointer?
  ) {
    self.setting = setting
    self.surface = surface
    self.slot = slot
    self.traits = traits
    let policy = setting.pointee.policy
    let way = setting.pointee.session(traits.session, network: traits.network)
    if let gone {
      transport = gone.move().takeTransport()
      transport.begin(way, sources: setting.pointee.sources, at: traits.arrivedAt)
    } else {
      transport = ViewerTransport(
        way, settings: setting.pointee.transport, sources: setting.pointee.sources,
        at: traits.arrivedAt)
    }
    estimator = PlayerEstimator(
      policy.pointee.player.estimator, initial: policy.pointee.initialEstimate)
    players = SurfacePlayers(
      policy.pointee.pool,
      players: SurfacePlayers.limit(ofDevice: traits.device, setting, surface))
    var visibility = surface.pointee.visibility
    visibility.isLowEnd = surface.pointee.lowEnd[traits.device]
    machine = VisibilityMachine(visibility)
    gate = ScrollGate(surface.pointee.gate)
    feed = WidgetFeed(surface.pointee.layout)
    pager = FeedPager(surface.pointee.pager)
  }

  /// Ends a viewer at a place of his own, and gives its memory back as well.
  static func free(_ place: SurfacePointer) {
    place.pointee.transport.release()
    place.deinitialize(count: 1)
    place.deallocate()
  }

  /// Gives up the viewer and returns his transport, with its memory.
  private consuming func takeTransport() -> ViewerTransport { transport }

  var session: UInt32 { traits.session }

  /// Whether he is there, in that session.
  func isIn(_ session: UInt32) -> Bool { isActive && self.session == session }

  /// What is on the link changes in this turn.
  mutating func changeLink() { isLinkChanged = true }

  /// Whether what is on the link has changed since this was asked last.
  mutating func takeLinkChange() -> Bool {
    let isChanged = isLinkChanged
    isLinkChanged = false
    return isChanged
  }

  /// Closes the view that is open.
  ///
  /// - Returns: whether it was the session's first.
  mutating func countView() -> Bool {
    view.close()
    views += 1
    return views == 1
  }

  /// The session is over.
  mutating func close() { isActive = false }
}
