import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// What a real server's answer says of the cache at the edge.
struct OutsideVerdict {
  var edge: Int
  var asset: AssetClass
  var outcome: CacheOutcome
  var bytes: Int64
}

/// Requests that real servers answer.
///
/// The viewers, their devices and their policies are those of a simulated run; only where a request
/// would reach a modelled edge or feed service, it leaves as an ``OutsideCommand``, and what comes
/// back enters as an ``OutsideAnswer``.
extension Viewer {
  /// A request leaves for a real server.
  func leave(_ index: Int, at now: Instant, _ context: inout ViewerContext) {
    let request = requests.at(index)
    request.pointee.outside = .asked
    request.pointee.isLinkDone = false
    if request.pointee.retries == 0 { request.pointee.edgeAt = now }
    if servers != .real { request.pointee.reachesAt = now }
    let destination = request.pointee.destination
    var mark: Int64 = -1
    if servers == .real {
      let left = startMark(request)
      if left >= 0 {
        mark = request.pointee.bytes - Int64(left * Double(request.pointee.bytes))
      }
    }
    let title =
      destination.isService
      ? UInt32(0) : items[place(request.pointee.item)].title.id.index
    var leaving = OutsideRequest(
      token: token(index),
      service: destination == .feed ? .feed : destination == .events ? .events : .media,
      asset: request.pointee.asset, connection: request.pointee.connection, title: title,
      number: request.pointee.number, rung: Int(request.pointee.rung.index),
      segment: request.pointee.segment, isAudio: destination == .audio,
      isConditional: request.pointee.isConditional, bytes: request.pointee.bytes,
      bodyBytes: request.pointee.bodyBytes, startMark: mark,
      feedCount: pages.count, dueAt: now)
    if destination == .events { addEvents(to: &leaving) }
    context.outsideCommands.append(.request(leaving))
  }

  /// Adds the events of the post that is under way.
  private func addEvents(to request: inout OutsideRequest) {
    let state = clientState
    guard let post = state.pointee.post else { return }
    request.batch = post.batch
    for sequence in post.first..<(post.first + UInt64(post.count)) {
      guard let event = state.pointee.batcher.event(sequence) else { continue }
      let item = items.at(place(event.item.index))
      let isHeld = item.pointee.item == event.item.index
      request.events.append(
        OutsideEvent(
          sequence: sequence, event: event, title: isHeld ? item.pointee.title.id.index : nil))
    }
  }

  private func token(_ index: Int) -> OutsideToken {
    OutsideToken(
      slot: slot, index: UInt32(index),
      generation: requests[index].generation, session: session)
  }

  /// A request that has left is given up.
  ///
  /// What its answer would have said of the caches will never be known, so an edge that has had it
  /// is one request of no outcome.
  func giveUpOutside(_ index: Int, at now: Instant, _ context: inout ViewerContext) {
    let request = requests[index]
    let state = request.outside
    guard state == .asked || state == .headed else { return }
    if state == .asked && !request.destination.isService && request.reachesAt <= now {
      context.measures.outside.unanswered[Int(request.asset.rawValue)] += 1
    }
    requests[index].outside = .whole
    context.outsideCommands.append(.cancel(token(index)))
  }

  /// Sends a request without any model of the network: its connection is the real client's affair.
  ///
  /// - Returns: nil while no connection is free.
  mutating func sendReal(_ index: Int, at now: Instant, _ context: inout ViewerContext) -> Instant?
  {
    guard let sent = transport.sendReal(to: requests[index].server, at: now) else {
      requests[index].isWaiting = true
      requests.withoutConnection += 1
      return nil
    }
    requests[index].connection = sent.connection
    if sent.isNew { context.measures.counts.connectionsOpened += 1 }
    requests[index].reachesAt = now + sent.way
    noteDispatch(index, readyAt: now, at: now, &context)
    return now
  }

  // MARK: Answers

  /// A real server's answer to a request is heard, or a part of it.
  ///
  /// - Returns: what it says of the edge's cache; nil when it says nothing of it.
  mutating func hear(_ answer: OutsideAnswer, _ context: inout ViewerContext) -> OutsideVerdict? {
    let index = Int(answer.token.index)
    switch answer.kind {
    case .headed(let head):
      if requests[index].outside == .asked { return receive(head, index, &context) }
    case .marked:
      guard servers == .real, requests[index].outside == .headed else { return nil }
      reachStart(place(requests[index].item), &context)
    case .listed(let titles):
      let count = catalogue.pointee.titles
      for title in titles where title < count { pages.listed.append(title) }
    case .ended(let bytes): end(index, bytes, &context)
    case .failed: return fail(index, &context)
    }
    return nil
  }

  /// Whether a request is under way that an answer is for.
  func waits(for token: OutsideToken) -> Bool {
    let index = Int(token.index)
    return isActive && session == token.session && index < requests.count
      && requests[index].isActive && requests[index].generation == token.generation
  }

  private mutating func receive(
    _ head: OutsideHead, _ index: Int, _ context: inout ViewerContext
  ) -> OutsideVerdict? {
    var verdict: OutsideVerdict?
    let request = requests.at(index)
    request.pointee.outside = .headed
    request.pointee.isError = head.isError
    if request.pointee.isConditional && !head.isNotModified {
      request.pointee.isConditional = false
    }
    if let bytes = head.bytes, !head.isNotModified, !head.isError { request.pointee.bytes = bytes }
    request.pointee.age = head.age
    request.pointee.stated =
      head.lifetime ?? setting.pointee.origin.usualLifetimes[Int(request.pointee.asset.rawValue)]
    request.pointee.upstreamWait = context.now - request.pointee.edgeAt
    if !request.pointee.destination.isService {
      let bytes = request.pointee.isConditional ? 0 : request.pointee.bytes
      verdict = OutsideVerdict(
        edge: Int(edge), asset: request.pointee.asset, outcome: head.outcome, bytes: bytes)
      judge(request, head.outcome)
      let excess = head.age - request.pointee.stated
      if excess > .zero && !head.isError { context.measures.staleness.count(excess.nanoseconds) }
    }
    if head.isError { context.measures.counts.clientErrors += 1 }
    if servers == .realBehindModelledLinks {
      beginTransfer(index, at: context.now + transport.roundTrip / 2, &context)
      return verdict
    }
    request.pointee.firstByteAt = context.now
    request.pointee.joinedAt = context.now
    request.pointee.wireBytes = Double(request.pointee.bytes)
    if request.pointee.asset == .mediaManifest { readVersion(index, at: context.now, &context) }
    noteStart(index, firstByte: context.now, joined: context.now)
    return verdict
  }

  /// What an answer says of the caches on its way.
  private func judge(_ request: UnsafeMutablePointer<Request>, _ outcome: CacheOutcome) {
    let (tier, reason): (AnsweringTier, MissReason) =
      switch outcome {
      case .hit, .staleHit: (.edge, .none)
      case .collapsed: (.edge, .collapsed)
      case .revalidated: (.origin, .expired)
      case .miss: (.origin, .cold)
      case .bypass: (.origin, .bypass)
      case .error: (.none, .error)
      }
    request.pointee.tier = tier
    request.pointee.reason = reason
    request.pointee.isImmediate =
      (outcome == .hit || outcome == .staleHit) && request.pointee.retries == 0
  }

  private mutating func end(_ index: Int, _ bytes: Int64, _ context: inout ViewerContext) {
    let request = requests.at(index)
    guard request.pointee.outside == .headed else { return }
    request.pointee.outside = .whole
    if servers == .real {
      if !request.pointee.isConditional && !request.pointee.isError {
        request.pointee.bytes = bytes
      }
      transport.receive(at: context.now)
      complete(index, &context)
    } else if request.pointee.isLinkDone {
      complete(index, &context)
    }
  }

  /// No answer, or half of one: the viewer takes it as an error.
  private mutating func fail(_ index: Int, _ context: inout ViewerContext) -> OutsideVerdict? {
    let request = requests.at(index)
    guard request.pointee.outside == .asked || request.pointee.outside == .headed
    else { return nil }
    var verdict: OutsideVerdict?
    if request.pointee.outside == .asked {
      if !request.pointee.destination.isService {
        verdict = OutsideVerdict(
          edge: Int(edge), asset: request.pointee.asset, outcome: .error, bytes: 0)
      }
      request.pointee.reason = .error
    }
    request.pointee.outside = .whole
    if !request.pointee.isError { context.measures.counts.clientErrors += 1 }
    request.pointee.isError = true
    syncLink(at: context.now, &context)
    _ = transport.withdraw(index, at: context.now, cells: &context.cells)
    transport.close(request.pointee.server, request.pointee.connection)
    complete(index, &context)
    isLinkChanged = true
    return verdict
  }

  /// The modelled link has carried an answer's body: whether the real one is here, too.
  func isHere(_ index: Int) -> Bool {
    let state = requests[index].outside
    if state == .inside || state == .whole { return true }
    requests[index].isLinkDone = true
    return false
  }
}
