extension ChunkConnection {
  /// Takes the acknowledgement that reaches the sender at `now`.
  mutating func acknowledge(at now: Int64, _ shared: inout ChunkShared) {
    let packet = shared.pool[flight.ackPlace]
    let priorFlight = flight.count
    var progress = recovery.collect(upTo: packet.number, from: &flight, &shared.pool)
    delivery.take(progress.delivered, sentAt: progress.sentAt, at: now)
    flight.resolve(packet.number)
    timer.revive()
    let roundTrip = packet.isRetransmission ? -1 : now - packet.sentAt
    if roundTrip >= 0 { window.sample(roundTrip) }
    progress.lost = recovery.judge(
      &flight, at: now, latest: now - packet.sentAt, leastRoundTrip: window.leastRoundTrip,
      &shared.pool)
    enterRecovery(after: progress.lost)
    if window.isPaced {
      leaveRecovery(shared.pool)
      controlBBR(packet, progress, priorFlight: priorFlight, at: now, shared)
    } else {
      controlWindow(progress, roundTrip: roundTrip, at: now, shared.pool)
    }
    if shared.recordsRounds {
      round.acknowledge(packet, progress.lost, self, at: now, &shared.rounds)
    }
    arm(at: now)
    transmit(at: now, &shared)
  }

  // MARK: - Recovery

  mutating func enterRecovery(after found: Int64) {
    if found == 0 || recovery.phase != .open { return }
    recovery.begin(next: source.nextSequence, sent: flight.sent)
    reduction.begin(window: window.size)
    window.enterRecovery()
  }

  /// Ends recovery when everything sent before it began has arrived.
  private mutating func leaveRecovery(_ pool: borrowing ChunkPool) {
    if !recovery.isOver(flight, pool) { return }
    if recovery.phase == .recovery { window.leaveRecovery() }
    enterRecovery(after: recovery.end())
  }

  // MARK: - Window

  private mutating func controlWindow(
    _ progress: ChunkProgress, roundTrip: Int64, at now: Int64, _ pool: borrowing ChunkPool
  ) {
    leaveRecovery(pool)
    switch recovery.phase {
    case .recovery:
      window.set(
        to: reduction.window(
          after: progress, inFlight: flight.count, threshold: window.threshold))
    case .loss:
      if progress.isRepair { window.grow(by: progress.delivered, at: now) }
    case .open:
      if progress.isProbeRepair {
        // The probe repaired a loss: the window answers to it all the same (RFC 8985 section 7.4).
        window.reduce()
        window.leaveRecovery()
      } else if !recovery.hasSuspects && progress.delivered > 0 {
        window.advance(
          by: progress.delivered, roundTrip: roundTrip, resolved: flight.resolved,
          sent: flight.sent, at: now)
      }
    }
  }

  private mutating func controlBBR(
    _ packet: ChunkPacket, _ progress: ChunkProgress, priorFlight: Int64, at now: Int64,
    _ shared: borrowing ChunkShared
  ) {
    var interval = ChunkDelivery.span(of: packet, at: now)
    if interval < window.leastRoundTrip || packet.isDuplicate { interval = 0 }
    window.acknowledge(
      ChunkBBR.Sample(
        now: now, acknowledged: progress.delivered, lost: progress.lost,
        roundTrip: packet.isRetransmission ? -1 : now - packet.sentAt,
        delivered: delivery.delivered, priorDelivered: packet.delivered, interval: interval,
        isLimited: packet.isLimited, priorFlight: priorFlight, flight: flight.count,
        isRecovering: recovery.phase != .open, initialWindow: shared.settings.initialWindow,
        segmentSize: shared.settings.segmentSize, uniform: 0),
      number: number, shared.settings.streams)
    if window.isProbingRoundTrip { delivery.limit(inFlight: flight.count) }
  }
}
