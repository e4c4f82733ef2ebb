import CachePolicy

/// Who answered a viewer's request.
public enum AnsweringTier: UInt8, CaseIterable, Sendable {
  /// Nobody, or nobody yet.
  case none
  case edge, regional, shield, origin

  public init(_ tier: CacheTier) {
    switch tier {
    case .edge: self = .edge
    case .regional: self = .regional
    case .shield: self = .shield
    }
  }

  /// The name used in results.
  public var name: StaticString {
    switch self {
    case .none: "none"
    case .edge: "edge"
    case .regional: "regional"
    case .shield: "shield"
    case .origin: "origin"
    }
  }
}

/// Why an edge did not answer by itself.
public enum MissReason: UInt8, CaseIterable, Sendable {
  /// It did.
  case none
  /// The edge never had the object, as far as the run knows.
  case cold
  /// Its copy was too old.
  case expired
  /// It had a copy, which left for others; also what a stationary start says has left.
  case evicted
  /// Its copy was purged.
  case purged
  /// Another's request for the object was under way.
  case collapsed
  /// The answer may not be stored.
  case bypass
  /// The next tier failed, now or a short time ago.
  case error

  /// The name used in results.
  public var name: StaticString {
    switch self {
    case .none: "none"
    case .cold: "cold"
    case .expired: "expired"
    case .evicted: "evicted"
    case .purged: "purged"
    case .collapsed: "collapsed"
    case .bypass: "bypass"
    case .error: "error"
    }
  }
}

/// The request of a start's chain that waited longest for tiers behind the edge.
public struct StartAnswer: Sendable, Equatable {
  public var asset: AssetClass
  public var tier: AnsweringTier
  /// ``MissReason/none``: no request waited.
  public var reason: MissReason
  /// Nanoseconds of its wait that the view saw: of a prefetched object only what was left.
  public var wait: Int64

  public init(
    asset: AssetClass = .feed, tier: AnsweringTier = .none, reason: MissReason = .none,
    wait: Int64 = 0
  ) {
    self.asset = asset
    self.tier = tier
    self.reason = reason
    self.wait = wait
  }
}
