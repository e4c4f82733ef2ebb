import CachePolicy
import MediaUnits

extension StationaryDemand {
  /// Objects of one class that are asked for about equally often.
  public struct Group: Sendable, Equatable {
    public var asset: AssetClass
    /// How many.
    public var objects: Double
    /// Requests per second for each of them at one edge.
    public var rate: Double
    /// Mean bytes of one.
    public var bytes: Double
  }

  /// All objects in groups: titles in bins of an eighth of the rank, and each place of a title.
  public func groups() -> [Group] {
    var groups: [Group] = []
    var first = 0
    while first < viewRates.count {
      let last = first + first / 8 + 1 < viewRates.count ? first + first / 8 + 1 : viewRates.count
      var rate = 0.0
      for title in first..<last { rate += viewRates[title] }
      rate /= Double(last - first)
      for offset in requestsPerView.indices where requestsPerView[offset] > 0 {
        guard let asset = ObjectLayout.assetClass(of: UInt32(offset)), asset != .feed else {
          continue
        }
        groups.append(
          Group(
            asset: asset, objects: Double(last - first) * presence[offset],
            rate: rate * requestsPerView[offset], bytes: meanBytes[offset]))
      }
      first = last
    }
    return groups
  }
}

extension CDNConfiguration {
  /// How long an edge keeps an answer of a class fresh, and how long after that it serves it stale
  /// while it asks again: seconds.
  public func edgeLifetime(of asset: AssetClass) -> (fresh: Double, stale: Double) {
    let directives = directives(for: asset)
    return (edge.ttl.lifetime(of: directives), directives.staleWhileRevalidate.seconds)
  }

  /// The same of a shield; nil without one.
  public func shieldLifetime(of asset: AssetClass) -> (fresh: Double, stale: Double)? {
    guard let shield else { return nil }
    let directives = directives(for: asset)
    return (shield.ttl.lifetime(of: directives), directives.staleWhileRevalidate.seconds)
  }
}
