import MediaUnits

/// Stops asking a service that fails, and asks it again with care (Nygard, Release It!, 2007).
///
/// Looks at the last calls: when too many of them failed it opens and refuses; after a while it
/// lets a few through, and what becomes of them decides. Answers are of calls that were admitted;
/// one from before the present state changes nothing and is counted.
public struct CircuitBreaker: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// Calls that are looked at, at most 64. Default 50 (assumed).
    public var window: Int
    /// Failures among them that open it. Default 25 (assumed: half).
    public var failures: Int
    /// How long it stays open. Default 2 s (assumed).
    public var openFor: TimeSpan
    /// Calls that are let through then; all must succeed. Default 5 (assumed).
    public var probes: Int

    /// - Precondition: 1 <= failures <= window <= 64; `probes` is 1 to 64; `openFor` is positive.
    public init(
      window: Int = 50, failures: Int = 25, openFor: TimeSpan = .seconds(2), probes: Int = 5
    ) {
      precondition(failures >= 1 && failures <= window && window <= 64, "failures fit the window")
      precondition(probes >= 1 && probes <= 64 && openFor > .zero, "a breaker closes again")
      self.window = window
      self.failures = failures
      self.openFor = openFor
      self.probes = probes
    }
  }

  public enum Event: Sendable, Equatable {
    /// A call is wanted.
    case asked(call: UInt64)
    case succeeded(call: UInt64)
    case failed(call: UInt64)
  }

  public enum Command: Sendable, Equatable {
    case admit(call: UInt64)
    case refuse(call: UInt64)
  }

  enum State: Sendable, Equatable {
    /// Everything passes; one bit for each of the last calls, 1 for a failure. Can transition to:
    /// open.
    case closed(history: UInt64)
    /// Nothing passes. Can transition to: probing.
    case open(until: Instant)
    /// So many were let through and so many came back well. Can transition to: open, closed.
    case probing(sent: Int, passed: Int)
  }

  public let configuration: Configuration
  var state = State.closed(history: 0)
  /// Calls with a number below this were admitted before the present state.
  var firstCall: UInt64 = 0
  var lastCall: UInt64 = 0

  public private(set) var admitted = 0
  public private(set) var refused = 0
  /// Times it opened.
  public private(set) var openings = 0
  /// Answers that changed nothing.
  public private(set) var ignored = 0

  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// Whether everything passes.
  public var isClosed: Bool { if case .closed = state { true } else { false } }

  public mutating func handle(_ event: Event, at now: Instant, into commands: inout [Command]) {
    switch event {
    case .asked(let call): ask(call, at: now, into: &commands)
    case .succeeded(let call): note(call, isFailure: false, at: now)
    case .failed(let call): note(call, isFailure: true, at: now)
    }
  }

  private mutating func ask(_ call: UInt64, at now: Instant, into commands: inout [Command]) {
    if call > lastCall { lastCall = call }
    if case .open(let until) = state, now >= until {
      state = .probing(sent: 0, passed: 0)
      firstCall = call
    }
    switch state {
    case .closed: break
    case .open:
      refuse(call, into: &commands)
      return
    case .probing(let sent, let passed):
      if sent >= configuration.probes {
        refuse(call, into: &commands)
        return
      }
      state = .probing(sent: sent + 1, passed: passed)
    }
    admitted += 1
    commands.append(.admit(call: call))
  }

  private mutating func refuse(_ call: UInt64, into commands: inout [Command]) {
    refused += 1
    commands.append(.refuse(call: call))
  }

  private mutating func note(_ call: UInt64, isFailure: Bool, at now: Instant) {
    if call < firstCall {
      ignored += 1
      return
    }
    switch state {
    case .open: ignored += 1
    case .closed(let history):
      let mask = UInt64.max >> UInt64(64 - configuration.window)
      let next = (history << 1 | (isFailure ? 1 : 0)) & mask
      state = .closed(history: next)
      if next.nonzeroBitCount >= configuration.failures { open(at: now) }
    case .probing(let sent, let passed):
      if isFailure {
        open(at: now)
      } else if passed + 1 >= configuration.probes {
        state = .closed(history: 0)
        firstCall = call
      } else {
        state = .probing(sent: sent, passed: passed + 1)
      }
    }
  }

  private mutating func open(at now: Instant) {
    openings += 1
    state = .open(until: now.advanced(saturatingBy: configuration.openFor))
    firstCall = lastCall &+ 1
  }
}
