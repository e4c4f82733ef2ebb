import MediaUnits

/// Loads one thing until it is there, and reports each failure once (SIG-038).
///
/// Performs a ``RetryPolicy``: waits, asks the viewer, gives up. Every attempt has a number; an
/// answer that carries another one, and every event that is out of place, is counted. Attempts
/// without the viewer are bounded by the policy; a tap begins them anew.
public struct RetryMachine: PolicyMachine {
  public typealias Configuration = RetryPolicy

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// The thing is wanted.
    case started
    case succeeded(attempt: UInt32)
    case failed(attempt: UInt32)
    /// The timer of the attempt fired.
    case timerFired(attempt: UInt32)
    /// The viewer tapped on "tap to retry".
    case tapped
    /// Nobody wants the thing any more.
    case abandoned
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable {
    /// Load it and answer with this number.
    case load(attempt: UInt32)
    /// Tell the telemetry of a playback error.
    case reportFailure(attempt: UInt32)
    /// Report ``Event/timerFired(attempt:)`` then, or up to `jitter` later.
    case setTimer(attempt: UInt32, at: Instant, jitter: TimeSpan)
    case cancelTimer
    /// Show "tap to retry", and take it away again.
    case askViewer
    case stopAsking
    /// The failure is final.
    case giveUp
  }

  enum State: Sendable, Equatable {
    /// Not wanted. Can transition to: loading.
    case idle
    /// On its way after so many failures in a row. Can transition to: idle, done, waiting, asking,
    /// failed.
    case loading(failures: Int)
    /// The next attempt waits for its timer. Can transition to: idle, loading.
    case waiting(failures: Int)
    /// The viewer is asked. Can transition to: idle, loading.
    case asking
    /// Final. Can transition to: idle, loading (wanted again).
    case failed
    /// It is there. Can transition to: idle.
    case done
  }

  public let configuration: RetryPolicy
  var state = State.idle
  /// The number of the present attempt, or of the last one.
  public private(set) var attempt: UInt32 = 0
  /// Failures, each reported once.
  public private(set) var failures = 0
  /// Attempts after the first of a thing.
  public private(set) var retries = 0
  /// Events that changed nothing.
  public private(set) var ignored = 0

  public init(_ configuration: RetryPolicy = RetryPolicy()) { self.configuration = configuration }

  /// Whether the viewer is being asked.
  public var isAsking: Bool { state == .asking }
  /// Whether the thing is there.
  public var isDone: Bool { state == .done }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch (event, state) {
    case (.started, .idle), (.started, .failed): load(failures: 0, into: &commands)
    case (.succeeded(attempt), .loading): state = .done
    case (.failed(attempt), .loading(let before)):
      failures += 1
      commands.append(.reportFailure(attempt: attempt))
      answer(failures: before + 1, at: now, into: &commands)
    case (.timerFired(attempt), .waiting(let failures)):
      retries += 1
      load(failures: failures, into: &commands)
    case (.tapped, .asking):
      retries += 1
      commands.append(.stopAsking)
      load(failures: 0, into: &commands)
    case (.abandoned, .idle): ignored += 1
    case (.abandoned, let old):
      if case .waiting = old { commands.append(.cancelTimer) }
      if case .asking = old { commands.append(.stopAsking) }
      state = .idle
    default: ignored += 1
    }
  }

  private mutating func load(failures: Int, into commands: inout [Command]) {
    attempt &+= 1
    state = .loading(failures: failures)
    commands.append(.load(attempt: attempt))
  }

  private mutating func answer(
    failures: Int, at now: Instant, into commands: inout [Command]
  ) {
    switch configuration.answer(failures: failures) {
    case .giveUp:
      state = .failed
      commands.append(.giveUp)
    case .askViewer:
      state = .asking
      commands.append(.askViewer)
    case .retry(let wait, let jitter):
      state = .waiting(failures: failures)
      commands.append(
        .setTimer(attempt: attempt, at: now.advanced(saturatingBy: wait), jitter: jitter))
    }
  }
}
