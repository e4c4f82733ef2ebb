import Models

/// One provider's caches by closed form, and its part of the audience.
struct ProviderCaches: Sendable {
  var share: Double
  var caches: ClosedFormCaches
  /// Bytes of an edge; infinite without a limit.
  var edgeBytes: Double
  /// Bytes of the shield, infinite without a limit; nil where there is none.
  var shieldBytes: Double?
  /// Price of a gigabyte to viewers; nil: the price list's.
  var transferPerGB: Double?

  /// Of each provider of a CDN; one of it where it has no several.
  static func each(_ demand: StationaryDemand, _ cdn: CDNConfiguration) -> [ProviderCaches] {
    (0..<cdn.providerCount).map { place in
      let own = cdn.only(place)
      func bytes(_ tier: CacheTierConfiguration) -> Double {
        tier.limit.map { Double($0.bytes) } ?? .infinity
      }
      return ProviderCaches(
        share: cdn.share(of: place), caches: ClosedFormCaches(demand, own),
        edgeBytes: bytes(own.edge), shieldBytes: own.shield.map(bytes),
        transferPerGB: cdn.providers.isEmpty ? nil : cdn.providers[place].transferPerGB)
    }
  }

  /// The flow when all providers together have so many times the scenario's load.
  func flow(_ load: Double) -> ClosedFormCaches.Flow {
    caches.flow(load: load * share, edgeBytes: edgeBytes, shieldBytes: shieldBytes)
  }
}

extension ClosedFormCaches.Flow {
  /// Those of several providers together, each with its part of one audience.
  init(_ parts: [(share: Double, flow: ClosedFormCaches.Flow)]) {
    if parts.count == 1 {
      self = parts[0].flow
      return
    }
    self.init()
    for (share, flow) in parts {
      // What is counted and what bytes there are grow with the share.
      hitRatio += share * flow.hitRatio
      byteHitRatio += share * flow.byteHitRatio
      requests += flow.requests
      bytes += flow.bytes
      missedRequests += flow.missedRequests
      missedBytes += flow.missedBytes
      originRequests += flow.originRequests
      originBytes += flow.originBytes
    }
  }
}
