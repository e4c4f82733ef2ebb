import SimulationKernel

extension ChunkConnection {
  /// Bytes of headers that Linux adds to the payload when it counts a packet's size for pacing.
  private static let framing: Int64 = 2
  /// Linux does not pace a connection's first packets.
  private static let unpaced: Int64 = 10

  /// A request of `flow` has reached the server.
  mutating func respond(_ flow: Int, at now: Int64, _ shared: inout ChunkShared) {
    if inFlight == 0 && lost.isEmpty && sending.head < 0 {
      if sent > 0 {
        cubic.shift(by: now - state.lastSend)
        state.resume(at: now, idleRestart: shared.settings.idleRestart)
        if state.control == .bbr && limitedUntil > 0 { bbr.resume(at: now) }
      } else {
        deliveredAt = now
        if state.control == .bbr {
          let share =
            Double(shared.settings.overhead - ChunkConnection.framing)
            / Double(shared.settings.segmentSize)
          bbr.start(
            window: state.window, roundTrip: state.smoothedRoundTrip, headerShare: share, now: now)
        }
      }
    }
    if sending.head < 0 && Double(inFlight) < state.window && lost.isEmpty {
      limitDelivery()
    }
    sending.append(Int32(truncatingIfNeeded: flow), &shared.flows)
    if shared.flows[flow].headerLeft > 0 {
      headers.append(Int32(truncatingIfNeeded: flow), &shared.flows)
    }
    shared.flows[flow].stage = .responding
    transmit(at: now, &shared)
    findAcknowledgement(shared.pool)
  }

  /// Samples of the delivery rate say little until what is out now is delivered.
  mutating func limitDelivery() {
    limitedUntil = delivered + inFlight > 1 ? delivered + inFlight : 1
  }

  /// Releases what the window, and BBR's pacing, allow at `now`.
  mutating func transmit(at now: Int64, _ shared: inout ChunkShared) {
    let allowance = state.allowance
    let isPaced = state.control == .bbr
    var burst: Int64 = isPaced ? 0 : .max
    var burstBytes: Int64 = 0
    var isLimited = false
    isPacing = false
    while true {
      if lost.isEmpty && sending.head < 0 { break }
      if inFlight >= allowance {
        isLimited = true
        break
      }
      if burst == 0 {
        spend(burstBytes, at: now, shared)
        burstBytes = 0
        if paceAt > now {
          isPacing = true
          break
        }
        burst = bbr.quantum(shared.settings.segmentSize)
      }
      burstBytes += release(at: now, isProbe: false, &shared)
      burst -= 1
    }
    if isPaced && burstBytes > 0 { spend(burstBytes, at: now, shared) }
    isLimited = isLimited || inFlight >= allowance
    if resolved >= usageNumber || isLimited || (!isWindowLimited && inFlight > mostOut) {
      isWindowLimited = isLimited
      mostOut = inFlight
      usageNumber = sent
    }
  }

  /// Books a burst on the pacing clock (Linux: tcp_update_skb_after_send, with its credit for
  /// lateness).
  private mutating func spend(_ bytes: Int64, at now: Int64, _ shared: borrowing ChunkShared) {
    if bytes == 0 { return }
    let late = now > paceAt ? now - paceAt : 0
    if late > 0 { paceAt = now }
    if sent < ChunkConnection.unpaced || bbr.pacingRate <= 0 { return }
    let packets = Double(bytes) / Double(shared.settings.segmentSize)
    let span = TransferClock.span(packets / bbr.pacingRate)
    paceAt += span - (late < span / 2 ? late : span / 2)
  }

  /// Sends a lost packet again or the next new one; there must be one.
  ///
  /// - Returns: its payload, bytes.
  mutating func release(at now: Int64, isProbe: Bool, _ shared: inout ChunkShared) -> Int64 {
    let place: Int32
    if lost.isEmpty {
      place = nextSegment(&shared)
    } else {
      place = lost.head
      lost.unlink(place, &shared.pool)
      shared.pool[place].isRetransmission = true
    }
    shared.pool[place].isProbe = isProbe
    let payload = shared.pool[place].payload
    launch(place, at: now, &shared)
    return payload
  }

  /// Puts a packet on the path at `now`.
  mutating func launch(_ place: Int32, at now: Int64, _ shared: inout ChunkShared) {
    if inFlight == 0 {
      flightStart = now
      deliveredAt = now
    }
    sent += 1
    inFlight += 1
    state.lastSend = now
    if phase == .recovery { recoverySent += 1 }
    shared.pool[place].number = sent
    shared.pool[place].sentAt = now
    shared.pool[place].ackAt = .max
    shared.pool[place].delivered = delivered
    shared.pool[place].deliveredAt = deliveredAt
    shared.pool[place].flightStart = flightStart
    shared.pool[place].isLimited = limitedUntil > 0
    shared.pool[place].isDropped = false
    flight.append(place, &shared.pool)
    let wire = shared.pool[place].payload + shared.settings.overhead
    let end = shared.link.offer(wire, at: now)
    if shared.recordsRounds { round.sent(at: now, until: end) }
    receive(place, at: end, &shared)
    if timerAt == .max || (phase == .open && timer == .probe) { arm(at: now, shared.pool) }
  }

  /// The next new packet: a response's header fields are one of their own and go before other
  /// responses' bodies, which take turns.
  private mutating func nextSegment(_ shared: inout ChunkShared) -> Int32 {
    let flow = Int(headers.head >= 0 ? headers.head : sending.head)
    let place = shared.pool.take()
    var payload = shared.settings.segmentSize
    if shared.flows[flow].headerLeft > 0 {
      if shared.flows[flow].headerLeft < payload { payload = shared.flows[flow].headerLeft }
      shared.flows[flow].headerLeft -= payload
      if shared.flows[flow].headerLeft == 0 { headers.removeFirst(shared.flows) }
    } else {
      if shared.flows[flow].bytesLeft < payload { payload = shared.flows[flow].bytesLeft }
      shared.flows[flow].bytesLeft -= payload
      shared.flows[flow].isEmpty = false
      turnLeft -= payload
    }
    shared.pool[place].payload = payload
    shared.pool[place].flow = Int32(truncatingIfNeeded: flow)
    shared.pool[place].sequence = nextSequence
    note(flow, payload, &shared)
    nextSequence += 1
    if shared.flows[flow].isSent {
      shared.pool[place].isLast = true
      sending.remove(Int32(truncatingIfNeeded: flow), &shared.flows)
      turnLeft = StreamDealer.turnBytes
    } else if turnLeft <= 0 {
      turnLeft = StreamDealer.turnBytes
      sending.append(sending.removeFirst(&shared.flows), &shared.flows)
    }
    return place
  }

  /// The next sequence number is that of `payload` bytes of a flow.
  private mutating func note(_ flow: Int, _ payload: Int64, _ shared: inout ChunkShared) {
    let hadFirst = shared.flows[flow].firstSequence >= 0
    shared.flows[flow].note(payload, sequence: nextSequence)
    if !shared.settings.isInOrder { return }
    if !hadFirst && shared.flows[flow].firstSequence >= 0 {
      firsts.append(Int32(truncatingIfNeeded: flow), &shared.flows)
    }
    if shared.flows[flow].isSent {
      lasts.append(Int32(truncatingIfNeeded: flow), &shared.flows)
    }
  }
}
