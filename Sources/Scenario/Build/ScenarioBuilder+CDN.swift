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
    outages(list) { ScenarioTable.originOutages.value($0) }
  }

  func providerOutages(_ list: ResolvedTree) -> [ProviderOutage] {
    outages(list) { ScenarioTable.providerOutages.value($0)($0) }
  }

  private func outages<Failure>(
    _ list: ResolvedTree, _ kind: (ResolvedTree) -> Failure
  ) -> [Outage<Failure>] {
    list.elements().map { outage in
      let begin = Instant.zero + warmUp + outage.span("from")
      return Outage(begin: begin, end: begin + outage.span("length"), kind: kind(outage))
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
