import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel

/// What rules look at, made up at random, the unusual among it.
public struct RuleRehearsal {
  private var state: UInt64

  /// Equal seeds make up the same.
  public init(seed: UInt64) { state = SplitMix.hash(seed) }

  mutating func draw(_ count: Int) -> Int {
    state = state &+ SplitMix.step
    return Int(SplitMix.finalized(state) % UInt64(count))
  }

  private mutating func flag() -> Bool { draw(2) == 0 }

  private mutating func span() -> TimeSpan {
    let spans: [TimeSpan] = [
      .zero, .milliseconds(Int64(draw(60_000))), .seconds(Int64(draw(100_000))), .days(30),
    ]
    return spans[draw(spans.count)]
  }

  /// A pool without a free player for an item.
  public mutating func pool() -> PoolSnapshot {
    let current = UInt32(draw(500))
    let ahead = 1 + draw(4)
    var snapshot = PoolSnapshot(
      current: ItemID(current), wanted: ItemID(current + UInt32(draw(ahead + 1))), players: [])
    let count = 2 + draw(7)
    // Each of another item, none of them wanted.
    var item = current > 40 && flag() ? current - 40 + UInt32(draw(20)) : current + UInt32(ahead)
    for _ in 0..<count {
      item += 1 + UInt32(draw(3))
      if item == current { item += UInt32(ahead) + 1 }
      let distance = Int(item) - Int(current)
      snapshot.players.append(
        PoolSnapshot.Player(
          item: ItemID(item), isReady: flag(), isInWindow: distance <= 6 && distance >= -4))
    }
    return snapshot
  }

  /// A moment of playback after the first frame.
  public mutating func playback() -> PlaybackSnapshot {
    PlaybackSnapshot(
      hasFirstFrame: true, played: span(), bufferAhead: span(), segmentsDownloaded: draw(40),
      estimateSpread: draw(4) == 0 ? .infinity : Double(draw(3_000)) / 1_000)
  }

  /// A swipe at a gate.
  public mutating func swipe() -> SwipeSnapshot {
    let snaps = draw(3) == 0 ? 0 : draw(8)
    return SwipeSnapshot(
      item: ItemID(UInt32(draw(500))), isReady: flag(), snapBacks: snaps,
      held: snaps == 0 ? .zero : .milliseconds(Int64(draw(20_000))))
  }

  /// A request that has failed.
  public mutating func failure() -> RequestFailure {
    RequestFailure(
      failures: 1 + (draw(8) == 0 ? draw(1_000) : draw(6)), isFeedPage: flag(),
      isOnScreen: flag(), hasNoAnswer: flag())
  }

  /// An object that may enter a cache.
  public mutating func missedObject() -> MissedObject {
    let sizes = [0, 1, draw(10_000), draw(3_000_000), draw(1 << 40)]
    return MissedObject(
      asset: AssetClass.allCases[draw(AssetClass.allCases.count)],
      size: ByteCount(Int64(sizes[draw(sizes.count)])), wasMissed: flag())
  }

  /// What an origin says of an object.
  public mutating func directives() -> CacheDirectives {
    CacheDirectives(
      sharedMaxAge: flag() ? nil : span(), maxAge: flag() ? nil : span(),
      staleWhileRevalidate: span(), staleIfError: span(),
      options: CacheDirectives.Options(rawValue: UInt16(draw(512))))
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
