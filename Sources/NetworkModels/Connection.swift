import MediaUnits

/// A connection of a viewer to one host.
public struct Connection {
  /// Most connections to one host (browsers' limit for HTTP/1.1).
  public static let perHost = 6

  /// Whether the connection has been opened and not closed since.
  public var isOpen = false
  /// Its number in a cell's queue, or -1; that of the one before it, negative less two, while that
  /// is to be closed there.
  var queued: Int32 = -1
  /// When the name was known, TCP connected and the handshake complete; in the future while it is
  /// under way.
  public var nameAt = Instant.zero
  public var connectedAt = Instant.zero
  public var readyAt = Instant.zero
  /// Which of its packets are lost.
  public var loss = LossGaps.none
  /// When a packet of its last transfer was missing.
  public var held = HeldSpan()
  /// When the last byte arrived.
  public var lastActive = Instant.zero
  /// Requests without a complete answer.
  public var outstanding = 0
  /// What the sender knows of the path; what only some of them know lies at its end.
  public var state: CongestionState
}

/// A viewer's connections to one host.
public struct Host {
  static let never = Instant(nanoseconds: .max)

  /// From when on the host's name is cached, and a TLS session or a token of it is at hand.
  public var nameKnownAt = never
  public var resumableAt = never
  /// When the look-up under way ends without an answer; past where there is none.
  var nameFailsAt = Instant.zero
  /// ``count`` of them.
  public let connections: UnsafeMutablePointer<Connection>
  /// As many as the viewer may have to it.
  public let count: Int

  public init(connections count: Int) {
    self.count = count
    connections = .allocate(capacity: count)
    connections.initialize(
      repeating: Connection(state: CongestionState(.cubic)), count: count)
  }

  /// Gives the memory back; nothing may be used afterwards.
  public func release() { connections.deallocate() }

  /// As at the start of a session, in the same memory.
  public mutating func reset(canResume: Bool) {
    nameKnownAt = Host.never
    nameFailsAt = .zero
    resumableAt = canResume ? .zero : Host.never
    for place in 0..<count {
      connections[place] = Connection(state: CongestionState(.cubic))
    }
  }

  /// What a connection under way brings with it.
  public mutating func learn(from connection: Connection) {
    if connection.nameAt < nameKnownAt { nameKnownAt = connection.nameAt }
    if connection.readyAt < resumableAt { resumableAt = connection.readyAt }
  }

  /// The network is lost: connections are gone, and so is what they had not learnt yet.
  public mutating func close(at now: Instant) {
    for place in 0..<count { connections[place].isOpen = false }
    if nameKnownAt > now { nameKnownAt = Host.never }
    nameFailsAt = .zero
    if resumableAt > now { resumableAt = Host.never }
  }

  /// The connection that a request should use, or -1 when it has to wait: the last used open one
  /// that is free, then a closed one.
  ///
  /// - Parameters:
  ///   - isShared: whether a connection carries several requests at a time (HTTP/2 and 3).
  public func choose(limit: Int, isShared: Bool) -> Int {
    if isShared { return 0 }
    var best = -1
    for place in 0..<limit where connections[place].isOpen && connections[place].outstanding == 0 {
      if best < 0 || connections[place].lastActive > connections[best].lastActive { best = place }
    }
    if best >= 0 { return best }
    for place in 0..<limit where connections[place].outstanding == 0 { return place }
    return -1
  }
}

extension CongestionState {
  /// The path is another one: what was learnt of it does not hold (RFC 9000 section 9.4).
  /// The validation of the new path is a first sample of its round trip, nanoseconds.
  public mutating func forgetPath(roundTrip: Double) {
    self = CongestionState(
      control, initialWindow: initialWindow, windowLimit: windowLimit, roundTrip: roundTrip)
  }
}
