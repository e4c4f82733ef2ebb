/// Waits between attempts: each is twice as long as the one before, up to a longest.
///
/// A pure decider. Jitter is added by the host, which draws: a wait of `w` becomes `w ... w · (1 +
/// jitter)`, so that clients that failed together do not come back together.
public struct Backoff: Sendable, Equatable {
  /// The wait after the first failure. Default 1 s (parameters section 8: 1, 2, 4 s).
  public var firstWait: TimeSpan
  /// The longest wait without jitter. Default 4 s (parameters section 8).
  public var longestWait: TimeSpan
  /// Jitter in parts of a wait. Default 0.5 (assumed).
  public var jitter: Double

  /// - Precondition: no wait and no jitter is negative.
  public init(
    firstWait: TimeSpan = .seconds(1), longestWait: TimeSpan = .seconds(4), jitter: Double = 0.5
  ) {
    precondition(firstWait >= .zero && longestWait >= .zero, "waits are not negative")
    precondition(jitter >= 0, "jitter is not negative")
    self.firstWait = firstWait
    self.longestWait = longestWait
    self.jitter = jitter
  }

  /// The wait after so many failures in a row, from 1 on, without jitter.
  ///
  /// - Complexity: O(log(longestWait / firstWait)).
  public func wait(failures: Int) -> TimeSpan {
    var wait = min(firstWait, longestWait)
    var doublings = failures - 1
    while doublings > 0 && wait < longestWait && wait > .zero {
      wait = wait.nanoseconds > longestWait.nanoseconds / 2 ? longestWait : wait * 2
      doublings -= 1
    }
    return wait
  }

  /// The most that may be added to that wait.
  public func jitter(failures: Int) -> TimeSpan { wait(failures: failures).scaled(by: jitter) }
}
