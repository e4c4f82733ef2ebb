import AudienceModel
import CacheModel
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Turns: what happens to a viewer at one time, and what follows from it at once.
extension Viewer {
  // What every viewer reads.
  var configuration: FeedConfiguration { _read { yield setting.pointee.configuration } }
  var catalogue: UnsafeMutablePointer<CatalogueConfiguration> { setting.pointee.catalogue }
  var transportSettings: UnsafeMutablePointer<TransportConfiguration> {
    setting.pointee.transport
  }
  var policy: UnsafeMutablePointer<PolicyConfiguration> { setting.pointee.policy }
  var networks: UnsafeMutablePointer<NetworkProfile> { setting.pointee.networks }
  var devices: UnsafeMutablePointer<DeviceClass> { setting.pointee.devices }
  var audience: UnsafeMutablePointer<AudienceConfiguration> { setting.pointee.audience }
  var clientSettings: UnsafeMutablePointer<ClientConfiguration> { setting.pointee.client }
  var hasClient: Bool { setting.pointee.hasClient }
  var servers: FeedServers { setting.pointee.servers }
  var streams: RandomStreams { setting.pointee.sources.streams }
  var numbers: TitleNumbers { _read { yield setting.pointee.numbers } }

  /// Plans a happening of the viewer's.
  mutating func plan(_ happening: Happening, at time: Instant, _ context: borrowing ViewerContext) {
    agenda.plan(happening, at: time, from: context.source)
  }

  /// The entity that a happening is counted for.
  func target(of entry: Agenda.Entry) -> UInt32 {
    entry.happening.isAtEdge ? CacheHierarchy.edgeEntity(Int(edge)) : session
  }

  /// Whether an edge is asked by a happening: what was given up on its way asks nobody.
  func asksEdge(_ happening: Happening) -> Bool {
    switch happening {
    case .requestAtEdge(let request, let generation):
      return requests.isCurrent(Int(request), generation)
    case .pairAtEdge(let pair):
      return requests.isCurrent(pair.first, pair.firstGeneration)
        || requests.isCurrent(pair.second, pair.secondGeneration)
    default: return false
    }
  }

  /// Does what happens next.
  ///
  /// - Precondition: something is planned, and it asks no edge.
  mutating func act(_ context: inout ViewerContext) {
    let entry = agenda.takeNext()
    context.begin(at: entry.time, source: session)
    context.count(entry, target: target(of: entry))
    act(entry.happening, &context)
    endTurn(&context)
  }

  private mutating func act(_ happening: Happening, _ context: inout ViewerContext) {
    switch happening {
    case .requestAtEdge, .pairAtEdge: break
    case .linkChanged: progressLink(&context)
    case .diskRead(let request, let generation):
      if requests.isCurrent(Int(request), generation) { complete(Int(request), &context) }
    case .requestRetried(let request, let generation):
      if requests.isCurrent(Int(request), generation) { retry(Int(request), &context) }
    case .watchEnded: endView(&context)
    case .patienceEnded: losePatience(&context)
    case .settled: settle(&context)
    case .bufferEnded: checkBuffer(&context)
    case .loadResumed: continueLoading(current, &context)
    case .playerReady(let player, let generation):
      receiveReadiness(player, generation, &context)
    case .scrubBegan: beginScrub(&context)
    case .scrubMoved: moveScrub(&context)
    case .scrubTimer: fireScrubTimer(&context)
    case .burstEnded: endBurst(&context)
    case .framePresented: startPlayback(&context)
    case .handOver(let index): handOver(Int(index), &context)
    default: actInClient(happening, &context)
    }
  }

  /// Makes up for what was put off to the end of the turn: the link's next change, if the turn has
  /// changed what is on it.
  mutating func endTurn(_ context: inout ViewerContext) {
    if !isLinkChanged { return }
    isLinkChanged = false
    if !isActive { return }
    if transport.cell >= 0 { refreshCell(&context) }
    agenda.cancel(.link)
    if let next = transport.nextChange(after: context.now, sources: setting.pointee.sources) {
      plan(.linkChanged, at: next, context)
    }
  }
}
