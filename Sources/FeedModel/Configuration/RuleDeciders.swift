import CacheModel
import FeedPolicy
import MediaUnits

/// Says when the cap of the start is lifted.
public protocol ReleaseDecider: RuleDecider {
  /// Whether playback is stable; never asked before the first frame. The same snapshot has the same
  /// answer.
  func isReleased(for snapshot: PlaybackSnapshot) -> Bool
}

/// Says which player gives way to an item that has none.
public protocol VictimDecider: RuleDecider {
  /// A place in the snapshot's players; another number leaves the choice to the pool. The same
  /// snapshot has the same answer.
  func victim(of snapshot: PoolSnapshot) -> Int
}

/// Says whether a swipe reaches an item, or is snapped back.
public protocol GateDecider: RuleDecider {
  /// The same snapshot has the same answer.
  func lets(_ swipe: SwipeSnapshot) -> Bool
}

/// Says what follows a request that has failed.
public protocol RetryDecider: RuleDecider {
  /// The same failure has the same answer. Waits are held within a day.
  func answer(to failure: RequestFailure) -> RetryPolicy.Answer
}

extension PlayerPool {
  /// Handles an event, with the pool's own choice of the player that gives way or that of whoever
  /// decides in its place.
  @inline(__always)
  mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command],
    by decider: (any VictimDecider)?
  ) {
    guard let decider else { return handle(event, at: now, into: &commands) }
    handle(event, at: now, into: &commands) { decider.victim(of: $0) }
  }
}

extension PolicyConfiguration {
  /// The bound on the bit rate that holds now, by the rule or whoever decides in its place.
  @inline(__always)
  func cap(for snapshot: PlaybackSnapshot) -> BitRate? {
    guard let releaseDecider else { return BitrateCap(startupCap).cap(for: snapshot) }
    let isReleased =
      snapshot.isReleased || snapshot.hasFirstFrame && releaseDecider.isReleased(for: snapshot)
    return isReleased ? nil : startupCap.rate
  }
}

extension ClientConfiguration {
  /// What follows a failure; nil: what the player always did.
  func answer(to failure: RequestFailure) -> RetryPolicy.Answer? {
    guard let retryDecider else { return retry?.answer(failures: failure.failures) }
    let answer = retryDecider.answer(to: failure)
    guard case .retry(let wait, let jitter) = answer else { return answer }
    func held(_ span: TimeSpan) -> TimeSpan { min(max(span, .zero), .days(1)) }
    return .retry(after: held(wait), jitter: held(jitter))
  }
}

extension FeedConfiguration {
  /// What somebody else decides beside prefetch, each with its key.
  public var foreignRules: [(key: String, decider: any RuleDecider)] {
    var found: [(key: String, decider: any RuleDecider)] = []
    if let decider = policy.victimDecider { found.append(("policy.pool.victim", decider)) }
    if let decider = policy.bitrateDecider { found.append(("policy.abr", decider)) }
    if let decider = policy.releaseDecider {
      found.append(("policy.startupCap.release", decider))
    }
    if let decider = client.gateDecider { found.append(("client.gate", decider)) }
    if let decider = client.retryDecider { found.append(("client.retry", decider)) }
    return found + cdn.foreignRules
  }
}
