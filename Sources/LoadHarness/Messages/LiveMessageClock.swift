import MediaUnits

/// Real time as the machines count it: from the start of a run.
struct LiveMessageClock: Sendable {
  private let start = ContinuousClock.now

  var now: Instant {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return .zero + .seconds(seconds) + .nanoseconds(attoseconds / 1_000_000_000)
  }

  func sleep(until at: Instant) async throws {
    let rest = at - now
    if rest > .zero { try await Task.sleep(for: .nanoseconds(rest.nanoseconds)) }
  }
}

/// What a service has done.
public struct LiveMessageCounts: Sendable, Equatable {
  public var requests = 0
  public var polls = 0
  public var pushes = 0
  /// Dropped on purpose.
  public var lostPushes = 0

  public init() {}
}
