import CacheModel
import FeedPolicy
import MediaUnits
import SimulationKernel

/// What the app does beyond loading and playing, and what happens to it. Everything is off unless
/// it is set.
///
/// Included: a gate that snaps swipes back, settings of the players by distance, what follows an
/// item's end, pauses of a view (background, interruption, typing), crashes, telemetry, the source
/// of feed pages, exploration items, failing segments, being offline. Left out: that the old item
/// plays on while a swipe is snapped back, a queue of events that outlives the process.
public struct ClientConfiguration: Sendable {
  /// What covers an item that has no frame yet.
  public enum Placeholder: UInt8, Sendable { case poster, black }

  /// Swipes are held; nil: they never are, and nothing is told of them.
  public var gate: ReadinessGate.Configuration?
  /// Who says which in the place of ``gate``; nil: nobody.
  public var gateDecider: (any GateDecider)?
  /// From a snap back to the viewer's next swipe, seconds.
  public var snapRetry: QuantileTable?
  public var placeholder = Placeholder.poster
  /// Players of neighbours load by their distance; nil: only what the prefetch policy asks for.
  public var proximity: ProximityPolicy?
  /// What follows an item's end; nil: what the audience does with it.
  public var end: PlaybackEnd?
  /// How long the last frame stays when an item loops (REEL-006), seconds; nil: as long as the
  /// device takes to decode a first frame, which a seek to zero makes it do.
  public var loopGap: QuantileTable?
  /// Things that pause a view; of several that fall on one view the first one counts.
  public var pauses: [PauseBehaviour] = []
  /// Probability per view that the process dies without a word.
  public var crashShare = 0.0
  public var telemetry: TelemetryConfiguration?
  public var ranker: RankerConfiguration?
  public var exploration: ExplorationMixer?
  /// Exploration items are drawn evenly from the titles beyond this share of the ranks.
  public var explorationFrom = 0.5
  /// Probability that an answer with a segment is an error.
  public var segmentErrorShare = 0.0
  /// What follows an error; nil: what the player always did.
  public var retry: RetryPolicy?
  /// Who says so in the place of ``retry``; nil: nobody.
  public var retryDecider: (any RetryDecider)?
  /// How long a viewer takes to tap on "tap to retry", seconds.
  public var tapDelay: QuantileTable?
  /// How the disk cache shares its bytes.
  public var diskRule = DeviceCacheRule.shared
  /// Whether sprites are found by the storyboard's text, and none before that is there (SIG-034).
  public var readsStoryboards = false
  public var offline: OfflineBehaviour?

  public init() {}

  /// Whether anything is set.
  public var isActive: Bool {
    gate != nil || gateDecider != nil || proximity != nil || end != nil || !pauses.isEmpty
      || crashShare > 0
      || telemetry != nil || ranker != nil || exploration != nil || segmentErrorShare > 0
      || retry != nil || retryDecider != nil || offline != nil || readsStoryboards
      || diskRule != .shared
  }
}

/// Something that pauses views.
public struct PauseBehaviour: Sendable {
  public var reason: PauseStack.Reason
  /// Probability per view that plays.
  public var share: Double
  /// How long it lasts, seconds.
  public var length: QuantileTable
  /// Whether nothing is asked for meanwhile (SIG-037, REEL-025).
  public var holdsLoading: Bool
  /// Probability that the app does not come back from it.
  public var killShare: Double
  /// Of a keyboard: probability that the message is sent; otherwise it stays as a draft (REEL-026).
  public var sentShare: Double

  public init(
    reason: PauseStack.Reason, share: Double, length: QuantileTable, holdsLoading: Bool,
    killShare: Double, sentShare: Double = 1
  ) {
    self.sentShare = sentShare
    self.reason = reason
    self.share = share
    self.length = length
    self.holdsLoading = holdsLoading
    self.killShare = killShare
  }
}

/// Telemetry: the batcher, and the service that takes its posts.
public struct TelemetryConfiguration: Sendable {
  public var batcher: TelemetryBatcher.Configuration
  /// Bytes of a post beside its events, and of one event.
  public var envelopeBytes, eventBytes: Int64
  /// From a post's arrival to its answer, seconds.
  public var latency: QuantileTable
  /// Probability that a post fails: half of these are refused, of the other half only the answer is
  /// lost (assumed).
  public var failureShare: Double

  public init(
    batcher: TelemetryBatcher.Configuration, envelopeBytes: Int64, eventBytes: Int64,
    latency: QuantileTable, failureShare: Double
  ) {
    self.batcher = batcher
    self.envelopeBytes = envelopeBytes
    self.eventBytes = eventBytes
    self.latency = latency
    self.failureShare = failureShare
  }
}

/// The ranker behind the feed API.
public struct RankerConfiguration: Sendable {
  public var fallback: RankerFallback.Configuration
  /// Whether the deadline is the app's own, from the request on, instead of the server's.
  public var isAtClient: Bool
  /// The ranker's time, seconds.
  public var latency: QuantileTable
  /// Share of calls that are slower by a factor.
  public var slowShare, slowFactor: Double
  /// The API's time beside the ranker's, or beside a page of Trending.
  public var overhead: TimeSpan

  public init(
    fallback: RankerFallback.Configuration, isAtClient: Bool, latency: QuantileTable,
    slowShare: Double, slowFactor: Double, overhead: TimeSpan
  ) {
    self.fallback = fallback
    self.isAtClient = isAtClient
    self.latency = latency
    self.slowShare = slowShare
    self.slowFactor = slowFactor
    self.overhead = overhead
  }
}

/// What the app does while there is no network.
public struct OfflineBehaviour: Sendable {
  /// Nothing is prefetched meanwhile; afterwards the nearest items come first (VF-046).
  public var suspendsPrefetch: Bool
  /// An item ends where what is held of it ends, instead of stalling there (VF-015).
  public var endsAtHole: Bool
  /// Items after the current one that the playable share looks at.
  public var horizon: UInt32

  public init(suspendsPrefetch: Bool, endsAtHole: Bool, horizon: UInt32) {
    self.suspendsPrefetch = suspendsPrefetch
    self.endsAtHole = endsAtHole
    self.horizon = horizon
  }
}
