import MediaUnits

/// What can go wrong between and at the actors of a protocol.
///
/// A fault is explicit: what, where, from when and for how long. Within its time it strikes each
/// message or none, never by a draw, so that a schedule with fewer faults behaves alike otherwise.
public enum FaultKind: UInt8, Sendable, Equatable, CaseIterable {
  /// Messages are lost. Both ways it is a partition, one way half of one.
  case drop
  /// Messages come twice.
  case duplicate
  /// Every other message is late by ``Fault/amount`` nanoseconds, so that those between overtake.
  case reorder
  /// Messages are late by ``Fault/amount`` nanoseconds.
  case delay
  /// Messages arrive damaged, and whoever gets one sees that.
  case corrupt
  /// The connection is dead and neither end is told.
  case halfOpen
  /// The actor stops at once and loses what it has not saved; a server comes back at the end.
  case crash
  /// A server stops just after a change of what it keeps, before it answers or tells anyone.
  case crashAfterWrite
  /// A server needs ``Fault/amount`` nanoseconds more for each request.
  case slow
  /// A push service delivers no more than it holds for each client: the last one.
  case throttle
  /// The system stops the app; it goes on when the user opens it.
  case suspend
  /// The actor's clock is ahead by ``Fault/amount`` nanoseconds, and set back at the end.
  case skew
  /// The translation of addresses has changed: old connections are dead.
  case rebind
  /// Requests are answered with 400.
  case clientError
  /// Requests are answered with 503.
  case serverError
  /// Requests are answered with 429 and a wait of ``Fault/amount`` nanoseconds.
  case tooMany
  /// A replica answers as of the beginning of the fault.
  case staleRead
  /// The relay is down.
  case relayDown
}

/// Which messages of an actor a fault strikes.
public enum FaultChannel: UInt8, Sendable, Equatable, CaseIterable {
  case everything
  /// Requests to the service.
  case service
  /// Requests to the object store.
  case store
  case push
  /// The WebSocket.
  case socket
}

/// In which direction, from the client's point of view.
public enum FaultDirection: UInt8, Sendable, Equatable, CaseIterable {
  case both
  case up
  case down
}

/// One fault of a schedule.
public struct Fault: Sendable, Equatable {
  public var kind: FaultKind
  /// The client's number; ``everyone`` for all of them, ``server`` for the service.
  public var target: UInt32
  public var channel: FaultChannel
  public var direction: FaultDirection
  /// How long the fault lasts.
  public var length: TimeSpan
  /// How much, where the kind says so.
  public var amount: Int64

  public init(
    _ kind: FaultKind, target: UInt32 = Fault.everyone, channel: FaultChannel = .everything,
    direction: FaultDirection = .both, length: TimeSpan = .zero, amount: Int64 = 0
  ) {
    self.kind = kind
    self.target = target
    self.channel = channel
    self.direction = direction
    self.length = length
    self.amount = amount
  }

  public static let everyone = UInt32.max
  public static let server = UInt32.max - 1
}

/// What becomes of one message.
public struct MessageFate: Sendable, Equatable {
  public var isLost = false
  /// Until when messages are lost: a connection that repeats what is lost gets through then.
  public var lostUntil = Instant.zero
  public var isDoubled = false
  public var isDamaged = false
  public var delay = TimeSpan.zero
  /// An answer that the infrastructure gives in the server's place.
  public var status = 0
  public var retryAfter = TimeSpan.zero

  public init() {}
}

/// One decision of an exhaustive search.
public enum MessageChoice: UInt8, Sendable, Equatable, CaseIterable {
  case normal
  /// Late by ``lateBy``, so that others overtake.
  case late
  case lost
  case doubled

  public static let lateBy = TimeSpan.seconds(3)
}

/// The faults that are under way, and what they do to a message.
public struct FaultInjector: Sendable {
  struct Active: Sendable {
    var fault: Fault
    var until: Instant
  }

  var active: [Active] = []
  var ordinals: [UInt32]
  let choices: [MessageChoice]
  let choicesFrom: Instant
  var hasChoices = true
  /// Messages whose fate was asked for since the choices began.
  public private(set) var messages = 0

  /// - Parameters:
  ///   - clients: how many clients there are.
  ///   - choices: what becomes of the first messages from `choicesFrom` on.
  public init(
    clients: Int, choices: [MessageChoice] = [], choicesFrom: Instant = .zero
  ) {
    ordinals = [UInt32](repeating: 0, count: clients)
    self.choices = choices
    self.choicesFrom = choicesFrom
  }

  public mutating func begin(_ fault: Fault, at now: Instant) {
    active.removeAll { $0.until <= now }
    active.append(Active(fault: fault, until: now.advanced(saturatingBy: fault.length)))
  }

  /// Ends all faults and choices.
  public mutating func heal() {
    active.removeAll(keepingCapacity: true)
    hasChoices = false
  }

  /// The fate of the next message of a client.
  public mutating func fate(
    client: UInt32, channel: FaultChannel, direction: FaultDirection, at now: Instant
  ) -> MessageFate {
    ordinals[Int(client)] &+= 1
    var fate = MessageFate()
    let hasChoice = hasChoices && now >= choicesFrom
    if hasChoice && messages < choices.count {
      switch choices[messages] {
      case .normal: break
      case .late: fate.delay = MessageChoice.lateBy
      case .lost:
        fate.isLost = true
        fate.lostUntil = now + MessageChoice.lateBy
      case .doubled: fate.isDoubled = true
      }
    }
    if hasChoice { messages += 1 }
    for entry in active where entry.until > now {
      let fault = entry.fault
      if fault.target != client && fault.target != Fault.everyone { continue }
      if fault.channel != channel && fault.channel != .everything { continue }
      if fault.direction != direction && fault.direction != .both { continue }
      switch fault.kind {
      case .drop:
        fate.isLost = true
        if entry.until > fate.lostUntil { fate.lostUntil = entry.until }
      case .duplicate: fate.isDoubled = true
      case .reorder:
        if ordinals[Int(client)] & 1 == 1 { fate.delay += TimeSpan(nanoseconds: fault.amount) }
      case .delay: fate.delay += TimeSpan(nanoseconds: fault.amount)
      case .corrupt: fate.isDamaged = true
      case .clientError where direction == .up: fate.status = 400
      case .serverError where direction == .up: fate.status = 503
      case .tooMany where direction == .up:
        fate.status = 429
        fate.retryAfter = TimeSpan(nanoseconds: fault.amount)
      default: break
      }
    }
    return fate
  }

  /// The amount of a fault of the kind at the actor; nil when there is none.
  public func amount(_ kind: FaultKind, at actor: UInt32, now: Instant) -> Int64? {
    for entry in active where entry.until > now && entry.fault.kind == kind {
      if entry.fault.target == actor || entry.fault.target == Fault.everyone {
        return entry.fault.amount
      }
    }
    return nil
  }
}
