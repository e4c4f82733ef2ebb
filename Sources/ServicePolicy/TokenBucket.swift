import MediaUnits

/// A rate with a burst, as one number (the generic cell rate algorithm, ITU-T I.371, annex A).
///
/// Holds the time at which the bucket will be full. Taking `n` tokens moves it by `n` intervals;
/// they are there as long as it is not more than the burst ahead of now. Exact in integers.
public struct TokenBucket: Sendable, Equatable {
  /// Time in which one token comes.
  public let interval: TimeSpan
  /// Tokens that a full bucket holds.
  public let burst: Int64
  var fullAt = Instant(nanoseconds: 0)

  /// - Precondition: `rate` is above 0 and at most 10^9; `burst` is at least 1.
  public init(rate: Double, burst: Int64) {
    precondition(rate > 0 && rate <= 1e9, "a rate is above 0 and at most 10^9 a second")
    precondition(burst >= 1, "a bucket holds at least one token, got \(burst)")
    interval = max(TimeSpan(seconds: 1 / rate), .nanoseconds(1))
    self.burst = min(burst, Int64.max / 4 / interval.nanoseconds)
  }

  /// Takes tokens if they are there. What is taken before time zero counts as taken at zero.
  public mutating func take(_ tokens: Int64 = 1, at now: Instant) -> Bool {
    let begin = max(fullAt, now)
    let after = begin.advanced(saturatingBy: interval * min(max(tokens, 0), burst + 1))
    if after.elapsed(saturatingSince: now) > interval * burst { return false }
    fullAt = after
    return true
  }

  /// How long until so many tokens are there, if nobody takes any.
  public func wait(for tokens: Int64 = 1, at now: Instant) -> TimeSpan {
    let ahead = max(fullAt, now).elapsed(saturatingSince: now)
    let room = interval * (burst - min(tokens, burst))
    return ahead > room ? ahead - room : .zero
  }
}
