import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What the app does beyond loading and playing; see ``ClientConfiguration``. No function here is
/// called unless that is active, so that it costs nothing and draws nothing otherwise.
extension Viewer {
  /// The viewer's state; only where the configuration is active.
  @inline(__always)
  var clientState: UnsafeMutablePointer<ClientState> { client! }

  /// Index of the viewer's cohort.
  var cohort: Int { setting.pointee.cohort(network: network, device: device) }

  /// A session begins.
  mutating func resetClient() {
    let state = ClientState(
      clientSettings.pointee, players: policy.pointee.pool.size)
    if client == nil {
      client = .allocate(capacity: 1)
      client!.initialize(to: state)
    } else {
      clientState.pointee = state
    }
  }

  /// Plans what a session's network does to the app.
  mutating func scheduleOffline(_ context: borrowing ViewerContext) {
    guard clientSettings.pointee.offline != nil,
      let timeline = networks[network].timeline
    else { return }
    for silence in timeline.silences {
      plan(
        .offlineChanged(isOffline: true), at: context.now + TimeSpan(nanoseconds: silence.from),
        context)
      if silence.until == .max { continue }
      plan(
        .offlineChanged(isOffline: false), at: context.now + TimeSpan(nanoseconds: silence.until),
        context)
    }
  }

  /// The session is over; nobody calls this for one that the end of the run cuts.
  mutating func closeClient(isKilled: Bool, _ context: inout ViewerContext) {
    let state = clientState
    agenda.cancel(.pause)
    agenda.cancel(.flush)
    agenda.cancel(.retry)
    if isKilled { context.measures.clientSide.kills += 1 }
    if clientSettings.pointee.telemetry != nil {
      closeTelemetry(isKilled: isKilled, at: context.now, &context)
    }
    context.measures.clientSide.poolSessions += 1
    context.measures.clientSide.poolMemory +=
      Int64(state.pointee.peakPlayers)
      * devices[device].playerMemory.bytes
  }

  // MARK: Views

  /// The current item is known: the view that began at its settling is told.
  mutating func beginClientView(_ place: Int, _ context: inout ViewerContext) {
    let state = clientState
    let item = ItemID(current)
    if state.pointee.gate.active == nil {
      var commands: [ReadinessGate.Command] = []
      state.pointee.gate.handle(.jumped(to: item), at: context.now, into: &commands)
      noteTold(context.logs?.gate, .jumped(to: item), at: context.now, commands, &context)
    }
    tellStack(.itemChanged(item), at: context.now, &context)
    tellDrafts(.shown(item), at: context.now, &context)
    state.pointee.failedItem = nil
    if let end = clientSettings.pointee.end {
      if end == .loop { drawLoops(place) }
      view.limit(
        to: max(
          .nanoseconds(1),
          end.playable(
            of: items[place].title.duration,
            within: view.intended)))
    }
    drawPause()
    tellLog(
      .viewBegan(item, duration: items[place].title.duration),
      at: view.settledAt, &context)
  }

  /// The view has ended; the record is being written. A process that is killed tells nobody.
  mutating func endClientView(
    isKilled: Bool = false, at now: Instant,
    _ context: inout ViewerContext
  ) {
    let state = clientState
    let view = self.view
    if !isKilled {
      let item = ItemID(current)
      tellLog(.viewEnded(item, played: view.playhead.mark), at: now, &context)
    }
    let cell = cohort
    context.measures.swipes[cell].views += 1
    let held = state.pointee.held
    state.pointee.held = .zero
    // The first view waits for the app, not for a swipe.
    if viewCount == 0 || view.phase == .waitingForFeed { return }
    let covered = (view.hasFrame ? view.firstFrameAt : now) - view.settledAt
    var black = covered
    let posterAt = items[place(current)].posterAt
    if clientSettings.pointee.placeholder == .poster, let posterAt {
      let until = posterAt > view.settledAt ? posterAt - view.settledAt : .zero
      if until < black { black = until }
    }
    context.measures.swipes[cell].swipes += 1
    context.measures.swipes[cell].covered += covered.nanoseconds
    context.measures.swipes[cell].black += black.nanoseconds
    context.measures.swipes[cell].gateWait += held.nanoseconds
    context.measures.swipeWaits[cell].add(covered + held)
  }

  /// Draws whether something pauses the view, and where; not one of a burst.
  private func drawPause() {
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
}
