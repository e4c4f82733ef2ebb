import FeedPolicy
import MediaUnits
import SimulationKernel

/// What one viewer's app keeps for ``ClientConfiguration``.
struct ClientState {
  /// A post that is on its way.
  struct Post {
    var request: Int
    /// The batcher's numbers of the batch and of the attempt.
    var batch: UInt32
    var attempt: Int
    var first: UInt64
    var count: Int
    /// When it reaches the ingest, and whether that takes it.
    var arrival: Instant
    var isTaken: Bool
  }

  var gate: ReadinessGate
  /// When the present swipe was first snapped back.
  var heldSince: Instant?
  /// How often a gate of somebody else's has snapped back the present swipe, and any swipe.
  var snaps = 0
  var allSnaps = 0
  /// Time that the view's swipe was held before its item's turn.
  var held = TimeSpan.zero
  var stack = PauseStack()
  /// Where in the view's media a pause or a crash begins.
  var pauseAt: TimeSpan?
  /// Number of the pause in the configuration; as many as there are for a crash.
  var pauseKind = 0
  /// Nothing is asked for, or nothing of items that are not current.
  var holdsLoading = false
  var isOffline = false
  /// The current item, when its loading was given up while it played.
  var failedItem: UInt32?
  /// The storyboard that was read last, and its item.
  var storyboard: StoryboardIndex?
  var storyboardItem = ItemState.nobody
  var drafts = DraftStore()
  var log = ViewLog()
  var batcher: TelemetryBatcher
  var post: Post?
  /// Events before this one have reached the ingest or never will.
  var settledSequence: UInt64 = 0
  var posts: UInt32 = 0
  /// The last 64 feed pages that came from Trending, one bit each.
  var trending: UInt64 = 0
  var peakPlayers = 0

  /// - Parameter players: the pool's size; the gate knows each player's item.
  init(_ configuration: ClientConfiguration, players: Int) {
    var settings = configuration.gate ?? ReadinessGate.Configuration(rule: .off)
    if settings.recordLimit < players { settings.recordLimit = players }
    gate = ReadinessGate(settings)
    batcher = TelemetryBatcher(
      configuration.telemetry?.batcher ?? TelemetryBatcher.Configuration())
  }
}
