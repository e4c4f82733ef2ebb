import CachePolicy
import MediaUnits
import SimulationKernel

/// Whose rules say how long a tier keeps an answer.
public enum TierTTL: Sendable, Equatable {
  /// RFC 9111 and RFC 5861; an error is not repeated.
  case rfc9111
  /// The settings of an Amazon CloudFront behaviour on top of what the origin says.
  case cloudFront(CloudFrontProfile)
  /// A rule of somebody else's; an error is not repeated.
  case rule(ForeignLifetime)

  /// What the tier remembers of an answer; nil when it may not store it.
  ///
  /// - Parameter age: of the answer on arrival.
  public func store(
    _ directives: CacheDirectives, at now: Instant, initialAge age: TimeSpan
  ) -> StoredResponse? {
    switch self {
    case .rfc9111:
      CacheFreshness.store(directives, shared: true, at: now, initialAge: age)
    case .cloudFront(let profile):
      profile.store(
        ResponseHead(directives: directives, age: age),
        timing: ResponseTiming(requestedAt: now, receivedAt: now))
    case .rule(let rule): rule.store(directives, at: now, initialAge: age)
    }
  }

  /// How long an answer stays fresh, seconds; zero when it is not stored.
  public func lifetime(of directives: CacheDirectives) -> Double {
    store(directives, at: .zero, initialAge: .zero)?.lifetime.seconds ?? 0
  }

  /// How long the tier repeats an error of the next one.
  public var errorCaching: TimeSpan {
    switch self {
    case .rfc9111, .rule: .zero
    case .cloudFront(let profile): profile.errorCachingMinimumTTL
    }
  }
}

/// The way from a tier to the next one.
///
/// Included: a round trip for each request, idle connections that are used again, what a new one
/// costs, how long an answer of the origin is waited for and how often it is asked. Left out: the
/// time that the body takes; an answer is passed on, and stored, from its first byte on.
public struct UpstreamConfiguration: Sendable {
  /// Round trip, seconds.
  public var roundTrip: QuantileTable
  /// Least round trip: the part that never vanishes.
  public var floor: TimeSpan
  /// How long an idle connection stays open; `.max`: for ever.
  public var keepAlive: TimeSpan
  /// Round trips before the first request of a new connection: one for TCP, one for TLS 1.3 (RFC
  /// 9293 section 3.5, RFC 8446 section 2).
  public var handshakeRoundTrips: Int64
  /// Where the next tier is the origin: how long a connection, and an answer, are waited for. A
  /// cache is waited for until it answers; it gives up by itself.
  public var connectTimeout, responseTimeout: TimeSpan
  /// How often the origin is asked, the first time included.
  public var attempts: Int

  public init(
    roundTrip: QuantileTable, floor: TimeSpan, keepAlive: TimeSpan = .seconds(60),
    handshakeRoundTrips: Int64 = 2, connectTimeout: TimeSpan = .seconds(10),
    responseTimeout: TimeSpan = .seconds(30), attempts: Int = 3
  ) {
    precondition(attempts >= 1 && handshakeRoundTrips >= 0)
    precondition(connectTimeout > .zero && responseTimeout > .zero)
    self.roundTrip = roundTrip
    self.floor = floor
    self.keepAlive = keepAlive
    self.handshakeRoundTrips = handshakeRoundTrips
    self.connectTimeout = connectTimeout
    self.responseTimeout = responseTimeout
    self.attempts = attempts
  }
}

/// A cache tier: what it holds, for how long, and what it does with requests it cannot serve.
public struct CacheTierConfiguration: Sendable {
  public var capacity: ByteCount
  /// Which object leaves; not ``EvictionKind/belady``, which knows the future.
  public var eviction: EvictionKind
  /// Which missed objects enter. `.bloom` remembers exactly what was missed before.
  public var admission: CacheAdmission
  public var collapsing: CollapsingMachine.Configuration
  public var ttl: TierTTL
  /// Whether the age that an answer comes with counts (RFC 9111 section 4.2.3); nginx leaves it
  /// out.
  public var inheritsAge: Bool
  /// Time from a request's arrival to the first byte of a hit, or to the request to the next tier,
  /// seconds.
  public var serviceTime: QuantileTable
  public var upstream: UpstreamConfiguration

  public init(
    capacity: ByteCount, eviction: EvictionKind = .lru, admission: CacheAdmission = .all,
    collapsing: CollapsingMachine.Configuration = .init(), ttl: TierTTL = .rfc9111,
    inheritsAge: Bool = true, serviceTime: QuantileTable, upstream: UpstreamConfiguration
  ) {
    precondition(!eviction.isClairvoyant, "a live cache does not know the future")
    self.capacity = capacity
    self.eviction = eviction
    self.admission = admission
    self.collapsing = collapsing
    self.ttl = ttl
    self.inheritsAge = inheritsAge
    self.serviceTime = serviceTime
    self.upstream = upstream
  }

  /// Bytes that the tier holds; nil when nothing ever leaves for want of room.
  public var limit: ByteCount? {
    eviction == .infinite || capacity == .unlimited ? nil : capacity
  }
}
