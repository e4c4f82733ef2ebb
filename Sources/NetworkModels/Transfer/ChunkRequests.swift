/// The client's requests on a connection: its handshake, those that wait for it (or, with HTTP/1.1,
/// for their turn), and when the next one can leave.
struct ChunkRequests: BitwiseCopyable {
  private(set) var opening = ChunkOpening()
  private var queued = ChunkFlowQueue()
  /// The flow that was asked for last and is not done; -1 without one.
  private var current: Int32 = -1
  private var freeAt: Int64 = 0

  /// Starts the handshake at `now`.
  mutating func open(
    _ handshake: Handshake, at now: Int64, roundTrip: Int64, _ settings: ChunkShared.Settings
  ) {
    opening.begin(handshake, at: now, roundTrip: roundTrip, settings)
    if opening.stage == .open { freeAt = opening.readyAt }
  }

  /// The server answers the present flight of the handshake.
  mutating func answer(
    _ handshake: Handshake, at now: Int64, roundTrip: Int64, loss: inout LossGaps,
    _ shared: inout ChunkShared
  ) {
    opening.answer(handshake, at: now, roundTrip: roundTrip, loss: &loss, &shared)
    if opening.stage == .open { freeAt = opening.readyAt }
  }

  /// A flow is to be asked for.
  mutating func add(_ flow: Int, _ flows: inout [ChunkFlow]) {
    queued.append(Int32(truncatingIfNeeded: flow), &flows)
  }

  /// Takes the next flow that can be asked for now.
  ///
  /// - Parameter isShared: whether several may be under way.
  mutating func next(isShared: Bool, _ flows: inout [ChunkFlow]) -> Int? {
    if opening.stage != .open || queued.head < 0 || (!isShared && current >= 0) { return nil }
    current = queued.removeFirst(&flows)
    return Int(current)
  }

  /// Sends a request of `bytes` when those before it have left.
  ///
  /// - Returns: when it has left, too.
  mutating func depart(_ bytes: Int64, at now: Int64, _ settings: ChunkShared.Settings) -> Int64 {
    let begin = freeAt > now ? freeAt : now
    freeAt = TransferClock.sum(begin, settings.uplinkTime(bytes + opening.takeExtraBytes()))
    return freeAt
  }

  /// A flow is done at `time`.
  mutating func end(_ flow: Int, at time: Int64, isShared: Bool) {
    if Int(current) == flow { current = -1 }
    if !isShared { freeAt = time }
  }

  /// Gives up what waits; a connection that never opened is opened again.
  mutating func abandon() {
    if opening.stage != .open { opening = ChunkOpening() }
    queued = ChunkFlowQueue()
    current = -1
  }

  /// Sets the clock back.
  mutating func turnBack(by span: Int64) { freeAt -= span }
}
