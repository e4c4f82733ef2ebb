import CachePolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// The origin: outages, the limit of requests a second, the queue, the first byte.
extension CacheHierarchy {
  /// A node's request has arrived at the origin, or would have.
  mutating func receiveAtOrigin(
    _ node: Int, _ fetch: Int, at now: Instant, _ out: inout [CacheCommand]
  ) {
    let record = nodes[node].fetches[fetch]
    let outage = origin.configuration.outage(at: now)?.kind
    if outage == .unreachable {
      originCounters[record.asset].unreachable += 1
      lose(node, fetch, .unreachable, at: now, &out)
      return
    }
    nodes[node].fetches[fetch].state = .waiting
    originCounters[record.asset].requests += 1
    let object = record.object
    let usual = said.lifetime(record.asset, at: now, u: 0.5)
    let (inSecond, inLifetime) = origin.count(object, lifetime: usual, at: now)
    originCounters.largestRate = max(originCounters.largestRate, inSecond)
    originCounters.largestPerLifetime = max(originCounters.largestPerLifetime, inLifetime)
    if outage == .timeout {
      originCounters[record.asset].unanswered += 1
      lose(node, fetch, .timeout, at: now, &out)
    } else if !origin.admits(at: now) {
      originCounters[record.asset].slowDowns += 1
      finish(
        node, fetch, NodeAnswer(tier: .origin, bytes: headerBytes),
        after: origin.configuration.slowDownTime, at: now, &out)
    } else if origin.takePlace(Origin.Ticket(node: UInt16(node), fetch: UInt32(fetch))) {
      serveAtOrigin(node, fetch, at: now, &out)
    } else {
      originCounters.queued += 1
    }
  }

  /// Nobody will answer a fetch: the node finds out when its patience is over.
  private mutating func lose(
    _ node: Int, _ fetch: Int, _ failure: OriginFailure, at now: Instant,
    _ out: inout [CacheCommand]
  ) {
    nodes[node].fetches[fetch].state = .lost
    nodes[node].fetches[fetch].answer.failure = failure
    if nodes[node].fetches[fetch].isAbandoned {
      nodes[node].free(fetch)
    } else if failure == .unreachable {
      let record = nodes[node].fetches[fetch]
      let limit = nodes[node].configuration.upstream.connectTimeout
      let end = record.sentAt.advanced(saturatingBy: limit)
      out.set(
        .fetchExpired(node: UInt16(node), fetch: UInt32(fetch)),
        at: end > now ? end : now, for: nodes[node].entity)
    }
  }

  /// A request has a place: its first byte follows after the origin's time.
  private mutating func serveAtOrigin(
    _ node: Int, _ fetch: Int, at now: Instant, _ out: inout [CacheCommand]
  ) {
    let record = nodes[node].fetches[fetch]
    let entity = UInt64(nodes[node].entity) << 32 | UInt64(record.object)
    let draw = record.draw << 4 | UInt32(record.attempt & 15)
    let u = streams.uniform(.origin, entity: entity, draw: draw)
    let wait = TimeSpan(seconds: origin.configuration.firstByte.quantile(u))
    if origin.configuration.concurrency == nil {
      finish(node, fetch, content(node, fetch, at: now + wait), after: wait, at: now, &out)
    } else {
      out.schedule(
        .originDone(from: UInt16(node), fetch: UInt32(fetch)), at: now + wait,
        for: CacheHierarchy.originEntity)
    }
  }

  /// A request leaves its place; the next one takes it.
  mutating func leaveOrigin(_ node: Int, _ fetch: Int, at now: Instant, _ out: inout [CacheCommand])
  {
    let next = origin.leavePlace()
    finish(node, fetch, content(node, fetch, at: now), after: .zero, at: now, &out)
    if let next { serveAtOrigin(Int(next.node), Int(next.fetch), at: now, &out) }
  }

  private mutating func finish(
    _ node: Int, _ fetch: Int, _ answer: NodeAnswer, after wait: TimeSpan,
    at now: Instant, _ out: inout [CacheCommand]
  ) {
    let asset = nodes[node].fetches[fetch].asset
    originCounters[asset].bytes += answer.bytes
    if answer.kind == .notModified { originCounters[asset].notModified += 1 }
    sendDown(node, fetch, answer, after: wait, at: now, &out)
  }

  /// What the origin says at `time`.
  private mutating func content(_ node: Int, _ fetch: Int, at time: Instant) -> NodeAnswer {
    let record = nodes[node].fetches[fetch]
    var answer = NodeAnswer(tier: .origin, bytes: headerBytes)
    if origin.configuration.outage(at: time)?.kind == .error {
      originCounters[record.asset].errors += 1
      return answer
    }
    let isConfirmed = confirms(node, fetch, madeAt: time)
    answer.kind = isConfirmed ? .notModified : .content
    if !isConfirmed { answer.bytes = record.bytes }
    let entity = UInt64(nodes[node].entity) << 32 | UInt64(record.object)
    answer.stated = said.lifetime(
      record.asset, at: time, u: streams.uniform(.lifetime, entity: entity, draw: record.draw))
    return answer
  }
}
