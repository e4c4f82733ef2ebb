import MediaUnits

/// Spaces the sprite lookups of a scrubbing finger (SIG-032).
///
/// At most one lookup per `interval`; the first position is looked up at once, positions that come
/// too soon replace each other, and the last of them is always looked up (trailing edge).
///
/// `now` never goes back. A timer that fires early or without being set is harmless.
public struct ScrubThrottle: PolicyMachine {
  /// How far apart lookups are.
  public struct Configuration: Sendable, Equatable {
    /// Least time between two lookups. Default 125 ms: 8 a second (SIG-032).
    public var interval: TimeSpan

    public init(interval: TimeSpan = .milliseconds(125)) { self.interval = interval }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// The finger stands for this position in the item.
    case positionChanged(TimeSpan)
    /// The timer of ``Command/setTimer(at:)`` fired.
    case timerFired
    /// Scrubbing was abandoned (the item left the screen): no lookup is wanted any more. A finger
    /// that was merely lifted is no event; its last position is still served.
    case scrubCancelled
  }

  /// What the host has to do.
  public enum Command: Sendable, Equatable {
    /// Show the sprite of this position.
    case lookup(position: TimeSpan)
    /// Report ``Event/timerFired`` at this time; replaces a timer that is set.
    case setTimer(at: Instant)
    /// Forget the timer.
    case cancelTimer
  }

  /// Where the throttle stands.
  enum State: Sendable, Equatable {
    /// No lookup yet. Can transition to: spacing.
    case idle
    /// Nothing waits; the next lookup may come at `ready`. Can transition to: spacing, waiting.
    case spacing(ready: Instant)
    /// A position waits for the timer at `ready`. Can transition to: waiting, spacing.
    case waiting(TimeSpan, ready: Instant)
  }

  public let configuration: Configuration
  var state = State.idle

  /// Lookups commanded.
  public private(set) var lookups = 0
  /// Positions replaced by a later one before their lookup, or dropped by a cancellation.
  public private(set) var dropped = 0
  /// Events that changed nothing.
  public private(set) var ignored = 0

  /// - Precondition: `interval` is not negative.
  public init(_ configuration: Configuration) {
    precondition(
      configuration.interval >= .zero,
      "interval is not negative, got \(configuration.interval.nanoseconds) ns")
    self.configuration = configuration
  }

  /// Whether a position waits for its lookup.
  public var isWaiting: Bool {
    if case .waiting = state { return true }
    return false
  }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch (event, state) {
    case (.positionChanged(let position), .idle):
      look(up: position, at: now, into: &commands)
    case (.positionChanged(let position), .spacing(let ready)):
      if now >= ready {
        look(up: position, at: now, into: &commands)
      } else {
        state = .waiting(position, ready: ready)
        commands.append(.setTimer(at: ready))
      }
    case (.positionChanged(let position), .waiting(_, let ready)):
      dropped += 1
      if now >= ready {
        commands.append(.cancelTimer)
        look(up: position, at: now, into: &commands)
      } else {
        state = .waiting(position, ready: ready)
      }
    case (.timerFired, .waiting(let position, let ready)):
      if now >= ready {
        look(up: position, at: now, into: &commands)
      } else {
        ignored += 1
        commands.append(.setTimer(at: ready))
      }
    case (.timerFired, .idle), (.timerFired, .spacing):
      ignored += 1
    case (.scrubCancelled, .waiting(_, let ready)):
      dropped += 1
      state = .spacing(ready: ready)
      commands.append(.cancelTimer)
    case (.scrubCancelled, .idle), (.scrubCancelled, .spacing):
      ignored += 1
    }
  }

  private mutating func look(
    up position: TimeSpan, at now: Instant, into commands: inout [Command]
  ) {
    lookups += 1
    state = .spacing(ready: now.advanced(saturatingBy: configuration.interval))
    commands.append(.lookup(position: position))
  }
}
