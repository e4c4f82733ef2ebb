import MediaUnits

/// Decides when a client asks the server (TBM-011 to TBM-017, TBM-043 to TBM-047, OQ-02, OQ-03).
///
/// Polls when the app is opened, when a connection comes up, after a push, and by a timer that is
/// short while something is in transit and long otherwise. One poll is out at a time; a reason that
/// comes up meanwhile leads to one more afterwards, because the answer may have been computed
/// before. Leaves out: what the packets say.
public struct PollMachine: PolicyMachine {
  /// What follows a push.
  public enum PushRule: UInt8, Sendable, Equatable, CaseIterable {
    /// Nothing but what the push carries.
    case nothing
    /// A poll at once.
    case poll
    /// A poll when the downloads are done.
    case afterDownloads
    /// A poll at once and another when the downloads are done.
    case both
  }

  public struct Configuration: Sendable, Equatable {
    /// Whether opening the app or a new connection polls. Default true; false is a service by push
    /// alone (TBM-010).
    public var pollsAtStart: Bool
    /// Default ``PushRule/poll`` (TBM-011).
    public var onPush: PushRule
    /// Whether the end of a download polls, for answers with one video each (TBM-012). Default
    /// false.
    public var pollsAfterDownload: Bool
    /// The wait after the last word of the server while something is in transit; zero for no timer.
    /// Default 30 s (OQ-02 names 15 to 120 s).
    public var trackedInterval: TimeSpan
    /// The same when nothing is. Default 10 min (OQ-02 names 2 to 30 min).
    public var idleInterval: TimeSpan
    /// How much longer both are in the background; zero for no timer there. Default 0 (TBM-046).
    public var backgroundFactor: Int64
    /// Jitter in parts of a wait; the host draws. Default 0.1 (assumed).
    public var jitter: Double
    /// Repetition of a poll without an answer.
    public var retry: RepeatRule

    /// - Precondition: no interval, factor or jitter is negative.
    public init(
      pollsAtStart: Bool = true, onPush: PushRule = .poll, pollsAfterDownload: Bool = false,
      trackedInterval: TimeSpan = .seconds(30), idleInterval: TimeSpan = .minutes(10),
      backgroundFactor: Int64 = 0, jitter: Double = 0.1, retry: RepeatRule = RepeatRule()
    ) {
      precondition(trackedInterval >= .zero && idleInterval >= .zero, "waits are not negative")
      precondition(backgroundFactor >= 0 && jitter >= 0, "factors are not negative")
      self.pollsAtStart = pollsAtStart
      self.onPush = onPush
      self.pollsAfterDownload = pollsAfterDownload
      self.trackedInterval = trackedInterval
      self.idleInterval = idleInterval
      self.backgroundFactor = backgroundFactor
      self.jitter = jitter
      self.retry = retry
    }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// The user opened the app, or left it.
    case opened
    case left
    case connected(Bool)
    /// A push came; what it carries goes to the other machines.
    case pushed
    /// A download ended; `isLast` when no other is under way.
    case downloaded(isLast: Bool)
    /// The number of videos in transit is not zero any more, or is.
    case tracks(Bool)
    /// The answer to a poll, and how many videos it left out.
    case answered(poll: UInt32, remaining: Int)
    case failed(poll: UInt32)
    case timerFired(UInt32)
  }

  /// What the host has to do.
  public enum Command: Sendable, Equatable {
    case poll(UInt32)
    /// Report ``Event/timerFired(_:)`` then, or up to `jitter` later. A new timer replaces the old.
    case setTimer(UInt32, at: Instant, jitter: TimeSpan)
  }

  enum State: Sendable, Equatable {
    /// No connection; `wants` when a poll is due once there is one. Can transition to: idle,
    /// polling.
    case offline(wants: Bool)
    /// The timer runs, if there is one. Can transition to: offline, polling.
    case idle
    /// One is out after so many failures. Can transition to: offline, idle, polling (again),
    /// waiting.
    case polling(UInt32, again: Bool, failures: Int)
    /// The last one failed; the timer runs. Can transition to: offline, polling.
    case waiting(failures: Int)
  }

  public let configuration: Configuration
  var state = State.offline(wants: false)
  var isOpen = false
  var tracks = false
  /// The number of the last poll, and of the last timer.
  var number: UInt32 = 0
  var timer: UInt32 = 0

  public private(set) var polls = 0
  /// Events that changed nothing.
  public private(set) var ignored = 0

  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// Whether an answer is being waited for.
  public var isPolling: Bool { if case .polling = state { true } else { false } }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .opened:
      let wasOpen = isOpen
      isOpen = true
      if configuration.pollsAtStart {
        ask(at: now, into: &commands)
      } else if !wasOpen {
        rest(at: now, into: &commands)
      }
    case .left:
      if !isOpen {
        ignored += 1
        return
      }
      isOpen = false
      rest(at: now, into: &commands)
    case .connected(let isOnline): connect(isOnline, at: now, into: &commands)
    case .pushed:
      switch configuration.onPush {
      case .poll, .both: ask(at: now, into: &commands)
      case .nothing, .afterDownloads: rest(at: now, into: &commands)
      }
    case .downloaded(let isLast):
      let isDue =
        configuration.pollsAfterDownload
        || isLast && (configuration.onPush == .afterDownloads || configuration.onPush == .both)
      if isDue { ask(at: now, into: &commands) } else { ignored += 1 }
    case .tracks(let tracks):
      if self.tracks == tracks {
        ignored += 1
        return
      }
      self.tracks = tracks
      rest(at: now, into: &commands)
    case .answered(let poll, let remaining): answer(poll, remaining, at: now, into: &commands)
    case .failed(let poll): fail(poll, at: now, into: &commands)
    case .timerFired(let timer): fire(timer, at: now, into: &commands)
    }
  }

  private mutating func connect(
    _ isOnline: Bool, at now: Instant, into commands: inout [Command]
  ) {
    switch (state, isOnline) {
    case (.offline(let wants), true):
      state = .idle
      if wants || configuration.pollsAtStart {
        ask(at: now, into: &commands)
      } else {
        rest(at: now, into: &commands)
      }
    case (.polling, false), (.waiting, false):
      state = .offline(wants: true)
      timer &+= 1
    case (.idle, false):
      state = .offline(wants: false)
      timer &+= 1
    case (.offline, false), (.idle, true), (.polling, true), (.waiting, true): ignored += 1
    }
  }

  /// There is a reason to poll.
  private mutating func ask(at now: Instant, into commands: inout [Command]) {
    switch state {
    case .offline: state = .offline(wants: true)
    case .idle, .waiting: poll(failures: 0, at: now, into: &commands)
    case .polling(let poll, _, let failures):
      state = .polling(poll, again: true, failures: failures)
    }
  }

  private mutating func poll(
    failures: Int, at now: Instant, into commands: inout [Command]
  ) {
    number &+= 1
    polls += 1
    state = .polling(number, again: false, failures: failures)
    commands.append(.poll(number))
    timer &+= 1
    commands.append(
      .setTimer(
        timer, at: now.advanced(saturatingBy: configuration.retry.answerTimeout), jitter: .zero))
  }

  /// Sets the timer for the next poll anew, if nothing is out.
  private mutating func rest(at now: Instant, into commands: inout [Command]) {
    guard case .idle = state else { return }
    timer &+= 1
    var wait = tracks ? configuration.trackedInterval : configuration.idleInterval
    if !isOpen {
      let longest = TimeSpan.max / Swift.max(configuration.backgroundFactor, 1)
      wait = min(wait, longest) * configuration.backgroundFactor
    }
    if wait == .zero { return }
    commands.append(
      .setTimer(
        timer, at: now.advanced(saturatingBy: wait),
        jitter: wait.scaled(by: configuration.jitter)))
  }

  private mutating func answer(
    _ poll: UInt32, _ remaining: Int, at now: Instant, into commands: inout [Command]
  ) {
    guard case .polling(let current, let again, _) = state, current == poll else {
      ignored += 1
      return
    }
    state = .idle
    let isDue = again || remaining > 0 && !configuration.pollsAfterDownload
    if isDue { ask(at: now, into: &commands) } else { rest(at: now, into: &commands) }
  }

  private mutating func fail(
    _ poll: UInt32, at now: Instant, into commands: inout [Command]
  ) {
    guard case .polling(let current, _, let failures) = state, current == poll else {
      ignored += 1
      return
    }
    let count = failures < 1_000 ? failures + 1 : failures
    state = .waiting(failures: count)
    timer &+= 1
    let wait = configuration.retry.wait(failures: count)
    commands.append(
      .setTimer(
        timer, at: now.advanced(saturatingBy: wait),
        jitter: wait.scaled(by: configuration.retry.jitter)))
  }

  private mutating func fire(
    _ timer: UInt32, at now: Instant, into commands: inout [Command]
  ) {
    if timer != self.timer {
      ignored += 1
      return
    }
    switch state {
    case .offline: ignored += 1
    case .idle: poll(failures: 0, at: now, into: &commands)
    case .polling(let current, _, _): fail(current, at: now, into: &commands)
    case .waiting(let failures): poll(failures: failures, at: now, into: &commands)
    }
  }
}
