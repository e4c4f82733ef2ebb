import CachePolicy
import MediaUnits
import Models

/// The CDN's part of a configuration.
extension ScenarioBuilder {
  mutating func cdn() -> CDNConfiguration {
    ScenarioTable.cdn.filled(
      CDNConfiguration(
        edges: 1, edgesBehindShield: 1, edge: .unread, shield: nil,
        origin: OriginConfiguration(firstByte: .unread), start: .cold, warmUp: .zero,
        assetTTL: AssetTTL()), from: tree.at("cdn"), by: &self)
  }

  func outages(_ list: ResolvedTree) -> [OriginOutage] {
    list.elements().map { outage in
      let begin = Instant.zero + warmUp + outage.span("from")
      return OriginOutage(
        begin: begin, end: begin + outage.span("length"),
        kind: ScenarioTable.originOutages.value(outage))
    }
  }

  func providerOutages(_ list: ResolvedTree) -> [ProviderOutage] {
    list.elements().map { outage in
      let begin = Instant.zero + warmUp + outage.span("from")
      return ProviderOutage(
        begin: begin, end: begin + outage.span("length"),
        kind: ScenarioTable.providerOutages.value(outage)(outage))
    }
  }

  func purges(_ list: ResolvedTree) -> [CachePurge] {
    list.elements().map { purge in
      CachePurge(
        at: Instant.zero + warmUp + purge.span("at"),
        classes: purge.elements("classes").flatMap { ScenarioTable.assetClasses.value($0) })
    }
  }
}
