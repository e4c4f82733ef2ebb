import CachePolicy
import MediaUnits

/// How often each tier is asked for an object in the long run, from how often one edge is.
///
/// Requests at an edge are Poisson. Behind it the rate is that of the edges that share the tier,
/// times the share that an edge sends on: what is absent, exp(-rate·T) with the edge's
/// characteristic time T (Che, Tung, Wang 2002, doi 10.1109/JSAC.2002.801752), and of the rest what
/// is stale. A copy of lifetime L that is renewed by the first request after it is stale for
/// 1/(1 + rate·L) of the requests. Where the age is inherited from a tier that others keep fresh, an
/// edge's copies expire with that tier's, so that one request of those within each L goes on:
/// (1 - exp(-rate·L)) / (rate·L). Between the two the share in which others keep the next tier
/// fresh decides. Left out: that requests of a session come together.
public struct TierDemand: Sendable {
  /// All edges behind the shared tiers, and those that are simulated.
  let edges: Double
  let simulated: Double
  /// Regional caches in use; zero for none.
  let regions: Double
  /// Share of the edges whose region has no regional cache of its own.
  let direct: Double
  let hasShield: Bool
  /// Seconds, by tier and class.
  private var lifetimes: [Double] = []
  private var inherits: [Bool] = []
  /// The age beyond which nothing is resident, seconds, by tier.
  private var characteristicTimes: [Double]

  /// - Parameter untouched: stationary contents of the tiers; nil for one that holds everything.
  public init(_ cdn: CDNConfiguration, untouched: (CacheTier) -> UntouchedResidents?) {
    edges = Double(cdn.edgesBehindShield)
    simulated = Double(cdn.edges)
    hasShield = cdn.shield != nil
    var used = 0
    let count = cdn.regional?.count ?? 0
    for region in 0..<count where !cdn.skipsRegional(region) { used += 1 }
    regions = Double(used)
    direct = count == 0 ? 1 : 1 - Double(used) / Double(count)
    characteristicTimes = [.infinity, .infinity, .infinity]
    for tier in CacheTier.allCases {
      let settings = cdn.tier(tier)
      inherits.append(settings?.inheritsAge ?? true)
      for asset in AssetClass.allCases {
        lifetimes.append(settings?.ttl.lifetime(of: cdn.directives(for: asset)) ?? 0)
      }
      if let rest = untouched(tier) {
        characteristicTimes[Int(tier.rawValue)] = rest.characteristicTime
      }
    }
  }

  func lifetime(_ tier: CacheTier, _ asset: AssetClass) -> Double {
    lifetimes[Int(tier.rawValue) * AssetClass.allCases.count + Int(asset.rawValue)]
  }

  /// Edges that share a node of a tier.
  private func edges(behind tier: CacheTier) -> Double {
    switch tier {
    case .edge: 1
    case .regional: regions > 0 ? edges * (1 - direct) / regions : 0
    case .shield: edges
    }
  }

  /// Requests per second for an object at a node of a tier.
  ///
  /// - Parameter edgeRate: at one edge.
  func rate(_ tier: CacheTier, _ edgeRate: Double, _ asset: AssetClass) -> Double {
    if tier == .edge { return edgeRate }
    let missed = edgeRate * staleShare(.edge, edgeRate, asset)
    if tier == .regional { return missed * edges(behind: .regional) }
    let regional = rate(.regional, edgeRate, asset)
    let throughRegions =
      regional > 0 ? regions * regional * staleShare(.regional, regional, asset) : 0
    return missed * edges * direct + throughRegions
  }

  /// The part of a shared tier's rate that does not come from simulated edges.
  ///
  /// - Parameter simulated: simulated edges behind the node.
  func othersRate(
    _ tier: CacheTier, _ edgeRate: Double, _ asset: AssetClass, simulated: Int
  ) -> Double {
    let behind = edges(behind: tier)
    if behind <= Double(simulated) { return 0 }
    return rate(tier, edgeRate, asset) * (1 - Double(simulated) / behind)
  }

  /// Share of a tier's requests for an object that go on: absent, or stale.
  func staleShare(_ tier: CacheTier, _ rate: Double, _ asset: AssetClass) -> Double {
    let time = characteristicTimes[Int(tier.rawValue)]
    let absent = time.isFinite ? PortableMath.exp(-rate * time) : 0
    return absent + (1 - absent) * expiredShare(tier, rate, asset)
  }

  /// The same of a tier with room for everything.
  func expiredShare(_ tier: CacheTier, _ rate: Double, _ asset: AssetClass) -> Double {
    let load = rate * lifetime(tier, asset)
    if load <= 0 { return 1 }
    let alone = 1 / (1 + load)
    let sharers = sharersOfNext(tier)
    if sharers <= 0 || !inherits[Int(tier.rawValue)] || load < 1e-6 { return alone }
    let together = (1 - PortableMath.exp(-load)) / load
    var share = alone
    // The others' rate depends on the share: three rounds are within 1 %.
    for _ in 0..<3 {
      let kept = sharers * share * load
      let fresh = kept / (1 + kept)
      share = fresh * together + (1 - fresh) * alone
    }
    return share
  }

  /// How many others of a tier ask the same node of the next cache.
  private func sharersOfNext(_ tier: CacheTier) -> Double {
    switch tier {
    case .edge:
      if regions > 0 { return edges(behind: .regional) - 1 }
      return hasShield ? edges - 1 : 0
    case .regional: return hasShield ? regions - 1 : 0
    case .shield: return 0
    }
  }
}
