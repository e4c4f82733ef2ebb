import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// When the steps of an item's start happened; `unset` when they have not.
struct StartupTimes {
  static let unset = Instant(nanoseconds: .min)
  var chainStart = unset
  var nameAt = unset
  var connectedAt = unset
  var secureAt = unset
  var manifest = unset
  var playlists = unset
  var initSegment = unset
  var firstByte = unset
  /// When the first segment's bytes began to use the link, after slow start and recovery.
  var joined = unset
  var data = unset
  var decoder = unset
  /// Of the first segment: when it was asked for, and what other transfers of the viewer cost
  /// before its first byte and after; `sharedBefore` of that before its item was current.
  var sent = unset
  var queued = TimeSpan.zero
  var shared = TimeSpan.zero
  var sharedBefore = TimeSpan.zero
}

/// What a viewer's app knows of one item of the feed.
struct ItemState {
  static let nobody = UInt32.max
  struct Known: OptionSet {
    let rawValue: UInt8
    static let manifest = Known(rawValue: 1)
    static let master = Known(rawValue: 2)
    static let poster = Known(rawValue: 4)
    static let vtt = Known(rawValue: 8)
    /// The first frame's media is there.
    static let data = Known(rawValue: 16)
    /// A frame was rendered.
    static let rendered = Known(rawValue: 32)
    /// The first frame's video is there, where audio is apart.
    static let video = Known(rawValue: 64)
  }

  var item = ItemState.nobody
  var title: Title
  /// Number of the title's objects in the version that is played: the one that the manifest names,
  /// and before there is a manifest the one that was current when the item came up.
  var number: UInt32 = 0
  /// The title was an item of this session before.
  var isRepeated = false
  var known: Known = []
  /// Bits by rung.
  var playlists: UInt8 = 0
  var inits: UInt8 = 0
  /// Rungs of the first segment and of the one that came last.
  var firstRung: RungIndex? {
    get { ItemState.rung(storedRungs.first) }
    set { storedRungs.first = ItemState.stored(newValue) }
  }
  var lastRung: RungIndex? {
    get { ItemState.rung(storedRungs.last) }
    set { storedRungs.last = ItemState.stored(newValue) }
  }
  private var storedRungs: (first: UInt8, last: UInt8) = (.max, .max)
  /// Stage below media that is wanted; nothing when none is.
  var stage = PrefetchStage.nothing
  /// Segments held, from the first on without a gap.
  @Packed<Int16> var segments = 0
  /// The request that loads the item's chain, or -1.
  @Packed<Int16> var loading = -1
  /// Their sizes and rungs.
  var heldSegments = HeldSegments()
  /// Media that the prefetch policy wants, and that the item's own player wants by its distance;
  /// zero for none.
  var prefetchTarget = TimeSpan.zero
  var playerTarget = TimeSpan.zero
  /// Media wanted; zero when nobody wants any. The larger need counts, and each of the two ends by
  /// itself: a prefetch that is cancelled leaves what the player wants, and the other way round.
  var target: TimeSpan { prefetchTarget > playerTarget ? prefetchTarget : playerTarget }
  /// Media for the first frame as the player sees it; zero: as the policy says.
  var startNeed = TimeSpan.zero
  /// What few items ever have; nil before.
  private var extras: UnsafeMutablePointer<ItemExtras>?
  /// Of items of a catalogue with audio of its own; they have their extras from the beginning.
  var audio: AudioState {
    get { extras?.pointee.audio ?? AudioState() }
    set {
      guard let extras else { preconditionFailure("an item with audio has extras") }
      extras.pointee.audio = newValue
    }
  }
  var cancelled: CancelledBytes { extras?.pointee.cancelled ?? CancelledBytes() }
  /// Delivered init bytes, and those of them that were prefetched.
  var initBytes: Int64 = 0
  var initPrefetched: Int64 = 0
  /// How far the item was ever rendered.
  var renderedTo = TimeSpan.zero
  var times = StartupTimes()
  /// When its poster was there; nil before.
  var posterAt: Instant? {
    get { storedPosterAt == StartupTimes.unset ? nil : storedPosterAt }
    set { storedPosterAt = newValue ?? StartupTimes.unset }
  }
  private var storedPosterAt = StartupTimes.unset

  /// An item that comes up.
  init(item: UInt32 = ItemState.nobody, title: Title, number: UInt32 = 0) {
    self.item = item
    self.title = title
    self.number = number
  }

  // A ladder has eight rungs at most.
  private static func rung(_ stored: UInt8) -> RungIndex? {
    stored == .max ? nil : RungIndex(UInt32(stored))
  }

  private static func stored(_ rung: RungIndex?) -> UInt8 {
    if let rung { return UInt8(rung.index) }
    return .max
  }

  /// Its extras, made when there are none.
  mutating func addExtras(_ blocks: inout WordBlocks) -> UnsafeMutablePointer<ItemExtras> {
    if let extras { return extras }
    let block = UnsafeMutableRawPointer(blocks.take(ItemExtras.words))
    let extras = block.initializeMemory(as: ItemExtras.self, to: ItemExtras())
    self.extras = extras
    return extras
  }

  /// Gives back what it holds beside itself.
  mutating func release(_ blocks: inout WordBlocks) {
    heldSegments.release(segments, &blocks)
    if let extras {
      let block = UnsafeMutableRawPointer(extras).bindMemory(
        to: UInt64.self, capacity: ItemExtras.words)
      blocks.put(block, ItemExtras.words)
    }
    extras = nil
  }

  /// Likewise, when there is nowhere to keep it.
  mutating func release() {
    heldSegments.release()
    extras?.deallocate()
    extras = nil
  }

  /// The feed's page says where the media is: no step comes before it.
  mutating func beginWithMedia(at now: Instant) {
    known = [.manifest, .master]
    times.manifest = now
    times.playlists = now
    times.initSegment = now
  }
}

/// What only some items have: audio of their own, transfers that were cancelled.
struct ItemExtras {
  static let words =
    (MemoryLayout<ItemExtras>.size + MemoryLayout<UInt64>.size - 1) / MemoryLayout<UInt64>.size

  var audio = AudioState()
  var cancelled = CancelledBytes()
}

/// Delivered bytes of an item's cancelled transfers, and the parts of them that were prefetched and
/// that were rendered before.
struct CancelledBytes {
  var all: Int64 = 0
  var prefetched: Int64 = 0
  var rendered: Int64 = 0
  var prefetchedRendered: Int64 = 0
}

/// Audio of its own, where titles have it.
struct AudioState {
  /// The request that loads it, or -1.
  @Packed<Int16> var loading = -1
  var hasPlaylist = false
  var hasInit = false
  /// Segments held, from the first on without a gap.
  @Packed<Int16> var segments = 0
  /// Delivered segment bytes from the network, and those of them that were prefetched.
  var bytes: Int64 = 0
  var prefetched: Int64 = 0
}

/// When a player can render its item at once.
enum Readiness {
  /// Media or decoder are missing. Can transition to: planned, unheard.
  case unknown
  /// The pool will hear of it by a happening, or has. Can transition to: unknown.
  case planned
  /// From then on. Nothing follows from it before the item is the current one, so there is no
  /// event: the pool hears of it before it is told anything else. Can transition to: unknown,
  /// planned, heard.
  case unheard(from: Instant)
  /// The pool knows. Can transition to: unknown.
  case heard
}

/// A player of the pool as the device holds it.
struct PlayerState {
  var item = ItemState.nobody
  var generation: UInt32 = 0
  var isCreated = false
  var hasDecoder = false
  /// Set once the decoder's set-up is under way for the present item.
  var isPreparing = false
  /// When its decoder can be set up, and when the main thread had done its part for that.
  var playerReadyAt = Instant.zero
  var mainDoneAt = Instant.zero
  var readiness = Readiness.unknown
}

/// One request of a viewer.
struct Request {
  enum Destination: UInt8 {
    case feed, chain, poster, vtt, sprite, audio, events

    /// The feed's host answers, not an edge.
    var isService: Bool { self == .feed || self == .events }
  }
  var server: ViewerTransport.Server { destination.isService ? .service : .edge }
  var generation: UInt32 = 0
  var item: UInt32 = 0
  var offset: UInt32 = 0
  var object: UInt32 = 0
  /// Of a manifest: the number of the version that it names.
  var number: UInt32 = 0
  /// Its number among the requests that wait at the edge; `.max`: it does not.
  var waiting = UInt32.max
  @Packed<Int16> var segment = 0
  /// Place of the connection at its host.
  @Packed<Int8> var connection = 0
  var rung: RungIndex {
    get { RungIndex(UInt32(storedRung)) }
    set { storedRung = UInt8(newValue.index) }
  }
  private var storedRung: UInt8 = 0
  var isActive = false
  var destination = Destination.chain
  var asset = AssetClass.feed
  var isPrefetch = false
  var isFromDisk = false
  var isConditional = false
  /// The edge answered without waiting for another tier.
  var isImmediate = true
  /// No connection is free yet.
  var isWaiting = false
  var tier = AnsweringTier.none
  var reason = MissReason.none
  /// The answer is an error.
  var isError = false
  /// It is not under way: it will be sent again.
  var isBackingOff = false
  /// How often it was sent again.
  var retries: UInt8 = 0
  /// Where the servers are real: what has come of the answer, and whether the modelled link has
  /// carried its body.
  var outside = OutsideState.inside
  var isLinkDone = false
  var bytes: Int64 = 0
  /// Bytes that the request carries beside its head.
  var bodyBytes: Int64 = 0
  var wireBytes: Double = 0
  var serviceDraw = 0.5
  var sentAt = Instant.zero
  var firstByteAt = Instant.zero
  /// When the transfer's rounds of waiting were over.
  var joinedAt = Instant.zero
  /// Time that the viewer's other transfers cost before the first byte: no free connection, a queue
  /// in front of the link.
  var queued = TimeSpan.zero
  /// Age of the answer when it left the edge, and the lifetime that the origin stated.
  var age = TimeSpan.zero
  var stated = TimeSpan.zero
  /// When it was first at the edge, and how long until the answer left, retries included; zero when
  /// the edge answered at once.
  var edgeAt = Instant.zero
  var upstreamWait = TimeSpan.zero
  /// From when on an edge has had it, as far as the viewer can tell.
  var reachesAt = Instant.zero
}

/// What only some sessions ever have: a disk that is read, a storyboard that is looked at.
struct ViewerExtras {
  /// What was looked for in the list that stands for the disk.
  var found = FoundCopies()
  var disk: DeviceCache
  /// By the places of ``disk``.
  var diskCopies: [DiskCopy] = []
  var sprites = SpriteCache()
  var scrub = ScrubSession()
}

typealias ViewerPointer = UnsafeMutablePointer<Viewer>

/// A session of one viewer: the device, the link, the policies and the items.
///
/// What happens to him stands in his ``agenda``; he meets others in the requests that reach his
/// edge, in the answers to them and in a cell, and in nothing else.
struct Viewer: ~Copyable {
  let setting: UnsafePointer<FeedSetting>
  private let byAddress = ByAddress()
  var session: UInt32 = 0
  let slot: UInt32
  var isActive = false
  /// Whether his session is the one that is written down.
  var isWatched = false
  var edge: UInt32 = 0
  /// What the cache key has beside the object.
  var keyValue: UInt32 = 0
  var network = 0
  var device = 0
  var persona = 0
  var arrivedAt = Instant.zero
  var endsAt = Instant.zero

  var transport: ViewerTransport
  /// Requests for which no connection is free, and those that wait at the edge.
  var waitingRequests = 0
  var waitingAtEdge = 0
  /// A request that may travel with the next one.
  var companion: TravellingRequest?
  /// Whether the present turn has changed what is on the link.
  var isLinkChanged = false

  var pool: PlayerPool
  var prefetch: PrefetchPolicy
  var estimator: PlayerEstimator
  /// How far ahead the prefetch policy lets the current item load; nil: as the player does.
  var bufferLimit: TimeSpan?
  /// What its disk would have been told, as long as that has room for all of it.
  var diskLog = DiskLog()
  /// What few sessions ever have; nil before.
  var extras: UnsafeMutablePointer<ViewerExtras>?
  /// Titles that items of this session brought: only of those can the disk cache hold anything.
  var titles = SessionTitles()

  /// When the app's main thread has done what it has to do.
  var mainFreeAt = Instant.zero
  /// Its pool's players.
  let players: UnsafeMutableBufferPointer<PlayerState>
  /// Requests in use and free ones, ``requestCount`` of them.
  var requests: UnsafeMutablePointer<Request>
  private(set) var requestCount = 0
  private var requestCapacity = Viewer.firstRequests
  /// ``itemCount`` items, found by their number.
  var items: UnsafeMutablePointer<ItemState>
  let itemCount: Int
  /// Titles that pages of a real feed have listed, by item; empty where the world draws them.
  var listed: [UInt32] = []

  var current: UInt32 = 0
  var pager: CursorPager
  /// The pager's number of its last request.
  var pageRequest: UInt32 = 0
  /// Items known from feed pages: those below this.
  var feedCount: UInt32 { pager.count }
  var viewCount: UInt32 = 0
  var view = ViewState()

  /// What happens to the viewer by itself.
  var agenda = Agenda()
  /// His event in the simulation, the happening that it is for, and whether that asks an edge.
  var event = EventHandle.none
  var eventFor: (time: Instant, serial: UInt32, asksEdge: Bool) = (.zero, 0, false)
  /// Whether the world knows that he is not active any more.
  var hasLeft = false
  /// What the app does beyond loading and playing; nil where nothing of it is set.
  var client: UnsafeMutablePointer<ClientState>?

  /// Requests that have room before the first growth.
  private static let firstRequests = 4
  // Of a held segment's size: "from disk" and "prefetched".
  static let fromDisk: UInt32 = 1 << 31
  static let prefetched: UInt32 = 1 << 30
  static let sizeMask: UInt32 = (1 << 30) - 1

  /// A viewer with memory of its own; ``release()`` gives it back.
  ///
  /// - Parameter session: whose first link it has; ``begin(_:_:)`` makes it that session's.
  init(_ setting: UnsafePointer<FeedSetting>, slot: UInt32, session: UInt32, at now: Instant) {
    self.setting = setting
    self.slot = slot
    let policy = setting.pointee.policy
    let network = setting.pointee.configuration.choices(
      of: session, setting.pointee.streams
    ).network
    transport = ViewerTransport(
      setting.pointee.session(session, network: network), settings: setting.pointee.transport,
      sources: setting.pointee.sources, at: now)
    pool = PlayerPool(policy.pointee.pool)
    pager = Viewer.pager(policy.pointee)
    prefetch = PrefetchPolicy(policy.pointee.prefetch)
    estimator = PlayerEstimator(
      policy.pointee.player.estimator, initial: policy.pointee.initialEstimate)
    players = .allocate(capacity: policy.pointee.pool.size)
    requests = .allocate(capacity: Viewer.firstRequests)
    itemCount = setting.pointee.itemCount
    items = .allocate(capacity: itemCount)
  }

  /// Gives the memory back; the viewer must not be used afterwards.
  func release() {
    extras?.deinitialize(count: 1)
    extras?.deallocate()
    client?.deinitialize(count: 1)
    client?.deallocate()
    transport.release()
    players.deallocate()
    requests.deallocate()
    for place in 0..<itemCount { items[place].release() }
    items.deallocate()
  }

  /// Makes room for one more request.
  mutating func addRequest() {
    if requestCount == requestCapacity {
      let capacity = requestCapacity + 1 + requestCapacity / 4
      let larger = UnsafeMutablePointer<Request>.allocate(capacity: capacity)
      larger.moveInitialize(from: requests, count: requestCount)
      requests.deallocate()
      requests = larger
      requestCapacity = capacity
    }
    (requests + requestCount).initialize(to: Request())
    requestCount += 1
  }

  /// Heap bytes of a viewer's own memory, without what the policies hold.
  var heapBytes: Int64 {
    var bytes =
      MemoryLayout<Viewer>.stride
      + players.count * MemoryLayout<PlayerState>.stride
      + transport.heapBytes
      + itemCount * MemoryLayout<ItemState>.stride
      + requestCapacity * MemoryLayout<Request>.stride
      + diskLog.heapBytes + agenda.heapBytes
    for place in 0..<itemCount where items[place].item != ItemState.nobody {
      bytes += HeldSegments.bytes(items[place].segments)
    }
    if let extras {
      bytes += MemoryLayout<ViewerExtras>.stride
      bytes += extras.pointee.diskCopies.capacity * MemoryLayout<DiskCopy>.stride
      bytes += extras.pointee.found.heapBytes
    }
    return Int64(bytes + titles.heapBytes)
  }
}
