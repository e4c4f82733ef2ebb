import MediaUnits

/// What to do after a failure (SIG-038, REEL-021).
///
/// A pure decider of the number of failures in a row.
public struct RetryPolicy: Sendable, Equatable {
  public enum Kind: UInt8, Sendable, Equatable {
    /// The failure is final.
    case none = 0
    /// Try again after a wait that doubles, `maximumRetries` times.
    case backoff
    /// Show "tap to retry" at once.
    case tap
  }

  public enum Answer: Sendable, Equatable {
    /// The failure is final.
    case giveUp
    /// Try again after the wait, or up to `jitter` later: the host draws.
    case retry(after: TimeSpan, jitter: TimeSpan)
    /// Show "tap to retry".
    case askViewer
  }

  /// Default: back-off (REEL-021).
  public var kind: Kind
  /// The first wait; each next one is twice as long. Default 1 s: 1, 2, 4 s (REEL-021).
  public var firstWait: TimeSpan
  /// The longest wait without jitter. Default 4 s (REEL-021).
  public var longestWait: TimeSpan
  /// Jitter in parts of the wait: a wait of `w` becomes `w ... w · (1 + jitter)`. Default 0.5
  /// (assumed).
  public var jitter: Double
  /// Retries without the viewer. Default 3 (REEL-021; Media3's load retry count).
  public var maximumRetries: Int
  /// Whether the viewer is asked when they are used up. Default true (SIG-038).
  public var asksAfterwards: Bool

  /// - Precondition: no wait, no count and no jitter is negative.
  public init(
    kind: Kind = .backoff, firstWait: TimeSpan = .seconds(1), longestWait: TimeSpan = .seconds(4),
    jitter: Double = 0.5, maximumRetries: Int = 3, asksAfterwards: Bool = true
  ) {
    precondition(firstWait >= .zero && longestWait >= .zero, "waits are not negative")
    precondition(jitter >= 0, "jitter is not negative")
    precondition(maximumRetries >= 0, "maximumRetries is not negative, got \(maximumRetries)")
    self.kind = kind
    self.firstWait = firstWait
    self.longestWait = longestWait
    self.jitter = jitter
    self.maximumRetries = maximumRetries
    self.asksAfterwards = asksAfterwards
  }

  /// The answer to the given number of failures in a row, from 1 on.
  public func answer(failures: Int) -> Answer {
    switch kind {
    case .none: return .giveUp
    case .tap: return .askViewer
    case .backoff:
      if failures > maximumRetries { return asksAfterwards ? .askViewer : .giveUp }
      let wait = wait(failures: failures)
      return .retry(after: wait, jitter: wait.scaled(by: jitter))
    }
  }

  /// The wait before the retry that follows so many failures, without jitter.
  public func wait(failures: Int) -> TimeSpan {
    var wait = min(firstWait, longestWait)
    var doublings = failures > 1 ? failures - 1 : 0
    while doublings > 0 && wait < longestWait {
      wait = wait.nanoseconds > longestWait.nanoseconds / 2 ? longestWait : wait * 2
      doublings -= 1
      if wait == .zero { break }
    }
    return wait
  }
}
