import MediaUnits

/// What becomes of an interpreter whose connection or heartbeat is lost (ICC-025, ICC-027, OQ-18).
public enum DepartureRule: Sendable, Equatable {
  /// Available, as the specification's list of endings says. A known fault: callers ring nobody.
  case available
  /// Registered until its presence expires, and not available.
  case unavailable
  /// Not registered any more.
  case removed
  /// Hidden, with its call, for so long; then removed.
  case grace(TimeSpan)
}

/// How a request for a call keeps others from the same interpreter (ICC-016, ICC-048).
public enum LockRule: UInt8, Sendable, Equatable, CaseIterable {
  /// The state is looked at and changed in one step.
  case atomic
  /// The state is looked at, then a store is asked, then it is changed without another look. A
  /// known fault: two callers can win.
  case checkThenAct
}

/// Who may take up a name whose old connection the server still holds (ICC-005).
///
/// A token lives as long as the process that got it, as names do (ICC-004): a process that begins
/// anew behind a connection that only seems open finds its name taken until the presence expires.
/// Keeping tokens in a device's store would save that wait and make a name outlive its
/// registration.
public enum ReturnRule: UInt8, Sendable, Equatable, CaseIterable {
  /// Whoever has the token of the registration.
  case token
  /// Nobody, before the presence has expired.
  case waiting
}

/// From when the time for a media connection counts (ICC-031, OQ-19).
public enum IceClock: UInt8, Sendable, Equatable, CaseIterable {
  case accept
  case answer
}

/// The time-outs of a call, on the server's clock (ICC-018, ICC-028 to ICC-031).
public struct CallTimeouts: Sendable, Equatable {
  /// From the request to the accept. Default 10 s (ICC-018).
  public var ring: TimeSpan
  /// From the accept to the answer. Default 10 s (ICC-028).
  public var offerAnswer: TimeSpan
  /// Until the media connection. Default 15 s, the upper end of ICC-029.
  public var ice: TimeSpan
  /// Where that begins. Default the answer: candidates are of no use before it.
  public var iceClock: IceClock
  /// From the accept until both see each other. Default 20 s (ICC-030).
  public var connecting: TimeSpan

  /// - Precondition: all are positive.
  public init(
    ring: TimeSpan = .seconds(10), offerAnswer: TimeSpan = .seconds(10),
    ice: TimeSpan = .seconds(15), iceClock: IceClock = .answer,
    connecting: TimeSpan = .seconds(20)
  ) {
    precondition(ring > .zero && offerAnswer > .zero, "time-outs are positive")
    precondition(ice > .zero && connecting > .zero, "time-outs are positive")
    self.ring = ring
    self.offerAnswer = offerAnswer
    self.ice = ice
    self.iceClock = iceClock
    self.connecting = connecting
  }
}
