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
          retry: chosen ?? Viewer.playerRetry),
        configuration.cdn, contents: contents, numbers: numbers, streams: streams)
    }
    return CacheHierarchy(
      configuration.cdn, headerBytes: configuration.transport.responseHeaderBytes,
      numbers: numbers, streams: streams, untouched: untouched, stationary: contents,
      others: others, domain: domain)
  }

  /// Goes on under other faults of the CDN, which have made no difference until now. The caches are
  /// all of the world that knows them.
  public mutating func goOn(under faults: CDNFaults) { caches.goOn(under: faults) }

  /// A viewer's request has arrived at its edge; one that was given up on its way asks nothing.
  mutating func receiveAtEdge(
    _ viewer: ViewerPointer, _ index: Int, _ generation: UInt32,
    _ context: inout Context<FeedEvent>
  ) {
    beginAtEdge(viewer, context)
    if viewer.pointee.requests.isCurrent(index, generation) { ask(viewer, index, &context) }
    goOn(viewer, &context)
  }

  /// Two requests that a viewer sent together have arrived, one after the other; one of them may
  /// have been given up on its way.
  mutating func receiveAtEdge(
    _ viewer: ViewerPointer, _ pair: RequestPair, _ context: inout Context<FeedEvent>
  ) {
    beginAtEdge(viewer, context)
    if viewer.pointee.requests.isCurrent(pair.first, pair.firstGeneration) {
      ask(viewer, Int(pair.first), &context)
    }
    if viewer.pointee.requests.isCurrent(pair.second, pair.secondGeneration) {
      ask(viewer, Int(pair.second), &context)
    }
    goOn(viewer, &context)
  }

  private mutating func beginAtEdge(
    _ viewer: ViewerPointer, _ context: borrowing Context<FeedEvent>
  ) {
    turns[Int(viewer.pointee.slot)].event = .none
    viewer.pointee.arriveAtEdge()
    viewerContext.begin(at: context.now, source: context.source)
  }

  /// Asks the edge, or a real server, for what a request is for.
  private mutating func ask(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    if viewerContext.isCounting { viewer.pointee.count(index, &viewerContext) }
    if setting.pointee.servers != .modelled {
      viewer.pointee.leave(index, at: context.now, &viewerContext)
      return
    }
    let asked = viewer.pointee.edgeRequest(index, at: context.now)
    edgeRequests?.append(asked)
    let service = caches.serviceTime(
      atEdge: Int(asked.edge), u: viewer.pointee.requests[index].way.serviceDraw)
    let reply = caches.ask(
      asked, by: EdgeAsker(slot: viewer.pointee.slot, request: UInt32(index)), service: service,
      into: &cacheCommands)
    viewer.pointee.receive(reply, index, after: service, &viewerContext)
    performCacheCommands(acting: viewer, &context)
  }

  // MARK: What the caches command

  /// Something that the caches had scheduled has happened.
  mutating func tellCaches(_ event: CacheEvent, _ context: inout Context<FeedEvent>) {
    caches.handle(event, at: context.now, into: &cacheCommands)
    performCacheCommands(acting: nil, &context)
  }

  /// A time that the caches had set has come.
  mutating func tellCaches(_ timer: CacheTimer, _ context: inout Context<FeedEvent>) {
    cacheTimers[timer] = .none
    caches.handle(timer, at: context.now, into: &cacheCommands)
    performCacheCommands(acting: nil, &context)
  }

  /// Performs what the caches command, in that order.
  ///
  /// - Parameter acting: the viewer whose turn it is, which goes on.
  private mutating func performCacheCommands(
    acting: ViewerPointer?, _ context: inout Context<FeedEvent>
  ) {
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
      case .answer(let answer):
        let viewer = viewers[Int(answer.asker.slot)]
        precondition(viewer != nobody, "who has left waits for nothing")
        viewerContext.begin(at: context.now, source: context.source)
        viewer.pointee.receive(answer, &viewerContext)
        if viewer != acting { goOn(viewer, &context) }
      case .send(let message):
        outbox.append(
          DomainMessage(
            message: message, source: context.source, sequence: context.takeSequence()))
      }
    }
    commands.removeAll(keepingCapacity: true)
    cacheCommands = commands
    // Another viewer may have had a turn; the acting one's goes on.
    viewerContext.begin(at: context.now, source: context.source)
  }

  /// Takes what the caches have counted into the measures.
  mutating func takeCounters() {
    caches.forEachNode { viewerContext.measures.add($0, $1, $2) }
    let origin = caches.originCounters.total
    measures.origin = caches.originCounters
    measures.counts.shieldCrossings = caches.shieldCrossings
    measures.counts.originRequests = origin.requests
    measures.counts.originBytes = origin.bytes
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
