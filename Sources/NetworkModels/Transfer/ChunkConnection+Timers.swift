extension ChunkConnection {
  /// Linux's least wait of a timer that is due already: one tick.
  private static let tick: Int64 = 1_000_000

  /// Sets the timer: for packets that may be lost, for a silent tail, or for a silent connection.
  mutating func arm(at now: Int64, _ pool: borrowing ChunkPool) {
    if inFlight == 0 && lost.isEmpty {
      timerAt = .max
    } else if suspects > 0 && phase == .open {
      timer = .reordering
      timerAt = reorderingAt
    } else if phase == .open && !isProbing && timeouts == 0 {
      timer = .probe
      timerAt = now + TransferClock.span(state.probeTimeout(isSingle: inFlight == 1))
    } else {
      timer = .timeout
      timerAt = now + TransferClock.span(timeout)
    }
  }

  /// The retransmission timeout, doubled for each one in a row.
  private var timeout: Double {
    let most = ChunkConnection.mostTimeouts
    let doublings = timeouts < most ? timeouts : most
    return state.timeout(doubled: Double(Int64(1) << doublings))
  }

  mutating func expire(at now: Int64, _ shared: inout ChunkShared) {
    switch timer {
    case .reordering:
      let found = judge(at: now, latest: 0, &shared)
      enterRecovery(after: found)
      timerAt = .max
      arm(at: now, shared.pool)
      transmit(at: now, &shared)
    case .probe: probe(at: now, &shared)
    case .timeout: expireTimeout(at: now, &shared)
    }
  }

  /// Sends a tail loss probe (RFC 8985 section 7): new data, or the last packet once more.
  private mutating func probe(at now: Int64, _ shared: inout ChunkShared) {
    isProbing = true
    let headSent = flight.isEmpty ? now : shared.pool[flight.head].sentAt
    if sending.head >= 0 && lost.isEmpty {
      _ = release(at: now, isProbe: false, &shared)
    } else if !flight.isEmpty {
      repeatPacket(flight.tail, at: now, &shared)
    }
    let due = headSent + TransferClock.span(state.timeout)
    timer = .timeout
    timerAt = due > now + ChunkConnection.tick ? due : now + ChunkConnection.tick
  }

  /// Sends a packet that counts as out once more; the latest repetition stands for it from now on.
  private mutating func repeatPacket(_ first: Int32, at now: Int64, _ shared: inout ChunkShared) {
    var place = first
    var later = self.copy(of: place, shared.pool)
    while later >= 0 {
      place = later
      later = self.copy(of: place, shared.pool)
    }
    let copy = shared.pool.take()
    shared.pool[copy].flow = shared.pool[place].flow
    shared.pool[copy].payload = shared.pool[place].payload
    shared.pool[copy].sequence = shared.pool[place].sequence
    shared.pool[copy].hole = shared.pool[place].hole
    shared.pool[copy].isRetransmission = true
    shared.pool[copy].isCounted = shared.pool[place].isCounted
    shared.pool[copy].isProbe = !shared.pool[place].isCounted
    shared.pool[place].isCounted = false
    shared.pool[place].isReplaced = true
    shared.pool[place].copy = copy
    launch(copy, at: now, &shared)
  }

  /// A retransmission timeout (RFC 6298 section 5). When the oldest packet is merely late, Linux
  /// undoes the timeout at its acknowledgement (F-RTO, RFC 5682; timestamps, RFC 3522), so all that
  /// remains of it is a packet sent twice.
  private mutating func expireTimeout(at now: Int64, _ shared: inout ChunkShared) {
    timeouts += 1
    if timeouts > ChunkConnection.mostTimeouts {
      timerAt = .max
      return
    }
    if !flight.isEmpty && !shared.pool[flight.head].isDropped {
      repeatPacket(flight.head, at: now, &shared)
    } else {
      startLoss(at: now, &shared)
    }
    timer = .timeout
    timerAt = now + TransferClock.span(timeout)
  }

  private mutating func startLoss(at now: Int64, _ shared: inout ChunkShared) {
    let isNew = phase != .loss || timeouts == 1
    if phase == .open {
      recoverySequence = nextSequence
      recoveryNumber = sent
    }
    if isNew {
      if state.control == .bbr {
        bbr.saveWindow(state.window)
        bbr.expire()
      } else {
        reduce()
        cubic.reset()
        hyStart.reset()
      }
    }
    phase = .loss
    while !flight.isEmpty && shared.pool[flight.head].isDropped {
      _ = lose(flight.head, &shared)
    }
    suspects = 0
    state.window = Double(inFlight + 1)
    transmit(at: now, &shared)
  }
}
