import MediaUnits

/// The client of one user: Idle, Registered, Calling, IncomingCall, Connecting, InCall, Ending,
/// Error (ICC-046).
///
/// Models: registration and heartbeats, reconnection, a call from the first ring to the end with
/// the client's own time-outs (the server's are authoritative, but a connection may seem open),
/// the exchange of descriptions and candidates in an order that the media engine can use. Leaves
/// out: the media itself, which the host drives and reports.
///
/// Only the user, the server, the media engine and timers move it. Any event is legal at any time.
public struct CallClient: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// Between two heartbeats. Default 15 s (ICC-006).
    public var heartbeat: TimeSpan
    /// Jitter of that in parts; the host draws. Default 0.1 (parameters section 10).
    public var heartbeatJitter: Double
    /// The server's time-outs, as the client counts them.
    public var timeouts: CallTimeouts
    /// How much longer the client waits than the server. Default 2 s (assumed: more than a slow
    /// round trip).
    public var margin: TimeSpan
    /// An answer to a registration or a request must come within this. Default 5 s (assumed).
    public var answerTimeout: TimeSpan
    /// The first wait before a new connection, and the longest; it doubles, and up to half of it is
    /// added (`Backoff`). Default 1 s and 5 s (parameters section 10).
    public var firstWait: TimeSpan
    public var longestWait: TimeSpan
    /// Whether the call goes on for so long without a connection to the server (ICC-027); zero to
    /// end it at once. Default 0.
    public var signallingGrace: TimeSpan
    /// Candidates kept that came before the description. Default 32 (assumed).
    public var earlyCandidates: Int

    /// - Precondition: spans and counts are not negative; heartbeat and time-outs are positive.
    public init(
      heartbeat: TimeSpan = .seconds(15), heartbeatJitter: Double = 0.1,
      timeouts: CallTimeouts = CallTimeouts(), margin: TimeSpan = .seconds(2),
      answerTimeout: TimeSpan = .seconds(5), firstWait: TimeSpan = .seconds(1),
      longestWait: TimeSpan = .seconds(5), signallingGrace: TimeSpan = .zero,
      earlyCandidates: Int = 32
    ) {
      precondition(heartbeat > .zero && answerTimeout > .zero, "spans are positive")
      precondition(margin >= .zero && firstWait >= .zero && longestWait >= .zero)
      precondition(signallingGrace >= .zero && earlyCandidates >= 0 && heartbeatJitter >= 0)
      self.heartbeat = heartbeat
      self.heartbeatJitter = heartbeatJitter
      self.timeouts = timeouts
      self.margin = margin
      self.answerTimeout = answerTimeout
      self.firstWait = firstWait
      self.longestWait = longestWait
      self.signallingGrace = signallingGrace
      self.earlyCandidates = earlyCandidates
    }
  }

  /// What a timer is for; each purpose has one timer, and a new one replaces the old.
  public enum Timer: UInt8, Sendable, Equatable, CaseIterable {
    case heartbeat
    case reconnect
    /// For an answer of the server.
    case answer
    case ring
    case connecting
    /// For a connection to the server during a call.
    case signalling
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    // The user.
    case register(UserID, Role)
    case unregister
    case goOnline
    case goOffline
    case call(UserID)
    case accept
    case decline
    case hangUp
    /// Abuse, in this call or the last one.
    case report
    /// The user has read the error.
    case dismiss
    // The connection to the server.
    case opened
    case closed
    case message(Envelope)
    // The media engine.
    /// The local description is ready.
    case described(Payload)
    case candidate(Payload)
    case mediaConnected
    case mediaFailed
    /// The first picture of the other is on the screen.
    case remoteVisible
    // The system.
    case suspended
    case resumed
    case timerFired(Timer, number: UInt32)
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable {
    case open
    case close
    case send(Envelope)
    /// Report ``Event/timerFired(_:number:)`` then, or up to `jitter` later.
    case setTimer(Timer, number: UInt32, at: Instant, jitter: TimeSpan)
    case startMedia(CallID, offers: Bool)
    case takeDescription(Payload)
    case takeCandidate(Payload)
    case stopMedia
    /// The user sees another state.
    case show(Screen)
    case showPresence(UserID, isAvailable: Bool)
    /// The user sees why a call or a registration came to nothing.
    case showEnd(EndReason)
    case showBusy
    case showFault(EnvelopeFault)
  }

  /// What the user sees: the states of ICC-046.
  public enum Screen: UInt8, Sendable, Equatable, CaseIterable {
    case idle
    case registered
    case calling
    case incoming
    case connecting
    case inCall
    case ending
    case error
  }

  /// One call, from the point of view of this client.
  public struct Talk: Sendable, Equatable {
    public var call: CallID
    public var peer: UserID?
    /// Whether this client sends the offer.
    public var offers: Bool
    var isDescribed = false
    var hasRemoteDescription = false
    var isConnected = false
  }

  enum State: Sendable, Equatable {
    /// No name. Can transition to: registering.
    case idle
    /// Wants its name; the connection is being made, waits or the answer is out. Can transition to:
    /// idle, registered, error.
    case registering
    /// Can transition to: idle, registering, calling, incoming.
    case registered
    /// Has asked for a call that has no name yet. `isCancelled` when the user gave up meanwhile.
    /// Can transition to: registered, registering, calling (ringing), ending, idle.
    case requesting(UserID, isCancelled: Bool)
    /// The interpreter is being rung. Can transition to: registered, registering, connecting, idle.
    case calling(Talk)
    /// Rings. Can transition to: registered, registering, connecting, idle.
    case incoming(Talk)
    /// Can transition to: registered, registering, inCall, idle.
    case connecting(Talk)
    /// Can transition to: registered, registering, idle.
    case inCall(Talk)
    /// The name was refused. Can transition to: idle, registering.
    case error(EnvelopeFault)
  }

  /// The connection to the server.
  enum Link: UInt8, Sendable, Equatable {
    /// Can transition to: open.
    case none
    /// The registration is out. Can transition to: none, confirmed.
    case open
    /// The server has given the name on this connection. Can transition to: none.
    case confirmed
  }

  public let configuration: Configuration
  var state = State.idle
  var user = UserID(0)
  var role = Role.caller
  var wantsOnline = false
  var token: UInt64 = 0
  var link = Link.none
  var isSuspended = false
  /// Attempts to get a connection since the last registration.
  var attempts = 0
  var numbers = [UInt32](repeating: 0, count: Timer.allCases.count)
  var early: [Payload] = []
  /// For reports of abuse (ICC-052): kept until the next call or until the process ends.
  var lastCall: CallID?

  /// Events that changed nothing.
  public internal(set) var ignored = 0
  /// Messages about calls that this client has no part in.
  public internal(set) var staleMessages = 0
  /// Candidates that came before the description.
  public internal(set) var earlyCount = 0

  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// What the user sees.
  public var screen: Screen {
    switch state {
    case .idle, .registering: return .idle
    case .registered: return .registered
    case .requesting(_, let isCancelled): return isCancelled ? .ending : .calling
    case .calling: return .calling
    case .incoming: return .incoming
    case .connecting: return .connecting
    case .inCall: return .inCall
    case .error: return .error
    }
  }

  /// The call, if there is one.
  public var talk: Talk? {
    switch state {
    case .calling(let talk), .incoming(let talk), .connecting(let talk), .inCall(let talk):
      return talk
    case .idle, .registering, .registered, .requesting, .error: return nil
    }
  }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    let before = screen
    let count = commands.count
    let old = self.state
    switch event {
    case .register, .unregister, .goOnline, .goOffline, .call, .accept, .decline, .hangUp, .report,
      .dismiss:
      obey(event, at: now, into: &commands)
    case .opened: open(at: now, into: &commands)
    case .closed: close(at: now, into: &commands)
    case .message(let envelope): hear(envelope, at: now, into: &commands)
    case .described, .candidate, .mediaConnected, .mediaFailed, .remoteVisible:
      follow(event, at: now, into: &commands)
    case .suspended: suspend(at: now, into: &commands)
    case .resumed:
      if isSuspended {
        isSuspended = false
        if state == .registering { commands.append(.open) }
      }
    case .timerFired(let timer, let number): fire(timer, number, at: now, into: &commands)
    }
    if screen != before { commands.append(.show(screen)) }
    if commands.count == count && state == old { ignored += 1 }
  }

  // MARK: Timers

  mutating func setTimer(
    _ timer: Timer, after span: TimeSpan, jitter: TimeSpan = .zero, at now: Instant,
    into commands: inout [Command]
  ) {
    numbers[Int(timer.rawValue)] &+= 1
    commands.append(
      .setTimer(
        timer, number: numbers[Int(timer.rawValue)], at: now.advanced(saturatingBy: span),
        jitter: jitter))
  }

  mutating func voidTimer(_ timer: Timer) { numbers[Int(timer.rawValue)] &+= 1 }

  private mutating func fire(
    _ timer: Timer, _ number: UInt32, at now: Instant, into commands: inout [Command]
  ) {
    if numbers[Int(timer.rawValue)] != number { return }
    switch timer {
    case .heartbeat: beat(at: now, into: &commands)
    case .reconnect:
      if wantsConnection && link == .none && !isSuspended { commands.append(.open) }
    case .answer:
      if link == .open { lose(at: now, into: &commands) }
      if case .requesting = state { lose(at: now, into: &commands) }
    case .ring:
      switch state {
      case .calling, .incoming:
        // The server must have said so: the connection only seems open.
        endTalk(.noAnswer, tells: true, at: now, into: &commands)
      default: break
      }
    case .connecting:
      if case .connecting = state {
        endTalk(.connectingTimeout, tells: true, at: now, into: &commands)
      }
    case .signalling:
      if link != .confirmed, talk != nil {
        endTalk(.disconnected, tells: false, at: now, into: &commands)
      }
    }
  }

  var wantsConnection: Bool {
    switch state {
    case .idle, .error: return false
    case .registering, .registered, .requesting, .calling, .incoming, .connecting, .inCall:
      return true
    }
  }

  mutating func beat(at now: Instant, into commands: inout [Command]) {
    guard link == .confirmed, wantsConnection else { return }
    commands.append(.send(Envelope(.heartbeat, from: user)))
    setTimer(
      .heartbeat, after: configuration.heartbeat,
      jitter: configuration.heartbeat.scaled(by: configuration.heartbeatJitter), at: now,
      into: &commands)
  }
}
