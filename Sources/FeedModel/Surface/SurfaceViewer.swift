import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

typealias SurfacePointer = UnsafeMutablePointer<SurfaceViewer>

/// One card's video: what is loaded of it, its player, its playhead.
struct SurfaceItem {
  /// What is asked for next.
  enum Stage: UInt8 { case manifest, master, playlist, initSegment, segments }

  var title: Title
  let widget: Int
  let kind: WidgetKind
  /// Place in its widget, from the left.
  let place: UInt32
  var rung = RungIndex(0)
  /// Number of the binding; 0 for none.
  var token: UInt32 = 0
  var sight = CardSight(fraction: 0, offset: 1e9)

  // Loading.
  var stage = Stage.manifest
  var nextSegment = 0
  /// Media held, from the beginning.
  var held = TimeSpan.zero
  var isLoading = false
  var isPrefetch = false
  /// Of the request under way.
  var bytes: Int64 = 0
  var wireBytes = 0.0
  var asset: UInt8 = 0
  /// Media bytes that arrived, and those that arrived before the card was told to play.
  var delivered: Int64 = 0
  var prefetched: Int64 = 0
  var isWanted = false
  /// Waits behind the edge for what the start needs, one after the other.
  var waits: [SurfaceWait] = []

  // Player.
  var isMounted = false
  /// The policy's number of the mount.
  var mount: UInt32 = 0
  var hasPlayer = false
  /// Changes with each mount and unmount.
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
  var isRunning = false
  var hasRun = false
  /// Has had its turn since it came on the screen and gets no other.
  var isSpent = false
  var runningSince = Instant.zero
  var stalledSince: Instant?
  var playhead = TimeSpan.zero
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
  var link: AccessLink
  var connection: CongestionState
  var isConnected = false
  var readyAt = Instant.zero
  var lastByteAt = Instant.zero
  var roundTrip = TimeSpan.zero
  var requests: UInt32 = 0
  var linkEvent = EventHandle.none

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
  var livePlayers = 0
  var idlePlayers = 0
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

  init(slot: UInt32, link: consuming AccessLink, surface: borrowing SurfaceConfiguration) {
    self.slot = slot
    self.link = link
    geometry = surface.screens[0]
    law = surface.habits.uikit
    connection = CongestionState(.cubic)
    machine = VisibilityMachine(surface.visibility)
    gate = ScrollGate(surface.gate)
    feed = WidgetFeed(surface.layout)
    pager = FeedPager(surface.pager)
  }
}
