import CachePolicy
import MediaUnits

extension StationaryDemand {
  /// Objects of a title that are asked for about equally often in a view.
  struct Kind: Sendable {
    var asset: AssetClass
    /// How many of them a title has in the mean.
    var objects: Double
    /// Requests for one of them in a view.
    var perView: Double
    /// Mean bytes of one.
    var bytes: Double
  }

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

  /// All objects of some titles in groups: titles of neighbouring ranks, which have nearly the same
  /// rate, in bins of an eighth of the rank, and each kind of object.
  func forEachGroup(of titles: Range<Int>, _ body: (Group) -> Void) {
    var first = titles.lowerBound
    while first < titles.upperBound {
      let last = min(first + first / 8 + 1, titles.upperBound)
      var rate = 0.0
      for title in first..<last { rate += viewRates[title] }
      rate /= Double(last - first)
      for kind in kinds {
        body(
          Group(
            asset: kind.asset, objects: Double(last - first) * kind.objects,
            rate: rate * kind.perView, bytes: kind.bytes))
      }
      first = last
    }
  }

  /// The groups of all titles.
  public func groups() -> [Group] {
    var groups: [Group] = []
    forEachGroup(of: viewRates.indices) { groups.append($0) }
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
