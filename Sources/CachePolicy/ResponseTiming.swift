import MediaUnits

/// When a response was asked for and came, and which time of day that was.
public struct ResponseTiming: Sendable, Equatable {
  /// When the request was sent.
  public var requestedAt: Instant
  /// When the response came.
  public var receivedAt: Instant
  /// The time of day at `Instant.zero`, seconds since 1970.
  public var epoch: Int64

  public init(requestedAt: Instant, receivedAt: Instant, epoch: Int64 = 0) {
    self.requestedAt = requestedAt
    self.receivedAt = receivedAt
    self.epoch = epoch
  }

  /// When the response came, whole seconds since 1970, rounded down as `Date` is; saturates.
  public var receivedSeconds: Int64 {
    let whole = TimeSpan(nanoseconds: receivedAt.nanoseconds).wholeSteps(of: .seconds(1))
    let (sum, overflow) = epoch.addingReportingOverflow(whole)
    return overflow ? (whole < 0 ? .min : .max) : sum
  }

  /// From request to response; zero if the times are the wrong way round. Saturates.
  var delay: TimeSpan {
    TimeSpan.between(requestedAt.nanoseconds, receivedAt.nanoseconds, unit: 1)
  }
}

extension TimeSpan {
  /// From one count of units of so many nanoseconds to another; zero if it is earlier. Saturates.
  static func between(_ start: Int64, _ end: Int64, unit: Int64) -> TimeSpan {
    if end <= start { return .zero }
    let (count, over) = end.subtractingReportingOverflow(start)
    let (span, past) = count.multipliedReportingOverflow(by: unit)
    return TimeSpan(nanoseconds: over || past ? .max : span)
  }
}
