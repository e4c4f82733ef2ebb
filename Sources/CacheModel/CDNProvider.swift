import FeedPolicy
import MediaUnits
import SimulationKernel

/// How a provider fails.
public enum ProviderOutageKind: Sendable, Equatable {
  /// Its edges answer 503 at once.
  case error
  /// Requests are taken and nothing comes.
  case timeout
  /// Connections do not open, and those that are open are dead.
  case unreachable
  /// First bytes come so much later.
  case slow(TimeSpan)
}

/// A time in which one provider fails, at all of its edges.
public typealias ProviderOutage = Outage<ProviderOutageKind>

/// One of several providers of a CDN: caches of its own, with the settings of the others but for
/// what stands here, in front of the origin that all of them have.
///
/// Left out: places where only some of them have edges, and that viewers who are not simulated
/// leave a provider that fails.
public struct CDNProvider: Sendable, Equatable {
  /// Most of them: each has entities of its own among those of the caches.
  public static let maximumCount = 4

  /// The part of the sessions that begin with it; all shares are 1 together.
  public var share: Double
  /// How much longer the round trip to its edges is than the session's.
  public var detour: TimeSpan
  /// Bytes of an edge; nil: as ``CDNConfiguration/edge`` has it.
  public var edgeCapacity: ByteCount?
  /// Whether it has the shield of ``CDNConfiguration/shield``.
  public var hasShield: Bool
  /// Price of a gigabyte to viewers; nil: the price list's.
  public var transferPerGB: Double?
  /// In order of time, apart from each other.
  public var outages: [ProviderOutage]

  public init(
    share: Double, detour: TimeSpan = .zero, edgeCapacity: ByteCount? = nil,
    hasShield: Bool = true, transferPerGB: Double? = nil, outages: [ProviderOutage] = []
  ) {
    precondition(share >= 0 && share <= 1 && detour >= .zero)
    self.share = share
    self.detour = detour
    self.edgeCapacity = edgeCapacity
    self.hasShield = hasShield
    self.transferPerGB = transferPerGB
    self.outages = outages
  }

  /// The outage that is on.
  public func outage(at now: Instant) -> ProviderOutage? { outages.outage(at: now) }
}

/// How viewers choose among providers.
public struct ProviderSwitching: Sendable, Equatable {
  /// A steering manifest, which viewers read when a session begins and then again and again.
  ///
  /// It names the session's own provider first, then the others by share, and those last that are
  /// known to fail. Left out: its bytes, and the time that it takes to come.
  public struct Steering: Sendable, Equatable {
    /// How long an order holds until it is read anew (TTL in HLS and DASH).
    public var lifetime: TimeSpan
    /// How long an outage is on until the manifest says so, and over until it says that.
    public var delay: TimeSpan

    public init(lifetime: TimeSpan = .seconds(300), delay: TimeSpan = .seconds(60)) {
      precondition(lifetime > .zero && delay >= .zero)
      self.lifetime = lifetime
      self.delay = delay
    }
  }

  /// The machine's; how many providers there are, and the first of a session, are filled in.
  public var policy: ProviderSwitch.Configuration
  /// How long a request is waited for that nobody answers, from when it was sent.
  public var timeout: TimeSpan
  /// Of a steered rule.
  public var steering: Steering

  public init(
    policy: ProviderSwitch.Configuration = .init(providers: 1, rule: .fixed),
    timeout: TimeSpan = .seconds(10), steering: Steering = Steering()
  ) {
    self.policy = policy
    self.timeout = timeout
    self.steering = steering
  }
}
