import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Pauses, crashes, errors, being offline.
extension Viewer {
  // MARK: Pauses

  func tellStack(_ event: PauseStack.Event, at now: Instant, _ context: inout ViewerContext) {
    var commands: [PauseStack.Command] = []
    clientState.pointee.stack.handle(event, at: now, into: &commands)
    noteTold(PauseStack.self, event, at: now, commands, &context)
  }

  /// Draws whether something pauses the view, and where; not one of a burst.
  func drawPause() {
    let state = clientState
    state.pointee.pauseAt = nil
    if view.isBurst { return }
    let settings = clientSettings
    let entity = viewEntity()
    let kinds = settings.pointee.pauses.count
    for kind in 0...kinds {
      let share = kind < kinds ? settings.pointee.pauses[kind].share : settings.pointee.crashShare
      if share <= 0 { continue }
      let (happens, part) = streams.uniformPair(.pause, entity: entity, pair: UInt32(kind))
      if happens >= share { continue }
      state.pointee.pauseAt = view.intended.scaled(by: part)
      state.pointee.pauseKind = kind
      return
    }
  }

  /// Playback goes on: the pause that is still to come is planned.
  mutating func schedulePause(_ context: inout ViewerContext) {
    let state = clientState
    agenda.cancel(.pause)
    let head = view.playhead.mark
    guard let at = state.pointee.pauseAt, at >= head else { return }
    plan(.pauseBegan, at: context.now + (at - head), context)
  }

  mutating func beginPause(_ context: inout ViewerContext) {
    let state = clientState
    guard view.phase == .playing else { return }
    state.pointee.pauseAt = nil
    let kind = state.pointee.pauseKind
    if kind >= clientSettings.pointee.pauses.count {
      die(&context)
      return
    }
    let pause = clientSettings.pointee.pauses[kind]
    context.measures.clientSide.pauses += 1
    tellStack(.began(pause.reason), at: context.now, &context)
    pausePlayback(at: context.now, &context)
    view.phase = .paused
    note(.paused, item: current, at: context.now, &context)
    agenda.cancel(.load)
    state.pointee.holdsLoading = pause.holdsLoading
    if pause.holdsLoading { tellPrefetch(.hostHeld(true), &context) }
    if pause.reason == .background { tellBatcher(.movedToBackground, &context) }
    let u = streams.uniform(.pauseLength, entity: viewEntity())
    plan(.pauseEnded, at: context.now + TimeSpan(seconds: pause.length.quantile(u)), context)
  }

  mutating func endPause(_ context: inout ViewerContext) {
    let state = clientState
    guard view.phase == .paused else { return }
    let pause = clientSettings.pointee.pauses[state.pointee.pauseKind]
    state.pointee.holdsLoading = false
    if pause.holdsLoading { tellPrefetch(.hostHeld(false), &context) }
    let u = streams.uniform(.pauseLength, entity: viewEntity(), draw: 1)
    if u < pause.killShare {
      die(&context)
      return
    }
    if pause.reason == .background { tellBatcher(.movedToForeground, &context) }
    if pause.reason == .typing { finishMessage(pause, at: context.now, &context) }
    tellStack(.ended(pause.reason), at: context.now, &context)
    resumePlayback(&context)
    resumeLoading(&context)
  }

  /// The keyboard closes: the message is sent, or it stays in the item's bar.
  private func finishMessage(
    _ pause: PauseBehaviour, at now: Instant, _ context: inout ViewerContext
  ) {
    let u = streams.uniform(.pauseLength, entity: viewEntity(), draw: 2)
    let item = ItemID(current)
    if u < pause.sentShare {
      tellDrafts(.cleared(item), at: now, &context)
    } else {
      context.measures.clientSide.drafts += 1
      tellDrafts(.edited(item, draft: UInt64(viewCount)), at: now, &context)
    }
  }

  /// Reports to the store of drafts; a bar gets its text back.
  func tellDrafts(_ event: DraftStore.Event, at now: Instant, _ context: inout ViewerContext) {
    var commands: [DraftStore.Command] = []
    clientState.pointee.drafts.handle(event, at: now, into: &commands)
    noteTold(DraftStore.self, event, at: now, commands, &context)
    for case .restore in commands { context.measures.clientSide.draftsRestored += 1 }
  }

  /// The process ends without a word.
  private mutating func die(_ context: inout ViewerContext) {
    pausePlayback(at: context.now, &context)
    endClientView(isKilled: true, at: context.now, &context)
    record(at: context.now, isCut: false, &context)
    endSession(isKilled: true, &context)
  }

  /// Whether an item may be asked for now.
  func mayLoad(isCurrent: Bool) -> Bool {
    let state = clientState
    if state.pointee.holdsLoading { return false }
    if isCurrent && state.pointee.failedItem == current { return false }
    if isCurrent || !state.pointee.isOffline { return true }
    return clientSettings.pointee.offline?.suspendsPrefetch != true
  }

  /// Goes on with what was wanted: the current item, then the nearest ones first.
  private mutating func resumeLoading(_ context: inout ViewerContext) {
    let current = self.current
    if view.phase == .waitingForFeed { return }
    if items[place(current)].item == current {
      continueLoading(current, &context)
    }
    for distance in 1...UInt32(FeedConfiguration.maximumItemsAhead) {
      continueLoading(current + distance, &context)
      if current >= distance && distance <= FeedConfiguration.loadedBehind {
        continueLoading(current - distance, &context)
      }
    }
    reportBuffer(&context)
  }

  // MARK: Errors

  /// Whether the edge's answer to a request is an error.
  func injectError(_ index: Int, _ context: inout ViewerContext) -> Bool {
    let share = clientSettings.pointee.segmentErrorShare
    let request = requests.at(index)
    guard share > 0, request.pointee.asset == .segment, !request.pointee.isFromDisk else {
      return false
    }
    let entity = UInt64(session) << 32 | UInt64(request.pointee.item)
    let draw = request.pointee.offset << 8 | UInt32(request.pointee.retries)
    if streams.uniform(.segmentError, entity: entity, draw: draw) >= share { return false }
    context.measures.clientSide.segmentErrors += 1
    return true
  }

  /// After an error: when to ask again by the policy; nil when the item is given up.
  mutating func retryWait(
    _ request: Request, _ policy: RetryPolicy,
    _ context: inout ViewerContext
  ) -> TimeSpan? {
    if request.item == current {
      tellLog(.playbackFailed(ItemID(request.item), code: 503), at: context.now, &context)
    }
    let entity = UInt64(session) << 32 | UInt64(request.item)
    let u = streams.uniform(
      .retryJitter, entity: entity, draw: request.offset << 8 | UInt32(request.retries))
    switch policy.answer(failures: Int(request.retries) + 1) {
    case .giveUp: return nil
    case .retry(let wait, let jitter): return wait + jitter.scaled(by: u)
    case .askViewer:
      // Nobody is asked about an item that is not on the screen.
      if request.item != current { return nil }
      context.measures.clientSide.retryTaps += 1
      return TimeSpan(seconds: clientSettings.pointee.tapDelay?.quantile(u) ?? 2)
    }
  }

  /// A request of the chain is not tried again: the viewer goes on from an item that cannot play.
  mutating func giveUp(_ request: Request, _ context: inout ViewerContext) {
    guard request.destination == .chain || request.destination == .audio else { return }
    context.measures.clientSide.itemsGivenUp += 1
    if request.destination == .audio {
      items[place(request.item)].audio.loading = -1
    } else {
      items[place(request.item)].loading = -1
    }
    // It plays with neither alone.
    stopLoading(request.item, &context)
    let isCurrent = request.item == current
    let phase = view.phase
    if isCurrent && (phase == .starting || phase == .stalled) {
      endView(&context)
    } else if isCurrent && phase != .between {
      // What is held of it still plays.
      clientState.pointee.failedItem = request.item
    } else {
      tellPrefetch(.itemFailed(ItemID(request.item)), &context)
    }
  }

  // MARK: Offline

  /// The link falls silent: what could be played of the current item and of those after it.
  mutating func goOffline(_ context: inout ViewerContext) {
    guard let offline = clientSettings.pointee.offline else { return }
    let now = context.now
    clientState.pointee.isOffline = true
    if offline.suspendsPrefetch {
      tellPrefetch(.connectivityChanged(isOnline: false), &context)
    }
    let phase = view.phase
    if phase == .waitingForFeed { return }
    context.measures.clientSide.offlineCuts += 1
    let current = self.current
    let head = phase == .between ? .zero : mediaPosition(at: now)
    for distance in 0...offline.horizon where current + distance < pages.count {
      let place = item(current + distance, at: now, &context)
      let state = items.at(place)
      let begin = distance == 0 ? head : .zero
      let (end, duration) = (held(state), state.pointee.title.duration)
      context.measures.clientSide.offlineWanted += (duration - begin).nanoseconds
      if end > begin { context.measures.clientSide.offlinePlayable += (end - begin).nanoseconds }
    }
  }

  mutating func goOnline(_ context: inout ViewerContext) {
    clientState.pointee.isOffline = false
    if clientSettings.pointee.offline?.suspendsPrefetch == true {
      tellPrefetch(.connectivityChanged(isOnline: true), &context)
    }
    resumeLoading(&context)
  }

  /// Whether the current item ends where what is held of it ends.
  func endsAtHole() -> Bool {
    let state = clientState
    if state.pointee.failedItem == current { return true }
    return state.pointee.isOffline && clientSettings.pointee.offline?.endsAtHole == true
  }
}
