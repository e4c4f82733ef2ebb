import CachePolicy
import MediaUnits

/// What the law of the viewers who are not simulated says of one tier.
///
/// An object leaves an LRU cache when nobody asks for it during the tier's characteristic time
/// (Che, Tung, Wang 2002, doi 10.1109/JSAC.2002.801752). It is told in time that is stretched by
/// the audience's rate (``DemandClock``): LRU knows the order of the requests only.
struct TierLaw: Sendable {
  /// Seconds of stretched time; infinity where everything fits.
  var characteristicTime = Double.infinity
  /// Bytes for the objects that the law does not cover; nil for the tier's own capacity.
  var room: Int64?
}

extension TierContents {
  func law(_ tier: CacheTier) -> TierLaw? { laws.isEmpty ? nil : laws[Int(tier.rawValue)] }

  /// What a tier's order of eviction starts with.
  func ordered(_ tier: CacheTier) -> UntouchedResidents? {
    isLawOnly ? nil : self[tier]
  }

  /// Whether the law covers every object.
  private var isLawOnly: Bool { !laws.isEmpty && laws.allSatisfy { $0.room == nil } }
}

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

extension UntouchedResidents {
  /// Bytes of those that are younger than all that has left another.
  func total(youngerThan other: UntouchedResidents) -> Double {
    var rest = self
    rest.keep(other.frontier)
    return rest.total
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
