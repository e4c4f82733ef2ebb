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
    _ configuration: FeedConfiguration, plan: FeedPlan, numbers: TitleNumbers,
    domain: FeedDomain, streams: RandomStreams
  ) -> CacheHierarchy {
    let cdn = configuration.cdn
    func left(_ provider: Int, _ untouched: TierContents) -> StationaryContents? {
      plan.demand.map {
        StationaryContents(
          cdn.only(provider), untouched: untouched,
          demand: $0.scaled(by: cdn.share(of: provider)), catalogue: configuration.catalogue,
          streams: streams)
      }
    }
    let contents = left(0, plan.untouched)
    let further = (1..<cdn.providerCount).map { provider in
      // Nobody has filled the tiers of a plan that was made without a pilot.
      let untouched =
        plan.furtherUntouched.isEmpty ? TierContents() : plan.furtherUntouched[provider - 1]
      return ProviderContents(untouched: untouched, stationary: left(provider, untouched))
    }
    var others: BackgroundAudience?
    if !configuration.scale.isWhole {
      guard let contents else { preconditionFailure("who is not simulated asks by the demand") }
      let chosen = configuration.client.isActive ? configuration.client.retry : nil
      others = BackgroundAudience(
        BackgroundAudience.Configuration(
          scale: configuration.scale, audience: configuration.audience,
          retry: chosen ?? Viewer.playerRetry),
        cdn, contents: contents, numbers: numbers, streams: streams)
    }
    return CacheHierarchy(
      cdn, headerBytes: configuration.transport.responseHeaderBytes, numbers: numbers,
      streams: streams, untouched: plan.untouched, stationary: contents, further: further,
      others: others, domain: domain)
  }

  /// Goes on under other faults of the CDN, which have made no difference until now. The caches are
  /// all of the world that knows them.
  public mutating func goOn(under faults: CDNFaults) { caches.goOn(under: faults) }

  /// A viewer's request has arrived at its edge; one that was given up on its way asks nothing.
  mutating func receiveAtEdge(
    _ slot: UInt32, _ index: Int, _ generation: UInt32, _ context: inout Context<FeedEvent>
  ) {
    let viewer = viewers[Int(slot)]
    beginAtEdge(&viewer.pointee, context)
    ask(&viewer.pointee, index, generation, context)
    performCacheCommands(acting: slot, &context)
    goOn(slot, &context)
  }

  /// Two requests that a viewer sent together have arrived, one after the other; one of them may
  /// have been given up on its way.
  mutating func receiveAtEdge(
    _ slot: UInt32, _ pair: RequestPair, _ context: inout Context<FeedEvent>
  ) {
    let viewer = viewers[Int(slot)]
    beginAtEdge(&viewer.pointee, context)
    ask(&viewer.pointee, pair.first, pair.firstGeneration, context)
    performCacheCommands(acting: slot, &context)
    ask(&viewer.pointee, pair.second, pair.secondGeneration, context)
    performCacheCommands(acting: slot, &context)
    goOn(slot, &context)
  }

  private mutating func beginAtEdge(
    _ viewer: inout Viewer, _ context: borrowing Context<FeedEvent>
  ) {
    turns[Int(viewer.slot)].event = .none
    viewer.arriveAtEdge()
    viewerContext.begin(at: context.now, source: context.source)
  }

  private mutating func ask(
    _ viewer: inout Viewer, _ index: Int, _ generation: UInt32,
    _ context: borrowing Context<FeedEvent>
  ) {
    if viewer.asksEdge(index, generation) { ask(&viewer, index, at: context.now) }
  }

  /// By the low half of the request's generation.
  private mutating func ask(
    _ viewer: inout Viewer, _ index: UInt16, _ generation: UInt16,
    _ context: borrowing Context<FeedEvent>
  ) {
    if viewer.asksEdge(index, generation) { ask(&viewer, Int(index), at: context.now) }
  }

  /// Asks the edge, or a real server, for what a request is for. What the caches command then is
  /// left to be performed.
  private mutating func ask(_ viewer: inout Viewer, _ index: Int, at now: Instant) {
    if viewerContext.isCounting { viewer.count(index, &viewerContext) }
    if setting.pointee.servers != .modelled {
      viewer.leave(index, at: now, &viewerContext)
      return
    }
    let delay: TimeSpan
    switch viewer.meetProvider(index, at: now, &viewerContext) {
    case .fails: return
    case .works(let late): delay = late
    }
    let asked = viewer.edgeRequest(index, at: now)
    edgeRequests?.append(asked)
    let service =
      caches.serviceTime(atEdge: Int(asked.edge), u: viewer.serviceDraw(index)) + delay
    let reply = caches.ask(
      asked, by: viewer.asker(index), service: service, into: &cacheCommands)
    viewer.receive(reply, index, after: service, &viewerContext)
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

  /// Performs what the caches command, in that order. Other viewers may have a turn.
  ///
  /// - Parameter acting: the place of the viewer whose turn it is, which goes on.
  private mutating func performCacheCommands(
    acting: UInt32?, _ context: inout Context<FeedEvent>
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
        receive(answer, &viewer.pointee, context)
        if answer.asker.slot != acting { goOn(answer.asker.slot, &context) }
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

  private mutating func receive(
    _ answer: EdgeAnswer, _ viewer: inout Viewer, _ context: borrowing Context<FeedEvent>
  ) {
    viewerContext.begin(at: context.now, source: context.source)
    viewer.receive(answer, &viewerContext)
  }

  /// Takes what the caches have counted into the measures.
  mutating func takeCounters() {
    caches.forEachNode { viewerContext.measures.add($0, $1, $2) }
    let origin = caches.originCounters.total
    measures.origin = caches.originCounters
    for provider in 0..<configuration.cdn.providers.count {
      measures.providers.each[provider].edge = caches.edgeCounters(ofProvider: provider)
    }
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
