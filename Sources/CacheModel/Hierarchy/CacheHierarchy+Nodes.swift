import CachePolicy
import MediaUnits

/// Which caches there are and which one stands behind which.
extension CacheHierarchy {
  /// The edges, then the regional caches, then the shield.
  static func nodes(_ cdn: CDNConfiguration, untouched: TierContents) -> [CacheNode] {
    let regions = cdn.regional?.count ?? 0
    let shield = cdn.shield == nil ? -1 : cdn.edges + regions
    var nodes: [CacheNode] = []
    for edge in 0..<cdn.edges {
      let region = regions == 0 ? 0 : edge % regions
      nodes.append(
        CacheNode(
          entity: edgeEntity(edge), tier: .edge,
          next: cdn.skipsRegional(region) ? shield : cdn.edges + region, edges: 1,
          configuration: cdn.edge, untouched: untouched.ordered(.edge), law: untouched.law(.edge)))
    }
    if let regional = cdn.regional {
      for region in 0..<regions {
        let behind = cdn.edges / regions + (region < cdn.edges % regions ? 1 : 0)
        nodes.append(
          CacheNode(
            entity: regionalEntity(region), tier: .regional, next: shield, edges: behind,
            configuration: regional.tier, untouched: untouched.ordered(.regional),
            law: untouched.law(.regional)))
      }
    }
    if let tier = cdn.shield {
      nodes.append(
        CacheNode(
          entity: shieldEntity, tier: .shield, next: -1, edges: cdn.edges, configuration: tier,
          untouched: untouched.ordered(.shield), law: untouched.law(.shield)))
    }
    return nodes
  }
}
