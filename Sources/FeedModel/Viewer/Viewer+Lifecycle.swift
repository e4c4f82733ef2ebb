import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Pauses, crashes, being offline.
extension Viewer {
  // MARK: Pauses

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
    view.pause()
    note(.paused, item: current, at: context.now, &context)
    agenda.cancel(.load)
    state.pointee.holdsLoading = pause.holdsLoading
    if pause.holdsLoading {
      tellPrefetch(.hostHeld(true), &context)
      workOff(&context)
    }
    if pause.reason == .background { tellBatcher(.movedToBackground, &context) }
    let u = streams.uniform(.pauseLength, entity: viewEntity())
    plan(.pauseEnded, at: context.now + TimeSpan(seconds: pause.length.quantile(u)), context)
  }

  mutating func endPause(_ context: inout ViewerContext) {
    let state = clientState
    guard view.phase == .paused else { return }
    let pause = clientSettings.pointee.pauses[state.pointee.pauseKind]
    state.pointee.holdsLoading = false
    if pause.holdsLoading {
      tellPrefetch(.hostHeld(false), &context)
      workOff(&context)
    }
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

  /// The process ends without a word.
  private mutating func die(_ context: inout ViewerContext) {
    pausePlayback(at: context.now, &context)
    endClientView(isKilled: true, at: context.now, &context)
    record(at: context.now, isCut: false, isLast: true, &context)
    endSession(isKilled: true, &context)
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

  // MARK: Offline

  /// The link falls silent: what could be played of the current item and of those after it.
  mutating func goOffline(_ context: inout ViewerContext) {
    guard let offline = clientSettings.pointee.offline else { return }
    let now = context.now
    clientState.pointee.isOffline = true
    if offline.suspendsPrefetch {
      tellPrefetch(.connectivityChanged(isOnline: false), &context)
      workOff(&context)
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
      workOff(&context)
    }
    resumeLoading(&context)
  }
}
