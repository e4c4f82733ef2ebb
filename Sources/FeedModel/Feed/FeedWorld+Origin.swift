import CacheModel
import CachePolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The origin: outages, the limit of requests a second, the queue, the first byte.
extension FeedWorld {
  /// A node's request has arrived at the origin, or would have.
  mutating func receiveAtOrigin(
    _ node: Int, _ fetch: Int, _ context: inout Context<FeedEvent>
  ) {
    let record = nodes[node].fetches[fetch]
    let outage = origin.configuration.outage(at: context.now)?.kind
    if outage == .unreachable {
      measures.origin[record.asset].unreachable += 1
      lose(node, fetch, .unreachable, &context)
      return
    }
    nodes[node].fetches[fetch].state = .waiting
    measures.counts.originRequests += 1
    measures.origin[record.asset].requests += 1
    let object = record.object
    let usual = assetRules[Int(record.asset.rawValue)].lifetime(
      usualLifetimes[Int(record.asset.rawValue)], at: context.now, u: 0.5)
    let (inSecond, inLifetime) = origin.count(object, lifetime: usual, at: context.now)
    measures.origin.largestRate = max(measures.origin.largestRate, inSecond)
    measures.origin.largestPerLifetime = max(measures.origin.largestPerLifetime, inLifetime)
    if outage == .timeout {
      measures.origin[record.asset].unanswered += 1
      lose(node, fetch, .timeout, &context)
    } else if !origin.admits(at: context.now) {
      measures.origin[record.asset].slowDowns += 1
      let header = transport.pointee.responseHeaderBytes
      finish(
        node, fetch, NodeAnswer(tier: .origin, bytes: header),
        after: origin.configuration.slowDownTime, &context)
    } else if origin.takePlace(Origin.Ticket(node: UInt16(node), fetch: UInt32(fetch))) {
      serveAtOrigin(node, fetch, &context)
    } else {
      measures.origin.queued += 1
    }
  }

  /// Nobody will answer a fetch: the node finds out when its patience is over.
  private mutating func lose(
    _ node: Int, _ fetch: Int, _ failure: OriginFailure, _ context: inout Context<FeedEvent>
  ) {
    nodes[node].fetches[fetch].state = .lost
    nodes[node].fetches[fetch].answer.failure = failure
    if nodes[node].fetches[fetch].isAbandoned {
      nodes[node].free(fetch)
    } else if failure == .unreachable {
      let record = nodes[node].fetches[fetch]
      let limit = nodes[node].configuration.upstream.connectTimeout
      let end = record.sentAt.advanced(saturatingBy: limit)
      context.cancel(record.timer)
      nodes[node].fetches[fetch].timer = context.schedule(
        .fetchExpired(node: UInt16(node), fetch: UInt32(fetch)),
        at: end > context.now ? end : context.now, for: nodes[node].entity)
    }
  }

  /// A request has a place: its first byte follows after the origin's time.
  private mutating func serveAtOrigin(
    _ node: Int, _ fetch: Int, _ context: inout Context<FeedEvent>
  ) {
    let record = nodes[node].fetches[fetch]
    let entity = UInt64(nodes[node].entity) << 32 | UInt64(record.object)
    let draw = record.draw << 4 | UInt32(record.attempt & 15)
    let u = streams.uniform(.origin, entity: entity, draw: draw)
    let wait = TimeSpan(seconds: origin.configuration.firstByte.quantile(u))
    if origin.configuration.concurrency == nil {
      finish(node, fetch, content(node, fetch, at: context.now + wait), after: wait, &context)
    } else {
      context.schedule(
        .originDone(from: UInt16(node), fetch: UInt32(fetch)), at: context.now + wait,
        for: FeedWorld.originEntity)
    }
  }

  /// A request leaves its place; the next one takes it.
  mutating func leaveOrigin(_ node: Int, _ fetch: Int, _ context: inout Context<FeedEvent>) {
    let next = origin.leavePlace()
    finish(node, fetch, content(node, fetch, at: context.now), after: .zero, &context)
    if let next { serveAtOrigin(Int(next.node), Int(next.fetch), &context) }
  }

  private mutating func finish(
    _ node: Int, _ fetch: Int, _ answer: NodeAnswer, after wait: TimeSpan,
    _ context: inout Context<FeedEvent>
  ) {
    let asset = nodes[node].fetches[fetch].asset
    measures.counts.originBytes += answer.bytes
    measures.origin[asset].bytes += answer.bytes
    if answer.kind == .notModified { measures.origin[asset].notModified += 1 }
    sendDown(node, fetch, answer, after: wait, &context)
  }

  /// What the origin says at `time`.
  private mutating func content(_ node: Int, _ fetch: Int, at time: Instant) -> NodeAnswer {
    let record = nodes[node].fetches[fetch]
    let header = transport.pointee.responseHeaderBytes
    var answer = NodeAnswer(tier: .origin, bytes: header)
    if origin.configuration.outage(at: time)?.kind == .error {
      measures.origin[record.asset].errors += 1
      return answer
    }
    let isConfirmed = confirms(node, fetch, madeAt: time)
    answer.kind = isConfirmed ? .notModified : .content
    if !isConfirmed { answer.bytes = record.bytes }
    let entity = UInt64(nodes[node].entity) << 32 | UInt64(record.object)
    let usual = usualLifetimes[Int(record.asset.rawValue)]
    answer.stated = assetRules[Int(record.asset.rawValue)].lifetime(
      usual, at: time, u: streams.uniform(.lifetime, entity: entity, draw: record.draw))
    return answer
  }
}
