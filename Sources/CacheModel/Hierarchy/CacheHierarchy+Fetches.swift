import CachePolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Fetches of cache nodes: sending, arriving at the next tier, giving up.
extension CacheHierarchy {
  /// Begins a fetch that a machine asked for.
  mutating func begin(
    _ node: Int, _ machine: Int, _ number: FetchNumber, _ waiting: RequestNumber?,
    isConditional: Bool, at now: Instant, _ out: inout [CacheCommand]
  ) {
    let handle = nodes[node].machineStates[machine].handle
    let entry = nodes[node].entries[Int(handle)]
    nodes[node].entries[Int(handle)].fetches += 1
    var fetch = NodeFetch(
      key: entry.key, number: number, machine: Int32(machine), handle: handle, asset: entry.asset,
      isConditional: isConditional, isBackground: waiting == nil, bytes: entry.bytes,
      draw: entry.fetches)
    fetch.wasMissed = entry.wasMissed
    fetch.copyMadeAt = entry.stored.storedAt.advanced(saturatingBy: -entry.stored.initialAge)
    if let arrival = audience?.versionArrival(node, entry.object) { fetch.version = arrival }
    var delay = TimeSpan.zero
    if let waiting {
      let request = Int(waiting.index)
      nodes[node].noteFetching(request, isConditional: isConditional)
      fetch.bytes = nodes[node].requests[request].bytes
      delay = nodes[node].requests[request].service
    } else {
      nodes[node].fetched[entry.asset].background += 1
    }
    send(node, nodes[node].add(fetch), after: delay, at: now, &out)
  }

  /// Sends a fetch to the next tier, over an idle connection if there is one.
  private mutating func send(
    _ node: Int, _ fetch: Int, after delay: TimeSpan, at now: Instant, _ out: inout [CacheCommand]
  ) {
    let record = nodes[node].fetches[fetch]
    let entity = UInt64(nodes[node].entity) << 32 | UInt64(record.object)
    let u = streams.uniform(
      .backhaul, entity: entity, draw: record.draw << 4 | UInt32(record.attempt & 15))
    let drawn = TimeSpan(
      seconds: nodes[node].configuration.upstream.roundTrip.quantile(u))
    let roundTrip = max(drawn, nodes[node].configuration.upstream.floor)
    let sentAt = now + delay
    var arrival = sentAt + roundTrip / 2
    if !nodes[node].takeConnection(at: sentAt) {
      nodes[node].fetched.connections += 1
      arrival += roundTrip * nodes[node].configuration.upstream.handshakeRoundTrips
    }
    nodes[node].fetches[fetch].sentAt = sentAt
    nodes[node].fetches[fetch].roundTrip = roundTrip
    nodes[node].fetched[record.asset].requests += 1
    let next = nodes[node].next
    if next >= 0 {
      if domain.isElsewhere(place(next), edges: edges) {
        out.append(
          .send(
            CacheMessage(
              kind: .request(nodes[node].fetches[fetch]), node: UInt16(next),
              edge: UInt16(node), part: UInt16(place(node)), fetch: UInt32(fetch),
              arrivesAt: arrival)))
        return
      }
      out.schedule(
        .requestAtNode(node: UInt16(next), from: UInt16(node), fetch: UInt32(fetch)),
        at: arrival, for: nodes[next].entity, phase: .arrival)
      return
    }
    out.schedule(
      .requestAtOrigin(from: UInt16(node), fetch: UInt32(fetch)), at: arrival,
      for: CacheHierarchy.originEntity, phase: .arrival)
    out.set(
      .fetchExpired(node: UInt16(node), fetch: UInt32(fetch)),
      at: sentAt.advanced(saturatingBy: nodes[node].configuration.upstream.responseTimeout),
      for: nodes[node].entity)
  }

  /// A request of another node has arrived.
  mutating func receiveAtNode(
    _ node: Int, from child: Int, _ fetch: Int, at now: Instant, _ out: inout [CacheCommand]
  ) {
    nodes[child].fetches[fetch].state = .waiting
    let record = nodes[child].fetches[fetch]
    let key = record.key
    if nodes[node].tier == .shield { shieldCrossings += isCrossing(child) ? 1 : 0 }
    var asker = AskingNode(node: child, version: record.version)
    if hasLaw && record.isConditional && nodes[child].configuration.inheritsAge {
      asker.copyMadeAt = record.copyMadeAt
    }
    var others: OthersFetch?
    let handle = find(
      node, key, record.asset, bytes: record.bytes, for: asker, at: now, &others)
    if let others { begin(others, at: now, &out) }
    let entity = UInt64(nodes[node].entity) << 32 | (key & 0xFFFF_FFFF)
    let u = streams.uniform(
      .nodeService, entity: entity,
      draw: UInt32(truncatingIfNeeded: UInt64(child) << 20) ^ record.draw)
    let service = TimeSpan(seconds: nodes[node].configuration.serviceTime.quantile(u))
    let request = NodeRequest(
      child: Int32(child), slot: 0, index: UInt32(fetch), asset: record.asset,
      bytes: record.bytes, service: service)
    if let age = nodes[node].freshAge(handle, at: now) {
      let answer = NodeAnswer(
        kind: .content, tier: AnsweringTier(nodes[node].tier), age: age,
        stated: nodes[node].entries[Int(handle)].stated)
      answerChild(node, request, answer, .hit, isArrival: true, at: now, &out)
    } else {
      ask(node, handle, nodes[node].add(request), at: now, &out)
    }
  }

  // MARK: Giving up

  /// A fetch to the origin got no connection, or no answer, in time: it is sent again, or has
  /// failed. An answer that comes late is thrown away.
  mutating func expire(_ node: Int, _ fetch: Int, at now: Instant, _ out: inout [CacheCommand]) {
    var record = nodes[node].fetches[fetch]
    let isLost = record.state == .lost
    if Int(record.attempt) + 1 < nodes[node].configuration.upstream.attempts {
      if isLost { nodes[node].free(fetch) } else { nodes[node].fetches[fetch].isAbandoned = true }
      record.attempt += 1
      record.state = .up
      record.answer = NodeAnswer()
      nodes[node].fetched[record.asset].retries += 1
      send(node, nodes[node].add(record), after: .zero, at: now, &out)
      return
    }
    // The failure is told by a fetch of its own when the old one may still be answered.
    var last = fetch
    if !isLost {
      nodes[node].fetches[fetch].isAbandoned = true
      record.state = .lost
      last = nodes[node].add(record)
    }
    let failure: OriginFailure =
      isLost && record.answer.failure == .unreachable ? .unreachable : .timeout
    nodes[node].fetches[last].answer = NodeAnswer(failure: failure)
    conclude(node, last, at: now, &out)
    nodes[node].free(last)
  }
}
