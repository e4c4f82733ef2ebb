import CachePolicy
import FeedPolicy
import MediaUnits

/// What rules look at, made up at random, the unusual among it.
public struct RuleRehearsal {
  var draws: RehearsalDraws

  /// Equal seeds make up the same.
  public init(seed: UInt64) { draws = RehearsalDraws(seed: seed) }

  private mutating func span() -> TimeSpan {
    let spans: [TimeSpan] = [
      .zero, .milliseconds(Int64(draws.below(60_000))), .seconds(Int64(draws.below(100_000))),
      .days(30),
    ]
    return spans[draws.below(spans.count)]
  }

  /// A pool without a free player for an item.
  public mutating func pool() -> PoolSnapshot {
    let current = UInt32(draws.below(500))
    let ahead = 1 + draws.below(4)
    var snapshot = PoolSnapshot(
      current: ItemID(current), wanted: ItemID(current + UInt32(draws.below(ahead + 1))),
      players: [])
    let count = 2 + draws.below(7)
    // Each of another item, none of them wanted.
    var item =
      current > 40 && draws.flag()
      ? current - 40 + UInt32(draws.below(20)) : current + UInt32(ahead)
    for _ in 0..<count {
      item += 1 + UInt32(draws.below(3))
      if item == current { item += UInt32(ahead) + 1 }
      let distance = Int(item) - Int(current)
      snapshot.players.append(
        PoolSnapshot.Player(
          item: ItemID(item), isReady: draws.flag(), isInWindow: distance <= 6 && distance >= -4))
    }
    return snapshot
  }

  /// A moment of playback after the first frame.
  public mutating func playback() -> PlaybackSnapshot {
    PlaybackSnapshot(
      hasFirstFrame: true, played: span(), bufferAhead: span(), segmentsDownloaded: draws.below(40),
      estimateSpread: draws.below(4) == 0 ? .infinity : Double(draws.below(3_000)) / 1_000)
  }

  /// A swipe at a gate.
  public mutating func swipe() -> SwipeSnapshot {
    let snaps = draws.below(3) == 0 ? 0 : draws.below(8)
    return SwipeSnapshot(
      item: ItemID(UInt32(draws.below(500))), isReady: draws.flag(), snapBacks: snaps,
      held: snaps == 0 ? .zero : .milliseconds(Int64(draws.below(20_000))))
  }

  /// A request that has failed.
  public mutating func failure() -> RequestFailure {
    RequestFailure(
      failures: 1 + (draws.below(8) == 0 ? draws.below(1_000) : draws.below(6)),
      isFeedPage: draws.flag(),
      isOnScreen: draws.flag(), hasNoAnswer: draws.flag())
  }

  /// An object that may enter a cache.
  public mutating func missedObject() -> MissedObject {
    let sizes = [0, 1, draws.below(10_000), draws.below(3_000_000), draws.below(1 << 40)]
    return MissedObject(
      asset: AssetClass.allCases[draws.below(AssetClass.allCases.count)],
      size: ByteCount(Int64(sizes[draws.below(sizes.count)])), wasMissed: draws.flag())
  }

  /// What an origin says of an object.
  public mutating func directives() -> CacheDirectives {
    CacheDirectives(
      sharedMaxAge: draws.flag() ? nil : span(), maxAge: draws.flag() ? nil : span(),
      staleWhileRevalidate: span(), staleIfError: span(),
      options: CacheDirectives.Options(rawValue: UInt16(draws.below(512))))
  }

  /// What a rule answers to a thousand things.
  mutating func answers(of rule: (inout RuleRehearsal) -> [UInt8]) -> [UInt8] {
    (0..<1000).flatMap { _ in rule(&self) }
  }
}

extension Int64 {
  /// Its bytes, the least significant one first.
  var bytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: self >> Int64(8 * $0)) }
  }
}
