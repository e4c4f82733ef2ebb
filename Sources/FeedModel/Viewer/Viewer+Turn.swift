import AudienceModel
import CacheModel
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Turns: what happens to a viewer at one time, and what follows from it at once.
extension Viewer {
  /// Whether the present view has a frame on the display.
  var hasFrame: Bool { view.hasFrame }

  /// What happens to him next by itself; nil when nothing is planned.
  @inline(__always)
  var next: Agenda.Entry? { agenda.next }

  /// Whether an edge is asked by a happening: what was given up on its way asks nobody.
  func asksEdge(_ happening: Happening) -> Bool {
    switch happening {
    case .requestAtEdge(let request, let generation):
      return asksEdge(Int(request), generation)
    case .pairAtEdge(let pair):
      return asksEdge(pair.first, pair.firstGeneration)
        || asksEdge(pair.second, pair.secondGeneration)
    default: return false
    }
  }

  /// Whether nobody else can matter to what happens to the viewer next: nothing of his waits at
  /// the edge or is in a cell, and nobody watches him.
  @inline(__always)
  var isByHimself: Bool { requests.atEdge == 0 && cell < 0 && !isWatched }

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
    case .bufferEnded:
      if checkBuffer(&context) { endView(&context) }
    case .loadResumed: continueLoading(current, &context)
    case .playerReady(let player, let generation):
      receiveReadiness(player, generation, &context)
    case .scrubBegan: beginScrub(&context)
    case .scrubMoved: moveScrub(&context)
    case .scrubTimer: fireScrubTimer(&context)
    case .burstEnded: endBurst(&context)
    case .framePresented: startPlayback(&context)
    case .appLaunched: beginView(&context)
    case .nameFailed(let request, let generation):
      if requests.isCurrent(Int(request), generation) { loseName(Int(request), &context) }
    case .unanswered(let request, let generation):
      if requests.isCurrent(Int(request), generation) { loseAnswer(Int(request), &context) }
    case .hedgeDue(let request, let generation):
      if requests.isCurrent(Int(request), generation) { hedge(Int(request), &context) }
    case .firstByte(let request, let generation):
      if requests.isCurrent(Int(request), generation) { endRace(Int(request), &context) }
    case .handOver(let index): handOver(Int(index), &context)
    default: actInClient(happening, &context)
    }
  }

  /// Makes up for what was put off to the end of the turn: what policies have commanded, and the
  /// link's next change, if the turn has changed what is on it.
  mutating func endTurn(_ context: inout ViewerContext) {
    workOff(&context)
    if !isLinkChanged { return }
    isLinkChanged = false
    if !isActive { return }
    if transport.cell >= 0 { refreshCell(&context) }
    agenda.cancel(.link)
    if let next = transport.nextChange(after: context.now, sources: setting.pointee.sources) {
      plan(.linkChanged, at: next, context)
    }
  }

  private mutating func actInClient(_ happening: Happening, _ context: inout ViewerContext) {
    switch happening {
    case .pauseBegan: beginPause(&context)
    case .pauseEnded: endPause(&context)
    case .passEnded: endPass(&context)
    case .passBegan: beginPass(&context)
    case .telemetryTimer(let isRetry): fireTelemetryTimer(isRetry: isRetry, &context)
    case .offlineChanged(let isOffline):
      if isOffline { goOffline(&context) } else { goOnline(&context) }
    default: break
    }
  }
}
