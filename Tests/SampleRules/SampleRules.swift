import CachePolicy
import FeedPolicy
import MediaUnits

/// Which player gives way: outside the window first, then the farthest, as the shipped `farthest`;
/// or the nearest.
public struct SampleVictim: Sendable {
  /// Whether the nearest goes, not the farthest.
  public var takesNearest = false

  /// The defaults.
  public init() {}

  /// Its place among the players that may be taken.
  public func victim(of pool: PoolSnapshot) -> Int {
    func rank(_ place: Int) -> (Int, Int, UInt32) {
      let player = pool.players[place]
      let distance = abs(Int(player.item.index) - Int(pool.current.index))
      let order = takesNearest ? -distance : distance
      return (player.isInWindow ? 0 : 1, order, player.item.index)
    }
    return pool.players.indices.max { rank($0) < rank($1) } ?? 0
  }
}

/// When the cap of the start is lifted: after so much was played, as the shipped `played`.
public struct SampleRelease: Sendable {
  /// Media played.
  public var length = TimeSpan.seconds(2)

  /// The defaults.
  public init() {}

  /// Whether it is lifted.
  public func isReleased(for snapshot: PlaybackSnapshot) -> Bool { snapshot.played >= length }
}

/// Whether a swipe reaches its item: once that has a frame, or after so many tries, as the shipped
/// `gate` without a time limit.
public struct SampleGate: Sendable {
  /// Snaps after which a swipe is let through.
  public var attempts = 3

  /// The defaults.
  public init() {}

  /// Whether it is let through.
  public func lets(_ swipe: SwipeSnapshot) -> Bool {
    swipe.isReady || swipe.snapBacks >= attempts
  }
}

/// What follows a failure: the waits of the shipped `backoff`, without jitter.
public struct SampleRetry: Sendable {
  /// Retries, then nobody is asked.
  public var retries = 3

  /// The defaults.
  public init() {}

  /// What follows.
  public func answer(to failure: RequestFailure) -> RetryPolicy.Answer {
    if failure.failures > retries { return .giveUp }
    return .retry(after: .seconds(min(4, 1 << Int64(failure.failures - 1))), jitter: .zero)
  }
}

/// What enters a cache: what was missed before, as the shipped `second-miss`, and what is small.
public struct SampleAdmission: Sendable {
  /// Objects of fewer bytes enter at once.
  public var small = 0

  /// The defaults.
  public init() {}

  /// Whether it enters.
  public func admits(_ object: MissedObject) -> Bool {
    object.wasMissed || object.size.bytes < Int64(small)
  }
}

/// How long a tier keeps an answer: as long as the origin says, but at least so long.
public struct SampleLifetime: Sendable {
  /// The least lifetime.
  public var least = TimeSpan.zero

  /// The defaults.
  public init() {}

  /// The lifetime; nil: it is not stored.
  public func lifetime(of directives: CacheDirectives) -> TimeSpan? {
    if !CacheFreshness.isStorable(directives, shared: true) { return nil }
    return max(least, CacheFreshness.lifetime(of: directives, shared: true))
  }
}
