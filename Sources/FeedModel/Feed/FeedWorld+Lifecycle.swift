import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Pauses, crashes, errors, being offline.
extension FeedWorld {
  // MARK: Pauses

  mutating func tellStack(_ viewer: ViewerPointer, _ event: PauseStack.Event, at now: Instant) {
    var commands: [PauseStack.Command] = []
    client(viewer).pointee.stack.handle(event, at: now, into: &commands)
    noteTold(viewer, PauseStack.self, event, at: now, commands)
  }

  /// Draws whether something pauses the view, and where; not one of a burst.
  mutating func drawPause(_ viewer: ViewerPointer) {
    let state = client(viewer)
    state.pointee.pauseAt = nil
    if viewer.pointee.view.isBurst { return }
    let settings = clientSettings
    let entity = viewEntity(viewer)
    let kinds = settings.pointee.pauses.count
    for kind in 0...kinds {
      let share = kind < kinds ? settings.pointee.pauses[kind].share : settings.pointee.crashShare
      if share <= 0 { continue }
      let (happens, part) = streams.uniformPair(.pause, entity: entity, pair: UInt32(kind))
      if happens >= share { continue }
      state.pointee.pauseAt = viewer.pointee.view.intended.scaled(by: part)
      state.pointee.pauseKind = kind
      return
    }
  }

  /// Playback goes on: the pause that is still to come is planned.
  mutating func schedulePause(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let state = client(viewer)
    context.cancel(state.pointee.pauseEvent)
    state.pointee.pauseEvent = .none
    let head = viewer.pointee.view.playhead.mark
    guard let at = state.pointee.pauseAt, at >= head else { return }
    state.pointee.pauseEvent = context.schedule(
      .pauseBegan(slot: viewer.pointee.slot), at: context.now + (at - head),
      for: viewer.pointee.session)
  }

  mutating func beginPause(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let state = client(viewer)
    state.pointee.pauseEvent = .none
    guard viewer.pointee.view.phase == .playing else { return }
    state.pointee.pauseAt = nil
    let kind = state.pointee.pauseKind
    if kind >= clientSettings.pointee.pauses.count {
      die(viewer, &context)
      return
    }
    let pause = clientSettings.pointee.pauses[kind]
    measures.clientSide.pauses += 1
    tellStack(viewer, .began(pause.reason), at: context.now)
    pausePlayback(viewer, at: context.now, &context)
    viewer.pointee.view.phase = .paused
    note(viewer, .paused, item: viewer.pointee.current, at: context.now)
    context.cancel(viewer.pointee.loadEvent)
    state.pointee.holdsLoading = pause.holdsLoading
    if pause.holdsLoading { tellPrefetch(viewer, .hostHeld(true), &context) }
    if pause.reason == .background { tellBatcher(viewer, .movedToBackground, &context) }
    let u = streams.uniform(.pauseLength, entity: viewEntity(viewer))
    context.schedule(
      .pauseEnded(slot: viewer.pointee.slot),
      at: context.now + TimeSpan(seconds: pause.length.quantile(u)),
      for: viewer.pointee.session)
  }

  mutating func endPause(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let state = client(viewer)
    guard viewer.pointee.view.phase == .paused else { return }
    let pause = clientSettings.pointee.pauses[state.pointee.pauseKind]
    state.pointee.holdsLoading = false
    if pause.holdsLoading { tellPrefetch(viewer, .hostHeld(false), &context) }
    let u = streams.uniform(.pauseLength, entity: viewEntity(viewer), draw: 1)
    if u < pause.killShare {
      die(viewer, &context)
      return
    }
    if pause.reason == .background { tellBatcher(viewer, .movedToForeground, &context) }
    if pause.reason == .typing { finishMessage(viewer, pause, at: context.now) }
    tellStack(viewer, .ended(pause.reason), at: context.now)
    resumePlayback(viewer, &context)
    resumeLoading(viewer, &context)
  }

  /// The keyboard closes: the message is sent, or it stays in the item's bar.
  private mutating func finishMessage(
    _ viewer: ViewerPointer, _ pause: PauseBehaviour, at now: Instant
  ) {
    let u = streams.uniform(.pauseLength, entity: viewEntity(viewer), draw: 2)
    let item = ItemID(viewer.pointee.current)
    if u < pause.sentShare {
      tellDrafts(viewer, .cleared(item), at: now)
    } else {
      measures.clientSide.drafts += 1
      tellDrafts(viewer, .edited(item, draft: UInt64(viewer.pointee.viewCount)), at: now)
    }
  }

  /// Reports to the store of drafts; a bar gets its text back.
  mutating func tellDrafts(_ viewer: ViewerPointer, _ event: DraftStore.Event, at now: Instant) {
    var commands: [DraftStore.Command] = []
    client(viewer).pointee.drafts.handle(event, at: now, into: &commands)
    noteTold(viewer, DraftStore.self, event, at: now, commands)
    for case .restore in commands { measures.clientSide.draftsRestored += 1 }
  }

  /// The process ends without a word.
  private mutating func die(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    pausePlayback(viewer, at: context.now, &context)
    endClientView(viewer, isKilled: true, at: context.now, &context)
    record(viewer, at: context.now, isCut: false)
    endSession(viewer, isKilled: true, &context)
  }

  /// Whether an item may be asked for now.
  mutating func mayLoad(_ viewer: ViewerPointer, isCurrent: Bool) -> Bool {
    let state = client(viewer)
    if state.pointee.holdsLoading { return false }
    if isCurrent && state.pointee.failedItem == viewer.pointee.current { return false }
    if isCurrent || !state.pointee.isOffline { return true }
    return clientSettings.pointee.offline?.suspendsPrefetch != true
  }

  /// Goes on with what was wanted: the current item, then the nearest ones first.
  private mutating func resumeLoading(
    _ viewer: ViewerPointer, _ context: inout Context<FeedEvent>
  ) {
    let current = viewer.pointee.current
    if viewer.pointee.view.phase == .waitingForFeed { return }
    if viewer.pointee.items[place(current)].item == current {
      continueLoading(viewer, current, &context)
    }
    for distance in 1...UInt32(FeedConfiguration.maximumItemsAhead) {
      continueLoading(viewer, current + distance, &context)
      if current >= distance && distance <= FeedConfiguration.loadedBehind {
        continueLoading(viewer, current - distance, &context)
      }
    }
    reportBuffer(viewer, &context)
  }

  // MARK: Errors

  /// Whether the edge's answer to a viewer is an error.
  mutating func injectError(_ viewer: ViewerPointer, _ request: Request) -> Bool {
    let share = clientSettings.pointee.segmentErrorShare
    guard share > 0, request.asset == .segment, !request.isFromDisk else { return false }
    let entity = UInt64(viewer.pointee.session) << 32 | UInt64(request.item)
    let draw = request.offset << 8 | UInt32(request.retries)
    if streams.uniform(.segmentError, entity: entity, draw: draw) >= share { return false }
    measures.clientSide.segmentErrors += 1
    return true
  }

  /// After an error: when to ask again by the policy; nil when the item is given up.
  mutating func retryWait(
    _ viewer: ViewerPointer, _ request: Request, _ policy: RetryPolicy,
    _ context: inout Context<FeedEvent>
  ) -> TimeSpan? {
    if request.item == viewer.pointee.current {
      tellLog(
        viewer, .playbackFailed(ItemID(request.item), code: 503), at: context.now, &context)
    }
    let entity = UInt64(viewer.pointee.session) << 32 | UInt64(request.item)
    let u = streams.uniform(
      .retryJitter, entity: entity, draw: request.offset << 8 | UInt32(request.retries))
    switch policy.answer(failures: Int(request.retries) + 1) {
    case .giveUp: return nil
    case .retry(let wait, let jitter): return wait + jitter.scaled(by: u)
    case .askViewer:
      // Nobody is asked about an item that is not on the screen.
      if request.item != viewer.pointee.current { return nil }
      measures.clientSide.retryTaps += 1
      return TimeSpan(seconds: clientSettings.pointee.tapDelay?.quantile(u) ?? 2)
    }
  }

  /// A request of the chain is not tried again: the viewer goes on from an item that cannot play.
  mutating func giveUp(
    _ viewer: ViewerPointer, _ request: Request, _ context: inout Context<FeedEvent>
  ) {
    guard request.destination == .chain || request.destination == .audio else { return }
    measures.clientSide.itemsGivenUp += 1
    if request.destination == .audio {
      viewer.pointee.items[place(request.item)].audio.loading = -1
    } else {
      viewer.pointee.items[place(request.item)].loading = -1
    }
    // It plays with neither alone.
    stopLoading(viewer, request.item, &context)
    let isCurrent = request.item == viewer.pointee.current
    let phase = viewer.pointee.view.phase
    if isCurrent && (phase == .starting || phase == .stalled) {
      endView(viewer, &context)
    } else if isCurrent && phase != .between {
      // What is held of it still plays.
      client(viewer).pointee.failedItem = request.item
    } else {
      tellPrefetch(viewer, .itemFailed(ItemID(request.item)), &context)
    }
  }

  // MARK: Offline

  /// The link falls silent: what could be played of the current item and of those after it.
  mutating func goOffline(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    guard let offline = clientSettings.pointee.offline else { return }
    let now = context.now
    client(viewer).pointee.isOffline = true
    if offline.suspendsPrefetch {
      tellPrefetch(viewer, .connectivityChanged(isOnline: false), &context)
    }
    let phase = viewer.pointee.view.phase
    if phase == .waitingForFeed { return }
    measures.clientSide.offlineCuts += 1
    let current = viewer.pointee.current
    let head = phase == .between ? .zero : mediaPosition(viewer, at: now)
    for distance in 0...offline.horizon where current + distance < viewer.pointee.feedCount {
      let place = item(viewer, current + distance, at: now)
      let state = viewer.pointee.items + place
      let begin = distance == 0 ? head : .zero
      let (end, duration) = (held(state), state.pointee.title.duration)
      measures.clientSide.offlineWanted += (duration - begin).nanoseconds
      if end > begin { measures.clientSide.offlinePlayable += (end - begin).nanoseconds }
    }
  }

  mutating func goOnline(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    client(viewer).pointee.isOffline = false
    if clientSettings.pointee.offline?.suspendsPrefetch == true {
      tellPrefetch(viewer, .connectivityChanged(isOnline: true), &context)
    }
    resumeLoading(viewer, &context)
  }

  /// Whether the current item ends where what is held of it ends.
  mutating func endsAtHole(_ viewer: ViewerPointer) -> Bool {
    let state = client(viewer)
    if state.pointee.failedItem == viewer.pointee.current { return true }
    return state.pointee.isOffline && clientSettings.pointee.offline?.endsAtHole == true
  }
}
