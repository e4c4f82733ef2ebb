import CachePolicy
import MediaUnits

/// How often each tier is asked for an object in the long run, from how often one edge is.
///
/// Requests at an edge are Poisson. A tier sends on what is absent, exp(-rate·T) with its
/// characteristic time T (Che, Tung, Wang 2002, doi 10.1109/JSAC.2002.801752), and of the rest what
/// is stale. A copy of lifetime L that is renewed by the first request after it is stale for
/// 1/(1 + rate·L) of the requests. Where the age is inherited, a tier's copies expire with the next
/// tier's copy that they came from. Two things follow: while that copy is stale, no tier before it
/// has a fresh one, so that it is renewed at the rate of all viewers behind it; and where others
/// keep it fresh, one request of those within each L goes on, (1 - exp(-rate·L)) / (rate·L) of
/// them. Between that and the share of a tier by itself decides how often the next tier is fresh.
/// Left out: that requests of a session come together.
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
  /// Seconds after which an object that nobody asks for leaves, by tier.
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

  /// The same where the contents of the tiers are known.
  public func knowing(_ contents: TierContents) -> TierDemand {
    var demand = self
    for tier in CacheTier.allCases {
      if let rest = contents[tier] {
        demand.characteristicTimes[Int(tier.rawValue)] = rest.characteristicTime
      }
    }
    return demand
  }

  public func lifetime(_ tier: CacheTier, _ asset: AssetClass) -> Double {
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
  public func rate(_ tier: CacheTier, _ edgeRate: Double, _ asset: AssetClass) -> Double {
    switch tier {
    case .edge: return edgeRate
    case .regional: return edges(behind: .regional) * fetchRate(.edge, edgeRate, asset)
    case .shield:
      let direct = edges * direct * fetchRate(.edge, edgeRate, asset)
      if regions == 0 { return direct }
      return direct + regions * fetchRate(.regional, edgeRate, asset)
    }
  }

  /// Requests per second of a node to the next tier.
  private func fetchRate(
    _ tier: CacheTier, _ edgeRate: Double, _ asset: AssetClass
  ) -> Double {
    let fetches = fetches(tier, edgeRate, asset)
    return fetches.absent + fetches.stale
  }

  /// The same: of what is absent, and of what is stale.
  private func fetches(
    _ tier: CacheTier, _ edgeRate: Double, _ asset: AssetClass
  ) -> (absent: Double, stale: Double) {
    let asked = rate(tier, edgeRate, asset)
    let renewal = renewalRate(tier, edgeRate, asset)
    let time = characteristicTimes[Int(tier.rawValue)]
    let absent = time.isFinite ? PortableMath.exp(-asked * time) : 0
    let stale = renewal * expiredShare(tier, renewal, asset)
    return (absent * asked, (1 - absent) * (stale < asked ? stale : asked))
  }

  /// How long a node of a tier is not asked for an object.
  ///
  /// - Parameter edgeRate: requests per second at one edge.
  public func silence(_ tier: CacheTier, _ edgeRate: Double, _ asset: AssetClass) -> RequestSilence
  {
    var silence = RequestSilence()
    switch tier {
    case .edge: silence.random = edgeRate
    case .regional:
      silence.edges = pauses(.edge, count: edges(behind: .regional), edgeRate, asset)
    case .shield:
      silence.edges = pauses(.edge, count: edges * direct, edgeRate, asset)
      if regions > 0 { silence.regions = pauses(.regional, count: regions, edgeRate, asset) }
    }
    silence.random += silence.edges.stale + silence.regions.stale
    return silence
  }

  private func pauses(
    _ tier: CacheTier, count: Double, _ edgeRate: Double, _ asset: AssetClass
  ) -> RequestSilence.Fetchers {
    let fetches = fetches(tier, edgeRate, asset)
    let time = characteristicTimes[Int(tier.rawValue)]
    return RequestSilence.Fetchers(
      count: count, rate: fetches.absent, pause: time.isFinite ? time : 0,
      stale: count * fetches.stale)
  }

  /// Requests per second for an object whose copy at a node is stale.
  public func renewalRate(_ tier: CacheTier, _ edgeRate: Double, _ asset: AssetClass) -> Double {
    if tier == .edge { return edgeRate }
    return expiresTogether(tier)
      ? edges(behind: tier) * edgeRate : rate(tier, edgeRate, asset)
  }

  /// Whether the copies at the tiers before a shared one expire with its own.
  public func expiresTogether(_ tier: CacheTier) -> Bool {
    inherits[0] && (tier != .shield || regions == 0 || inherits[1])
  }

  /// Whether there is a shared tier before this one.
  public func hasRegions(before tier: CacheTier) -> Bool { tier == .shield && regions > 0 }

  /// Edges behind a node of a tier that are not simulated.
  public func edgesElsewhere(_ tier: CacheTier, simulated: Int) -> Double {
    let count = edges(behind: tier) - Double(simulated)
    return tier != .edge && count > 1e-9 ? count : 0
  }

  /// The part of a shared node's requests that does not come from simulated edges.
  ///
  /// - Parameter simulated: simulated edges behind the node.
  public func othersShare(_ tier: CacheTier, simulated: Int) -> Double {
    let behind = edges(behind: tier)
    return behind <= Double(simulated) ? 0 : 1 - Double(simulated) / behind
  }

  /// How long, of all time, a node's copy is stale; of an edge's also the share of its requests.
  ///
  /// - Parameter rate: that of the requests which renew it.
  public func expiredShare(_ tier: CacheTier, _ rate: Double, _ asset: AssetClass) -> Double {
    let load = rate * lifetime(tier, asset)
    if load <= 0 { return 1 }
    let alone = 1 / (1 + load)
    let sharers = sharersOfNext(tier)
    if sharers <= 0 || !inherits[Int(tier.rawValue)] || load < 1e-6 { return alone }
    let together = (1 - PortableMath.exp(-load)) / load
    let fresh = sharers * load / (1 + sharers * load)
    return fresh * together + (1 - fresh) * alone
  }

  /// How many nodes ask a node of a tier; 1 for an edge.
  public func children(_ tier: CacheTier) -> Double {
    switch tier {
    case .edge: 1
    case .regional: edges(behind: .regional)
    case .shield: regions > 0 ? regions + edges * direct : edges
    }
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
