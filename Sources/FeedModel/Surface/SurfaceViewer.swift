import AudienceModel
import FeedPolicy
import MediaUnits
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
struct SurfaceViewer: ~Copyable {
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

  init(
    slot: UInt32, _ traits: SurfaceTraits, transport: consuming ViewerTransport,
    policy: borrowing PolicyConfiguration, players: Int,
    visibility: VisibilityMachine.Configuration,
    surface: borrowing SurfaceConfiguration
  ) {
    self.slot = slot
    self.traits = traits
    self.transport = transport
    estimator = PlayerEstimator(policy.player.estimator, initial: policy.initialEstimate)
    self.players = SurfacePlayers(policy.pool, players: players)
    machine = VisibilityMachine(visibility)
    gate = ScrollGate(surface.gate)
    feed = WidgetFeed(surface.layout)
    pager = FeedPager(surface.pager)
  }

  var session: UInt32 { traits.session }

  func entity(_ number: UInt32) -> UInt64 { traits.entity(number) }

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
  mutating func closeView() -> Bool {
    view.close()
    views += 1
    return views == 1
  }

  /// The session is over.
  mutating func close() { isActive = false }
}
