import AudienceModel
import CacheModel
import CachePolicy
import MediaUnits

/// What the tiers are filled with at time zero, as a question: a value has all that the answer
/// depends on, and equal values have the same answer (docs/decisions/0028).
public struct TierFilling: Sendable {
  /// Without its clock: what was left before the run does not depend on when in it somebody asks.
  let demand: StationaryDemand
  /// Without any contents.
  let tiers: TierDemand
  /// Bytes by tier; nil for one that is not there or holds everything.
  let limits: [ByteCount?]
  /// Keys of one object; 1 where no two sessions share one, since then there is no limit either.
  let copies: Double
  let scale: AudienceScale

  /// - Parameter provider: whose tiers; a provider's viewers are its share of all.
  /// - Returns: nil where the caches do not start as a long run would have left them.
  public init?(_ plan: FeedPlan, _ configuration: FeedConfiguration, provider: Int = 0) {
    guard var demand = plan.demand?.scaled(by: configuration.cdn.share(of: provider)) else {
      return nil
    }
    demand.clock = nil
    self.demand = demand
    let cdn = configuration.cdn.only(provider)
    tiers = TierDemand(cdn, untouched: { _ in nil })
    scale = configuration.scale
    let keys = cdn.cacheKey.copies
    copies = keys ?? 1
    limits = CacheTier.allCases.map { tier in keys == nil ? nil : cdn.tier(tier)?.limit }
  }

  /// Whether there is nothing to compute.
  public var isTrivial: Bool { limits.allSatisfy { $0 == nil } }

  /// The answer.
  public func contents() -> TierContents {
    var contents = TierContents()
    for tier in CacheTier.allCases {
      guard let limit = limits[Int(tier.rawValue)] else { continue }
      // The contents of the tiers before decide what a tier is asked for.
      let demands = tiers.knowing(contents)
      contents[tier] = UntouchedResidents(
        demand: demand, capacity: limit, copies: copies,
        silence: { asset, rate in demands.silence(tier, rate, asset) })
    }
    if !scale.isWhole { share(&contents) }
    return contents
  }

  /// Shares each tier out among the objects with a law and the others.
  ///
  /// The tail's titles are a share of all; so is the room that the head leaves them.
  private func share(_ contents: inout TierContents) {
    let titles = demand.viewRates.count
    let head = Int(scale.headTitles) < titles ? Int(scale.headTitles) : titles
    let share = 1 / Double(scale.stride)
    var laws = [TierLaw](repeating: TierLaw(), count: CacheTier.allCases.count)
    let demands = tiers.knowing(contents)
    for tier in CacheTier.allCases {
      guard let whole = contents[tier], let limit = limits[Int(tier.rawValue)] else { continue }
      laws[Int(tier.rawValue)].characteristicTime = whole.characteristicTime
      if !scale.isSample { continue }
      func bytes(_ range: Range<Int>) -> [Double] {
        UntouchedResidents.bytes(
          demand: demand, titles: range, copies: copies,
          silence: { asset, rate in demands.silence(tier, rate, asset) })
      }
      let popular = UntouchedResidents(bytes(0..<head), capacity: .unlimited)
      var room = Double(limit.bytes) - popular.total(youngerThan: whole)
      room = room > 0 ? room * share : 0
      laws[Int(tier.rawValue)].room = Int64(room)
      contents[tier] = UntouchedResidents(
        bytes(head..<titles).map { $0 * share }, capacity: ByteCount(Int64(room)))
    }
    contents.laws = laws
  }
}
