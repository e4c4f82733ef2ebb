/// One round trip of a handshake.
public struct HandshakeFlight: Sendable, Equatable {
  /// Payload of the client's packets and of the server's answer, bytes.
  public var clientBytes: Int64
  public var serverBytes: Int64
  /// Computation at both ends, nanoseconds.
  public var compute: Int64
  /// Whether the answer completes the path (TCP connected, QUIC's handshake done) or TLS.
  public var completesPath: Bool
  public var completesTLS: Bool
  /// Whether both are payload of QUIC's datagrams, which cost less than full packets of data.
  var isDatagram = false

  /// What the client's part costs on the wire, bytes.
  @inline(__always)
  public func clientWire(overhead: Int64) -> Int64 {
    clientBytes + (isDatagram ? QUICStack.framing : overhead)
  }

  /// What the server's answer costs on the wire, bytes.
  @inline(__always)
  public func serverWire(segmentSize: Int64, overhead: Int64) -> Int64 {
    let size = isDatagram ? QUICStack.datagram : segmentSize
    let packets = (serverBytes + size - 1) / size
    return serverBytes + packets * (isDatagram ? QUICStack.framing : overhead)
  }
}

extension Handshake {
  /// Round trips until the request can leave.
  public var flightCount: Int {
    switch self {
    case .none, .quicZeroRTT: 0
    case .tcp, .tls13Early, .quic: 1
    case .tls13, .tls13Resumed: 2
    case .tls12: 3
    }
  }

  /// The same with a server's flight that may be longer than three times what the client sent: the
  /// rest of it then waits for the client's next datagram (RFC 9000 section 8.1).
  @inline(__always)
  public func flightCount(_ quic: QUICStack) -> Int {
    self == .quic && quic.serverFlight > quic.openingFlight ? 2 : flightCount
  }

  public var isQUIC: Bool { self == .quic || self == .quicZeroRTT }

  /// Whether responses come in TLS records over TCP.
  public var hasTLSRecords: Bool {
    self == .tls12 || self == .tls13 || self == .tls13Resumed || self == .tls13Early
  }

  /// Payload that travels with the first request because the handshake is not over: the client's
  /// Finished (RFC 8446), or its hello together with early data.
  ///
  /// QUIC's request shares its datagram with the acknowledgement of the server's Initial packet, or
  /// with the client's hello, and all such datagrams are padded to 1,200 bytes (RFC 9000 section
  /// 14.1): these are what a request of 80 leaves of them.
  public func requestExtraBytes(_ quic: QUICStack) -> Int64 {
    switch self {
    case .none, .tcp, .tls12: 0
    case .tls13, .tls13Resumed: 80
    case .tls13Early: 600
    case .quic:
      // After a second flight the Initial is acknowledged: Finished and HTTP/3's settings are left.
      flightCount(quic) > 1 ? 300 : 1120
    case .quicZeroRTT: 1120
    }
  }

  /// Payload that the server sends by itself before its first answer, a packet each, bytes: two
  /// session tickets after a full TLS 1.3 handshake (RFC 8446 section 4.6.1), HTTP/2's settings
  /// (RFC 9113 section 3.4) and their acknowledgement, where that goes alone.
  ///
  /// Sizes are those of OpenSSL 3 and nginx 1.22, read from their records: tickets of 271 bytes,
  /// settings with a window update of 62, an acknowledgement of 31.
  func greeting(_ http: HTTPVersion, isAcknowledgedAlone: Bool) -> (packets: Int64, bytes: Int64) {
    if !hasTLSRecords { return (0, 0) }
    var packets: Int64 = 0
    var bytes: Int64 = 0
    if self == .tls13 || self == .tls13Early {
      packets += 1
      bytes += 542
    }
    if http == .http2 {
      packets += 1
      bytes += 62
      if isAcknowledgedAlone {
        packets += 1
        bytes += 31
      }
    }
    return (packets, bytes)
  }

  /// How long a server takes to read a client's settings and to acknowledge them, nanoseconds.
  ///
  /// A request that is there by then is answered together with the acknowledgement, and its header
  /// fields go out at once; one that comes later finds nothing to go with, and its header fields
  /// share a TLS record of 16 kB with the body's begin. Measured with nginx 1.22 and curl 7.88 by
  /// holding back the second of a client's packets: up to 0.16 ms most answers go together, from
  /// 0.24 ms on none does.
  static let settingsTime: Int64 = 190_000

  /// Payload of TLS records, and what a record costs beyond it in TLS 1.3, bytes (RFC 8446 section
  /// 5).
  static let recordBytes: Int64 = 16_384
  static let recordOverhead: Int64 = 22

  /// What `bytes` cost as records.
  static func inRecords(_ bytes: Int64) -> Int64 {
    bytes + (bytes + recordBytes - 1) / recordBytes * recordOverhead
  }

  /// Flight `index` of ``flightCount``.
  ///
  /// Sizes are estimates unless a source is named: options of a SYN beyond a data packet's (RFC
  /// 9293, 7323); hello and key exchange of common clients, a certificate chain of 0.6 kB (P-256);
  /// QUIC pads its first packets to 1,200 bytes (RFC 9000 section 14.1), and the rest of it is its
  /// ``QUICStack``. Computation was measured
  /// with OpenSSL 3 on that chain: TLS 1.3 takes a round trip and 3 ms, TLS 1.2 two round trips and
  /// 4.6 ms, of which 0.3 ms each is serialisation at 50 Mbps; its split over the flights is ours.
  public func flight(_ index: Int, _ quic: QUICStack) -> HandshakeFlight {
    var flight = HandshakeFlight(
      clientBytes: 8, serverBytes: 8, compute: 0, completesPath: true, completesTLS: false)
    if isQUIC {
      flight.clientBytes = QUICStack.datagram
      flight.serverBytes = quic.serverFlight
      flight.compute = quic.computation
      flight.isDatagram = true
      if flightCount(quic) > 1 {
        // The client acknowledges the first datagram at once, which pays for the rest.
        flight.serverBytes =
          index == 0 ? QUICStack.datagram : quic.serverFlight - quic.openingFlight
        if index > 0 { flight.compute = 0 }
      }
      flight.completesPath = index == flightCount(quic) - 1
      flight.completesTLS = flight.completesPath
      return flight
    }
    if index == 0 { return flight }
    flight.completesPath = false
    flight.completesTLS = index == flightCount - 1
    switch self {
    case .tls12:
      flight.clientBytes = index == 1 ? 517 : 126
      flight.serverBytes = index == 1 ? 950 : 250
      flight.compute = index == 1 ? 2_300_000 : 2_000_000
    case .tls13Resumed:
      flight.clientBytes = 750
      flight.serverBytes = 250
    default:
      flight.clientBytes = 517
      flight.serverBytes = 1100
      flight.compute = 2_700_000
    }
    return flight
  }

  /// How long the client or server waits for an answer to flight `index` that is lost the
  /// `attempt`-th time in a row (from 0), nanoseconds.
  ///
  /// SYN: 1 s, doubling (RFC 6298 section 2.1); QUIC: 999 ms or its stack's, doubling (RFC 9002
  /// section 6.2.2); TLS over TCP: a probe timeout with a single packet out, then retransmission
  /// timeouts.
  public func retryDelay(
    flight index: Int, attempt: Int, roundTrip: Int64, _ quic: QUICStack
  ) -> Int64 {
    let doubling = Int64(1) << Int64(attempt < 6 ? attempt : 6)
    if isQUIC { return quic.firstProbe * doubling }
    if index == 0 { return 1_000_000_000 * doubling }
    let margin = Int64(CongestionState.timeoutMargin)
    return attempt == 0 ? 2 * roundTrip + margin : (roundTrip + margin) * doubling
  }
}

/// A connection's opening: when its parts are done.
public struct ConnectionSetup: Sendable, Equatable {
  /// When the path and TLS are ready and when the request can leave, nanoseconds on the case's
  /// clock; `secure` is nil without TLS.
  public var connect: Int64
  public var secure: Int64?
  public var ready: Int64
  /// Round trip of the last flight, nanoseconds; nil without any.
  public var roundTrip: Int64?

  /// Opens a connection over an otherwise idle path.
  ///
  /// - Parameters:
  ///   - start: when the first packet leaves.
  ///   - roundTrip: propagation there and back, nanoseconds.
  ///   - uplinkRate: bits per second.
  ///   - overhead: wire bytes of a packet beyond its payload.
  ///   - loss: the connection's losses; answers are transmissions of it.
  public init(
    _ handshake: Handshake, at start: Int64, roundTrip: Int64, uplinkRate: Double,
    downlink: borrowing RateIntegral, overhead: Int64, segmentSize: Int64,
    quic: QUICStack = QUICStack(), loss: inout LossGaps
  ) {
    connect = start
    secure = nil
    ready = start
    self.roundTrip = nil
    for index in 0..<handshake.flightCount(quic) {
      let flight = handshake.flight(index, quic)
      let begin = ready
      var sent = begin
      var attempt = 0
      while loss.clean == 0 && attempt <= ConnectionSetup.retries {
        loss.lose()
        let wait = handshake.retryDelay(
          flight: index, attempt: attempt, roundTrip: roundTrip, quic)
        sent = TransferClock.sum(sent, wait)
        attempt += 1
      }
      if attempt > ConnectionSetup.retries {
        sent = .max
      } else {
        loss.pass(1)
      }
      let up = ConnectionSetup.uplink(flight.clientWire(overhead: overhead), rate: uplinkRate)
      let down = Double(flight.serverWire(segmentSize: segmentSize, overhead: overhead))
      let isSent = sent < .max && up < .max
      let way = roundTrip / 2 + flight.compute
      let arrival = isSent ? TransferClock.sum(TransferClock.sum(sent, up), way) : .max
      let through = downlink.time(toServe: down, from: arrival)
      if through >= TransferClock.never {
        ready = .max
        if flight.completesPath { connect = .max }
        if flight.completesTLS { secure = .max }
        return
      }
      ready = through + (roundTrip - roundTrip / 2)
      self.roundTrip = ready - sent - flight.compute
      if flight.completesPath { connect = ready }
      if flight.completesTLS { secure = ready }
    }
    if handshake == .tls13Early { secure = ready }
    if handshake == .quicZeroRTT { secure = ready }
  }

  /// Linux gives up after so many retries of a SYN (tcp_syn_retries).
  public static let retries = 6

  /// Serialisation on an uplink, nanoseconds; `Int64.max` when it takes years.
  public static func uplink(_ bytes: Int64, rate: Double) -> Int64 {
    let span = Double(bytes) * 8e9 / rate
    return rate > 0 && span < 1e17 ? Int64(span) : .max
  }
}
