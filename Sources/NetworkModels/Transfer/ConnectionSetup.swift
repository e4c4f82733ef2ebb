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

  public var isQUIC: Bool { self == .quic || self == .quicZeroRTT }

  /// Whether responses come in TLS records over TCP.
  public var hasTLSRecords: Bool {
    self == .tls12 || self == .tls13 || self == .tls13Resumed || self == .tls13Early
  }

  /// Payload that travels with the first request because the handshake is not over: the client's
  /// Finished (RFC 8446), or its hello together with early data.
  public var requestExtraBytes: Int64 {
    switch self {
    case .none, .tcp, .tls12: 0
    case .tls13, .tls13Resumed: 80
    case .tls13Early: 600
    case .quic: 80
    case .quicZeroRTT: 1200
    }
  }

  /// Flight `index` of ``flightCount``.
  ///
  /// Sizes are estimates unless a source is named: options of a SYN beyond a data packet's (RFC
  /// 9293, 7323); hello and key exchange of common clients, a certificate chain of 0.6 kB (P-256);
  /// QUIC pads its first packets to 1,200 bytes (RFC 9000 section 14.1). Computation was measured
  /// with OpenSSL 3 on that chain: TLS 1.3 takes a round trip and 3 ms, TLS 1.2 two round trips and
  /// 4.6 ms, of which 0.3 ms each is serialisation at 50 Mbps; its split over the flights is ours.
  public func flight(_ index: Int) -> HandshakeFlight {
    var flight = HandshakeFlight(
      clientBytes: 8, serverBytes: 8, compute: 0, completesPath: true, completesTLS: false)
    if isQUIC {
      flight.clientBytes = 1200
      flight.serverBytes = 2000
      flight.compute = 2_700_000
      flight.completesTLS = true
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
  /// SYN: 1 s, doubling (RFC 6298 section 2.1); QUIC: 999 ms, doubling (RFC 9002 section 6.2.2);
  /// TLS over TCP: a probe timeout with a single packet out, then retransmission timeouts.
  public func retryDelay(flight index: Int, attempt: Int, roundTrip: Int64) -> Int64 {
    let doubling = Int64(1) << Int64(attempt < 6 ? attempt : 6)
    if isQUIC { return 999_000_000 * doubling }
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
    downlink: borrowing RateIntegral, overhead: Int64, segmentSize: Int64, loss: inout LossGaps
  ) {
    connect = start
    secure = nil
    ready = start
    self.roundTrip = nil
    for index in 0..<handshake.flightCount {
      let flight = handshake.flight(index)
      let begin = ready
      var sent = begin
      var attempt = 0
      while loss.clean == 0 && attempt <= ConnectionSetup.retries {
        loss.lose()
        let wait = handshake.retryDelay(flight: index, attempt: attempt, roundTrip: roundTrip)
        sent = TransferClock.sum(sent, wait)
        attempt += 1
      }
      if attempt > ConnectionSetup.retries {
        sent = .max
      } else {
        loss.pass(1)
      }
      let up = ConnectionSetup.uplink(flight.clientBytes + overhead, rate: uplinkRate)
      let packets = (flight.serverBytes + segmentSize - 1) / segmentSize
      let down = Double(flight.serverBytes + packets * overhead)
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
