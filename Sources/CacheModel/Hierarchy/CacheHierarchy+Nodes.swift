import CachePolicy
import MediaUnits

/// Which caches there are and which one stands behind which.
extension CacheHierarchy {
  /// Of each provider the place of its first node.
  public static func firstNodes(_ cdn: CDNConfiguration) -> [Int] {
    var firsts: [Int] = []
    var next = 0
    for provider in 0..<cdn.providerCount {
      firsts.append(next)
      let own = cdn.only(provider)
      next += own.edges + (own.regional?.count ?? 0) + (own.shield == nil ? 0 : 1)
    }
    return firsts
  }

  /// Whose a node is.
  @inline(__always)
  func provider(of node: Int) -> Int {
    var provider = firstNodes.count - 1
    while node < firstNodes[provider] { provider -= 1 }
    return provider
  }

  /// The place of a node among those of its provider.
  func place(_ node: Int) -> Int { node - firstNodes[provider(of: node)] }

  /// The nodes of all providers, one after the other.
  ///
  /// - Parameter untouched: of each provider.
  static func nodes(_ cdn: CDNConfiguration, untouched: [TierContents]) -> [CacheNode] {
    let firsts = firstNodes(cdn)
    var nodes: [CacheNode] = []
    for provider in 0..<cdn.providerCount {
      nodes += CacheHierarchy.nodes(
        cdn.only(provider), of: provider, first: firsts[provider], untouched: untouched[provider])
    }
    return nodes
  }

  /// The edges, then the regional caches, then the shield of one provider.
  private static func nodes(
    _ cdn: CDNConfiguration, of provider: Int, first: Int, untouched: TierContents
  ) -> [CacheNode] {
    let regions = cdn.regional?.count ?? 0
    let shield = cdn.shield == nil ? -1 : first + cdn.edges + regions
    var nodes: [CacheNode] = []
    for edge in 0..<cdn.edges {
      let region = regions == 0 ? 0 : edge % regions
      nodes.append(
        CacheNode(
          entity: edgeEntity(provider * cdn.edges + edge), tier: .edge,
          next: cdn.skipsRegional(region) ? shield : first + cdn.edges + region, edges: 1,
          configuration: cdn.edge, untouched: untouched.ordered(.edge), law: untouched.law(.edge)))
    }
    if let regional = cdn.regional {
      for region in 0..<regions {
        let behind = cdn.edges / regions + (region < cdn.edges % regions ? 1 : 0)
        nodes.append(
          CacheNode(
            entity: regionalEntity(provider * regions + region), tier: .regional, next: shield,
            edges: behind, configuration: regional.tier, untouched: untouched.ordered(.regional),
            law: untouched.law(.regional)))
      }
    }
    if let tier = cdn.shield {
      nodes.append(
        CacheNode(
          entity: shieldEntity(ofProvider: provider), tier: .shield, next: -1, edges: cdn.edges,
          configuration: tier, untouched: untouched.ordered(.shield),
          law: untouched.law(.shield)))
    }
    return nodes
  }
}

/// What one provider's caches start with.
public struct ProviderContents {
  /// What leaves tiers that are smaller than the catalogue.
  public var untouched: TierContents
  /// What a long run has left; nil when the caches start otherwise.
  public var stationary: StationaryContents?

  public init(untouched: TierContents, stationary: StationaryContents?) {
    self.untouched = untouched
    self.stationary = stationary
  }
}
