import MediaUnits

/// Where the time before a first frame went. The parts of a view sum to its TTFF exactly.
public enum StartupPart: Int, CaseIterable, Sendable {
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
  /// Request of the first segment to its first byte.
  case segmentWait
  /// First byte to as much media as playback needs.
  case transfer
  /// Player and decoder not ready when the media was.
  case decoder
  /// Decoding the first frame.
  case firstDecode

  /// The name used in results.
  public var name: StaticString {
    switch self {
    case .feed: "feed"
    case .queue: "queue"
    case .nameLookup: "dns"
    case .connect: "connect"
    case .tls: "tls"
    case .manifest: "manifest"
    case .playlists: "playlists"
    case .initSegment: "init"
    case .segmentWait: "segment_wait"
    case .transfer: "transfer"
    case .decoder: "decoder"
    case .firstDecode: "first_decode"
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
    /// The first view of the session: its clock starts at app open.
    public static let cold = Flags(rawValue: 2)
    /// Reached by a swipe back.
    public static let back = Flags(rawValue: 4)
    /// Some object that the start waited for was not answered at once by the edge.
    public static let edgeMiss = Flags(rawValue: 8)
    /// Cut by the end of the run.
    public static let cut = Flags(rawValue: 16)
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
  /// The parts of ``ttff`` by ``StartupPart``.
  public var parts:
    (
      Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64
    )

  /// One part of the TTFF.
  public func part(_ part: StartupPart) -> TimeSpan {
    let nanoseconds =
      switch part {
      case .feed: parts.0
      case .queue: parts.1
      case .nameLookup: parts.2
      case .connect: parts.3
      case .tls: parts.4
      case .manifest: parts.5
      case .playlists: parts.6
      case .initSegment: parts.7
      case .segmentWait: parts.8
      case .transfer: parts.9
      case .decoder: parts.10
      case .firstDecode: parts.11
      }
    return TimeSpan(nanoseconds: nanoseconds)
  }

  public var hasStarted: Bool { flags.contains(.started) }
}

/// Media bytes of one cohort. Always delivered = rendered + wasted + still buffered.
public struct ByteBalance: Sendable, Equatable {
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

/// What one replication measured.
public struct FeedMeasures: Sendable {
  public var views: [ViewRecord] = []
  /// By network x devices + device.
  public var balances: [ByteBalance]
  public var deviceCount: Int
  /// Client disk cache, edges together, shield.
  public var client = TierCounters()
  public var edge = TierCounters()
  public var shield = TierCounters()
  /// Answered from a disk cache, by class: requests in ``client`` with outcome hit.
  public var originRequests: Int64 = 0
  public var originBytes: Int64 = 0
  public var deliveredBytes: Int64 = 0
  public var sessions: Int64 = 0
  public var sessionsCut: Int64 = 0
  public var peakSessions = 0
  public var connectionsOpened: Int64 = 0
  public var requests: Int64 = 0
  public var cancelledRequests: Int64 = 0
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
  public var offsets = OffsetCounts()
  /// Heap bytes of the viewers' state at the peak, estimated from its parts.
  public var viewerBytes: Int64 = 0

  public init(networks: Int, devices: Int) {
    deviceCount = devices
    balances = [ByteBalance](repeating: ByteBalance(), count: networks * devices)
  }
}

extension FeedMeasures {
  /// Adds another replication's sums; views are not kept.
  public mutating func add(_ other: FeedMeasures) {
    for index in 0..<balances.count { balances[index].add(other.balances[index]) }
    client.add(other.client)
    edge.add(other.edge)
    shield.add(other.shield)
    originRequests += other.originRequests
    originBytes += other.originBytes
    deliveredBytes += other.deliveredBytes
    sessions += other.sessions
    sessionsCut += other.sessionsCut
    peakSessions = peakSessions > other.peakSessions ? peakSessions : other.peakSessions
    connectionsOpened += other.connectionsOpened
    requests += other.requests
    cancelledRequests += other.cancelledRequests
    playerCreates += other.playerCreates
    playerRetargets += other.playerRetargets
    staleReadiness += other.staleReadiness
    decodersRefused += other.decodersRefused
    prefetchStarts += other.prefetchStarts
    prefetchCancels += other.prefetchCancels
    prefetchReached += other.prefetchReached
    feedPages += other.feedPages
    scrubs += other.scrubs
    scrubLookups += other.scrubLookups
    spriteHits += other.spriteHits
    viewerBytes = viewerBytes > other.viewerBytes ? viewerBytes : other.viewerBytes
  }
}

extension ByteBalance {
  public mutating func add(_ other: ByteBalance) {
    delivered += other.delivered
    rendered += other.rendered
    wasted += other.wasted
    stillBuffered += other.stillBuffered
    prefetched += other.prefetched
    prefetchedWasted += other.prefetchedWasted
  }
}
