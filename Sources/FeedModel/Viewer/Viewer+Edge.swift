import AudienceModel
import CacheModel
import CachePolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The edge as a viewer meets it.
extension Viewer {
  /// What reaches the edge now is no happening to come any more.
  mutating func arriveAtEdge() { _ = agenda.takeNext() }

  /// What an edge knows the object of a request by.
  @inline(__always)
  func key(_ request: Int) -> UInt64 {
    UInt64(keyValue) << 32 | UInt64(requests[request].object)
  }

  /// What the edge is asked by a request.
  func edgeRequest(_ index: Int, at now: Instant) -> EdgeRequest {
    EdgeRequest(
      at: now, key: key(index), asset: requests[index].asset, bytes: requests[index].bytes,
      edge: edgeNode(index))
  }

  /// The node of the edge that a request asks.
  @inline(__always)
  func edgeNode(_ request: Int) -> UInt32 {
    let provider = requests[request].provider
    return provider == 0 ? edge : edge + setting.pointee.firstNodes[Int(provider)]
  }

  /// Who asks the edge by a request.
  func asker(_ index: Int) -> EdgeAsker { EdgeAsker(slot: slot, request: UInt32(index)) }

  /// Uniform on 0 ..< 1: what the edge takes for the answer to a request.
  func serviceDraw(_ index: Int) -> Double { requests[index].way.serviceDraw }

  /// Whether a request that has reached the edge asks it: what was given up on its way asks nobody.
  func asksEdge(_ request: Int, _ generation: UInt32) -> Bool {
    requests.isCurrent(request, generation)
  }

  /// The same by the low half of its generation.
  func asksEdge(_ request: UInt16, _ generation: UInt16) -> Bool {
    requests.isCurrent(request, generation)
  }

  /// What the edge says at once.
  ///
  /// - Parameter service: what the edge takes for an answer.
  mutating func receive(
    _ reply: EdgeReply, _ index: Int, after service: TimeSpan, _ context: inout ViewerContext
  ) {
    let request = requests.at(index)
    if request.pointee.retries == 0 { request.pointee.times.edgeAt = context.now }
    switch reply {
    case .everything(let stated):
      request.pointee.answer.stated = stated
      answer(index, after: service, &context)
    case .fresh(let age, let stated):
      request.pointee.answer.age = age
      request.pointee.answer.stated = stated
      request.pointee.answer.tier = .edge
      if request.pointee.retries > 0 {
        request.pointee.times.upstreamWait = context.now - request.pointee.times.edgeAt
      }
      answer(index, after: service, &context)
    case .waits(let number, let reason):
      if request.pointee.retries == 0 { request.pointee.answer.reason = reason }
      request.pointee.waiting = number
      request.pointee.answer.isImmediate = false
      requests.atEdge += 1
    }
  }

  /// The edge answers a request that has waited, or that it could not give a fresh copy.
  mutating func receive(_ given: EdgeAnswer, _ context: inout ViewerContext) {
    let index = Int(given.asker.request)
    let request = requests.at(index)
    request.pointee.waiting = .max
    requests.atEdge -= 1
    request.pointee.answer.tier = given.answer.tier
    if let reason = given.reason { request.pointee.answer.reason = reason }
    request.pointee.times.upstreamWait = context.now - request.pointee.times.edgeAt
    request.pointee.answer.age = given.answer.age
    request.pointee.answer.stated = given.answer.stated
    request.pointee.answer.isError = given.answer.kind == .failed
    if given.isArrival && !request.pointee.answer.isError {
      request.pointee.answer.isImmediate = request.pointee.retries == 0
      if request.pointee.answer.isImmediate { request.pointee.answer.reason = .none }
    }
    if request.pointee.answer.isError { context.measures.counts.clientErrors += 1 }
    answer(index, after: given.delay, &context)
  }

  /// An answer leaves the edge; its first byte is at the viewer half a round trip later.
  mutating func answer(
    _ index: Int, after service: TimeSpan, _ context: inout ViewerContext
  ) {
    let request = requests.at(index)
    // An error has no body, so it is known before there is one.
    if hasClient && !request.pointee.answer.isError && injectError(index, &context) {
      request.pointee.answer.isError = true
    }
    let excess = request.pointee.answer.age - request.pointee.answer.stated
    if excess > .zero && !request.pointee.answer.isError {
      context.measures.staleness.count(excess.nanoseconds)
    }
    beginTransfer(
      index, at: context.now + service + transport.roundTrip(to: request.pointee.server) / 2,
      &context)
  }

  /// Gives up a request that waits at its edge: nobody is to be answered any more, and it counts as
  /// what it waited for.
  mutating func cancelAtEdge(_ index: Int, _ context: inout ViewerContext) {
    let number = requests[index].waiting
    if number == .max { return }
    requests[index].waiting = .max
    requests.atEdge -= 1
    context.givenUp.append(
      ViewerContext.GivenUp(number: number, key: key(index), edge: edgeNode(index)))
  }

  /// A pilot counts a request.
  @inline(never)
  func count(_ index: Int, _ context: inout ViewerContext) {
    let request = requests.at(index)
    if request.pointee.destination.isService { return }
    let offset = Int(request.pointee.offset)
    let segments = Title.segmentCount(
      of: TitleID(request.pointee.object / ObjectLayout.stride), catalogue: catalogue,
      streams: streams)
    context.measures.offsets.addRequest(
      offset, segments: segments, bytes: request.pointee.bytes)
    if context.firstRequests == nil { return }
    let item = request.pointee.item
    let known = context.firstRequests?.known(item, of: session)
    if known == nil {
      context.firstRequests?.add(item, of: session, at: context.now)
      context.measures.offsets.addItem(segments: segments)
    }
    context.measures.offsets.delays.add(offset, context.now - (known ?? context.now))
  }

  /// Whether the edge's answer to a request is an error.
  private func injectError(_ index: Int, _ context: inout ViewerContext) -> Bool {
    let share = clientSettings.pointee.segmentErrorShare
    let request = requests.at(index)
    guard share > 0, request.pointee.asset == .segment, !request.pointee.isFromDisk else {
      return false
    }
    let entity = UInt64(session) << 32 | UInt64(request.pointee.item)
    // Another provider draws anew.
    let draw =
      request.pointee.offset << 8
      | UInt32(request.pointee.retries &+ request.pointee.provider &* 64)
    if streams.uniform(.segmentError, entity: entity, draw: draw) >= share { return false }
    context.measures.clientSide.segmentErrors += 1
    return true
  }
}
