import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The edge as viewers meet it.
extension FeedWorld {
  static func caches(
    _ configuration: FeedConfiguration, demand: StationaryDemand?, untouched: TierContents,
    numbers: TitleNumbers, domain: FeedDomain, streams: RandomStreams
  ) -> CacheHierarchy {
    let contents = demand.map {
      StationaryContents(
        configuration.cdn, untouched: untouched, demand: $0, catalogue: configuration.catalogue,
        streams: streams)
    }
    var others: BackgroundAudience?
    if !configuration.scale.isWhole {
      guard let contents else { preconditionFailure("who is not simulated asks by the demand") }
      let chosen = configuration.client.isActive ? configuration.client.retry : nil
      others = BackgroundAudience(
        BackgroundAudience.Configuration(
          scale: configuration.scale, audience: configuration.audience,
          retry: chosen ?? FeedWorld.playerRetry),
        configuration.cdn, contents: contents, numbers: numbers, streams: streams)
    }
    return CacheHierarchy(
      configuration.cdn, headerBytes: configuration.transport.responseHeaderBytes,
      numbers: numbers, streams: streams, untouched: untouched, stationary: contents,
      others: others, domain: domain)
  }

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
    let asked = EdgeRequest(
      at: context.now, key: key(viewer, index), asset: asset, bytes: bytes, edge: UInt32(edge))
    edgeRequests?.append(asked)
    let service = caches.serviceTime(atEdge: edge, u: request.pointee.serviceDraw)
    if request.pointee.retries == 0 { request.pointee.edgeAt = context.now }
    let reply = caches.ask(
      asked, by: EdgeAsker(slot: viewer.pointee.slot, request: UInt32(index)), service: service,
      into: &cacheCommands)
    switch reply {
    case .everything(let stated):
      request.pointee.stated = stated
      answer(viewer, index, after: service, &context)
    case .fresh(let age, let stated):
      performCacheCommands(&context)
      request.pointee.age = age
      request.pointee.stated = stated
      request.pointee.tier = .edge
      if request.pointee.retries > 0 {
        request.pointee.upstreamWait = context.now - request.pointee.edgeAt
      }
      answer(viewer, index, after: service, &context)
    case .waits(let number, let reason):
      if request.pointee.retries == 0 { request.pointee.reason = reason }
      request.pointee.waiting = number
      request.pointee.isImmediate = false
      performCacheCommands(&context)
    }
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
    let segments = Title.segmentCount(
      of: TitleID(request.pointee.object / ObjectLayout.stride), catalogue: catalogue,
      streams: streams)
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

  /// The edge answers a viewer who has waited, or whom it could not give a fresh copy.
  private mutating func receive(_ given: EdgeAnswer, _ context: inout Context<FeedEvent>) {
    let viewer = viewers[Int(given.asker.slot)]
    let index = Int(given.asker.request)
    let request = viewer.pointee.requests + index
    request.pointee.waiting = .max
    request.pointee.tier = given.answer.tier
    if let reason = given.reason { request.pointee.reason = reason }
    request.pointee.upstreamWait = context.now - request.pointee.edgeAt
    request.pointee.age = given.answer.age
    request.pointee.stated = given.answer.stated
    request.pointee.isError = given.answer.kind == .failed
    if given.isArrival && !request.pointee.isError {
      request.pointee.isImmediate = request.pointee.retries == 0
      if request.pointee.isImmediate { request.pointee.reason = .none }
    }
    if request.pointee.isError { measures.counts.clientErrors += 1 }
    answer(viewer, index, after: given.delay, &context)
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
    caches.cancel(
      number, atEdge: Int(viewer.pointee.edge), key: key(viewer, index), at: now)
  }

  // MARK: What the caches command

  /// Something that the caches had scheduled has happened.
  mutating func tellCaches(_ event: CacheEvent, _ context: inout Context<FeedEvent>) {
    caches.handle(event, at: context.now, into: &cacheCommands)
    performCacheCommands(&context)
  }

  /// A time that the caches had set has come.
  mutating func tellCaches(_ timer: CacheTimer, _ context: inout Context<FeedEvent>) {
    cacheTimers[timer] = .none
    caches.handle(timer, at: context.now, into: &cacheCommands)
    performCacheCommands(&context)
  }

  /// Performs what the caches command, in that order.
  private mutating func performCacheCommands(_ context: inout Context<FeedEvent>) {
    if cacheCommands.isEmpty { return }
    var commands = cacheCommands
    cacheCommands = []
    for command in commands {
      switch command {
      case .schedule(let event, let time, let target, let phase):
        context.schedule(FeedEvent(event), at: time, for: target, phase: phase)
      case .set(let timer, let time, let target):
        context.cancel(cacheTimers[timer])
        cacheTimers[timer] = context.schedule(FeedEvent(timer), at: time, for: target)
      case .cancel(let timer):
        context.cancel(cacheTimers[timer])
        cacheTimers[timer] = .none
      case .answer(let answer): receive(answer, &context)
      case .send(let message):
        outbox.append(
          DomainMessage(
            message: message, source: context.source, sequence: context.takeSequence()))
      }
    }
    commands.removeAll(keepingCapacity: true)
    cacheCommands = commands
  }

  /// Takes what the caches have counted into the measures.
  mutating func takeCounters() {
    caches.forEachNode { measures.add($0, $1, $2) }
    let origin = caches.originCounters.total
    measures.origin = caches.originCounters
    measures.counts.shieldCrossings = caches.shieldCrossings
    measures.counts.originRequests = origin.requests
    measures.counts.originBytes = origin.bytes
  }

  /// What the cache keys of a session have beside the object.
  mutating func keyValue(of session: UInt32) -> UInt32 {
    switch configuration.cdn.cacheKey {
    case .path: return 0
    case .session: return session + 1
    case .query(let values):
      let u = streams.uniform(.cacheKey, entity: UInt64(session))
      let value = UInt32(u * Double(values))
      return value < values ? value : values - 1
    }
  }
}

extension FeedEvent {
  init(_ event: CacheEvent) {
    self =
      switch event {
      case .requestAtNode(let node, let from, let fetch):
        .requestAtNode(node: node, from: from, fetch: fetch)
      case .answerAtNode(let node, let fetch): .answerAtNode(node: node, fetch: fetch)
      case .requestAtOrigin(let from, let fetch): .requestAtOrigin(from: from, fetch: fetch)
      case .originDone(let from, let fetch): .originDone(from: from, fetch: fetch)
      }
  }

  init(_ timer: CacheTimer) {
    self =
      switch timer {
      case .fetchExpired(let node, let fetch): .fetchExpired(node: node, fetch: fetch)
      case .machine(let node, let machine): .nodeTimer(node: node, machine: machine)
      }
  }
}
