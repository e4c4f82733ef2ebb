import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Playback of the current item: its first frame, its playhead, its stalls.
extension Viewer {
  /// The frame is on the screen: the item plays.
  mutating func startPlayback(_ context: inout ViewerContext) {
    guard view.phase == .starting else { return }
    agenda.cancel(.patience)
    view.show(at: context.now)
    items[place(current)].known.insert(.rendered)
    if hasClient { showFirstFrame(&context) }
    resumePlayback(&context)
    continueLoading(current, &context)
    reportBuffer(&context)
  }

  mutating func resumePlayback(_ context: inout ViewerContext) {
    let now = context.now
    view.play(at: now)
    note(.playing, item: current, at: now, &context)
    agenda.cancel(.watch)
    plan(.watchEnded, at: now + view.watchLeft, context)
    if hasClient {
      schedulePause(&context)
      schedulePassEnd(&context)
    }
    if let left = view.scrubLeft { plan(.scrubBegan, at: now + left, context) }
    watchBuffer(&context)
  }

  /// Plans the look at the buffer when the playhead will have reached its present end.
  private mutating func watchBuffer(_ context: inout ViewerContext) {
    let state = items.at(place(current))
    agenda.cancel(.buffer)
    if setting.pointee.hasRealPlayers { return }
    let end = playableNow(state, &context)
    if end >= state.pointee.title.duration || end >= view.intended { return }
    let left = end - playhead(at: context.now)
    plan(.bufferEnded, at: context.now + (left > .zero ? left : .zero), context)
  }

  /// The playhead has reached what was the end of the buffer: go on, or stall.
  ///
  /// - Returns: whether the view is over instead, where nothing more of its item will come.
  mutating func checkBuffer(_ context: inout ViewerContext) -> Bool {
    if view.phase == .stalled {
      growBuffer(&context)
      return false
    }
    guard view.phase == .playing else { return false }
    let state = items.at(place(current))
    let head = playhead(at: context.now)
    // Parts that bring less than a frame are none.
    let least = playable(state) > head ? TimeSpan.zero : PlayerModel.leastPart
    let ahead = playableNow(state, &context) - head
    if ahead > .zero && ahead >= least {
      watchBuffer(&context)
      return false
    }
    if hasClient && endsAtHole() { return true }
    beginStall(&context)
    return false
  }

  /// Nothing more can be played until more is there.
  mutating func beginStall(_ context: inout ViewerContext) {
    pausePlayback(at: context.now, &context)
    view.stall(at: context.now)
    note(.stalled, item: current, at: context.now, &context)
    if hasClient {
      tellLog(.stallBegan(ItemID(current)), at: context.now, &context)
    }
    let u = streams.uniform(
      .patience, entity: viewEntity(), draw: UInt32(view.playhead.stalls))
    plan(
      .patienceEnded,
      at: (context.now + audience.pointee.patienceFloor).advanced(
        saturatingBy: TimeSpan(seconds: audience.pointee.patience.quantile(u))), context)
    planLook(context)
    reportBuffer(&context)
  }

  /// A player that takes parts goes on after a stall when enough of them have come, which nothing
  /// else tells.
  private mutating func planLook(_ context: borrowing ViewerContext) {
    if !policy.pointee.player.takesParts || setting.pointee.hasRealPlayers { return }
    agenda.cancel(.buffer)
    if items[place(current)].loading < 0 { return }
    plan(.bufferEnded, at: context.now + PlayerModel.leastPart, context)
  }

  /// More of the current item is there: a stall may end.
  mutating func growBuffer(_ context: inout ViewerContext) {
    guard view.phase == .stalled, !setting.pointee.hasRealPlayers else { return }
    let state = items.at(place(current))
    let whole = held(state)
    let come = policy.pointee.player.takesParts ? playableNow(state, &context) : whole
    if come - view.playhead.mark < resumeNeed(state) && whole < state.pointee.title.duration {
      planLook(context)
      return
    }
    endStall(&context)
  }

  /// Playback goes on after a stall.
  mutating func endStall(_ context: inout ViewerContext) {
    view.endStall(at: context.now)
    if hasClient {
      tellLog(.stallEnded(ItemID(current)), at: context.now, &context)
    }
    agenda.cancel(.patience)
    resumePlayback(&context)
  }

  /// Holds the playhead where it is.
  mutating func pausePlayback(at now: Instant, _ context: inout ViewerContext) {
    holdPlayhead(at: now)
    agenda.cancel(.watch)
    agenda.cancel(.buffer)
    agenda.cancel(.scrub)
    if hasClient {
      agenda.cancel(.pause)
      agenda.cancel(.pass)
    }
  }

  mutating func holdPlayhead(at now: Instant) {
    view.hold(at: now)
    if !view.hasFrame { return }
    let place = place(current)
    let position = mediaPosition(at: now)
    if position > items[place].renderedTo {
      items[place].renderedTo = position
    }
  }

  /// Tells the prefetch policy how the current item stands.
  mutating func reportBuffer(_ context: inout ViewerContext) {
    guard view.phase != .between, view.phase != .waitingForFeed
    else { return }
    let state = items.at(place(current))
    var ahead = held(state) - mediaPosition(at: context.now)
    if ahead < .zero { ahead = .zero }
    note(.buffer(ahead), item: current, at: context.now, &context)
    tellPosition(&context)
    tellPrefetch(.bufferChanged(ahead: ahead, isComplete: isWhole(state)), &context)
  }

  /// The pool says play: the frame is decoded. It is attached when the main thread is free, and
  /// shown some refreshes later. Who leaves before that has not seen it.
  mutating func present(_ context: inout ViewerContext) {
    guard view.phase == .starting else { return }
    let now = context.now
    view.decode(at: now)
    if setting.pointee.hasRealPlayers {
      playReal(&context)
      return
    }
    let device = devices + self.device
    guard device.pointee.presentation != nil else {
      startPlayback(&context)
      return
    }
    let (u, phase) = streams.uniformPair(.presentation, entity: viewEntity())
    let attach = TimeSpan(seconds: device.pointee.presentation!.attach.quantile(u))
    let attached = work(attach, at: now)
    view.attach(at: attached - attach)
    let shown = attached + device.pointee.presentation!.display(phase)
    if shown == now {
      startPlayback(&context)
      return
    }
    // The view's end cancels it, as it does that of the watching.
    agenda.cancel(.watch)
    plan(.framePresented, at: shown, context)
  }

  /// Playback goes on: the pause that is still to come is planned.
  private mutating func schedulePause(_ context: inout ViewerContext) {
    let state = clientState
    agenda.cancel(.pause)
    let head = view.playhead.mark
    guard let at = state.pointee.pauseAt, at >= head else { return }
    plan(.pauseBegan, at: context.now + (at - head), context)
  }

  /// Playback goes on: plans the end of the present pass, unless the view ends before or then.
  private mutating func schedulePassEnd(_ context: inout ViewerContext) {
    guard clientSettings.pointee.end == .loop else { return }
    let duration = items[place(current)].title.duration
    guard let left = view.passLeft(of: duration) else { return }
    plan(.passEnded, at: context.now + left, context)
  }

  /// A frame is on the screen.
  private mutating func showFirstFrame(_ context: inout ViewerContext) {
    let item = ItemID(current)
    tellLog(.firstFrameRendered(item), at: context.now, &context)
    if let rung = items[place(current)].lastRung {
      tellLog(.bitrateSelected(item, catalogue.pointee.ladder[rung]), at: context.now, &context)
    }
  }
}
