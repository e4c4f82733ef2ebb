import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel

/// The edge as viewers meet it.
extension FeedWorld {
  /// A viewer's request has arrived at its edge.
  ///
  /// One that was given up on its way is taken back before the edge has done anything.
  mutating func receiveAtEdge(
    _ viewer: ViewerPointer, _ index: Int, _ generation: UInt32, _ target: UInt32,
    _ context: inout Context<FeedEvent>
  ) {
    guard viewer.pointee.isActive, viewer.pointee.requestCount > index,
      viewer.pointee.requests[index].isActive,
      viewer.pointee.requests[index].generation == generation
    else { return }
    let request = viewer.pointee.requests + index
    if request.pointee.destination.isService {
      leave(viewer, index, at: context.now)
      return
    }
    let edge = Int(viewer.pointee.edge)
    let (asset, bytes) = (request.pointee.asset, request.pointee.bytes)
    if isCounting { count(request, of: viewer.pointee.session, at: context.now) }
    if servers != .modelled {
      leave(viewer, index, at: context.now)
      return
    }
    let key = key(viewer, index)
    edgeRequests?.append(
      EdgeRequest(at: context.now, key: key, bytes: bytes, edge: UInt32(edge)))
    let service = TimeSpan(
      seconds: nodes[edge].configuration.serviceTime.quantile(request.pointee.serviceDraw))
    if request.pointee.retries == 0 { request.pointee.edgeAt = context.now }
    if start == .everything {
      nodes[edge].counters.count(asset, .hit, bytes: bytes)
      request.pointee.stated = usualLifetimes[Int(asset.rawValue)]
      answer(viewer, index, after: service, &context)
      return
    }
    let handle = find(edge, key, asset, bytes: bytes, at: context.now)
    if othersFetch != nil { beginOthersFetch(&context) }
    if let age = nodes[edge].freshAge(handle, at: context.now) {
      nodes[edge].counters.count(asset, .hit, bytes: bytes)
      request.pointee.age = age
      request.pointee.stated = nodes[edge].entries[Int(handle)].stated
      request.pointee.tier = .edge
      if request.pointee.retries > 0 {
        request.pointee.upstreamWait = context.now - request.pointee.edgeAt
      }
      answer(viewer, index, after: service, &context)
      return
    }
    if request.pointee.retries == 0 { request.pointee.reason = reason(edge, handle) }
    let number = nodes[edge].add(
      NodeRequest(
        child: -1, slot: viewer.pointee.slot, index: UInt32(index), asset: asset, bytes: bytes,
        service: service))
    request.pointee.waiting = number
    request.pointee.isImmediate = false
    ask(edge, handle, number, &context)
  }

  /// Two requests that a viewer sent together have arrived, one after the other.
  mutating func receiveAtEdge(
    _ viewer: ViewerPointer, _ pair: RequestPair, _ target: UInt32,
    _ context: inout Context<FeedEvent>
  ) {
    changingLink = viewer
    hasChangedLink = false
    receiveAtEdge(viewer, pair.first, pair.firstGeneration, target, &context)
    receiveAtEdge(viewer, pair.second, pair.secondGeneration, target, &context)
    changingLink = nil
    if hasChangedLink { rescheduleLink(viewer, &context) }
  }

  private mutating func receiveAtEdge(
    _ viewer: ViewerPointer, _ index: UInt16, _ generation: UInt16, _ target: UInt32,
    _ context: inout Context<FeedEvent>
  ) {
    guard viewer.pointee.isActive, viewer.pointee.requestCount > Int(index) else { return }
    let present = viewer.pointee.requests[Int(index)].generation
    if UInt16(truncatingIfNeeded: present) != generation { return }
    receiveAtEdge(viewer, Int(index), present, target, &context)
  }

  /// A pilot counts a request.
  @inline(never)
  private mutating func count(
    _ request: UnsafeMutablePointer<Request>, of session: UInt32, at now: Instant
  ) {
    let offset = Int(request.pointee.offset)
    let segments = segmentCount(of: request.pointee.object / ObjectLayout.stride)
    measures.offsets.addRequest(offset, segments: segments, bytes: request.pointee.bytes)
    if firstRequests == nil { return }
    let item = request.pointee.item
    let known = firstRequests?.known(item, of: session)
    if known == nil {
      firstRequests?.add(item, of: session, at: now)
      measures.offsets.addItem(segments: segments)
    }
    measures.offsets.delays.add(offset, now - (known ?? now))
  }

  /// What an edge knows the object of a viewer's request by.
  @inline(__always)
  func key(_ viewer: ViewerPointer, _ request: Int) -> UInt64 {
    UInt64(viewer.pointee.keyValue) << 32 | UInt64(viewer.pointee.requests[request].object)
  }

  /// Why an edge cannot serve an object at once, as it looks on arrival.
  private mutating func reason(_ edge: Int, _ handle: UInt32) -> MissReason {
    switch nodes[edge].entries[Int(handle)].fate {
    case .resident: .expired
    case .never: .cold
    case .evicted: .evicted
    case .purged: .purged
    }
  }

  /// The edge answers a viewer.
  ///
  /// - Parameter isArrival: it does so without having waited.
  mutating func answerViewer(
    _ waiting: NodeRequest, _ given: NodeAnswer, _ reason: MissReason?, isArrival: Bool,
    _ context: inout Context<FeedEvent>
  ) {
    let viewer = viewers[Int(waiting.slot)]
    let index = Int(waiting.index)
    let request = viewer.pointee.requests + index
    request.pointee.waiting = .max
    request.pointee.tier = given.tier
    if let reason { request.pointee.reason = reason }
    request.pointee.upstreamWait = context.now - request.pointee.edgeAt
    request.pointee.age = given.age
    request.pointee.stated = given.stated
    request.pointee.isError = given.kind == .failed
    if isArrival && !request.pointee.isError {
      request.pointee.isImmediate = request.pointee.retries == 0
      if request.pointee.isImmediate { request.pointee.reason = .none }
    }
    if request.pointee.isError { measures.counts.clientErrors += 1 }
    answer(viewer, index, after: isArrival ? waiting.service : .zero, &context)
  }

  /// Sends an answer from the edge; its first byte is at the viewer half a round trip later.
  private mutating func answer(
    _ viewer: ViewerPointer, _ index: Int, after service: TimeSpan,
    _ context: inout Context<FeedEvent>
  ) {
    let request = viewer.pointee.requests + index
    // An error has no body, so it is known before there is one.
    if hasClient && !request.pointee.isError && injectError(viewer, request.pointee) {
      request.pointee.isError = true
    }
    let excess = request.pointee.age - request.pointee.stated
    if excess > .zero && !request.pointee.isError {
      measures.staleness.count(excess.nanoseconds)
    }
    beginTransfer(
      viewer, index, at: context.now + service + viewer.pointee.roundTrip / 2, &context)
  }

  /// A viewer gives up a request that waits at its edge: nobody is to be answered any more, and it
  /// counts as what it waited for.
  mutating func cancelAtEdge(_ viewer: ViewerPointer, _ index: Int, at now: Instant) {
    let number = viewer.pointee.requests[index].waiting
    if number == .max { return }
    viewer.pointee.requests[index].waiting = .max
    let edge = Int(viewer.pointee.edge)
    let waiting = nodes[edge].take(number)
    let outcome: CacheOutcome =
      !waiting.isFetching ? .collapsed : waiting.isFetchConditional ? .revalidated : .miss
    nodes[edge].counters.count(waiting.asset, outcome, bytes: waiting.bytes)
    let key = key(viewer, index)
    let handle = nodes[edge].handle(of: key, waiting.asset).handle
    let machine = Int(nodes[edge].entries[Int(handle)].machine)
    precondition(machine >= 0, "a request waits at a machine")
    // This event has no commands.
    var commands: [CollapsingMachine.Command] = []
    nodes[edge].machines[machine].handle(
      .cancelled(RequestNumber(number)), at: now, into: &commands)
  }
}
