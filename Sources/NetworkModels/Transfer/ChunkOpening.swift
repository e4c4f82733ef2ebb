/// A connection's opening: which flight of the handshake is under way.
struct ChunkOpening: BitwiseCopyable {
  enum Stage: UInt8 { case closed, opening, open, failed }

  /// Attempts at one flight before the connection is given up (tcp_synack_retries and more).
  static let mostAttempts = 16

  private(set) var stage = Stage.closed
  private var index = 0
  private var attempt = 0
  /// What the client misses of the answer to it, bytes.
  private var bytesLeft: Int64 = 0
  /// When the client sent the present flight for the first time.
  private var begunAt: Int64 = 0
  /// When the server answers it; `.max` while nothing is under way.
  private(set) var at = Int64.max
  private(set) var connectedAt: Int64 = -1
  private(set) var securedAt: Int64 = -1
  /// When requests can leave.
  private(set) var readyAt: Int64 = -1
  /// Bytes that travel with the first request.
  private var extraBytes: Int64 = 0
  /// Round trip of the last flight, queueing included; -1 without one.
  private(set) var roundTrip: Int64 = -1

  /// Starts a handshake at `now`; without flights the connection is open at once.
  mutating func begin(
    _ handshake: Handshake, at now: Int64, roundTrip: Int64, _ settings: ChunkShared.Settings
  ) {
    extraBytes = handshake.requestExtraBytes(settings.quic)
    index = 0
    attempt = 0
    if handshake.flightCount(settings.quic) == 0 {
      finish(handshake, at: now)
      return
    }
    stage = .opening
    send(handshake, at: now, roundTrip: roundTrip, settings)
  }

  /// Takes the bytes that travel with the request that leaves now.
  mutating func takeExtraBytes() -> Int64 {
    let bytes = extraBytes
    extraBytes = 0
    return bytes
  }

  /// The server answers at `now`; the answer goes through the queue, and packets of it that are
  /// lost are sent again later.
  mutating func answer(
    _ handshake: Handshake, at now: Int64, roundTrip: Int64, loss: inout LossGaps,
    _ shared: inout ChunkShared
  ) {
    let flight = handshake.flight(index, shared.settings.quic)
    var missing: Int64 = 0
    var end = now
    while bytesLeft > 0 {
      let size = shared.settings.segmentSize
      let payload = bytesLeft < size ? bytesLeft : size
      bytesLeft -= payload
      let arrival = pass(payload + shared.settings.overhead, at: now, loss: &loss, &shared.link)
      if arrival < 0 { missing += payload } else { end = arrival }
    }
    if missing > 0 {
      bytesLeft = missing
      retry(handshake, at: now, roundTrip: roundTrip, shared.settings)
      return
    }
    self.roundTrip = end - begunAt - flight.compute
    if flight.completesPath { connectedAt = end }
    if flight.completesTLS { securedAt = end }
    index += 1
    attempt = 0
    if index == handshake.flightCount(shared.settings.quic) {
      finish(handshake, at: end)
    } else {
      send(handshake, at: end, roundTrip: roundTrip, shared.settings)
    }
  }

  /// Sends one packet of the answer.
  ///
  /// - Returns: when it is at the client, -1 when it is lost.
  private func pass(
    _ wire: Int64, at now: Int64, loss: inout LossGaps, _ link: inout ChunkLink
  ) -> Int64 {
    let end = link.offer(wire, at: now)
    if end < 0 || end == .max { return -1 }
    return loss.losesNext() ? -1 : end
  }

  private mutating func send(
    _ handshake: Handshake, at now: Int64, roundTrip: Int64, _ settings: ChunkShared.Settings
  ) {
    let flight = handshake.flight(index, settings.quic)
    bytesLeft = flight.serverBytes
    begunAt = now
    let sent = TransferClock.sum(now, settings.uplinkTime(flight.clientBytes))
    at = TransferClock.sum(sent, roundTrip + flight.compute)
  }

  private mutating func retry(
    _ handshake: Handshake, at now: Int64, roundTrip: Int64, _ settings: ChunkShared.Settings
  ) {
    if attempt >= ChunkOpening.mostAttempts {
      stage = .failed
      at = .max
      return
    }
    let wait = handshake.retryDelay(
      flight: index, attempt: attempt, roundTrip: roundTrip, settings.quic)
    at = TransferClock.sum(now, wait)
    attempt += 1
  }

  private mutating func finish(_ handshake: Handshake, at time: Int64) {
    stage = .open
    at = .max
    readyAt = time
    if connectedAt < 0 { connectedAt = time }
    if securedAt < 0 && (handshake == .tls13Early || handshake == .quicZeroRTT) {
      securedAt = time
    }
  }
}
