import MediaUnits

/// The registrar, presence store and signalling server of one-to-one calls.
///
/// Models: unique names with roles (ICC-003, ICC-004), presence by heartbeats (ICC-006 to ICC-010),
/// the four states of an interpreter (ICC-011, ICC-012), calls with every time-out, and who may say
/// what in which call (ICC-032, ICC-033). Leaves out: the connections themselves, media, relays.
///
/// Every message is legal at any time: it is forwarded, acted on, or answered with a fault. Time is
/// the server's own.
public struct CallServer: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// A user without a heartbeat for so long is not present. Default 20 s (ICC-007).
    public var presenceLife: TimeSpan
    public var timeouts: CallTimeouts
    /// Default ``DepartureRule/removed`` (OQ-18 compares).
    public var departure: DepartureRule
    /// Default ``LockRule/atomic`` (ICC-048).
    public var lock: LockRule
    /// Default ``ReturnRule/token``.
    public var returning: ReturnRule
    /// After so many rings in a row without an answer an interpreter is made unavailable; 0 for
    /// never. Default 0: the literal rule (ICC-023).
    public var missLimit: Int
    /// Calls that are over and can still be reported as abuse (ICC-052). Default 256 (assumed).
    public var endedMemory: Int
    /// Between two lines of statistics. Default 5 min (ICC-050).
    public var statisticsPeriod: TimeSpan

    /// - Precondition: spans are positive, counts are not negative.
    public init(
      presenceLife: TimeSpan = .seconds(20), timeouts: CallTimeouts = CallTimeouts(),
      departure: DepartureRule = .removed, lock: LockRule = .atomic,
      returning: ReturnRule = .token, missLimit: Int = 0, endedMemory: Int = 256,
      statisticsPeriod: TimeSpan = .minutes(5)
    ) {
      precondition(presenceLife > .zero && statisticsPeriod > .zero, "spans are positive")
      precondition(missLimit >= 0 && endedMemory >= 0, "counts are not negative")
      self.presenceLife = presenceLife
      self.timeouts = timeouts
      self.departure = departure
      self.lock = lock
      self.returning = returning
      self.missLimit = missLimit
      self.endedMemory = endedMemory
      self.statisticsPeriod = statisticsPeriod
    }
  }

  /// What a timer is for. A timer of something that is over does nothing.
  public enum Timer: Sendable, Equatable {
    case presence(UserID, generation: UInt32)
    /// The grace of a user without a connection.
    case absence(UserID, generation: UInt32)
    case ring(CallID)
    case offerAnswer(CallID)
    case ice(CallID)
    case connecting(CallID)
    case statistics
  }

  /// 128 random bits that the host draws for each message: the name of a call or the token of a
  /// registration, if one comes of it.
  public struct Fresh: Sendable, Equatable {
    public var high, low: UInt64

    public init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = low
    }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// The process runs; nothing is known of earlier runs (ICC-049).
    case started
    case opened(ConnectionID)
    /// The connection is closed, as far as the server can tell.
    case closed(ConnectionID)
    case message(ConnectionID, Envelope, Fresh)
    case timerFired(Timer)
    /// The answer to ``Command/askStore(_:)``.
    case storeAnswered(UInt32)
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable {
    case send(ConnectionID, Envelope)
    case close(ConnectionID)
    case setTimer(Timer, at: Instant)
    /// Ask the store of the presence; only with ``LockRule/checkThenAct``.
    case askStore(UInt32)
    case log(CallLog)
  }

  /// The state of a user (ICC-011). A caller is never `available`.
  public enum Standing: Sendable, Equatable {
    /// Not to be called. Can transition to: available (interpreters), ringing (callers).
    case unavailable
    /// In the callers' lists. Can transition to: unavailable, ringing.
    case available
    /// A call is asked for. Can transition to: available, unavailable, inCall.
    case ringing(CallID)
    /// A call was accepted. Can transition to: available, unavailable.
    case inCall(CallID)

    /// The call, if there is one.
    public var call: CallID? {
      switch self {
      case .unavailable, .available: return nil
      case .ringing(let call), .inCall(let call): return call
      }
    }
  }

  struct User: Sendable, Equatable {
    var role: Role
    var standing = Standing.unavailable
    /// nil while a departed user's name is kept.
    var connection: ConnectionID?
    var token: UInt64
    var session: UInt32
    var lastHeartbeat: Instant
    /// Counts registrations and departures, for timers.
    var generation: UInt32
    var misses = 0
  }

  /// How far a call is.
  enum Phase: Sendable, Equatable {
    /// Can transition to: accepted, over.
    case ringing
    /// Waits for the offer. Can transition to: offered, over.
    case accepted
    /// Waits for the answer. Can transition to: answered, over.
    case offered
    /// Waits until both see each other. Can transition to: connected, over.
    case answered
    /// Can transition to: over.
    case connected
  }

  struct Call: Sendable, Equatable {
    var id: CallID
    var caller: UserID
    var interpreter: UserID
    var phase = Phase.ringing
    var callerSees = false
    var interpreterSees = false
  }

  /// What is kept of a call that is over.
  struct Ended: Sendable, Equatable {
    var id: CallID
    var caller: UserID
    var interpreter: UserID
  }

  struct Asking: Sendable, Equatable {
    var number: UInt32
    var caller: UserID
    var interpreter: UserID
    var call: CallID
  }

  /// Users and connections that a server can have.
  public static let limit: UInt32 = 1 << 20

  public let configuration: Configuration
  var users: [User?] = []
  var connections: [UserID?] = []
  var isOpen: [Bool] = []
  var callers: [UserID] = []
  var calls: [Call] = []
  var ended: [Ended] = []
  var asking: [Asking] = []
  var lastSession: UInt32 = 0
  var lastAsking: UInt32 = 0

  /// Messages answered with a fault.
  public internal(set) var faults = 0
  /// Messages to users without a connection.
  public internal(set) var undeliverable = 0
  /// Timers of what was over.
  public internal(set) var staleTimers = 0
  /// Interpreters that got a second call while they had one; never with ``LockRule/atomic``.
  public internal(set) var doubleRings = 0
  /// Rings of interpreters without a connection (ICC-025).
  public internal(set) var ghostRings = 0
  public internal(set) var reports = 0
  /// Users whose heartbeats stopped on an open connection (ICC-008).
  public internal(set) var expiries = 0
  /// Registrations that were taken up on another connection (ICC-005).
  public internal(set) var returns = 0
  /// Messages handled, and those that told of presence (ICC-006, ICC-009).
  public internal(set) var messages = 0
  public internal(set) var presenceMessages = 0
  /// Why the latest call that is over ended.
  public internal(set) var lastEnding: EndReason?

  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// How a user stands; nil when the name is free.
  public func standing(of user: UserID) -> Standing? { self.user(user)?.standing }

  /// Whether a user is registered and has a connection (ICC-010).
  public func isPresent(_ user: UserID) -> Bool { self.user(user)?.connection != nil }

  /// Whether callers see the user and may ask for it (ICC-013).
  public func isCallable(_ user: UserID) -> Bool { self.user(user).map(isListed) ?? false }

  /// Calls that are not over.
  public var callCount: Int { calls.count }

  /// The two parties of a call that is not over.
  public func parties(of call: CallID) -> (caller: UserID, interpreter: UserID)? {
    place(of: call).map { (calls[$0].caller, calls[$0].interpreter) }
  }

  func user(_ id: UserID) -> User? {
    Int(id.index) < users.count ? users[Int(id.index)] : nil
  }

  func place(of call: CallID) -> Int? {
    for index in 0..<calls.count where calls[index].id == call { return index }
    return nil
  }

  /// - Complexity: O(calls) for what concerns a call, O(callers) for a change of who is available.
  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .started:
      commands.append(.setTimer(.statistics, at: now + configuration.statisticsPeriod))
    case .opened(let connection):
      if connection.index >= CallServer.limit {
        commands.append(.close(connection))
        return
      }
      while connections.count <= Int(connection.index) {
        connections.append(nil)
        isOpen.append(false)
      }
      if connections[Int(connection.index)] != nil {
        drop(connection, .disconnected, at: now, into: &commands)
      }
      isOpen[Int(connection.index)] = true
    case .closed(let connection):
      guard isKnown(connection) else {
        staleTimers += 1
        return
      }
      drop(connection, .disconnected, at: now, into: &commands)
      isOpen[Int(connection.index)] = false
    case .message(let connection, let envelope, let fresh):
      messages += 1
      if !isKnown(connection) { return }
      if let fault = receive(envelope, on: connection, fresh, at: now, into: &commands) {
        refuse(envelope, fault, on: connection, into: &commands)
      }
    case .timerFired(let timer): fire(timer, at: now, into: &commands)
    case .storeAnswered(let number): act(number, at: now, into: &commands)
    }
  }

  private func isKnown(_ connection: ConnectionID) -> Bool {
    Int(connection.index) < isOpen.count && isOpen[Int(connection.index)]
  }

  private mutating func refuse(
    _ envelope: Envelope, _ fault: EnvelopeFault, on connection: ConnectionID,
    into commands: inout [Command]
  ) {
    faults += 1
    let user = connections[Int(connection.index)]
    commands.append(
      .send(connection, Envelope(.fault, call: envelope.call, to: user, payload: .fault(fault))))
    let record = user.flatMap { self.user($0) }
    commands.append(
      .log(
        .event(.refused, call: envelope.call, session: record?.session ?? 0, role: record?.role)))
  }

  mutating func send(_ envelope: Envelope, to user: UserID, into commands: inout [Command]) {
    guard let connection = self.user(user)?.connection else {
      undeliverable += 1
      return
    }
    var copy = envelope
    copy.to = user
    commands.append(.send(connection, copy))
  }

  private mutating func fire(
    _ timer: Timer, at now: Instant, into commands: inout [Command]
  ) {
    switch timer {
    case .statistics:
      commands.append(.log(statistics))
      commands.append(.setTimer(.statistics, at: now + configuration.statisticsPeriod))
    case .presence(let user, let generation):
      checkPresence(user, generation, at: now, into: &commands)
    case .absence(let user, let generation):
      guard let record = self.user(user), record.generation == generation,
        record.connection == nil
      else {
        staleTimers += 1
        return
      }
      remove(user, .expired, at: now, into: &commands)
    case .ring(let call):
      expire(call, .noAnswer, at: now, into: &commands) { $0 == .ringing }
    case .offerAnswer(let call):
      expire(call, .offerAnswerTimeout, at: now, into: &commands) {
        $0 == .accepted || $0 == .offered
      }
    case .ice(let call):
      expire(call, .iceTimeout, at: now, into: &commands) { $0 != .connected && $0 != .ringing }
    case .connecting(let call):
      expire(call, .connectingTimeout, at: now, into: &commands) {
        $0 != .connected && $0 != .ringing
      }
    }
  }

  private mutating func expire(
    _ call: CallID, _ reason: EndReason, at now: Instant, into commands: inout [Command],
    in phases: (Phase) -> Bool
  ) {
    guard let place = place(of: call), phases(calls[place].phase) else {
      staleTimers += 1
      return
    }
    end(place, reason, by: nil, at: now, into: &commands)
  }

  private var statistics: CallLog {
    var present = 0
    var available = 0
    for case .some(let user) in users {
      if user.connection != nil { present += 1 }
      if user.standing == .available { available += 1 }
    }
    return .statistics(users: present, available: available, calls: calls.count)
  }
}
