import CachePolicy
import MediaUnits
import SimulationKernel

/// How the caches start.
public enum CacheStart: UInt8, Sendable, Equatable {
  /// Empty; a warm-up may follow.
  case cold
  /// Contents and ages drawn at the first request for an object, as a long run would have left
  /// them.
  case stationary
  /// Everything is present and fresh; used to count requests and as a bound.
  case everything
}

/// Regional caches between the edges and the shield or the origin.
public struct RegionalConfiguration: Sendable {
  /// Largest number of regional caches.
  public static let maximumCount = 16

  /// Regions; edge e belongs to region e modulo this.
  public var count: Int
  public var tier: CacheTierConfiguration
  /// The edges of region 0, which is the origin's, go past their regional cache, as Amazon
  /// CloudFront has it for S3 (developer guide, "How CloudFront works with regional edge caches").
  public var isSkippedInOriginRegion: Bool

  public init(
    count: Int, tier: CacheTierConfiguration, isSkippedInOriginRegion: Bool = false
  ) {
    precondition(count >= 1 && count <= RegionalConfiguration.maximumCount)
    self.count = count
    self.tier = tier
    self.isSkippedInOriginRegion = isSkippedInOriginRegion
  }
}

/// Edge POPs, regional caches, shield and origin.
///
/// Included: byte capacity and eviction by any of ``EvictionKind``'s rules that needs no future,
/// admission, freshness with inherited age, stale use while revalidating and after failures,
/// collapsing, revalidation with 304, purges, streaming of first bytes through the tiers, per-tier
/// latency and connections, an origin with limits and outages. Left out: the time that bodies take
/// between tiers, partial objects, cost.
public struct CDNConfiguration: Sendable {
  /// Edge POPs that are simulated; sessions are dealt to them in turn.
  public var edges: Int
  /// Edge POPs of the same size behind the shared tiers, simulated ones included. With a stationary
  /// start the others' demand fills the shared tiers, and refreshes their copies.
  public var edgesBehindShield: Int
  public var edge: CacheTierConfiguration
  /// nil: none.
  public var regional: RegionalConfiguration?
  /// nil: the tier before goes to the origin.
  public var shield: CacheTierConfiguration?
  /// The region whose regional cache the shield is at the same time; nil for none.
  public var shieldRegion: Int?
  public var origin: OriginConfiguration
  public var start: CacheStart
  /// The audience comes for this long before anything is measured; zero for none.
  public var warmUp: TimeSpan
  public var assetTTL: AssetTTL
  /// By the class's raw value.
  public var assetRules: [AssetRule]
  public var cacheKey: CacheKeyRule
  /// In order of time.
  public var purges: [CachePurge]
  /// Of several providers what each has otherwise; empty: there is one. All of them have edges at
  /// the same places, and one origin behind them.
  public var providers: [CDNProvider] = []
  /// How viewers choose among them.
  public var switching = ProviderSwitching()

  public init(
    edges: Int, edgesBehindShield: Int, edge: CacheTierConfiguration,
    regional: RegionalConfiguration? = nil, shield: CacheTierConfiguration?,
    shieldRegion: Int? = nil, origin: OriginConfiguration, start: CacheStart, warmUp: TimeSpan,
    assetTTL: AssetTTL, assetRules: [AssetRule]? = nil, cacheKey: CacheKeyRule = .path,
    purges: [CachePurge] = []
  ) {
    precondition(edges >= 1 && edgesBehindShield >= edges)
    if let shieldRegion { precondition(shieldRegion >= 0 && shieldRegion < regional?.count ?? 0) }
    self.edges = edges
    self.edgesBehindShield = edgesBehindShield
    self.edge = edge
    self.regional = regional
    self.shield = shield
    self.shieldRegion = shieldRegion
    self.origin = origin
    self.start = start
    self.warmUp = warmUp
    self.assetTTL = assetTTL
    self.assetRules =
      assetRules ?? [AssetRule](repeating: AssetRule(), count: AssetClass.allCases.count)
    precondition(self.assetRules.count == AssetClass.allCases.count, "a rule for each class")
    self.cacheKey = cacheKey
    self.purges = purges
  }

  /// What the origin says about objects of a class.
  public func directives(for asset: AssetClass) -> CacheDirectives {
    if !assetRules[Int(asset.rawValue)].isCacheable {
      return CacheDirectives(options: .noStore)
    }
    return assetTTL.directives(for: asset)
  }

  /// What somebody else decides, each with its key.
  public var foreignRules: [(key: String, decider: any RuleDecider)] {
    var found: [(key: String, decider: any RuleDecider)] = []
    // Whole words: a page that holds this needs nothing that puts strings together.
    func add(_ tier: CacheTierConfiguration?, _ key: String, _ admission: String, _ ttl: String) {
      guard let tier else { return }
      if case .foreign(let rule) = tier.eviction { found.append((key, rule.deciders)) }
      if case .rule(let rule) = tier.admission { found.append((admission, rule.decider)) }
      if case .rule(let rule) = tier.ttl { found.append((ttl, rule.decider)) }
    }
    add(edge, "cdn.edge", "cdn.edge.admission", "cdn.edge.ttl")
    add(regional?.tier, "cdn.regional", "cdn.regional.admission", "cdn.regional.ttl")
    add(shield, "cdn.shield", "cdn.shield.admission", "cdn.shield.ttl")
    return found
  }

  /// How many providers there are.
  public var providerCount: Int { providers.isEmpty ? 1 : providers.count }

  /// The CDN as one of its providers has it, and nobody else.
  public func only(_ provider: Int) -> CDNConfiguration {
    if providers.isEmpty { return self }
    var own = self
    own.providers = []
    let given = providers[provider]
    if let capacity = given.edgeCapacity { own.edge.capacity = capacity }
    if !given.hasShield {
      own.shield = nil
      own.shieldRegion = nil
    }
    return own
  }

  /// The part of the sessions that begin with a provider.
  public func share(of provider: Int) -> Double {
    providers.isEmpty ? 1 : providers[provider].share
  }

  /// The tier's settings; nil when there is no such tier.
  public func tier(_ tier: CacheTier) -> CacheTierConfiguration? {
    switch tier {
    case .edge: edge
    case .regional: regional?.tier
    case .shield: shield
    }
  }

  /// Whether the edges of a region go past their regional cache.
  public func skipsRegional(_ region: Int) -> Bool {
    guard let regional else { return true }
    if shield != nil && region == shieldRegion { return true }
    return region == 0 && regional.isSkippedInOriginRegion
  }
}
