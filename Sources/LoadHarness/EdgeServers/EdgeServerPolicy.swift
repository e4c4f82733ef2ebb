import CachePolicy
import MediaUnits
import Models
import Scenario

/// What an edge server is to do: the scenario's edge tier, as far as products have a word for it.
///
/// How long answers are kept is not here: the origin says it in `Cache-Control`.
public struct EdgeServerPolicy: Sendable, Equatable {
  /// Where bodies are kept.
  public enum Storage: Sendable, Equatable {
    /// /dev/shm; Varnish's own memory.
    case memory
    /// A folder on a disk; for Varnish a file.
    case folder(String)
  }

  /// A certificate and its key, PEM files.
  public struct Certificate: Sendable, Equatable {
    public var chain: String
    public var key: String

    public init(chain: String, key: String) {
      self.chain = chain
      self.key = key
    }
  }

  /// Bytes of cached bodies; nil: as much as there is room for.
  public var capacity: Int64?
  public var collapsing: CollapsingMachine.Configuration
  /// Which object leaves, as `firstframe-live edge` calls it; nginx and Varnish have LRU.
  public var eviction = "lru"
  /// What enters the cache at all; nginx knows "after the second request", Varnish nothing of it.
  public var admission = CacheAdmission.all
  /// Whether the age that an answer comes with counts.
  public var inheritsAge = true
  /// Whether the query is part of the key.
  public var keysQueries = true
  /// How long an idle connection to the origin stays open.
  public var upstreamKeepAlive: TimeSpan
  public var connectTimeout, responseTimeout: TimeSpan
  /// How often the origin is asked, the first time included.
  public var attempts: Int
  /// How long an idle connection of a client stays open (parameters.md section 2).
  public var clientKeepAlive = TimeSpan.seconds(60)
  public var storage = Storage.memory
  /// Worker processes of nginx; thread pools of Varnish.
  public var workers = 1
  /// HTTP/2 beside HTTP/1.1; nginx offers it with ``certificate`` only.
  public var http2 = false
  /// Serve TLS with a certificate of the server's own making, unless ``certificate`` is given; not
  /// with Varnish, which has none.
  public var servesTLS = false
  /// Serve TLS with this certificate.
  public var certificate: Certificate?
  /// Whether requests are logged in the combined format, which `firstframe replay cache --format
  /// common` reads.
  public var logsRequests = false
  /// Whether answers have a member of `CMSD-Dynamic` (CTA-5006): the server's name; nginx adds
  /// `rtt` and `rd`, our own edge `etp`, too.
  public var tellsServerData = false
  /// The scenario that `firstframe-live edge` reads its policy from, when it is the edge.
  public var scenario: String?
  /// Keys of that scenario that are set after the file, `key.path=value`.
  public var scenarioSettings: [String] = []

  public init(
    capacity: Int64? = nil, collapsing: CollapsingMachine.Configuration = .init(),
    upstreamKeepAlive: TimeSpan = .seconds(60), connectTimeout: TimeSpan = .seconds(10),
    responseTimeout: TimeSpan = .seconds(30), attempts: Int = 1
  ) {
    precondition(capacity ?? 1 >= 1, "a capacity of at least a byte")
    precondition(attempts >= 1, "at least one attempt")
    self.capacity = capacity
    self.collapsing = collapsing
    self.upstreamKeepAlive = upstreamKeepAlive
    self.connectTimeout = connectTimeout
    self.responseTimeout = responseTimeout
    self.attempts = attempts
  }

  /// The policy of a scenario's edge.
  public init(_ tier: CacheTierConfiguration, cacheKey: CacheKeyRule = .path) {
    let isBounded = tier.eviction != .infinite && tier.capacity != .unlimited
    self.init(
      capacity: isBounded ? max(1, tier.capacity.bytes) : nil, collapsing: tier.collapsing,
      upstreamKeepAlive: tier.upstream.keepAlive, connectTimeout: tier.upstream.connectTimeout,
      responseTimeout: tier.upstream.responseTimeout, attempts: tier.upstream.attempts)
    eviction = CacheWords.text(tier.eviction)
    admission = tier.admission
    inheritsAge = tier.inheritsAge
    keysQueries = cacheKey != .path
  }

  /// Whether waiting requests share a fetch for an absent object, and under which lock.
  var lock: CollapsingMachine.Lock? {
    switch collapsing.mode {
    case .none: nil
    case .absentOnly(let lock): lock
    case .full: CollapsingMachine.Lock()
    }
  }
}
