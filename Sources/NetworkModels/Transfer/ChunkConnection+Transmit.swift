import SimulationKernel

extension ChunkConnection {
  /// Linux does not pace a connection's first packets.
  private static let unpaced: Int64 = 10

  /// A request of `flow` has reached the server.
  mutating func respond(_ flow: Int, at now: Int64, _ shared: inout ChunkShared) {
    if isIdle {
      if flight.sent > 0 {
        window.resume(
          at: now, idleRestart: shared.settings.idleRestart, isLimited: delivery.isLimited)
      } else {
        delivery.start(at: now)
        window.start(at: now, shared.settings)
      }
    }
    if source.isEmpty && Double(flight.count) < window.size && !recovery.hasLost {
      delivery.limit(inFlight: flight.count)
    }
    source.add(flow, &shared.flows)
    shared.flows[flow].stage = .responding
    transmit(at: now, &shared)
    flight.findAcknowledgement(shared.pool)
  }

  /// Releases what the window, and BBR's pacing, allow at `now`.
  mutating func transmit(at now: Int64, _ shared: inout ChunkShared) {
    let allowance = window.allowance
    let isPaced = window.isPaced
    let segmentSize = shared.settings.segmentSize
    var burst: Int64 = isPaced ? 0 : .max
    var burstBytes: Int64 = 0
    var isLimited = false
    pacer.clear()
    while true {
      if !recovery.hasLost && source.isEmpty { break }
      if flight.count >= allowance {
        isLimited = true
        break
      }
      if burst == 0 {
        spend(burstBytes, at: now, segmentSize)
        burstBytes = 0
        if pacer.holds(at: now) { break }
        burst = window.burst(segmentSize)
      }
      burstBytes += release(at: now, &shared)
      burst -= 1
    }
    if isPaced { spend(burstBytes, at: now, segmentSize) }
    window.noteUsage(
      inFlight: flight.count, isLimited: isLimited || flight.count >= allowance,
      resolved: flight.resolved, sent: flight.sent)
  }

  /// Books a burst on the pacing clock.
  private mutating func spend(_ bytes: Int64, at now: Int64, _ segmentSize: Int64) {
    if bytes == 0 { return }
    let rate = flight.sent < ChunkConnection.unpaced ? 0 : window.pacingRate
    pacer.spend(Double(bytes) / Double(segmentSize), rate: rate, at: now)
  }

  /// Sends a lost packet again or the next new one; there must be one.
  ///
  /// - Returns: its payload, bytes.
  mutating func release(at now: Int64, _ shared: inout ChunkShared) -> Int64 {
    let place: Int32
    if recovery.hasLost {
      place = recovery.takeLost(&shared.pool)
    } else {
      place = source.next(&shared)
      receiver.expect(place, &shared)
    }
    let payload = shared.pool[place].payload
    launch(place, at: now, &shared)
    return payload
  }

  /// Puts a packet on the path at `now`.
  mutating func launch(_ place: Int32, at now: Int64, _ shared: inout ChunkShared) {
    delivery.stamp(place, isFirst: flight.count == 0, at: now, &shared.pool)
    flight.launch(place, at: now, &shared.pool)
    window.noteSend(at: now)
    if recovery.phase == .recovery { reduction.noteSent() }
    let wire = shared.pool[place].payload + shared.settings.overhead
    var end = shared.link.offer(wire, at: now)
    if link >= 0 && end >= 0 && end < .max { end = shared.links[Int(link)].offer(wire, at: end) }
    if shared.recordsRounds { round.sent(at: now, until: end) }
    let isDropped = end < 0 || end == .max || loss.losesNext()
    receiver.receive(place, at: end, isDropped: isDropped, roundTrip: roundTrip, &shared)
    if timer.at == .max || (recovery.phase == .open && timer.kind == .probe) { arm(at: now) }
  }
}
