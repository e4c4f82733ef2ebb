import MediaUnits

/// One call to a service: attempts with a time-out, repeated after a wait, hedged with a second one
/// (Dean and Barroso, The Tail at Scale, CACM 56(2), 2013, doi 10.1145/2408776.2408794).
///
/// The first answer counts. When all attempts that are out have failed, the next one follows after
/// a wait that doubles, as often as retries are left. A hedge is one more attempt when none has
/// answered for a while; it uses no retry. Late, repeated and unknown answers are counted.
public struct CallMachine: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// An attempt without an answer has failed after so long. Default 1 s (assumed).
    public var timeout: TimeSpan
    /// Attempts after a failure. Default 0.
    public var retries: Int
    public var backoff: Backoff
    /// When a second attempt follows an attempt that has not answered; nil for never. Default nil;
    /// the usual value is the 95th percentile of the answers (OQ-15).
    public var hedgeAfter: TimeSpan?
    /// Hedges of one call. Default 1.
    public var hedges: Int

    /// - Precondition: `timeout` is positive; 0 <= retries; 0 <= hedges; their sum is below 60.
    public init(
      timeout: TimeSpan = .seconds(1), retries: Int = 0,
      backoff: Backoff = Backoff(
        firstWait: .milliseconds(50), longestWait: .seconds(1), jitter: 0.5),
      hedgeAfter: TimeSpan? = nil, hedges: Int = 1
    ) {
      precondition(timeout > .zero, "an attempt may take some time")
      precondition(retries >= 0 && hedges >= 0 && retries + hedges < 60, "attempts are bounded")
      self.timeout = timeout
      self.retries = retries
      self.backoff = backoff
      self.hedgeAfter = hedgeAfter
      self.hedges = hedges
    }
  }

  public enum TimerID: Sendable, Equatable {
    case timeout(attempt: UInt8)
    case hedge(attempt: UInt8)
    case retry(attempt: UInt8)
  }

  public enum Event: Sendable, Equatable {
    case started
    case answered(attempt: UInt8)
    case failed(attempt: UInt8)
    case timerFired(TimerID)
    /// Nobody waits for the answer any more.
    case abandoned
  }

  public enum Command: Sendable, Equatable {
    case send(attempt: UInt8)
    /// Report ``Event/timerFired(_:)`` then, or up to `jitter` later.
    case setTimer(TimerID, at: Instant, jitter: TimeSpan)
    /// The answer of this attempt is not needed any more.
    case cancel(attempt: UInt8)
    case succeed(attempt: UInt8)
    case giveUp
  }

  enum State: Sendable, Equatable {
    /// Can transition to: flying.
    case idle
    /// These attempts are out, a bit each. Can transition to: waiting, over.
    case flying(UInt64)
    /// The next attempt waits for its timer. Can transition to: flying, over.
    case waiting
    /// Final.
    case over
  }

  public let configuration: Configuration
  var state = State.idle
  var nextAttempt: UInt8 = 0
  var failures = 0
  var hedgesUsed = 0
  /// Events that changed nothing.
  public private(set) var ignored = 0

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// Attempts so far.
  public var attempts: Int { Int(nextAttempt) }
  public var isOver: Bool { state == .over }

  public mutating func handle(_ event: Event, at now: Instant, into commands: inout [Command]) {
    switch (event, state) {
    case (.started, .idle): send(with: 0, at: now, into: &commands)
    case (.answered(let attempt), .flying(let out)) where CallMachine.has(out, attempt):
      state = .over
      cancel(out & ~CallMachine.bit(attempt), into: &commands)
      commands.append(.succeed(attempt: attempt))
    case (.answered(let attempt), .waiting) where attempt < nextAttempt:
      // Failed by its time-out, and an answer after all.
      state = .over
      commands.append(.succeed(attempt: attempt))
    case (.failed(let attempt), .flying(let out)) where CallMachine.has(out, attempt):
      fail(attempt, out, at: now, into: &commands)
    case (.timerFired(.timeout(let attempt)), .flying(let out))
    where CallMachine.has(out, attempt):
      commands.append(.cancel(attempt: attempt))
      fail(attempt, out, at: now, into: &commands)
    case (.timerFired(.hedge(let attempt)), .flying(let out))
    where CallMachine.has(out, attempt) && attempt + 1 == nextAttempt
      && hedgesUsed < configuration.hedges:
      hedgesUsed += 1
      send(with: out, at: now, into: &commands)
    case (.timerFired(.retry(nextAttempt)), .waiting): send(with: 0, at: now, into: &commands)
    case (.abandoned, .flying(let out)):
      state = .over
      cancel(out, into: &commands)
    case (.abandoned, .idle), (.abandoned, .waiting): state = .over
    default: ignored += 1
    }
  }

  private static func bit(_ attempt: UInt8) -> UInt64 { 1 << UInt64(attempt & 63) }

  private static func has(_ out: UInt64, _ attempt: UInt8) -> Bool {
    attempt < 64 && out & bit(attempt) != 0
  }

  private mutating func send(with out: UInt64, at now: Instant, into commands: inout [Command]) {
    let attempt = nextAttempt
    nextAttempt += 1
    state = .flying(out | CallMachine.bit(attempt))
    commands.append(.send(attempt: attempt))
    commands.append(
      .setTimer(
        .timeout(attempt: attempt), at: now.advanced(saturatingBy: configuration.timeout),
        jitter: .zero))
    if let hedgeAfter = configuration.hedgeAfter, hedgesUsed < configuration.hedges {
      commands.append(
        .setTimer(
          .hedge(attempt: attempt), at: now.advanced(saturatingBy: hedgeAfter), jitter: .zero))
    }
  }

  private mutating func fail(
    _ attempt: UInt8, _ out: UInt64, at now: Instant, into commands: inout [Command]
  ) {
    let left = out & ~CallMachine.bit(attempt)
    if left != 0 {
      state = .flying(left)
      return
    }
    failures += 1
    if failures > configuration.retries {
      state = .over
      commands.append(.giveUp)
      return
    }
    state = .waiting
    let wait = configuration.backoff.wait(failures: failures)
    commands.append(
      .setTimer(
        .retry(attempt: nextAttempt), at: now.advanced(saturatingBy: wait),
        jitter: configuration.backoff.jitter(failures: failures)))
  }

  private func cancel(_ attempts: UInt64, into commands: inout [Command]) {
    for attempt in 0..<nextAttempt where attempts & CallMachine.bit(attempt) != 0 {
      commands.append(.cancel(attempt: attempt))
    }
  }
}
