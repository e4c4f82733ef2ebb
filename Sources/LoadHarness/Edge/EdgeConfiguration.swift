import CachePolicy
import MediaUnits
import Models

/// How an edge that caches for real behaves. Defaults are those of RFC 9111 with the windows of RFC
/// 5861; a scenario's edge tier gives others.
public struct EdgeConfiguration: Sendable {
  /// Where misses go.
  public var origin: OriginAddress
  /// Bytes that are kept, of what ``weighing`` says.
  public var capacity: Int64 = 256 << 20
  public var weighing = EdgeWeighing.memory
  /// Whether two things are not stored that RFC 9111 would let a cache store: answers with
  /// `Set-Cookie`, and answers to requests with a forwarding field such as `X-Forwarded-Host` that
  /// is not among what the answer varies by. The one is somebody's, the other may be what somebody
  /// wants others to get. The model has neither.
  public var isCareful = true
  public var eviction = EvictionKind.lru
  public var admission = CacheAdmission.all
  /// Seed of the draws of ``CacheAdmission/probability(_:)``.
  public var seed: UInt64 = 1
  /// What simultaneous requests for one object do. Default all wait for one, and a cache that is
  /// cut off serves stale.
  public var collapsing = CollapsingMachine.Configuration(staleOnFailure: .whenCutOff)
  public var ttl = TierTTL.rfc9111
  /// Whether `s-maxage` forbids stale use (RFC 9111 section 5.2.2.10).
  public var staleWithSharedMaxAge = CacheFreshness.StaleWithSharedMaxAge.forbidden
  /// Whether the age that an answer comes with counts.
  public var inheritsAge = true
  /// Whether the query is part of an object's key.
  public var keepsQuery = true
  /// Whether `CDN-Cache-Control` counts (RFC 9213).
  public var obeysTargetedControl = true
  /// Whether `Cache-Control` and `Pragma` of requests count; content delivery networks overlook
  /// them.
  public var obeysRequests = true
  /// How long a connection to the origin, and the first byte of its answer, are waited for.
  public var connectTimeout = TimeSpan.seconds(10)
  public var responseTimeout = TimeSpan.seconds(30)
  /// How often the origin is tried, the first time included, when there is no answer to a GET or
  /// HEAD.
  public var attempts = 1
  /// How long an idle connection to the origin is kept.
  public var keepAlive = TimeSpan.seconds(60)
  /// Most connections to the origin; further requests wait.
  public var connections = 512
  /// What clients are held to, and what is kept beside the capacity.
  public var limits = EdgeLimits()
  /// Whether answers have a member of `CMSD-Dynamic` (CTA-5006) of this cache: its name, how long
  /// it took, and round trip and throughput of the client's connection as the system knows them.
  public var tellsServerData = false
  /// With that, the bit rate that players are asked not to exceed.
  public var suggestedBitrate: BitRate?
  /// Gets a line for each request.
  public var log: EdgeLog?
  /// How the cache is called in `Cache-Status` and `Via`.
  public var name = "firstframe"

  public init(origin: OriginAddress) { self.origin = origin }

  /// How long a connection of a client may carry no byte in either direction.
  var idleTimeout: TimeSpan {
    let wait = (connectTimeout + responseTimeout) * Int64(attempts)
    return max(limits.leastIdle, wait + limits.leastIdle / 5)
  }

  /// Takes over what a scenario's tier says about caching.
  public mutating func follow(_ tier: CacheTierConfiguration, key: CacheKeyRule) {
    capacity = tier.capacity.bytes
    weighing = .bodies
    isCareful = false
    eviction = tier.eviction
    admission = tier.admission
    collapsing = tier.collapsing
    ttl = tier.ttl
    inheritsAge = tier.inheritsAge
    staleWithSharedMaxAge = .allowed
    connectTimeout = tier.upstream.connectTimeout
    responseTimeout = tier.upstream.responseTimeout
    attempts = tier.upstream.attempts
    keepAlive = tier.upstream.keepAlive
    obeysRequests = false
    keepsQuery = key != .path
  }

  /// What the cache remembers of an answer; nil when it may not store it.
  func store(
    _ head: ResponseHead, request: RequestHead, timing: ResponseTiming
  ) -> StoredResponse? {
    var stored: StoredResponse?
    switch ttl {
    case .rfc9111:
      stored = CacheFreshness.store(
        head, request: request, timing: timing,
        rules: CacheRules(staleWithSharedMaxAge: staleWithSharedMaxAge))
    case .cloudFront(let profile):
      stored = request.method == .read ? profile.store(head, timing: timing) : nil
    case .rule: preconditionFailure("a live edge knows shipped rules alone")
    }
    if !inheritsAge { stored?.initialAge = .zero }
    return stored
  }

  /// For how long an error without a lifetime of its own is repeated.
  var errorCaching: TimeSpan {
    switch ttl {
    case .rfc9111, .rule: .zero
    case .cloudFront(let profile): profile.errorCachingMinimumTTL
    }
  }
}

/// What a capacity counts.
public enum EdgeWeighing: String, Sendable, CaseIterable {
  /// The memory that an object takes: body, fields and all that is kept of it.
  case memory
  /// Bytes of bodies, as in the model.
  case bodies
}

/// Where an origin listens.
public struct OriginAddress: Sendable, Equatable {
  public var host: String
  public var port: Int
  public var isSecure: Bool

  public init(host: String, port: Int, isSecure: Bool = false) {
    self.host = host
    self.port = port
    self.isSecure = isSecure
  }

  /// The origin of a URL `http://host[:port]` or `https://…` without path, query or user; nil for
  /// anything else.
  public init?(url: String) {
    var rest = Substring(url)
    if rest.hasPrefix("http://") {
      rest = rest.dropFirst(7)
      isSecure = false
    } else if rest.hasPrefix("https://") {
      rest = rest.dropFirst(8)
      isSecure = true
    } else {
      return nil
    }
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    if rest.isEmpty || rest.contains(where: { "/?#@ ".contains($0) }) { return nil }
    port = isSecure ? 443 : 80
    let bracket = rest.lastIndex(of: "]") ?? rest.startIndex
    if let colon = rest[bracket...].lastIndex(of: ":") {
      guard let number = Int(rest[rest.index(after: colon)...]), (1...65535).contains(number)
      else { return nil }
      port = number
      rest = rest[..<colon]
    }
    if rest.hasPrefix("[") != rest.hasSuffix("]") || rest.isEmpty { return nil }
    host = rest.hasPrefix("[") ? String(rest.dropFirst().dropLast()) : String(rest)
  }

  /// What `Host` says.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }
}
