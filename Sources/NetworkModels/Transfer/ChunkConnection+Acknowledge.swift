import ModelBasics
import SimulationKernel

extension ChunkConnection {
  /// What an acknowledgement brought.
  private struct Progress {
    var delivered: Int64 = 0
    var lost: Int64 = 0
    var isRepair = false
    var isProbeRepair = false
  }

  /// Takes the acknowledgement that reaches the sender at `now`.
  mutating func acknowledge(at now: Int64, _ shared: inout ChunkShared) {
    let packet = shared.pool[ackPlace]
    let priorFlight = inFlight
    var progress = Progress()
    collect(upTo: packet.number, at: now, &progress, &shared)
    ackPlace = -1
    resolved = packet.number
    timeouts = 0
    isProbing = false
    if limitedUntil > 0 && delivered > limitedUntil { limitedUntil = 0 }
    let roundTrip = packet.isRetransmission ? -1 : now - packet.sentAt
    if roundTrip >= 0 {
      let sample = Double(roundTrip)
      state.sample(first: sample, last: sample, count: 1)
      if roundTrip < leastRoundTrip { leastRoundTrip = roundTrip }
    }
    if suspects > 0 {
      progress.lost = judge(at: now, latest: now - packet.sentAt, &shared)
    }
    enterRecovery(after: progress.lost)
    if state.control == .bbr {
      leaveRecovery(shared.pool)
      controlBBR(packet, progress, priorFlight: priorFlight, at: now, shared)
    } else {
      controlWindow(progress, roundTrip: roundTrip, at: now, shared.pool)
    }
    if shared.recordsRounds {
      round.acknowledge(packet, progress.lost, self, at: now, &shared.rounds)
    }
    arm(at: now, shared.pool)
    transmit(at: now, &shared)
  }

  // MARK: - What arrived and what did not

  /// Takes everything that arrived off the list of transmissions; what did not stays at its head.
  private mutating func collect(
    upTo number: Int64, at now: Int64, _ progress: inout Progress, _ shared: inout ChunkShared
  ) {
    var place = flight.head
    suspects = 0
    while place >= 0 && shared.pool[place].number <= number {
      if shared.pool[place].isDropped {
        suspects += 1
        place = shared.pool[place].next
        continue
      }
      forgetCopies(of: place, &progress, &shared.pool)
      let next = shared.pool[place].next
      flight.unlink(place, &shared.pool)
      inFlight -= 1
      take(place, &progress, &shared)
      if suspects > 0 { arrivedAfter += 1 }
      place = next
    }
    if suspects == 0 { arrivedAfter = 0 }
    delivered += progress.delivered
    if progress.delivered > 0 { deliveredAt = now }
  }

  private mutating func take(
    _ place: Int32, _ progress: inout Progress, _ shared: inout ChunkShared
  ) {
    flightStart = shared.pool[place].sentAt
    if !shared.pool[place].isDuplicate {
      progress.delivered += 1
      if shared.pool[place].isProbe && shared.pool[place].isRetransmission {
        progress.isProbeRepair = true
      }
    }
    settle(place, &progress, &shared.pool)
    shared.pool.give(place)
  }

  /// A packet that was held lost is known to have arrived.
  private mutating func settle(
    _ place: Int32, _ progress: inout Progress, _ pool: inout ChunkPool
  ) {
    if !pool[place].isCounted { return }
    progress.isRepair = true
    if pool[place].sequence < recoverySequence { unrepaired -= 1 } else { unrepairedLater -= 1 }
  }

  /// Data that have arrived are no longer out: the sender keeps no account of its repetitions of
  /// them, though they still occupy the link. What their acknowledgements say is old.
  private mutating func forgetCopies(
    of place: Int32, _ progress: inout Progress, _ pool: inout ChunkPool
  ) {
    var copy = copy(of: place, pool)
    while copy >= 0 {
      let next = self.copy(of: copy, pool)
      settle(copy, &progress, &pool)
      flight.unlink(copy, &pool)
      inFlight -= 1
      pool.give(copy)
      copy = next
    }
  }

  /// The repetition of a packet's data that followed it, -1 when there is none any more.
  func copy(of place: Int32, _ pool: borrowing ChunkPool) -> Int32 {
    let copy = pool[place].copy
    if copy < 0 || pool[copy].sequence != pool[place].sequence { return -1 }
    let isLater = pool[copy].number > pool[place].number && !pool[copy].isHole
    return isLater && pool[copy].flow == pool[place].flow ? copy : -1
  }

  /// Holds suspects lost that RACK (RFC 8985) would: with three arrivals after them, in recovery,
  /// or when a quarter of the least round trip has passed.
  ///
  /// - Returns: how many.
  mutating func judge(at now: Int64, latest: Int64, _ shared: inout ChunkShared) -> Int64 {
    let isCertain = phase != .open || arrivedAfter >= ChunkConnection.duplicateThreshold
    let patience = isCertain || leastRoundTrip == .max ? 0 : leastRoundTrip / 4
    var found: Int64 = 0
    while suspects > 0 {
      let place = flight.head
      let due = shared.pool[place].sentAt + latest + patience
      if !isCertain && due > now {
        reorderingAt = due
        break
      }
      suspects -= 1
      found += lose(place, &shared)
    }
    return found
  }

  /// Moves the head of the flight to the lost packets; 0 when a probe stands for it already.
  mutating func lose(_ place: Int32, _ shared: inout ChunkShared) -> Int64 {
    flight.unlink(place, &shared.pool)
    inFlight -= 1
    if shared.pool[place].isReplaced {
      shared.pool.give(place)
      return 0
    }
    let isAgain = shared.pool[place].isCounted
    shared.pool[place].isProbe = false
    shared.pool[place].isCounted = true
    if isAgain {
      lost.prepend(place, &shared.pool)
      return 1
    }
    lost.append(place, &shared.pool)
    if phase != .open && shared.pool[place].sequence >= recoverySequence {
      unrepairedLater += 1
    } else {
      unrepaired += 1
    }
    return 1
  }

  // MARK: - Recovery

  mutating func enterRecovery(after found: Int64) {
    if found == 0 || phase != .open { return }
    phase = .recovery
    priorWindow = state.window
    recoverySequence = nextSequence
    recoveryNumber = sent
    recoveryDelivered = 0
    recoverySent = 0
    if state.control == .bbr { bbr.saveWindow(state.window) }
    reduce()
  }

  /// Ends recovery when everything sent before it began has arrived.
  private mutating func leaveRecovery(_ pool: borrowing ChunkPool) {
    if phase == .open || unrepaired > 0 { return }
    if !flight.isEmpty && pool[flight.head].number <= recoveryNumber { return }
    if phase == .recovery { state.leaveRecovery() }
    phase = .open
    if unrepairedLater > 0 {
      unrepaired = unrepairedLater
      unrepairedLater = 0
      enterRecovery(after: unrepaired)
    }
  }

  // MARK: - Window

  private mutating func controlWindow(
    _ progress: Progress, roundTrip: Int64, at now: Int64, _ pool: borrowing ChunkPool
  ) {
    if phase != .open { leaveRecovery(pool) }
    switch phase {
    case .recovery: reduceProportionally(progress)
    case .loss:
      if progress.isRepair { grow(progress.delivered, at: now) }
    case .open:
      if progress.isProbeRepair {
        // The probe repaired a loss: the window answers to it all the same (RFC 8985 section 7.4).
        reduce()
        state.leaveRecovery()
      } else if suspects == 0 && progress.delivered > 0 {
        watchSlowStart(roundTrip, at: now)
        grow(progress.delivered, at: now)
      }
    }
  }

  /// Linux grows a window only while it is the limit.
  private mutating func grow(_ count: Int64, at now: Int64) {
    let isLimit =
      isWindowLimited || (state.isSlowStart && state.window < 2 * Double(mostOut))
    if !isLimit { return }
    var rest = count
    if state.isSlowStart {
      let room = state.threshold - state.window
      let step = Double(rest) < room ? rest : Int64(room)
      state.window += Double(step)
      rest -= step
    }
    if rest <= 0 { return }
    let window = Int64(state.window)
    let next =
      state.control == .cubic
      ? cubic.growCubic(window, by: rest, at: now, leastRoundTrip: leastRoundTrip)
      : cubic.growReno(window, by: rest)
    state.window = Double(next)
  }

  /// Lowers the threshold to what the congestion control makes of a loss.
  mutating func reduce() {
    if state.control == .cubic {
      state.threshold = Double(cubic.reduce(Int64(state.window)))
    } else {
      state.reduce()
    }
  }

  private mutating func watchSlowStart(_ roundTrip: Int64, at now: Int64) {
    if state.control != .cubic || !state.isSlowStart || roundTrip < 0 { return }
    let ends = hyStart.acknowledge(
      roundTrip: roundTrip, at: now, resolved: resolved, sent: sent, pathLeast: leastRoundTrip,
      window: state.window)
    if ends { state.threshold = state.window }
  }

  /// Proportional rate reduction (RFC 6937, with Linux's slow-start bound).
  private mutating func reduceProportionally(_ progress: Progress) {
    recoveryDelivered += progress.delivered
    let target = Int64(state.threshold)
    var room: Int64
    if inFlight > target {
      let share = state.threshold * Double(recoveryDelivered) + priorWindow - 1
      room = Int64(share / priorWindow) - recoverySent
    } else {
      let owed = recoveryDelivered - recoverySent
      room = owed > progress.delivered ? owed : progress.delivered
      if progress.isRepair && progress.lost == 0 { room += 1 }
      if room > target - inFlight { room = target - inFlight }
    }
    let least: Int64 = recoverySent > 0 ? 0 : 1
    state.window = Double(inFlight + (room > least ? room : least))
  }

  private mutating func controlBBR(
    _ packet: ChunkPacket, _ progress: Progress, priorFlight: Int64, at now: Int64,
    _ shared: borrowing ChunkShared
  ) {
    let sendSpan = packet.sentAt - packet.flightStart
    let ackSpan = now - packet.deliveredAt
    var interval = sendSpan > ackSpan ? sendSpan : ackSpan
    if interval < leastRoundTrip || packet.isDuplicate { interval = 0 }
    var uniform = 0.0
    if bbr.mode != .probeBandwidth {
      uniform = shared.settings.streams.uniform(.gainCycle, entity: UInt64(number), draw: cycles)
      cycles &+= 1
    }
    let sample = ChunkBBR.Sample(
      now: now, acknowledged: progress.delivered, lost: progress.lost,
      roundTrip: packet.isRetransmission ? -1 : now - packet.sentAt, delivered: delivered,
      priorDelivered: packet.delivered, interval: interval, isLimited: packet.isLimited,
      priorFlight: priorFlight, flight: inFlight, isRecovering: phase != .open,
      initialWindow: state.initialWindow, segmentSize: shared.settings.segmentSize,
      uniform: uniform)
    state.window = bbr.acknowledge(sample, window: state.window)
    if bbr.mode == .probeRoundTrip { limitDelivery() }
  }
}
