/// The client's side of a connection: which packets it misses, what its applications can read, and
/// when it acknowledges.
///
/// The link is a FIFO, so the fate of a packet is known when it is released and the receiver's part
/// is done at that moment.
struct ChunkReceiver: BitwiseCopyable {
  /// Least delay of an acknowledgement that waits for a second packet (TCP_DELACK_MIN).
  private static let acknowledgementDelay: Int64 = 40_000_000

  /// Packets missing below the highest that arrived, in the order of sequence.
  private var holes = ChunkList()
  /// Acknowledgements that are still sent at once.
  private var quickAcks: Int64 = 16
  /// The packet whose acknowledgement waits for a second one, or -1, and how long it waits.
  private var delayedPlace: Int32 = -1
  private var delayedUntil: Int64 = 0
  private var uplinkFreeAt: Int64 = 0
  /// Flows whose first and last bytes have been sent and cannot be read yet, in the order of the
  /// data (not kept when responses are independent).
  private var firsts = ChunkFlowLine(.first)
  private var lasts = ChunkFlowLine(.last)

  /// The oldest packet that is missing, or -1; the next one is linked to it.
  var firstHole: Int32 { holes.head }

  /// A new packet of the connection's data is to come.
  mutating func expect(_ place: Int32, _ shared: inout ChunkShared) {
    if !shared.settings.isInOrder { return }
    let flow = shared.pool[place].flow
    if shared.flows[Int(flow)].firstSequence == shared.pool[place].sequence {
      firsts.append(flow, &shared.flows)
    }
    if shared.flows[Int(flow)].isSent { lasts.append(flow, &shared.flows) }
  }

  /// Notes the fate of a packet that is at the client at `end`.
  ///
  /// - Parameters:
  ///   - isDropped: it never is.
  ///   - roundTrip: way of an acknowledgement to the sender, nanoseconds.
  mutating func receive(
    _ place: Int32, at end: Int64, isDropped: Bool, roundTrip: Int64, _ shared: inout ChunkShared
  ) {
    let wasSent = shared.pool[place].isRetransmission
    if isDropped {
      shared.pool[place].isDropped = true
      if !wasSent { addHole(place, &shared) }
      return
    }
    let hadHoles = !holes.isEmpty
    if wasSent {
      let isNew = fillHole(place, &shared)
      shared.pool[place].isDuplicate = !isNew
      if isNew { arrive(place, at: end, &shared) }
    } else {
      arrive(place, at: end, &shared)
    }
    let isUrgent = hadHoles || wasSent || shared.pool[place].isLast
    reply(place, at: end, isUrgent: isUrgent, roundTrip: roundTrip, &shared)
  }

  /// Forgets what was to come.
  mutating func abandon(_ pool: inout ChunkPool) {
    holes.giveAll(&pool)
    firsts = ChunkFlowLine(.first)
    lasts = ChunkFlowLine(.last)
    delayedPlace = -1
  }

  /// Sets the clock back.
  mutating func turnBack(by span: Int64) { uplinkFreeAt -= span }

  // MARK: - Acknowledgements

  /// Decides when the packet that arrives at `end` is acknowledged: at once in quick mode, while
  /// something is missing and for the last packet; else with the second one, or after 40 ms.
  private mutating func reply(
    _ place: Int32, at end: Int64, isUrgent: Bool, roundTrip: Int64, _ shared: inout ChunkShared
  ) {
    var isSecond = false
    if delayedPlace >= 0 {
      if end <= delayedUntil {
        shared.pool[delayedPlace].ackAt = .max
        isSecond = true
      }
      delayedPlace = -1
    }
    let span = shared.settings.uplinkTime(0)
    if isUrgent || isSecond || quickAcks > 0 {
      quickAcks -= quickAcks > 0 ? 1 : 0
      uplinkFreeAt = TransferClock.sum(uplinkFreeAt > end ? uplinkFreeAt : end, span)
      shared.pool[place].ackAt = TransferClock.sum(uplinkFreeAt, roundTrip)
    } else {
      delayedPlace = place
      delayedUntil = end + ChunkReceiver.acknowledgementDelay
      shared.pool[place].ackAt = TransferClock.sum(delayedUntil, span + roundTrip)
    }
  }

  // MARK: - Data

  private mutating func addHole(_ place: Int32, _ shared: inout ChunkShared) {
    let hole = shared.pool.take()
    let flow = shared.pool[place].flow
    let sequence = shared.pool[place].sequence
    shared.pool[hole].isHole = true
    shared.pool[hole].sequence = sequence
    shared.pool[hole].flow = flow
    shared.pool[hole].connection = shared.pool[place].connection
    shared.pool[place].hole = hole
    holes.append(hole, &shared.pool)
    if shared.flows[Int(flow)].firstSequence == sequence {
      shared.flows[Int(flow)].isFirstMissing = true
    }
  }

  /// - Returns: whether the packet was missing.
  private mutating func fillHole(_ place: Int32, _ shared: inout ChunkShared) -> Bool {
    let hole = shared.pool[place].hole
    let sequence = shared.pool[place].sequence
    let flow = shared.pool[place].flow
    if hole < 0 || !shared.pool[hole].isHole { return false }
    if shared.pool[hole].sequence != sequence { return false }
    if shared.pool[hole].connection != shared.pool[place].connection { return false }
    holes.unlink(hole, &shared.pool)
    shared.pool.give(hole)
    if shared.flows[Int(flow)].firstSequence == sequence {
      shared.flows[Int(flow)].isFirstMissing = false
    }
    return true
  }

  private mutating func arrive(_ place: Int32, at end: Int64, _ shared: inout ChunkShared) {
    let flow = Int(shared.pool[place].flow)
    shared.flows[flow].missing -= 1
    if end <= shared.horizon { shared.flows[flow].arrived += shared.pool[place].payload }
    if shared.settings.isInOrder {
      read(at: end, &shared)
    } else {
      check(flow, at: end, &shared)
    }
  }

  /// Whether an independent response's first byte, or all of it, can be read at `time`.
  private func check(_ flow: Int, at time: Int64, _ shared: inout ChunkShared) {
    let isSeen = shared.flows[flow].firstByteAt >= 0
    if !isSeen && shared.flows[flow].firstSequence >= 0 && !shared.flows[flow].isFirstMissing {
      shared.see(flow, at: time)
    }
    if shared.flows[flow].isSent && shared.flows[flow].missing == 0 {
      shared.end(flow, at: time)
    }
  }

  /// Reads at `time` what nothing missing holds up: all that was sent below the first hole.
  private mutating func read(at time: Int64, _ shared: inout ChunkShared) {
    let hole = holes.isEmpty ? Int64.max : shared.pool[holes.head].sequence
    while firsts.head >= 0 && shared.flows[Int(firsts.head)].firstSequence < hole {
      shared.see(Int(firsts.head), at: time)
      firsts.removeFirst(shared.flows)
    }
    while lasts.head >= 0 && shared.flows[Int(lasts.head)].lastSequence < hole {
      shared.end(Int(lasts.head), at: time)
      lasts.removeFirst(shared.flows)
    }
  }
}
