import MediaUnits
import MessagingModel

/// What a user or the environment does at a step of a schedule.
public enum CallsAction: Sendable, Equatable {
  /// A caller asks for an interpreter.
  case call(UInt32, UInt32)
  /// A caller who is free wants to speak with anybody in its list; the number is for draws.
  case wish(UInt32)
  case hangUp(UInt32)
  case accept(UInt32)
  case decline(UInt32)
  case goOnline(UInt32)
  case goOffline(UInt32)
  case report(UInt32)
  /// The app goes to the background, or comes back.
  case suspend(UInt32)
  case resume(UInt32)
  /// The process ends; it begins anew with ``start(_:)``.
  case kill(UInt32)
  case start(UInt32)
  case fault(Fault)
}

/// What the call protocol promises, and what a search must have seen.
public enum CallsProperty: UInt8, ProtocolProperty {
  case oneCallEach
  case legalStanding
  case noGhostRing
  case listedIsPresent
  case ringIsBounded
  case connectingIsBounded
  case oneOutcome
  case twoInACall
  case relaysWithinCapacity
  case everyoneIsBack
  case standingsAgree
  case nothingLeft
  case callsWork
  case lostRace
  case acceptedTooLate
  case cancelledEarly
  case presenceExpired
  case nameTaken
  case tokenTakenUp
  case serverLostCalls
  case earlyCandidate
  case relayed
  case relayBlocked
  case hangUpCrossedAccept
  case leftWhileRinging
  case connected
  case reported
  case timedOutConnecting
  case resetFound

  public var kind: PropertyKind {
    switch self {
    case .oneCallEach, .legalStanding, .noGhostRing, .listedIsPresent, .ringIsBounded,
      .connectingIsBounded, .oneOutcome, .twoInACall, .relaysWithinCapacity:
      return .always
    case .everyoneIsBack, .standingsAgree, .nothingLeft, .callsWork: return .eventually
    default: return .sometimes
    }
  }

  public var name: StaticString {
    switch self {
    case .oneCallEach: return "one-call-each"
    case .legalStanding: return "legal-standing"
    case .noGhostRing: return "no-ghost-ring"
    case .listedIsPresent: return "listed-is-present"
    case .ringIsBounded: return "ring-is-bounded"
    case .connectingIsBounded: return "connecting-is-bounded"
    case .oneOutcome: return "one-outcome"
    case .twoInACall: return "two-in-a-call"
    case .relaysWithinCapacity: return "relays-within-capacity"
    case .everyoneIsBack: return "everyone-is-back"
    case .standingsAgree: return "standings-agree"
    case .nothingLeft: return "nothing-left"
    case .callsWork: return "calls-work"
    case .lostRace: return "lost-race"
    case .acceptedTooLate: return "accepted-too-late"
    case .cancelledEarly: return "cancelled-early"
    case .presenceExpired: return "presence-expired"
    case .nameTaken: return "name-taken"
    case .tokenTakenUp: return "token-taken-up"
    case .serverLostCalls: return "server-lost-calls"
    case .earlyCandidate: return "early-candidate"
    case .relayed: return "relayed"
    case .relayBlocked: return "relay-blocked"
    case .hangUpCrossedAccept: return "hang-up-crossed-accept"
    case .leftWhileRinging: return "left-while-ringing"
    case .connected: return "connected"
    case .reported: return "reported"
    case .timedOutConnecting: return "timed-out-connecting"
    case .resetFound: return "reset-found"
    }
  }

  public var statement: StaticString {
    switch self {
    case .oneCallEach: return "nobody has two calls"
    case .legalStanding: return "an interpreter's state changes along legal edges only"
    case .noGhostRing: return "no interpreter without a connection is rung"
    case .listedIsPresent: return "whoever can be called has a connection"
    case .ringIsBounded: return "no ring is longer than its time-out"
    case .connectingIsBounded: return "no client connects for longer than the limit and its margin"
    case .oneOutcome: return "a call is accepted once at most and ends once at most"
    case .twoInACall: return "never more than two clients have media for one call"
    case .relaysWithinCapacity: return "the relays carry no more calls than they can"
    case .everyoneIsBack: return "every client has its name again"
    case .standingsAgree: return "the server and each interpreter agree on whether it is available"
    case .nothingLeft: return "no call, ring or relay is left when nobody calls"
    case .callsWork: return "a call between clients that can reach each other connects"
    case .lostRace: return "a caller was told busy"
    case .acceptedTooLate: return "an accept found its call over"
    case .cancelledEarly: return "a caller gave up before the call had a name"
    case .presenceExpired: return "a presence expired"
    case .nameTaken: return "a client found its own name taken"
    case .tokenTakenUp: return "a registration was taken up on another connection"
    case .serverLostCalls: return "the server stopped during a call"
    case .earlyCandidate: return "a candidate came before the description"
    case .relayed: return "a call went through a relay"
    case .relayBlocked: return "the relays had no room"
    case .hangUpCrossedAccept: return "a caller hung up while the accept was on its way"
    case .leftWhileRinging: return "an interpreter left while it rang"
    case .connected: return "both saw each other"
    case .reported: return "abuse was reported"
    case .timedOutConnecting: return "a call ended because it did not connect in time"
    case .resetFound: return "a client learnt that its connection had been dead"
    }
  }
}
