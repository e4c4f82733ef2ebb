extension ChunkConnection {
  /// Notes the fate of a packet that leaves the link at `end` (-1: the queue was full, `.max`:
  /// never).
  mutating func receive(_ place: Int32, at end: Int64, _ shared: inout ChunkShared) {
    var isDropped = end < 0 || end == .max
    if !isDropped {
      if loss.clean == 0 {
        loss.lose()
        isDropped = true
      } else {
        loss.pass(1)
      }
    }
    let wasSent = shared.pool[place].isRetransmission
    if isDropped {
      shared.pool[place].isDropped = true
      if !wasSent { addHole(place, &shared) }
      return
    }
    let hadHoles = !holes.isEmpty
    if wasSent {
      let isNew = fillHole(shared.pool[place].sequence, &shared)
      shared.pool[place].isDuplicate = !isNew
      if isNew { arrive(place, at: end, isFill: true, &shared) }
    } else {
      arrive(place, at: end, isFill: false, &shared)
    }
    let isUrgent = hadHoles || wasSent || shared.pool[place].isLast
    reply(place, at: end, isUrgent: isUrgent, &shared)
  }

  // MARK: - Acknowledgements

  /// Decides when the packet that arrives at `end` is acknowledged: at once in quick mode, while
  /// something is missing and for the last packet; else with the second one, or after 40 ms.
  private mutating func reply(
    _ place: Int32, at end: Int64, isUrgent: Bool, _ shared: inout ChunkShared
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
      uplinkFreeAt = (uplinkFreeAt > end ? uplinkFreeAt : end) + span
      shared.pool[place].ackAt = uplinkFreeAt + roundTrip
    } else {
      delayedPlace = place
      delayedUntil = end + ChunkConnection.acknowledgementDelay
      shared.pool[place].ackAt = delayedUntil + span + roundTrip
    }
  }

  // MARK: - Data

  private mutating func addHole(_ place: Int32, _ shared: inout ChunkShared) {
    let hole = shared.pool.take()
    shared.pool[hole].sequence = shared.pool[place].sequence
    shared.pool[hole].flow = shared.pool[place].flow
    holes.append(hole, &shared.pool)
  }

  /// - Returns: whether the packet was missing.
  private mutating func fillHole(_ sequence: Int64, _ shared: inout ChunkShared) -> Bool {
    var previous: Int32 = -1
    var hole = holes.head
    while hole >= 0 && shared.pool[hole].sequence < sequence {
      previous = hole
      hole = shared.pool[hole].next
    }
    if hole < 0 || shared.pool[hole].sequence != sequence { return false }
    holes.unlink(hole, after: previous, &shared.pool)
    shared.pool.give(hole)
    return true
  }

  private mutating func arrive(
    _ place: Int32, at end: Int64, isFill: Bool, _ shared: inout ChunkShared
  ) {
    let flow = Int(shared.pool[place].flow)
    shared.flows[flow].missing -= 1
    if end <= shared.horizon { shared.flows[flow].arrived += shared.pool[place].payload }
    if isFill && shared.settings.isInOrder {
      // What had arrived behind the hole can be read now.
      var open = firstOpen
      while open >= 0 {
        let next = shared.flows[Int(open)].nextOpen
        check(Int(open), at: end, &shared)
        open = next
      }
    } else {
      let sequence = shared.pool[place].sequence
      let isFirst = shared.flows[flow].firstByteAt < 0 && shared.flows[flow].firstSequence >= 0
      if isFirst || sequence == shared.flows[flow].lastSequence || shared.flows[flow].missing == 0 {
        check(flow, at: end, &shared)
      }
    }
  }

  /// Whether a response's first byte, or all of it, can be read at `time`.
  private mutating func check(_ flow: Int, at time: Int64, _ shared: inout ChunkShared) {
    let isInOrder = shared.settings.isInOrder
    let hole = holes.isEmpty || !isInOrder ? Int64.max : shared.pool[holes.head].sequence
    let first = shared.flows[flow].firstSequence
    if shared.flows[flow].firstByteAt < 0 && first >= 0 && first < hole {
      if isInOrder || !isMissing(first, shared.pool) { shared.flows[flow].firstByteAt = time }
    }
    if shared.flows[flow].isSent && shared.flows[flow].missing == 0
      && shared.flows[flow].lastSequence < hole
    {
      close(flow, &shared)
      shared.end(flow, at: time)
    }
  }

  private func isMissing(_ sequence: Int64, _ pool: borrowing ChunkPool) -> Bool {
    var hole = holes.head
    while hole >= 0 {
      if pool[hole].sequence == sequence { return true }
      hole = pool[hole].next
    }
    return false
  }

  /// Takes a flow off the list of responses under way.
  private mutating func close(_ flow: Int, _ shared: inout ChunkShared) {
    var previous = -1
    var open = Int(firstOpen)
    while open != flow {
      previous = open
      open = Int(shared.flows[open].nextOpen)
    }
    if previous < 0 {
      firstOpen = shared.flows[flow].nextOpen
    } else {
      shared.flows[previous].nextOpen = shared.flows[flow].nextOpen
    }
  }
}
