import MediaUnits
import ModelBasics
import SimulationKernel

/// What a viewer's packets travel on, as it stands now.
public struct AccessPath {
  let profile: UnsafeMutablePointer<NetworkProfile>
  /// Rate of the downlink, bits per second; zero while it is down.
  let rate: Double
  /// The session's mean of it, for what has to be priced while it is down.
  let mean: Double
  let roundTrip: TimeSpan

  public init(
    profile: UnsafeMutablePointer<NetworkProfile>, rate: Double, mean: Double, roundTrip: TimeSpan
  ) {
    self.profile = profile
    self.rate = rate
    self.mean = mean
    self.roundTrip = roundTrip
  }
}

/// What every world's connections do: open, and carry answers.
extension Connection {
  /// Opens the connection: the host's name, then the flights of the handshake.
  ///
  /// - Parameters:
  ///   - begin: when the link carries packets.
  ///   - nameLoss: time that failed tries of the name's look-up have taken before.
  ///   - number: of the connection among all of the run, for its losses.
  ///   - host: as it stood before.
  public mutating func open(
    at begin: Instant, to host: Host, nameLoss: TimeSpan = .zero, number: UInt64,
    over path: AccessPath, transport: UnsafeMutablePointer<TransportConfiguration>,
    streams: RandomStreams
  ) {
    isOpen = true
    if queued >= 0 { queued = -2 - queued }
    state = transport.pointee.newSender(roundTrip: path.roundTrip)
    loss = LossGaps(path.profile.pointee.loss, connection: number, streams: streams)
    held = HeldSpan()
    nameAt = begin
    connectedAt = begin
    readyAt = begin
    if transport.pointee.model == .firstFrame {
      // A look-up that is under way for another connection serves this one, too.
      let lookup = begin + nameLoss + path.profile.pointee.nameLookup
      let known = host.nameKnownAt < lookup ? host.nameKnownAt : lookup
      nameAt = known > begin ? known : begin
      let canResume = host.resumableAt <= nameAt
      shakeHands(
        canResume ? transport.pointee.resumedHandshake : transport.pointee.handshake, over: path,
        transport: transport)
    }
    state.lastSend = readyAt.nanoseconds
    lastActive = readyAt
  }

  /// Flight after flight: both links' serialisation at the present rate, a round trip, computation,
  /// and the retries of answers that are lost.
  private mutating func shakeHands(
    _ handshake: Handshake, over path: AccessPath,
    transport: UnsafeMutablePointer<TransportConfiguration>
  ) {
    let rate = path.rate > 0 ? path.rate : path.mean
    let uplinkRate = path.profile.pointee.uplinkRate
    let roundTrip = path.roundTrip.nanoseconds
    var time = nameAt.nanoseconds
    connectedAt = nameAt
    let quic = QUICStack()
    for index in 0..<handshake.flightCount {
      let flight = handshake.flight(index, quic)
      var attempt = 0
      while loss.clean == 0 && attempt < ConnectionSetup.retries {
        loss.lose()
        time += handshake.retryDelay(
          flight: index, attempt: attempt, roundTrip: roundTrip, quic)
        attempt += 1
      }
      loss.pass(1)
      let overhead = transport.pointee.overhead
      let down =
        Double(
          flight.serverWire(segmentSize: transport.pointee.segmentSize, overhead: overhead)) * 8e9
      time += ConnectionSetup.uplink(flight.clientWire(overhead: overhead), rate: uplinkRate)
      time += roundTrip + flight.compute + (rate > 0 ? Int64(down / rate) : 0)
      if flight.completesPath { connectedAt = Instant(nanoseconds: time) }
    }
    readyAt = Instant(nanoseconds: time)
  }

  /// Carries an answer whose first byte is at the viewer at `arrival`, and learns from it.
  ///
  /// - Parameters:
  ///   - mark: packets of it that somebody waits for; 0 where nobody does.
  ///   - packetTime: time of a full packet at the rate that the connection gets, nanoseconds.
  ///   - stream: what the connection has to send already, behind which the answer goes, and the
  ///     answer's mean bytes of a packet on the wire; nil where nobody keeps that.
  /// - Returns: nanoseconds in which the answer does not use the link, those of them before the
  ///   packets of the mark are there (all of them without a mark), and the time in which a packet
  ///   of it is missing, so that others on a shared connection wait; nil for none. Where a stream
  ///   is kept also what mark and end wait for beyond the pauses of the stream before them.
  public mutating func carry(
    packets: Int64, mark: Int64 = 0, packetTime: Double, at arrival: Instant, roundTrip: TimeSpan,
    profile: UnsafeMutablePointer<NetworkProfile>,
    transport: UnsafeMutablePointer<TransportConfiguration>,
    behind stream: (pauses: UnsafeMutablePointer<SenderPauses>, packetBytes: Double)? = nil
  ) -> (stall: Int64, early: Int64, missing: HeldSpan?, waits: (mark: Int64, end: Int64)) {
    state.resume(at: arrival.nanoseconds, idleRestart: transport.pointee.slowStartAfterIdle)
    lastActive = arrival
    // Of what it depends on: profile and configuration would be copied.
    let tier = TransferTier(
      lossRate: profile.pointee.lossRate, congestion: transport.pointee.congestion,
      receiveWindow: transport.pointee.receiveWindow)
    if tier == .closed {
      let before = state.window
      let stall = state.sendClosed(
        packets: packets, packetTime: packetTime, roundTrip: roundTrip, at: arrival)
      if let stream {
        TransferCost.closed(
          packets: packets, packetTime: packetTime, roundTrip: Double(roundTrip.nanoseconds),
          window: before, packetBytes: stream.packetBytes, into: &stream.pauses.pointee)
      }
      if mark == 0 { return (stall, stall, nil, (0, 0)) }
      let early = TransferCost.closed(
        packets: mark, packetTime: packetTime, roundTrip: Double(roundTrip.nanoseconds),
        window: before
      ).stall
      return (stall, Int64(early), nil, (0, 0))
    }
    let last = state.lastSend
    let start = arrival.nanoseconds > last ? arrival.nanoseconds : last
    let queue = Double(profile.pointee.queueLimit.nanoseconds) / packetTime
    let queuePackets = queue > Connection.leastQueue ? queue : Connection.leastQueue
    if let stream {
      var watch = PauseWatch(
        behind: stream.pauses.pointee, packets: packets, mark: mark, packetTime: packetTime,
        packetBytes: stream.packetBytes)
      let cost = TransferCost.rounds(
        state: &state, loss: &loss, at: start, packets: packets, packetTime: packetTime,
        roundTrip: Double(roundTrip.nanoseconds), queuePackets: queuePackets,
        isQUIC: transport.pointee.isQUIC, watch: &watch)
      let (stall, early, missing) = Connection.times(
        of: cost, watch.holes, mark: mark, packetTime: packetTime, from: start, at: arrival,
        holdsUp: transport.pointee.http == .http2)
      let waits = watch.end(stall: stall, early: early)
      stream.pauses.pointee = watch.pauses
      return (stall, early, missing, waits)
    }
    var watch = HoleWatch(mark: mark)
    let cost = TransferCost.rounds(
      state: &state, loss: &loss, at: start, packets: packets, packetTime: packetTime,
      roundTrip: Double(roundTrip.nanoseconds), queuePackets: queuePackets,
      isQUIC: transport.pointee.isQUIC, watch: &watch)
    let (stall, early, missing) = Connection.times(
      of: cost, watch, mark: mark, packetTime: packetTime, from: start, at: arrival,
      holdsUp: transport.pointee.http == .http2)
    return (stall, early, missing, (0, 0))
  }

  /// What the rounds of an answer come to, which began at `start` on the connection's clock.
  ///
  /// - Parameter holdsUp: whether others wait for a packet that is missing.
  @inline(__always)
  private static func times(
    of cost: TransferCost, _ watch: HoleWatch, mark: Int64, packetTime: Double,
    from start: Int64, at arrival: Instant, holdsUp: Bool
  ) -> (stall: Int64, early: Int64, missing: HeldSpan?) {
    let stall = Int64(atMost: cost.stall)
    var early = stall
    if mark > 0 && watch.markedAt >= start {
      let waited = watch.markedAt - start - Int64(atMost: Double(mark) * packetTime)
      early = waited < 0 ? 0 : waited < stall ? waited : stall
    }
    guard holdsUp && watch.until > watch.from else { return (stall, early, nil) }
    let shift = arrival.nanoseconds - start
    return (stall, early, HeldSpan(from: watch.from + shift, until: watch.until + shift))
  }

  /// Packets that its sender may send at once after the time in which it sent nothing.
  func windowAfterPause(
    at arrival: Instant, transport: UnsafeMutablePointer<TransportConfiguration>
  ) -> Double {
    var resumed = state
    resumed.resume(at: arrival.nanoseconds, idleRestart: transport.pointee.slowStartAfterIdle)
    return resumed.window < resumed.windowLimit ? resumed.window : resumed.windowLimit
  }

  /// What a busy link adds to a round trip: windows in flight beyond the pipe, bounded.
  ///
  /// - Parameters:
  ///   - backlog: wire bytes that the viewer's transfers still bring.
  ///   - rate: of the downlink, bits per second; zero while it is down.
  ///   - limit: longest wait in the queue before the link.
  public func queueingDelay(
    backlog: Double, rate: Double, roundTrip: TimeSpan, limit: TimeSpan,
    transport: UnsafeMutablePointer<TransportConfiguration>
  ) -> TimeSpan {
    if rate <= 0 { return limit }
    let window = state.window * transport.pointee.wirePacket
    return Connection.queueingDelay(
      inFlight: window < backlog ? window : backlog, rate: rate, roundTrip: roundTrip,
      limit: limit)
  }

  /// The same of bytes that are in flight.
  static func queueingDelay(
    inFlight: Double, rate: Double, roundTrip: TimeSpan, limit: TimeSpan
  ) -> TimeSpan {
    if inFlight <= 0 { return .zero }
    if rate <= 0 { return limit }
    let pipe = rate * 0.125 * roundTrip.seconds
    if inFlight <= pipe { return .zero }
    let delay = TimeSpan(seconds: (inFlight - pipe) * 8 / rate)
    return delay < limit ? delay : limit
  }

  /// Packets that any queue in front of a link holds (assumed).
  private static let leastQueue = 20.0
}
