/// What a message is about.
///
/// The first eleven are the specification's (ICC-034); the others name what it describes and has no
/// type for.
public enum MessageType: UInt8, Sendable, Equatable, CaseIterable {
  case callRequest
  case callAccept
  case callDecline
  case offer
  case answer
  case ice
  case hangup
  case busy
  case reportAbuse
  case statsUpdate
  case videoVisible
  /// To the server: take a name and a role, perhaps again.
  case register
  /// From the server: the name is taken.
  case registered
  case heartbeat
  case goOnline
  case goOffline
  /// From the server: an interpreter can be called, or not any more.
  case presence
  /// From the server: the call has its name and the interpreter is being rung.
  case ringing
  /// From the server: the message was not accepted.
  case fault

  /// Whether only the server sends it.
  public var isServerOnly: Bool {
    switch self {
    case .busy, .registered, .presence, .ringing, .fault: return true
    default: return false
    }
  }

  /// Whether a client must name the call (ICC-032).
  public var needsCall: Bool {
    switch self {
    case .callAccept, .callDecline, .offer, .answer, .ice, .hangup, .reportAbuse, .statsUpdate,
      .videoVisible:
      return true
    default: return false
    }
  }
}

/// Why a message was not accepted.
public enum EnvelopeFault: UInt8, Sendable, Equatable, CaseIterable {
  case notRegistered
  /// The name is another's.
  case nameTaken
  /// A name or role is fixed while it is registered.
  case alreadyRegistered
  /// `from` is not the user of the connection.
  case wrongSender
  /// Only the server says this.
  case wrongType
  /// The message carries what its type does not.
  case wrongPayload
  /// The role does not allow it (ICC-003).
  case wrongRole
  case missingCall
  case unknownCall
  /// The call is over (ICC-033).
  case expiredCall
  /// The call is between others.
  case notParty
  /// The call is not so far, or further.
  case wrongPhase
  /// There is no such user to call, or it is the caller.
  case noSuchUser
  /// More connections or users than a server has.
  case tooMany
}

/// Why a call ended.
public enum EndReason: UInt8, Sendable, Equatable, CaseIterable {
  case hungUp
  case declined
  case noAnswer
  /// No offer and answer in time (ICC-028).
  case offerAnswerTimeout
  /// No connection in time (ICC-029).
  case iceTimeout
  /// Too long between accept and the first pictures (ICC-030).
  case connectingTimeout
  /// The media connection failed.
  case mediaFailed
  /// The other's connection closed.
  case disconnected
  /// The other's heartbeats stopped.
  case expired
  /// The server does not know the call any more.
  case lostByServer
}

/// What a message carries.
///
/// Descriptions, candidates and statistics are opaque: their length and a digest, so that a
/// recording of messages cannot hold what must not be kept (ICC-051).
public enum Payload: Sendable, Equatable {
  case none
  case opaque(bytes: UInt32, digest: UInt64)
  /// The token of a registration that is to be taken up again; 0 for a new one.
  case registration(Role, token: UInt64)
  case presence(UserID, isAvailable: Bool)
  case reason(EndReason)
  case fault(EnvelopeFault)
}

/// One message between a client and the server (ICC-034).
public struct Envelope: Sendable, Equatable {
  public var type: MessageType
  public var call: CallID?
  public var from: UserID?
  public var to: UserID?
  public var payload: Payload

  public init(
    _ type: MessageType, call: CallID? = nil, from: UserID? = nil, to: UserID? = nil,
    payload: Payload = .none
  ) {
    self.type = type
    self.call = call
    self.from = from
    self.to = to
    self.payload = payload
  }

  /// What is wrong with a message from a client, whoever sent it; nil when it is well formed.
  public var fault: EnvelopeFault? {
    if type.isServerOnly { return .wrongType }
    if type.needsCall && call == nil { return .missingCall }
    if type == .callRequest && to == nil { return .noSuchUser }
    switch (type, payload) {
    case (.register, .registration), (.offer, .opaque), (.answer, .opaque), (.ice, .opaque),
      (.statsUpdate, .opaque), (.hangup, .reason), (.hangup, .none):
      return nil
    case (.register, _), (.offer, _), (.answer, _), (.ice, _), (.statsUpdate, _), (.hangup, _):
      return .wrongPayload
    case (_, .none): return nil
    default: return .wrongPayload
    }
  }
}

/// All that a server may keep of what happened (ICC-050 to ICC-052). There is no place in it for a
/// description, a candidate or a statistic, and none for who spoke with whom.
public enum CallLog: Sendable, Equatable {
  public enum Kind: UInt8, Sendable, Equatable, CaseIterable {
    case registered
    case left
    case requested
    case accepted
    case connected
    case ended
    case refused
  }

  case event(Kind, call: CallID?, session: UInt32, role: Role?)
  case abuse(CallID, session: UInt32, offender: UserID)
  case statistics(users: Int, available: Int, calls: Int)
}
