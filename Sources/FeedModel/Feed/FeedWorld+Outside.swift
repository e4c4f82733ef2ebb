import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// Requests that real servers answer.
///
/// The viewers, their devices and their policies are those of a simulated run; only where a request
/// would reach a modelled edge or feed service, it leaves as an ``OutsideCommand``, and what comes
/// back enters as an ``OutsideAnswer``.
extension FeedWorld {
  /// A request leaves for a real server.
  mutating func leave(_ viewer: ViewerPointer, _ index: Int, at now: Instant) {
    let request = viewer.pointee.requests + index
    request.pointee.outside = .asked
    request.pointee.isLinkDone = false
    if request.pointee.retries == 0 { request.pointee.edgeAt = now }
    if servers != .real { request.pointee.reachesAt = now }
    let destination = request.pointee.destination
    var mark: Int64 = -1
    if servers == .real {
      let left = startMark(viewer, request, Double(request.pointee.bytes))
      if left >= 0 { mark = request.pointee.bytes - Int64(left) }
    }
    let title =
      destination.isService
      ? UInt32(0) : viewer.pointee.items[place(request.pointee.item)].title.id.index
    var leaving = OutsideRequest(
      token: token(viewer, index),
      service: destination == .feed ? .feed : destination == .events ? .events : .media,
      asset: request.pointee.asset, connection: request.pointee.connection, title: title,
      number: request.pointee.number, rung: Int(request.pointee.rung.index),
      segment: request.pointee.segment, isAudio: destination == .audio,
      isConditional: request.pointee.isConditional, bytes: request.pointee.bytes,
      bodyBytes: request.pointee.bodyBytes, startMark: mark,
      feedCount: viewer.pointee.feedCount, dueAt: now)
    if destination == .events { addEvents(viewer, to: &leaving) }
    outsideCommands.append(.request(leaving))
  }

  /// Adds the events of the post that is under way.
  private func addEvents(_ viewer: ViewerPointer, to request: inout OutsideRequest) {
    let state = client(viewer)
    guard let post = state.pointee.post else { return }
    request.batch = post.batch
    for sequence in post.first..<(post.first + UInt64(post.count)) {
      guard let event = state.pointee.batcher.event(sequence) else { continue }
      let item = viewer.pointee.items + place(event.item.index)
      let isHeld = item.pointee.item == event.item.index
      request.events.append(
        OutsideEvent(
          sequence: sequence, event: event, title: isHeld ? item.pointee.title.id.index : nil))
    }
  }

  private mutating func token(_ viewer: ViewerPointer, _ index: Int) -> OutsideToken {
    OutsideToken(
      slot: viewer.pointee.slot, index: UInt32(index),
      generation: viewer.pointee.requests[index].generation, session: viewer.pointee.session)
  }

  /// A request that has left is given up.
  ///
  /// What its answer would have said of the caches will never be known, so an edge that has had it
  /// is one request of no outcome.
  mutating func giveUpOutside(_ viewer: ViewerPointer, _ index: Int, at now: Instant) {
    let request = viewer.pointee.requests[index]
    let state = request.outside
    guard state == .asked || state == .headed else { return }
    if state == .asked && !request.destination.isService && request.reachesAt <= now {
      measures.outside.unanswered[Int(request.asset.rawValue)] += 1
    }
    viewer.pointee.requests[index].outside = .whole
    outsideCommands.append(.cancel(token(viewer, index)))
  }

  /// Sends a request without any model of the network: its connection is the real client's affair.
  ///
  /// - Returns: nil while no connection is free.
  mutating func sendReal(_ viewer: ViewerPointer, _ index: Int, at now: Instant) -> Instant? {
    let isFeed = viewer.pointee.requests[index].destination.isService
    let host = isFeed ? viewer.pointee.hosts.feed : viewer.pointee.hosts.edge
    let choice = host.choose(
      limit: transport.pointee.connectionsPerHost,
      isShared: isFeed || transport.pointee.http != .http1)
    if choice < 0 {
      viewer.pointee.requests[index].isWaiting = true
      viewer.pointee.waitingRequests += 1
      return nil
    }
    viewer.pointee.requests[index].connection = choice
    let connection = host.connections + choice
    connection.pointee.outstanding += 1
    var way = viewer.pointee.roundTrip / 2
    if !connection.pointee.isOpen {
      connection.pointee.isOpen = true
      viewer.pointee.connectionSerial += 1
      measures.counts.connectionsOpened += 1
      way = way + viewer.pointee.roundTrip
    }
    viewer.pointee.requests[index].reachesAt = now + way
    connection.pointee.nameAt = now
    connection.pointee.connectedAt = now
    connection.pointee.readyAt = now
    noteDispatch(viewer, index, readyAt: now, at: now)
    return now
  }

  // MARK: Answers

  /// Something was heard from outside.
  mutating func hear(_ number: UInt32, _ context: inout Context<FeedEvent>) {
    let answer = outsideAnswers[Int(number)]
    answersHeard += 1
    let token = answer.token
    guard Int(token.slot) < viewers.count else { return }
    let viewer = viewers[Int(token.slot)]
    let index = Int(token.index)
    guard viewer.pointee.isActive, viewer.pointee.session == token.session,
      index < viewer.pointee.requestCount, viewer.pointee.requests[index].isActive,
      viewer.pointee.requests[index].generation == token.generation
    else {
      hearLate(answer)
      return
    }
    switch answer.kind {
    case .headed(let head):
      if viewer.pointee.requests[index].outside == .asked { receive(head, viewer, index, &context) }
    case .marked:
      guard servers == .real, viewer.pointee.requests[index].outside == .headed else { return }
      reachStart(viewer, place(viewer.pointee.requests[index].item), &context)
    case .listed(let titles):
      let count = catalogue.pointee.titles
      for title in titles where title < count { viewer.pointee.listed.append(title) }
    case .ended(let bytes): end(viewer, index, bytes, &context)
    case .failed: fail(viewer, index, &context)
    }
  }

  /// Nobody waits for it; the bytes of its body have come all the same. Over real links they are
  /// delivered media that is never rendered; a modelled link knows itself what it has carried.
  private mutating func hearLate(_ answer: OutsideAnswer) {
    measures.outside.late += 1
    switch answer.kind {
    case .ended(let bytes), .failed(let bytes):
      measures.outside.lateBytes += bytes
      if servers != .real || !answer.isMedia { return }
      let (network, device, _) = configuration.choices(of: answer.token.session, streams)
      let cell = configuration.cohort(network: network, device: device)
      measures.balances[cell].delivered += bytes
      measures.balances[cell].wasted += bytes
      measures.counts.deliveredBytes += bytes
    case .headed, .marked, .listed: break
    }
  }

  private mutating func receive(
    _ head: OutsideHead, _ viewer: ViewerPointer, _ index: Int,
    _ context: inout Context<FeedEvent>
  ) {
    let request = viewer.pointee.requests + index
    request.pointee.outside = .headed
    request.pointee.isError = head.isError
    if request.pointee.isConditional && !head.isNotModified {
      request.pointee.isConditional = false
    }
    if let bytes = head.bytes, !head.isNotModified, !head.isError { request.pointee.bytes = bytes }
    request.pointee.age = head.age
    request.pointee.stated =
      head.lifetime ?? said.usualLifetimes[Int(request.pointee.asset.rawValue)]
    request.pointee.upstreamWait = context.now - request.pointee.edgeAt
    if !request.pointee.destination.isService {
      let edge = Int(viewer.pointee.edge)
      let bytes = request.pointee.isConditional ? 0 : request.pointee.bytes
      caches.countOutside(edge: edge, request.pointee.asset, head.outcome, bytes: bytes)
      judge(request, head.outcome)
      let excess = head.age - request.pointee.stated
      if excess > .zero && !head.isError { measures.staleness.count(excess.nanoseconds) }
    }
    if head.isError { measures.counts.clientErrors += 1 }
    if servers == .realBehindModelledLinks {
      beginTransfer(viewer, index, at: context.now + viewer.pointee.roundTrip / 2, &context)
      return
    }
    request.pointee.firstByteAt = context.now
    request.pointee.joinedAt = context.now
    request.pointee.wireBytes = Double(request.pointee.bytes)
    if request.pointee.asset == .mediaManifest { readVersion(viewer, index, at: context.now) }
    noteStart(viewer, index, firstByte: context.now, joined: context.now)
  }

  /// What an answer says of the caches on its way.
  private mutating func judge(_ request: UnsafeMutablePointer<Request>, _ outcome: CacheOutcome) {
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

  private mutating func end(
    _ viewer: ViewerPointer, _ index: Int, _ bytes: Int64, _ context: inout Context<FeedEvent>
  ) {
    let request = viewer.pointee.requests + index
    guard request.pointee.outside == .headed else { return }
    request.pointee.outside = .whole
    if servers == .real {
      if !request.pointee.isConditional && !request.pointee.isError {
        request.pointee.bytes = bytes
      }
      viewer.pointee.radio.receive(at: context.now)
      complete(viewer, index, &context)
    } else if request.pointee.isLinkDone {
      complete(viewer, index, &context)
    }
  }

  /// No answer, or half of one: the viewer takes it as an error.
  private mutating func fail(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    let request = viewer.pointee.requests + index
    guard request.pointee.outside == .asked || request.pointee.outside == .headed else { return }
    if request.pointee.outside == .asked {
      if !request.pointee.destination.isService {
        caches.countOutside(
          edge: Int(viewer.pointee.edge), request.pointee.asset, .error, bytes: 0)
      }
      request.pointee.reason = .error
    }
    request.pointee.outside = .whole
    if !request.pointee.isError { measures.counts.clientErrors += 1 }
    request.pointee.isError = true
    syncLink(viewer, at: context.now)
    _ = withdraw(viewer, index, at: context.now)
    connection(viewer, request.pointee).pointee.isOpen = false
    complete(viewer, index, &context)
    if viewer.pointee.isActive { rescheduleLink(viewer, &context) }
  }

  /// The modelled link has carried an answer's body: whether the real one is here, too.
  mutating func isHere(_ viewer: ViewerPointer, _ index: Int) -> Bool {
    let state = viewer.pointee.requests[index].outside
    if state == .inside || state == .whole { return true }
    viewer.pointee.requests[index].isLinkDone = true
    return false
  }
}
