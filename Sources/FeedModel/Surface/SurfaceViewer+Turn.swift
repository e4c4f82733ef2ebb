import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Turns: what happens to a viewer at one time, and what follows from it at once.
extension SurfaceViewer {
  /// Does what has happened to the viewer alone.
  mutating func act(_ event: SurfaceEvent, _ context: inout SurfaceContext) {
    switch event {
    // What also concerns others is told by its own name.
    case .sessionArrived, .cellChanged, .requestAtEdge, .edgeAnswered: break
    case .sessionEnded: leave(&context)
    case .frame:
      timers.take(.frame)
      moveFrame(&context)
    case .restEnded:
      timers.take(.rest)
      moveOn(&context)
    case .tapped:
      timers.take(.tap)
      tap(&context)
    case .linkChanged:
      timers.take(.link)
      progressLink(&context)
    case .decoderReady(_, let item, let generation):
      if items[Int(item)].player.generation == generation { readyDecoder(Int(item), &context) }
    case .frameDecoded(_, let item, let generation):
      if items[Int(item)].player.generation == generation { finishDecoding(Int(item), &context) }
    case .mediaChanged(_, let item, let generation):
      if items[Int(item)].player.generation == generation {
        items[Int(item)].playback.takeEvent()
        playOn(Int(item), &context)
      }
    case .visibilityTimer(_, let item, let token):
      tell(.timerFired(ItemID(item), token: token), &context)
    case .gateTimer: tellGate(.timerFired, &context)
    case .pagerTimer: tellPager(.timerFired, &context)
    case .handOver(_, let index): handOver(Int(index), &context)
    }
  }

  /// Makes up for what was put off to the end of a turn: the link's next change, if the turn has
  /// changed what is on it.
  mutating func endTurn(_ context: inout SurfaceContext) {
    if !takeLinkChange() { return }
    context.cancel(.timer(.link))
    if transport.cell >= 0 {
      if isActive { transport.enterCell(slot: slot, at: context.now, &context.cells) }
      context.changeCell(transport.cell)
    }
    if !isActive { return }
    if let next = transport.nextChange(after: context.now, sources: setting.pointee.sources) {
      context.plan(.linkChanged(slot: slot), at: next, phase: .arrival, as: .timer(.link))
    }
  }

  // MARK: Plans

  /// The simulation has an event for a plan.
  mutating func keep(_ event: EventHandle, as plan: SurfacePlan) {
    switch plan {
    case .loose: break
    case .timer(let timer): timers.set(timer, event)
    case .playhead(let item): items[item].playback.plan(event)
    }
  }

  /// Forgets the event of a plan.
  ///
  /// - Returns: it, to be cancelled if it has not come.
  mutating func forget(_ plan: SurfacePlan) -> EventHandle {
    switch plan {
    case .loose: .none
    case .timer(let timer): timers.take(timer)
    case .playhead(let item): items[item].playback.takeEvent()
    }
  }

  // MARK: The link

  /// A transfer joins, has passed its mark or has ended.
  private mutating func progressLink(_ context: inout SurfaceContext) {
    changeLink()
    syncLink(at: context.now)
    // In a cell the end of the turn lets the transfer in.
    if transport.cell >= 0 { return }
    while let (place, isEnd, _) = transport.takeFinished(at: context.now) {
      take(place, isEnd: isEnd, &context)
    }
    pump(&context)
  }

  /// A transfer has passed its mark or ended in the cell, as number `flow`.
  ///
  /// - Returns: false when there is none.
  mutating func finishInCell(
    _ place: Int, flow: Int, _ context: inout SurfaceContext
  ) -> Bool {
    syncLink(at: context.now)
    guard let (_, isEnd) = transport.finishInCell(place, flow: flow, at: context.now) else {
      return false
    }
    changeLink()
    take(place, isEnd: isEnd, &context)
    pump(&context)
    return true
  }

  // MARK: Answers

  /// The answer to a request has passed its mark, or is complete.
  private mutating func take(_ place: Int, isEnd: Bool, _ context: inout SurfaceContext) {
    if !isEnd {
      if case .card(let item) = requests[place].purpose { reachStart(item, &context) }
      return
    }
    let request = requests.remove(place)
    transport.settle(request.server, request.connection, at: context.now)
    sendWaiting(&context)
    switch request.purpose {
    case .card(let item): complete(item, request, &context)
    case .page(let number): takePage(number, &context)
    }
  }

  /// The answer to a card's request is complete.
  private mutating func complete(
    _ index: Int, _ request: SurfaceRequest, _ context: inout SurfaceContext
  ) {
    items[index].loading.endRequest()
    let isFirst = items[index].loading.rungs.isEmpty
    let length = items[index].nextLength
    items[index].loading.take(request.asset, request.rung, length: length)
    switch request.asset {
    case .mediaManifest: items[index].times.reach(.manifest, at: context.now)
    case .masterPlaylist: break
    case .mediaPlaylist:
      if isFirst { items[index].times.reach(.playlists, at: context.now) }
    case .initSegment:
      if isFirst { items[index].times.reach(.initSegment, at: context.now) }
      items[index].bytes.deliver(request.bytes)
    default:
      estimator.add(ByteCount(request.bytes), over: context.now - request.firstByteAt)
      items[index].bytes.deliver(request.bytes)
      takeMedia(index, &context)
    }
  }

  private mutating func takeMedia(_ index: Int, _ context: inout SurfaceContext) {
    if items[index].held >= startNeed(index) { reachStart(index, &context) }
    if items[index].isTold { playOn(index, &context) }
  }

  /// The media for a card's first frame is there.
  private mutating func reachStart(_ index: Int, _ context: inout SurfaceContext) {
    if items[index].times.has(.data) { return }
    items[index].times.reach(.data, at: context.now)
    decode(index, &context)
  }
}
