import SimulationKernel

/// A connection of the chunk tier: Linux's sender and receiver of one TCP connection (or QUIC's,
/// which runs the same rules), one step per acknowledgement.
///
/// Two things keep it to one event per acknowledgement. The link is a FIFO, so a packet's fate and
/// its arrival are known when it is released, and the receiver's part is done at that moment. And
/// nothing overtakes on the path, so an acknowledgement needs no list of ranges: it says which
/// transmission was the latest to arrive, and all earlier ones that did not are lost.
///
/// The sender's clock is that of the bottleneck: it stands half a round trip before the queue, the
/// acknowledgement needs a whole one after the link, which is the same seen from the client.
///
/// Each part keeps its own state. What is here is who tells whom, and in which order.
struct ChunkConnection {
  let number: Int32
  /// What its packets pass behind the queue, or -1.
  private(set) var link: Int32 = -1
  private(set) var roundTrip: Int64
  var loss: LossGaps

  // The sender.
  var window: ChunkWindow
  var source = ChunkSource()
  var flight = ChunkFlight()
  var delivery = ChunkDelivery()
  var recovery = ChunkRecovery()
  var reduction = ChunkReduction()
  var timer = ChunkTimer()
  var pacer = ChunkPacer()

  // The client.
  var receiver = ChunkReceiver()
  private(set) var requests = ChunkRequests()

  /// By how much the clock has been set back so far.
  private var turnedBack: Int64 = 0
  var round = ChunkRound()

  init(number: Int, settings: ChunkShared.Settings, loss: LossGaps, warmWindow: Double?) {
    self.number = Int32(truncatingIfNeeded: number)
    self.loss = loss
    roundTrip = settings.roundTrip
    window = ChunkWindow(settings, warmWindow: warmWindow)
  }

  /// Whether nothing is to be sent, out or to be sent again.
  var isIdle: Bool { flight.count == 0 && !recovery.hasLost && source.isEmpty }

  // MARK: - Events

  /// When something happens next, `.max` for never.
  @inline(__always)
  func wake(_ pool: borrowing ChunkPool) -> Int64 {
    var time = timer.at
    let ack = flight.nextAcknowledgement(pool)
    if ack < time { time = ack }
    let burst = pacer.wakesAt
    if burst < time { time = burst }
    let answer = requests.opening.at
    if answer < time { time = answer }
    return time
  }

  /// Does what is due at `now`: one acknowledgement, one timer or one burst.
  mutating func run(at now: Int64, _ shared: inout ChunkShared) {
    if flight.ackPlace >= 0 && shared.pool[flight.ackPlace].ackAt <= now {
      acknowledge(at: now, &shared)
    } else if pacer.wakesAt <= now {
      transmit(at: now, &shared)
    } else if timer.at <= now {
      expire(at: now, &shared)
    }
    flight.findAcknowledgement(shared.pool)
  }

  // MARK: - Requests

  /// The client wants a flow at `now`; the first one opens the connection.
  ///
  /// - Parameter roundTrip: of the flow's path, nanoseconds.
  /// - Returns: whether it did.
  mutating func want(
    _ flow: Int, over handshake: Handshake, at now: Int64, roundTrip: Int64,
    _ shared: inout ChunkShared
  ) -> Bool {
    let isFirst = requests.opening.stage == .closed
    if isFirst {
      self.roundTrip = roundTrip
      requests.open(handshake, at: now, roundTrip: roundTrip, shared.settings)
      learnPath()
    }
    requests.add(flow, &shared.flows)
    return isFirst
  }

  /// The server answers the present flight of the handshake.
  mutating func answer(_ handshake: Handshake, at now: Int64, _ shared: inout ChunkShared) {
    requests.answer(handshake, at: now, roundTrip: roundTrip, loss: &loss, &shared)
    learnPath()
  }

  /// The handshake's last flight is the first sample of the round trip.
  private mutating func learnPath() {
    if requests.opening.stage != .open { return }
    let sample = requests.opening.roundTrip
    if sample >= 0 { window.sample(sample) }
  }

  /// Takes the next flow that can be asked for now.
  mutating func nextRequest(isShared: Bool, _ shared: inout ChunkShared) -> Int? {
    requests.next(isShared: isShared, &shared.flows)
  }

  /// Sends a request of `bytes` when those before it have left.
  ///
  /// - Returns: when it is at the server.
  mutating func request(
    _ bytes: Int64, at now: Int64, roundTrip: Int64, _ settings: ChunkShared.Settings
  ) -> Int64 {
    self.roundTrip = roundTrip
    return TransferClock.sum(requests.depart(bytes, at: now, settings), roundTrip)
  }

  /// A flow is done at `time`.
  mutating func end(_ flow: Int, at time: Int64, isShared: Bool) {
    requests.end(flow, at: time, isShared: isShared)
  }

  // MARK: - Without a handshake of its own

  /// Takes the place of a connection whose handshake has been elsewhere.
  ///
  /// - Parameters:
  ///   - roundTrip: of its path, nanoseconds.
  ///   - sample: round trip of the handshake's last flight, queueing included; nil without one.
  ///   - link: what its packets pass behind the queue; -1 for nothing.
  mutating func join(roundTrip: Int64, sample: Int64?, link: Int) {
    self.roundTrip = roundTrip
    self.link = Int32(truncatingIfNeeded: link)
    if let sample { window.sample(sample) }
  }

  /// The server sends no more of a flow of which it has something to send.
  mutating func drop(_ flow: Int, _ shared: inout ChunkShared) {
    source.drop(flow, &shared.flows)
    shared.flows[flow].stage = .done
  }

  // MARK: - Anew

  /// Gives up what has not arrived, so that the next flow finds the connection free; one that never
  /// opened is opened again.
  mutating func abandon(_ pool: inout ChunkPool) {
    requests.abandon()
    if isIdle { return }
    flight.giveAll(&pool)
    recovery.abandon(&pool)
    receiver.abandon(&pool)
    source.abandon()
    timer.abandon()
    pacer.clear()
    window.leaveRecovery()
  }

  /// Sets the connection's clock back to `total` before its first one, as if it had been that much
  /// faster.
  mutating func turnBack(to total: Int64) {
    let span = total - turnedBack
    turnedBack = total
    window.turnBack(by: span)
    delivery.turnBack(by: span)
    pacer.turnBack(by: span)
    receiver.turnBack(by: span)
    requests.turnBack(by: span)
  }
}
