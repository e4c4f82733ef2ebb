import AudienceModel
import CacheModel
import FeedModel

/// How a scenario's traffic is priced: prices, and for how many views.
public struct CostTerms: Sendable, Equatable {
  public var prices: CDNPrices
  /// Bytes kept at the origin.
  public var storedBytes: Int64
  /// Views a day as somebody has stated them; nil: those of the audience.
  public var statedViewsPerDay: Double?
  /// Which part of the audience a configuration has, as the short form cuts it; 1: all of it.
  public var share: Double

  public init(
    prices: CDNPrices, storedBytes: Int64, statedViewsPerDay: Double?, share: Double = 1
  ) {
    self.prices = prices
    self.storedBytes = storedBytes
    self.statedViewsPerDay = statedViewsPerDay
    self.share = share
  }

  /// For how many views a day a month is priced: the stated ones, or those of the whole audience
  /// over all edges behind the shared tiers, whoever of them is simulated.
  ///
  /// Cuts and samples have divided what a scenario says. Where that was a whole number, it is found
  /// again to the last bit.
  public func viewsPerDay(of configuration: FeedConfiguration) -> Double {
    if let statedViewsPerDay { return statedViewsPerDay }
    let scale = configuration.scale
    let simulated = configuration.audience.viewsPerDayPerEdge
    let edges = Double(configuration.cdn.edgesBehindShield)
    let stride = Double(scale.stride)
    let perEdge = CostTerms.whole(simulated * stride / share) {
      $0 * share / stride == simulated
    }
    if scale.isWhole || scale.isSample { return perEdge * edges }
    let own = simulated * edges
    let others = CostTerms.whole((scale.factor - 1) * own) { 1 + $0 / own == scale.factor }
    return perEdge * edges + others
  }

  /// The nearest whole number where that is the same, too; else the number.
  private static func whole(_ number: Double, isSame: (Double) -> Bool) -> Double {
    let nearest = number.rounded()
    return isSame(nearest) ? nearest : number
  }
}
