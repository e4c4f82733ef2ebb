/// How a QUIC sender spreads what its window allows (RFC 9002 section 7.7).
public enum Pacing: UInt8, Sendable, Equatable, CaseIterable {
  /// At once, clocked by acknowledgements.
  case none
  /// The text's example: 1.25 windows a round trip, bursts of at most an initial window.
  case rfc9002
  /// aioquic 1.7: a datagram leaves whenever its bucket is not empty and the bucket is then at
  /// least empty, so that two leave in the time of one: two windows a round trip. Bursts are a
  /// quarter of a window, at least 2 and at most 16 datagrams (its `recovery.py`).
  case aioquic

  /// Windows a round trip.
  @inline(__always)
  var gain: Double { self == .aioquic ? 2 : 1.25 }

  /// Packets that leave together.
  @inline(__always)
  func burst(window: Double, initialWindow: Double) -> Double {
    if self == .rfc9002 { return initialWindow }
    let quarter = window / 4
    return quarter < 2 ? 2 : quarter > 16 ? 16 : quarter
  }
}

/// What a pair of QUIC endpoints does that RFC 9000 and 9002 leave to it.
public struct QUICStack: Sendable, Equatable {
  /// Bytes of the server's first flight with its certificates, as datagrams' payload. Of 2,000 an
  /// estimate: a chain of 0.6 kB, and the Initial's datagram padded to 1,200.
  public var serverFlight: Int64
  /// The same without certificates, for a resumed session with early data; it shares its datagram
  /// with the answer.
  public var earlyFlight: Int64
  /// Computation of a handshake at both ends, nanoseconds; TLS 1.3's with OpenSSL 3 by default.
  public var computation: Int64
  /// Computation from a request's arrival until its answer leaves, nanoseconds: of a connection's
  /// first answer, and of later ones.
  public var firstAnswer: Int64
  public var laterAnswer: Int64
  /// When a first packet without an answer is sent again, nanoseconds: 999 ms with the initial
  /// round trip of RFC 9002 section 6.2.2.
  public var firstProbe: Int64
  /// Whether the server knows the client's address (a token of an earlier connection, RFC 9000
  /// section 8.1.3), so that its early answer is not held to three times what the client sent.
  public var isValidated: Bool
  public var pacing: Pacing
  /// How long an acknowledgement waits for more packets, nanoseconds.
  public var acknowledgementDelay: Int64
  /// Bytes of one response in a row while several share the connection.
  public var turnBytes: Int64
  /// Whether header fields of all responses go before their bodies, or each with its stream's turn.
  public var sendsFieldsFirst: Bool
  /// Whether the window also grows while it is not the limit, which RFC 9002 section 7.8 forbids.
  public var growsUnused: Bool

  public init(
    serverFlight: Int64 = 2_000, earlyFlight: Int64 = 450, computation: Int64 = 2_700_000,
    firstAnswer: Int64 = 0, laterAnswer: Int64 = 0, firstProbe: Int64 = 999_000_000,
    isValidated: Bool = false, pacing: Pacing = .none,
    acknowledgementDelay: Int64 = 0, turnBytes: Int64 = 65_536,
    sendsFieldsFirst: Bool = true, growsUnused: Bool = false
  ) {
    self.sendsFieldsFirst = sendsFieldsFirst
    self.serverFlight = serverFlight
    self.earlyFlight = earlyFlight
    self.computation = computation
    self.firstAnswer = firstAnswer
    self.laterAnswer = laterAnswer
    self.firstProbe = firstProbe
    self.isValidated = isValidated
    self.pacing = pacing
    self.acknowledgementDelay = acknowledgementDelay
    self.turnBytes = turnBytes
    self.growsUnused = growsUnused
  }

  /// Least payload of a datagram with an Initial packet (RFC 9000 section 14.1), and what IPv4 and
  /// UDP add to one.
  static let datagram: Int64 = 1_200
  static let framing: Int64 = 28
  /// How many times what the client sent a server may send before it knows the address (RFC 9000
  /// section 8.1).
  static let amplification: Int64 = 3

  /// Whether acknowledgements clock the sender as they do Linux's.
  @inline(__always)
  var isClocked: Bool { pacing == .none && !growsUnused && acknowledgementDelay == 0 }

  /// Whether slow start is the window's doubling and nothing else.
  func isPlain(_ handshake: Handshake) -> Bool {
    isClocked && (handshake != .quicZeroRTT || isValidated)
  }

  /// What the server may send of its flight before the client answers.
  @inline(__always)
  var openingFlight: Int64 {
    let most = QUICStack.amplification * QUICStack.datagram
    return serverFlight < most ? serverFlight : most
  }

  /// Packets of an early answer that may leave before the client's address is known, for a request
  /// of so many bytes.
  @inline(__always)
  func earlyPackets(request: Int64, packetBytes: Int64) -> Int64 {
    // The client's hello leaves some 700 bytes of its datagram to the request.
    let beyond = request > 700 ? request - 700 : 0
    let datagrams = 1 + (beyond + QUICStack.datagram - 1) / QUICStack.datagram
    let packets = QUICStack.amplification * datagrams * QUICStack.datagram / packetBytes
    return packets < 1 ? 1 : packets
  }
}
