import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

typealias SurfacePointer = UnsafeMutablePointer<SurfaceViewer>

/// One card's video: what is loaded of it, its player, its playhead.
struct SurfaceItem {
  var title: Title
  let widget: Int
  let kind: WidgetKind
  /// Place in its widget, from the left.
  let place: UInt32
  /// Number of the binding; 0 for none.
  var token: UInt32 = 0
  var sight = CardSight(fraction: 0, offset: 1e9)

  // Loading.
  var hasManifest = false
  var hasMaster = false
  /// Playlists and initialisation segments that are here, a bit a rung.
  var playlists: UInt8 = 0
  var inits: UInt8 = 0
  /// Rungs of the segments that are here, from the beginning.
  var rungs: [UInt8] = []
  /// Media held, from the beginning.
  var held = TimeSpan.zero
  /// The place of its request among the viewer's; nil while there is none.
  var request: Int?
  var isPrefetch = false
  /// Media bytes that arrived, and those that arrived before the card was told to play.
  var delivered: Int64 = 0
  var prefetched: Int64 = 0
  var isWanted = false
  /// Media bytes of segments that were given up, and what of them had been rendered.
  var cancelled: Int64 = 0
  var cancelledRendered: Int64 = 0
  /// Waits behind the edge for what the start needs, one after the other.
  var waits: [SurfaceWait] = []

  // Player.
  var isMounted = false
  /// The policy's number of the mount.
  var mount: UInt32 = 0
  /// The player's number among the viewer's; nil without one.
  var player: UInt32?
  /// Changes whenever a player comes or goes.
  var generation: UInt32 = 0
  var isDecoderReady = false
  var isDecoding = false
  var isDecoded = false
  /// The player has had a frame on the display.
  var isShown = false
  /// When the frame that was decoded will be on it; nil while nothing is on its way.
  var shownAt: Instant?
  /// It was decoded when it was last told to play.
  var wasReady = false

  // Playing.
  var isTold = false
  var hasRun = false
  /// Has had its turn since it came on the screen and gets no other.
  var isSpent = false
  var playhead = Playhead()
  /// Farthest that was rendered.
  var rendered = TimeSpan.zero
  var mediaEvent = EventHandle.none

  // When things happened, for the parts of a startup.
  var times = SurfaceTimes()

  init(title: Title, widget: Int, kind: WidgetKind, place: UInt32) {
    self.title = title
    self.widget = widget
    self.kind = kind
    self.place = place
  }

  var isRunning: Bool { playhead.motion == .moving }
  var isLoading: Bool { request != nil }
  /// All segments are here.
  var isWhole: Bool { rungs.count >= title.segmentCount }
}

/// A time in which a request of a card's start waited for what the edge had to get elsewhere.
struct SurfaceWait {
  var asset: AssetClass
  var from, until: Instant
}

/// The steps of a card's start; zero for what has not happened.
struct SurfaceTimes {
  var asked = Instant.zero
  var connected = Instant.zero
  var manifest = Instant.zero
  var playlists = Instant.zero
  var initSegment = Instant.zero
  var firstByte = Instant.zero
  var data = Instant.zero
  var decoder = Instant.zero
  var decoded = Instant.zero
  /// When the frame began its way to the display.
  var presented = Instant.zero
}

/// A widget on the column.
struct SurfaceWidget {
  var widget: Widget
  /// Upper edge and height on the column, points.
  var top: Double
  var height: Double
  /// How far it has been pushed sideways, points.
  var across = 0.0
}

/// How a viewer's list moves.
struct SurfaceMotion {
  enum Kind: UInt8 { case rest, drag, fling, tremble, sideways }
  var kind = Kind.rest
  var since = Instant.zero
  var length = TimeSpan.zero
  /// Where it began and how fast, points.
  var origin = 0.0
  var velocity = 0.0
  /// The Carousel that is pushed.
  var widget = 0
  /// Number of the gesture.
  var gesture: UInt32 = 0
}

/// What the viewer looks at since the list came to rest.
struct SurfaceView {
  var isOpen = false
  var item: UInt32 = 0
  var startedAt = Instant.zero
  /// When it was given up without a frame.
  var leftAt: Instant?
  var frameAt: Instant?
  var toldAt: Instant?
  /// The frame was ready when the card was told to play.
  var isReady = false
  /// The steps of the start as they stood when it had a frame or was given up.
  var times: SurfaceTimes?
  var played = TimeSpan.zero
  var stalled = TimeSpan.zero
  var stalls: Int32 = 0
}

/// One viewer of a mixed feed.
struct SurfaceViewer: ~Copyable {
  let slot: UInt32
  var session: UInt32 = 0
  var isActive = false
  var network = 0
  var device = 0
  var persona = 0
  var arrivedAt = Instant.zero
  var geometry: FeedGeometry
  var law: DecelerationLaw
  /// How many times slower than a fast device.
  var slowness = 1.0

  // The network.
  var transport: ViewerTransport
  var requests = SurfaceRequests()
  var linkEvent = EventHandle.none
  /// What is on the link has changed in this turn.
  var isLinkChanged = false
  var estimator: PlayerEstimator

  // The policies.
  var machine: VisibilityMachine
  var gate: ScrollGate
  var feed: WidgetFeed
  var pager: FeedPager

  // The column.
  var widgets: [SurfaceWidget] = []
  var items: [SurfaceItem] = []
  var offset = 0.0
  /// Widgets with a cell.
  var firstBound = 0
  var boundEnd = 0
  /// Free cells by kind of widget.
  var freeCells: SIMD4<Int32> = .zero
  var tokens: UInt32 = 0

  // Players.
  /// Who gets the players of the pool; unused where each mount creates one.
  var pool: PlayerPool
  /// The cards in the pool's slots; nil for a slot without a player.
  var slots: [UInt32?]
  /// When the decoder of each slot's player is ready, or was.
  var slotsReadyAt: [Instant]
  /// Players that live beside a pool.
  var livePlayers = 0
  /// Players that cards were given so far.
  var playerSerial: UInt32 = 0

  // The viewer.
  var motion = SurfaceMotion()
  var gestures: UInt32 = 0
  var rests: UInt32 = 0
  var isAway = false
  var view = SurfaceView()
  var views: UInt32 = 0
  var frameEvent = EventHandle.none
  var restEvent = EventHandle.none
  var tapEvent = EventHandle.none

  init(
    slot: UInt32, transport: consuming ViewerTransport,
    policy: borrowing PolicyConfiguration, players: Int, surface: borrowing SurfaceConfiguration
  ) {
    self.slot = slot
    self.transport = transport
    estimator = PlayerEstimator(policy.player.estimator, initial: policy.initialEstimate)
    var configuration = policy.pool
    configuration.size = players
    pool = PlayerPool(configuration)
    slots = Array(repeating: nil, count: players)
    slotsReadyAt = Array(repeating: .zero, count: players)
    geometry = surface.screens[0]
    law = surface.habits.uikit
    machine = VisibilityMachine(surface.visibility)
    gate = ScrollGate(surface.gate)
    feed = WidgetFeed(surface.layout)
    pager = FeedPager(surface.pager)
  }

  /// Random numbers of something that a session has many of.
  func entity(_ number: UInt32) -> UInt64 { UInt64(session) << 32 | UInt64(number) }
}
