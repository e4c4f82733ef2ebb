import AudienceModel
import CacheModel
import CachePolicy
import MediaUnits

extension FeedPlan {
  /// Shares each tier out among the objects with a law and the others.
  ///
  /// The tail's titles are a share of all; so is the room that the head leaves them.
  mutating func scaleTiers(_ configuration: borrowing FeedConfiguration) {
    guard let demand else { return }
    let scale = configuration.scale
    let titles = demand.viewRates.count
    let head = Int(scale.headTitles) < titles ? Int(scale.headTitles) : titles
    let share = 1 / Double(scale.stride)
    var laws = [TierLaw](repeating: TierLaw(), count: CacheTier.allCases.count)
    let known = untouched
    let demands = TierDemand(configuration.cdn, untouched: { known[$0] })
    for tier in CacheTier.allCases {
      guard let whole = untouched[tier], let limit = configuration.cdn.tier(tier)?.limit,
        let copies = configuration.cdn.cacheKey.copies
      else { continue }
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
      untouched[tier] = UntouchedResidents(
        bytes(head..<titles).map { $0 * share }, capacity: ByteCount(Int64(room)))
    }
    untouched.laws = laws
  }
}

extension DemandClock {
  /// The clock of a scenario's whole audience.
  init(_ configuration: borrowing FeedConfiguration) {
    let warmUp = configuration.cdn.warmUp.seconds
    let window = configuration.audience.window.seconds
    let day = configuration.audience.day
    let crowds = configuration.audience.crowds
    self.init(
      span: warmUp + window + configuration.audience.drain.seconds,
      sessionLength: configuration.audience.sessionLength
    ) { time in
      let measured = time - warmUp
      if measured >= window { return 0 }
      var rate = day?.rate(at: measured) ?? 1
      for crowd in crowds { rate += crowd.extra.rate(at: measured) }
      return rate
    }
  }
}
