extension ChunkConnection {
  /// Sets the timer: for packets that may be lost, for a silent tail, or for a silent connection.
  mutating func arm(at now: Int64) {
    if flight.count == 0 && !recovery.hasLost {
      timer.stop()
    } else if let due = recovery.dueAt {
      timer.set(.reordering, at: due)
    } else if recovery.phase == .open && timer.mayProbe {
      timer.set(.probe, at: now + window.probeTimeout(isSingle: flight.count == 1))
    } else {
      timer.set(.timeout, at: now + window.timeout(doublings: timer.doublings))
    }
  }

  mutating func expire(at now: Int64, _ shared: inout ChunkShared) {
    switch timer.kind {
    case .reordering:
      let found = recovery.judge(
        &flight, at: now, latest: 0, leastRoundTrip: window.leastRoundTrip, &shared.pool)
      enterRecovery(after: found)
      arm(at: now)
      transmit(at: now, &shared)
    case .probe: probe(at: now, &shared)
    case .timeout: expireTimeout(at: now, &shared)
    }
  }

  /// Sends a tail loss probe (RFC 8985 section 7): new data, or the last packet once more.
  private mutating func probe(at now: Int64, _ shared: inout ChunkShared) {
    timer.beginProbe()
    let headSent = flight.isEmpty ? now : shared.pool[flight.head].sentAt
    if !source.isEmpty && !recovery.hasLost {
      _ = release(at: now, &shared)
    } else if !flight.isEmpty {
      repeatPacket(flight.tail, at: now, &shared)
    }
    timer.awaitProbe(until: headSent + window.timeout(doublings: 0), at: now)
  }

  /// Sends a packet that counts as out once more; the latest repetition stands for it from now on.
  private mutating func repeatPacket(_ first: Int32, at now: Int64, _ shared: inout ChunkShared) {
    launch(shared.pool.repeated(first), at: now, &shared)
  }

  /// A retransmission timeout (RFC 6298 section 5). When the oldest packet is merely late, Linux
  /// undoes the timeout at its acknowledgement (F-RTO, RFC 5682; timestamps, RFC 3522), so all that
  /// remains of it is a packet sent twice.
  private mutating func expireTimeout(at now: Int64, _ shared: inout ChunkShared) {
    timer.expire()
    if timer.isGivenUp { return }
    if !flight.isEmpty && !shared.pool[flight.head].isDropped {
      repeatPacket(flight.head, at: now, &shared)
    } else {
      startLoss(at: now, &shared)
    }
    timer.set(.timeout, at: now + window.timeout(doublings: timer.doublings))
  }

  private mutating func startLoss(at now: Int64, _ shared: inout ChunkShared) {
    if recovery.phase != .loss || timer.isFirstTimeout { window.expire() }
    recovery.beginLoss(next: source.nextSequence, sent: flight.sent)
    recovery.loseDropped(of: &flight, &shared.pool)
    window.set(to: Double(flight.count + 1))
    transmit(at: now, &shared)
  }
}
