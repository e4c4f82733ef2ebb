import AudienceModel
import FeedPolicy
import MediaUnits
import ServicePolicy
import SimulationKernel

/// A service of the world: servers and what a request takes.
public struct ServiceStation: Sendable {
  public var servers: Int
  /// Seconds.
  public var service: QuantileTable
  public var shedder: LoadShedder

  public init(servers: Int, service: QuantileTable, shedder: LoadShedder = LoadShedder()) {
    self.servers = servers
    self.service = service
    self.shedder = shedder
  }
}

/// A time in which the ranker does not do its work; from the beginning of the measured window.
public struct RankerOutage: Sendable, Equatable {
  public enum Kind: UInt8, Sendable, Equatable {
    /// It answers with an error, after the usual time.
    case error
    /// Its calls take `factor` times as long.
    case slow
    /// It does not answer.
    case silent
  }

  public var kind: Kind
  public var from, length: TimeSpan
  public var factor: Double

  public init(kind: Kind, from: TimeSpan, length: TimeSpan, factor: Double = 1) {
    self.kind = kind
    self.from = from
    self.length = length
    self.factor = factor
  }
}

/// The ranker and how it is asked.
public struct RankerSettings: Sendable {
  public var station: ServiceStation
  /// SIG-008, SIG-009.
  public var deadline: TimeSpan
  public var call: CallMachine.Configuration
  public var breaker: CircuitBreaker.Configuration?
  /// What a page shows that the ranker missed.
  public var fallback: PageFallback
  /// Share of calls that are slow, and how many times as long they take (parameters section 13).
  public var slowShare: Double
  public var slowFactor: Double
  /// Seconds added for a viewer whose features are not in the cache.
  public var coldExtra: Double
  /// Whether a call that missed the deadline leaves the queue.
  public var cancelsLate: Bool
  public var outages: [RankerOutage]

  public init(
    station: ServiceStation, deadline: TimeSpan = .milliseconds(30),
    call: CallMachine.Configuration = CallMachine.Configuration(),
    breaker: CircuitBreaker.Configuration? = nil, fallback: PageFallback = PageFallback(),
    slowShare: Double = 0, slowFactor: Double = 1, coldExtra: Double = 0,
    cancelsLate: Bool = false, outages: [RankerOutage] = []
  ) {
    self.station = station
    self.deadline = deadline
    self.call = call
    self.breaker = breaker
    self.fallback = fallback
    self.slowShare = slowShare
    self.slowFactor = slowFactor
    self.coldExtra = coldExtra
    self.cancelsLate = cancelsLate
    self.outages = outages
  }
}

/// The cache in memory and the table behind it.
public struct StoreSettings: Sendable {
  /// Seconds of a read from the cache, of one from the table, and until an index shows a write.
  public var cacheRead, tableRead, indexLag: QuantileTable
  /// How long an entry of the cache lives.
  public var lifetime: TimeSpan
  /// When the cache is emptied, from the beginning of the measured window; nil for never.
  public var flushAt: TimeSpan?
  /// Partitions of the trending index, writes of one in a second, seconds of unused writes that it
  /// keeps (parameters section 13; SIG-059).
  public var shards: UInt32
  public var writesPerShard: Double
  public var burst: Double
  public var writeRetries: Int
  public var writeBackoff: Backoff
  /// Partitions of the table of titles, and reads of one in a second; a throttled read is tried
  /// again so often, at the waits of a write.
  public var titleShards: UInt32
  public var readsPerShard: Double
  public var readRetries: Int

  public init(
    cacheRead: QuantileTable, tableRead: QuantileTable, indexLag: QuantileTable,
    lifetime: TimeSpan = .hours(24), flushAt: TimeSpan? = nil, shards: UInt32 = 1,
    writesPerShard: Double = 1_000, burst: Double = 1, writeRetries: Int = 3,
    writeBackoff: Backoff = Backoff(
      firstWait: .milliseconds(50), longestWait: .seconds(1), jitter: 1),
    titleShards: UInt32 = 4, readsPerShard: Double = 6_000, readRetries: Int = 3
  ) {
    self.cacheRead = cacheRead
    self.tableRead = tableRead
    self.indexLag = indexLag
    self.lifetime = lifetime
    self.flushAt = flushAt
    self.shards = shards
    self.writesPerShard = writesPerShard
    self.burst = burst
    self.writeRetries = writeRetries
    self.writeBackoff = writeBackoff
    self.titleShards = titleShards
    self.readsPerShard = readsPerShard
    self.readRetries = readRetries
  }
}

/// What a session asks for.
public struct AudienceSettings: Sendable {
  /// Sessions a second, from the beginning of the run.
  public var sessions: RateProfile
  /// Items of a session, seconds on each, seconds there and back to the service.
  public var items, dwell, roundTrip: QuantileTable
  public var users: UInt32
  public var pager: CursorPager.Configuration
  public var pageSize: Int
  public var retry: Backoff
  public var retries: Int

  public init(
    sessions: RateProfile, items: QuantileTable, dwell: QuantileTable, roundTrip: QuantileTable,
    users: UInt32 = 20_000,
    pager: CursorPager.Configuration = CursorPager.Configuration(memory: 128),
    pageSize: Int = 10, retry: Backoff = Backoff(), retries: Int = 3
  ) {
    self.sessions = sessions
    self.items = items
    self.dwell = dwell
    self.roundTrip = roundTrip
    self.users = users
    self.pager = pager
    self.pageSize = pageSize
    self.retry = retry
    self.retries = retries
  }
}

/// The titles that items are, and the list that pages are cut from.
public struct ContentSettings: Sendable {
  /// Probability of each title in a ranked place, and the table that draws it.
  public var shares: [Double]
  public var popularity: AliasTable
  public var exploration: ExplorationMixer.Configuration
  /// A title that nobody was shown for so long is cold: the caches have lost it.
  public var coldAfter: TimeSpan
  /// New entries of the list a second.
  public var publishRate: Double
  /// Share of them that expire, and after how long (SIG-061).
  public var ephemeralShare: Double
  public var life: TimeSpan
  public var filtersExpired: Bool
  public var cut: PageCut

  public init(
    shares: [Double], popularity: AliasTable,
    exploration: ExplorationMixer.Configuration = ExplorationMixer.Configuration(),
    coldAfter: TimeSpan = .days(7), publishRate: Double = 0.5, ephemeralShare: Double = 0,
    life: TimeSpan = .minutes(1), filtersExpired: Bool = true, cut: PageCut = .key
  ) {
    self.shares = shares
    self.popularity = popularity
    self.exploration = exploration
    self.coldAfter = coldAfter
    self.publishRate = publishRate
    self.ephemeralShare = ephemeralShare
    self.life = life
    self.filtersExpired = filtersExpired
    self.cut = cut
  }
}

/// Telemetry posts and the service that takes them.
public struct IngestSettings: Sendable {
  public var batcher: TelemetryBatcher.Configuration
  public var eventsPerView: Int
  public var station: ServiceStation
  /// Share of posts that fail: half of them are refused, of half only the answer is lost.
  public var failureShare: Double
  /// A post without an answer has failed after so long.
  public var timeout: TimeSpan
  /// Share of sessions whose process is killed.
  public var killShare: Double

  public init(
    batcher: TelemetryBatcher.Configuration = TelemetryBatcher.Configuration(),
    eventsPerView: Int = 4, station: ServiceStation, failureShare: Double = 0.01,
    timeout: TimeSpan = .seconds(3), killShare: Double = 0.01
  ) {
    self.batcher = batcher
    self.eventsPerView = eventsPerView
    self.station = station
    self.failureShare = failureShare
    self.timeout = timeout
    self.killShare = killShare
  }
}

/// Tokens that expire, and clients that ask too often.
public struct AccessSettings: Sendable {
  public var limiter: RateLimiter.Configuration?
  public var abusers: UInt32
  /// Requests of one of them in a second.
  public var abuseRate: Double
  public var tokens: ServiceStation?
  /// When tokens expire, from the beginning of the measured window; nil for never. Each of `share`
  /// of the sessions that run then has one that expires within `spread` of it.
  public var expiryAt: TimeSpan?
  public var share: Double
  public var spread: TimeSpan

  public init(
    limiter: RateLimiter.Configuration? = nil, abusers: UInt32 = 0, abuseRate: Double = 0,
    tokens: ServiceStation? = nil, expiryAt: TimeSpan? = nil, share: Double = 1,
    spread: TimeSpan = .zero
  ) {
    self.limiter = limiter
    self.abusers = abusers
    self.abuseRate = abuseRate
    self.tokens = tokens
    self.expiryAt = expiryAt
    self.share = share
    self.spread = spread
  }
}

/// Everything that a run of the services depends on but its seed.
public struct ServicesConfiguration: Sendable {
  public var warmUp, window: TimeSpan
  public var audience: AudienceSettings
  public var api: ServiceStation
  public var ranker: RankerSettings
  public var store: StoreSettings
  public var content: ContentSettings
  public var ingest: IngestSettings
  public var access: AccessSettings

  public init(
    warmUp: TimeSpan, window: TimeSpan, audience: AudienceSettings, api: ServiceStation,
    ranker: RankerSettings, store: StoreSettings, content: ContentSettings,
    ingest: IngestSettings, access: AccessSettings = AccessSettings()
  ) {
    precondition(warmUp >= .zero && window > .zero, "something is measured")
    precondition(content.shares.count == content.popularity.count, "each title has a share")
    self.warmUp = warmUp
    self.window = window
    self.audience = audience
    self.api = api
    self.ranker = ranker
    self.store = store
    self.content = content
    self.ingest = ingest
    self.access = access
  }
}
