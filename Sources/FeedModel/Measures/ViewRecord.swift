import CacheModel
import MediaUnits
import ModelBasics
import NetworkModels

/// Where the time before a first frame went. The parts of a view sum to its TTFF exactly.
public enum StartupPart: Int, CaseIterable, Sendable {
  /// From app open to the feed's first request, where the device class has a launch
  /// (``DeviceClass/appLaunch``).
  case launch
  /// Waiting for the feed page.
  case feed
  /// Waiting for a place to load: a player, or the policy.
  case queue
  /// Name look-up, TCP, TLS of the connection to the edge.
  case nameLookup, connect, tls
  /// `media_manifest.json`.
  case manifest
  /// Master and media playlist.
  case playlists
  /// Initialisation segment.
  case initSegment
  /// The first segment's request waiting behind the viewer's own transfers: for a free connection,
  /// in the queue in front of the link.
  case ownQueue
  /// The rest from the request of the first segment to its first byte.
  case segmentWait
  /// Rounds of slow start and recovery in which the link was not used.
  case slowStart
  /// What the first segment lost to the viewer's other transfers on the link.
  case linkShare
  /// The rest from the first byte to as much media as playback needs.
  case transfer
  /// Player and decoder not ready when the media was.
  case decoder
  /// Decoding the first frame.
  case firstDecode
  /// Work on players that the main thread had to do first: before the decoder's set-up the
  /// creation or re-targeting of the item's own player, before the attachment that of others.
  case mainThread
  /// From the decoded frame to the display: attachment, the next refresh, composition.
  case presentation

  /// The name used in results.
  public var name: StaticString {
    switch self {
    case .launch: "launch"
    case .feed: "feed"
    case .queue: "queue"
    case .nameLookup: "dns"
    case .connect: "connect"
    case .tls: "tls"
    case .manifest: "manifest"
    case .playlists: "playlists"
    case .initSegment: "init"
    case .ownQueue: "own_queue"
    case .segmentWait: "segment_wait"
    case .slowStart: "slow_start"
    case .linkShare: "link_share"
    case .transfer: "transfer"
    case .decoder: "decoder"
    case .firstDecode: "first_decode"
    case .mainThread: "main_thread"
    case .presentation: "presentation"
    }
  }
}

/// Nanoseconds by ``StartupPart``, in place.
public struct StartupParts: Counters {
  private var before: SIMD8<Int64> = .zero
  private var after: SIMD8<Int64> = .zero
  private var last: SIMD2<Int64> = .zero

  public init() {}

  public subscript(part: StartupPart) -> Int64 {
    get {
      switch part.rawValue >> 3 {
      case 0: before[part.rawValue]
      case 1: after[part.rawValue - 8]
      default: last[part.rawValue - 16]
      }
    }
    set {
      switch part.rawValue >> 3 {
      case 0: before[part.rawValue] = newValue
      case 1: after[part.rawValue - 8] = newValue
      default: last[part.rawValue - 16] = newValue
      }
    }
  }
}

/// One view of one item.
public struct ViewRecord: Sendable {
  public struct Flags: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// A first frame was rendered.
    public static let started = Flags(rawValue: 1)
    /// The first view of the session: its clock starts at app open where the device class has a
    /// launch, else at the feed's first request.
    public static let cold = Flags(rawValue: 2)
    /// Reached by a swipe back.
    public static let back = Flags(rawValue: 4)
    /// Some object that the start waited for was not answered at once by the edge.
    public static let edgeMiss = Flags(rawValue: 8)
    /// Cut by the end of the run.
    public static let cut = Flags(rawValue: 16)
    /// The frame was decoded and ready when the clock started: it waited for nobody but the
    /// display.
    public static let ready = Flags(rawValue: 32)
    /// The session ended with it: the viewer closed the app, or the app died. Of a mixed feed it is
    /// not known.
    public static let last = Flags(rawValue: 64)
  }

  public var session: UInt32
  public var item: UInt32
  public var title: UInt32
  public var network: UInt8
  public var device: UInt8
  public var flags: Flags
  /// Rung of the first segment.
  public var firstRung: UInt8
  /// When the clock started.
  public var settledAt: Instant
  /// Clock start to first frame, or to the end of the view when there was none (right-censored).
  public var ttff: TimeSpan
  /// The same from the call of play().
  public var ttffPlay: TimeSpan
  public var played: TimeSpan
  public var stalled: TimeSpan
  public var stalls: Int32
  // What ``answer`` is made of: its three bytes fill the word that ``stalls`` begins.
  var answerAsset = StartAnswer().asset
  var answerTier = StartAnswer().tier
  var answerReason = StartAnswer().reason
  /// The parts of ``ttff`` by ``StartupPart``.
  public var parts: StartupParts
  var answerWait = StartAnswer().wait
  /// The wait of all requests that ``answer`` is one of.
  public var upstreamWait = TimeSpan.zero

  /// Of the requests that the start waited for one after the other the one that waited longest
  /// behind the edge.
  public var answer: StartAnswer {
    get {
      StartAnswer(asset: answerAsset, tier: answerTier, reason: answerReason, wait: answerWait)
    }
    set {
      answerAsset = newValue.asset
      answerTier = newValue.tier
      answerReason = newValue.reason
      answerWait = newValue.wait
    }
  }

  /// One part of the TTFF.
  public func part(_ part: StartupPart) -> TimeSpan {
    TimeSpan(nanoseconds: parts[part])
  }

  public var hasStarted: Bool { flags.contains(.started) }
}

/// Media bytes of one cohort. Always delivered = rendered + wasted + still buffered.
public struct ByteBalance: Counters {
  /// Init and segment bytes that arrived from the network, parts of cancelled transfers included.
  public var delivered: Int64 = 0
  public var rendered: Int64 = 0
  public var wasted: Int64 = 0
  /// Not rendered, but its session was still running when the run was cut.
  public var stillBuffered: Int64 = 0
  /// The part of ``delivered`` that was fetched before its item became current, and the part of
  /// that which was wasted.
  public var prefetched: Int64 = 0
  public var prefetchedWasted: Int64 = 0

  public init() {}
}

/// What prefetches cost the items on the screen, nanoseconds summed over sessions.
public struct ContentionSum: Counters {
  /// Time in which a transfer for a current item used its link.
  public var foreground: Int64 = 0
  /// The part of it that the link spent on prefetches.
  public var lost: Int64 = 0

  public init() {}

  mutating func add(_ link: Contention) {
    foreground += Int64(link.foreground)
    lost += Int64(link.lost)
  }
}

/// What one replication counted by ones and bytes.
public struct FeedCounts: Counters {
  public var sessions: Int64 = 0
  public var sessionsCut: Int64 = 0
  /// Cold starts beside those of the sessions (``FeedMeasures/extraColdStarts``).
  public var extraColdStarts: Int64 = 0
  /// Requests that viewers sent, and those of them that they cancelled.
  public var requests: Int64 = 0
  public var cancelledRequests: Int64 = 0
  public var deliveredBytes: Int64 = 0
  public var connectionsOpened: Int64 = 0
  /// Hand-overs that happened, and requests that they made viewers repeat.
  public var handOvers: Int64 = 0
  public var repeatedRequests: Int64 = 0
  public var originRequests: Int64 = 0
  public var originBytes: Int64 = 0
  /// Requests that reached the shield from other regions than its own (caches.md section 4.2).
  public var shieldCrossings: Int64 = 0
  /// Errors that viewers got, and what they did about them: answered from a stale copy on the
  /// device, asked again.
  public var clientErrors: Int64 = 0
  /// Of the errors those because the server's name did not resolve.
  public var nameFailures: Int64 = 0
  public var clientStale: Int64 = 0
  public var clientRetries: Int64 = 0
  public var playerCreates: Int64 = 0
  public var playerRetargets: Int64 = 0
  public var staleReadiness: Int64 = 0
  public var decodersRefused: Int64 = 0
  public var prefetchStarts: Int64 = 0
  public var prefetchCancels: Int64 = 0
  public var prefetchReached: Int64 = 0
  public var feedPages: Int64 = 0
  public var scrubs: Int64 = 0
  public var scrubLookups: Int64 = 0
  public var spriteHits: Int64 = 0

  public init() {}
}

/// What one replication measured.
public struct FeedMeasures: Sendable {
  public var views: [ViewRecord] = []
  /// First views of viewers whom nobody else notices, by the order in which they came: of the law
  /// of the first views above, and counted nowhere else but in ``FeedCounts/extraColdStarts``.
  public var extraColdStarts: [ViewRecord] = []
  /// By network x devices + device.
  public var balances: [ByteBalance]
  /// Likewise.
  public var shown: [ShownMedia]
  public var deviceCount: Int
  public var counts = FeedCounts()
  /// Answers of real servers; zero where servers are modelled.
  public var outside = OutsideCounters()
  /// Client disk cache, edges together, regional caches together, shield.
  public var client = TierCounters()
  public var edge = TierCounters()
  public var regional = TierCounters()
  public var shield = TierCounters()
  /// What each tier fetched from the next one, by ``CacheTier``'s raw value.
  public var fetched = [FetchCounters](repeating: FetchCounters(), count: 3)
  public var origin = OriginCounters()
  public var staleness = StalenessCounters()
  public var peakSessions = 0
  /// By network.
  public var contention: [ContentionSum]
  public var offsets = OffsetCounts()
  public var republish = RepublishMeasures()
  /// Of a mixed feed.
  public var surface = SurfaceMeasures()
  public var clientSide = ClientMeasures()
  /// By network x devices + device: what swipes met with, and both of their waits together.
  public var swipes: [SwipeSums]
  public var swipeWaits: [DelayHistogram]
  /// From an event to its arrival at the ingest.
  public var eventDelays = DelayHistogram()
  /// By ``FeedConfiguration/windows``.
  public var windows: [WindowMeasures] = []
  /// By ``CDNConfiguration/providers``.
  public var providers = ProvidersMeasures()
  /// Heap bytes of the viewers' state at the peak, estimated from its parts.
  public var viewerBytes: Int64 = 0

  public init(networks: Int, devices: Int) {
    deviceCount = devices
    balances = [ByteBalance](repeating: ByteBalance(), count: networks * devices)
    shown = [ShownMedia](repeating: ShownMedia(), count: networks * devices)
    contention = [ContentionSum](repeating: ContentionSum(), count: networks)
    swipes = [SwipeSums](repeating: SwipeSums(), count: networks * devices)
    swipeWaits = [DelayHistogram](repeating: DelayHistogram(), count: networks * devices)
  }
}

extension FeedMeasures {
  /// Adds the counts of a cache node.
  mutating func add(
    _ tier: CacheTier, _ counters: TierCounters, _ fetches: FetchCounters
  ) {
    switch tier {
    case .edge: edge.add(counters)
    case .regional: regional.add(counters)
    case .shield: shield.add(counters)
    }
    fetched[Int(tier.rawValue)].add(fetches)
  }

  /// Puts the views in the order in which their clocks started, and of one instant by session: an
  /// order that says nothing of who was simulated when.
  mutating func sortViews() {
    let keys = views.map { (at: $0.settledAt, session: $0.session) }
    var order = Array(0..<UInt32(keys.count))
    order.sort { a, b in
      let (left, right) = (keys[Int(a)], keys[Int(b)])
      if left.at != right.at { return left.at < right.at }
      return left.session != right.session ? left.session < right.session : a < b
    }
    // Circle by circle in place: the records are large.
    for place in order.indices where order[place] != UInt32(place) {
      let first = views[place]
      var gap = place
      while true {
        let source = Int(order[gap])
        order[gap] = UInt32(gap)
        if source == place { break }
        views[gap] = views[source]
        gap = source
      }
      views[gap] = first
    }
  }

  /// Adds another replication's sums; views are not kept.
  public mutating func add(_ other: FeedMeasures) {
    for index in 0..<balances.count { balances[index].add(other.balances[index]) }
    for index in 0..<shown.count { shown[index].add(other.shown[index]) }
    counts.add(other.counts)
    outside.add(other.outside)
    client.add(other.client)
    edge.add(other.edge)
    regional.add(other.regional)
    shield.add(other.shield)
    for tier in fetched.indices { fetched[tier].add(other.fetched[tier]) }
    origin.add(other.origin)
    staleness.add(other.staleness)
    peakSessions = peakSessions > other.peakSessions ? peakSessions : other.peakSessions
    for index in 0..<contention.count { contention[index].add(other.contention[index]) }
    republish.add(other.republish)
    surface.add(other.surface)
    clientSide.add(other.clientSide)
    for index in swipes.indices { swipes[index].add(other.swipes[index]) }
    for index in swipeWaits.indices { swipeWaits[index].add(other.swipeWaits[index]) }
    eventDelays.add(other.eventDelays)
    while windows.count < other.windows.count { windows.append(WindowMeasures()) }
    for index in 0..<other.windows.count { windows[index].add(other.windows[index]) }
    providers.add(other.providers)
    viewerBytes = viewerBytes > other.viewerBytes ? viewerBytes : other.viewerBytes
  }
}
