import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Players and playback: readiness, first frame, stalls, the policies' commands.
extension FeedWorld {
  // MARK: Policies

  mutating func tellPool(
    _ viewer: ViewerPointer, _ event: PlayerPool.Event, _ context: inout Context<FeedEvent>
  ) {
    tellReadiness(viewer, before: event, &context)
    viewer.pointee.pool.handle(event, at: context.now, into: &poolCommands)
    noteTold(viewer, PlayerPool.self, event, at: context.now, poolCommands)
    if poolCommands.isEmpty { return }
    // What is done here may tell the policy something again.
    var commands = poolCommands
    poolCommands = []
    for command in commands {
      switch command {
      case .prepare(let slot, let item, let generation):
        prepare(viewer, slot, item.index, generation, &context)
      case .play: present(viewer, &context)
      case .pause: break
      case .release(let slot):
        forgetReadiness(viewer, Int(slot.index), &context)
        if hasClient { dropFromGate(viewer, Int(slot.index), at: context.now) }
        let loser = viewer.pointee.players[Int(slot.index)].item
        viewer.pointee.players[Int(slot.index)] = PlayerState()
        if hasClient { stopLoadingByProximity(viewer, loser, &context) }
        // One that lost its decoder is gone already.
        if loser != ItemState.nobody {
          note(
            viewer, .released(player: slot.index, lostDecoder: false), item: loser,
            at: context.now)
        }
        dropPartial(viewer, loser)
      }
    }
    commands.removeAll(keepingCapacity: true)
    poolCommands = commands
  }

  mutating func tellPrefetch(
    _ viewer: ViewerPointer, _ event: PrefetchPolicy.Event, _ context: inout Context<FeedEvent>
  ) {
    if case .targetReached(let item, _) = event {
      note(viewer, .prefetchReached, item: item.index, at: context.now)
    }
    viewer.pointee.prefetch.handle(event, at: context.now, into: &prefetchCommands)
    noteTold(viewer, PrefetchPolicy.self, event, at: context.now, prefetchCommands)
    if prefetchCommands.isEmpty { return }
    // What is done here may tell the policy something again.
    var commands = prefetchCommands
    prefetchCommands = []
    for command in commands {
      switch command {
      case .start(let item, let length, _):
        note(viewer, .prefetchStarted(length), item: item.index, at: context.now)
        startPrefetch(viewer, item.index, length, &context)
      case .cancel(let item), .suspend(let item):
        note(viewer, .prefetchCancelled, item: item.index, at: context.now)
        stopPrefetch(viewer, item.index, &context)
      case .warm(let item, let stage, _): warm(viewer, item.index, stage, &context)
      case .limitBuffer(let limit): limitBuffer(viewer, limit, &context)
      }
    }
    commands.removeAll(keepingCapacity: true)
    prefetchCommands = commands
  }

  private mutating func startPrefetch(
    _ viewer: ViewerPointer, _ item: UInt32, _ length: TimeSpan,
    _ context: inout Context<FeedEvent>
  ) {
    let place = self.item(viewer, item, at: context.now)
    let state = viewer.pointee.items + place
    let target = length < state.pointee.title.duration ? length : state.pointee.title.duration
    if held(state) >= target {
      tellPrefetch(
        viewer, .targetReached(ItemID(item), isWhole(state) ? .max : held(state)), &context)
      return
    }
    viewer.pointee.items[place].stage = .nothing
    viewer.pointee.items[place].prefetchTarget = target
    continueLoading(viewer, item, &context)
  }

  // MARK: Players

  private mutating func prepare(
    _ viewer: ViewerPointer, _ slot: SlotID, _ item: UInt32, _ generation: UInt32,
    _ context: inout Context<FeedEvent>
  ) {
    let index = Int(slot.index)
    let before = viewer.pointee.players[index].item
    if hasClient {
      dropFromGate(viewer, index, at: context.now)
      stopLoadingByProximity(viewer, before, &context)
    }
    _ = self.item(viewer, item, at: context.now)
    forgetReadiness(viewer, index, &context)
    viewer.pointee.players[index].item = item
    viewer.pointee.players[index].generation = generation
    viewer.pointee.players[index].isPreparing = false
    if hasClient {
      tellGate(viewer, player: index, generation: generation, .preparing, at: context.now)
    }
    if before != item { dropPartial(viewer, before) }
    let isCreated = !viewer.pointee.players[index].isCreated
    viewer.pointee.players[index].isCreated = true
    viewer.pointee.players[index].playerReadyAt =
      isCreated
      ? createPlayer(viewer, index, at: context.now) : retarget(viewer, index, at: context.now)
    noteAssignment(viewer, index, isCreated: isCreated, at: context.now)
    prepareDecoder(viewer, item, &context)
  }

  mutating func player(of item: UInt32, _ viewer: ViewerPointer) -> Int? {
    for index in 0..<viewer.pointee.players.count
    where viewer.pointee.players[index].item == item {
      return index
    }
    return nil
  }

  /// Sets a decoder up once the init segment is known and a decoder can be had.
  mutating func prepareDecoder(
    _ viewer: ViewerPointer, _ item: UInt32, _ context: inout Context<FeedEvent>
  ) {
    let place = place(item)
    guard let index = player(of: item, viewer), viewer.pointee.items[place].item == item,
      viewer.pointee.items[place].inits != 0, !viewer.pointee.players[index].isPreparing
    else { return }
    let device = devices + viewer.pointee.device
    let isReused = viewer.pointee.players[index].hasDecoder
    if !isReused {
      var held = 0
      for other in viewer.pointee.players where other.hasDecoder { held += 1 }
      if held >= device.pointee.decoderLimit {
        if !takeDecoder(viewer, for: index, &context) {
          measures.counts.decodersRefused += 1
          return
        }
      }
      viewer.pointee.players[index].hasDecoder = true
    }
    viewer.pointee.players[index].isPreparing = true
    let entity = UInt64(viewer.pointee.session) << 32 | UInt64(item)
    let u = streams.uniform(.decoder, entity: entity)
    var setup =
      isReused ? device.pointee.decoderReuse.quantile(u) : device.pointee.decoderSetup.quantile(u)
    if device.pointee.stress != nil { setup *= stress(viewer, beside: index, at: context.now) }
    var begin = context.now
    if viewer.pointee.players[index].playerReadyAt > begin {
      begin = viewer.pointee.players[index].playerReadyAt
    }
    viewer.pointee.items[place].times.decoder = begin + TimeSpan(seconds: setup)
    noteDecoder(viewer, place, index, from: begin, isReused: isReused, at: context.now)
    announceReadiness(viewer, place, index, &context)
  }

  /// How little an item needs a decoder: the current one most, then those ahead, then those behind.
  private mutating func decoderRank(_ item: UInt32, _ viewer: ViewerPointer) -> Int64 {
    let distance = Int64(item) - Int64(viewer.pointee.current)
    if hasClient && item == heldItem(viewer) { return -1 }
    return distance >= 0 ? distance : FeedConfiguration.rankBehind - distance
  }

  /// Takes the decoder of the player whose item needs it least, if it needs it less than this one.
  private mutating func takeDecoder(
    _ viewer: ViewerPointer, for index: Int, _ context: inout Context<FeedEvent>
  ) -> Bool {
    var victim = -1
    var worst = decoderRank(viewer.pointee.players[index].item, viewer)
    for other in 0..<viewer.pointee.players.count
    where other != index && viewer.pointee.players[other].hasDecoder {
      let rank = decoderRank(viewer.pointee.players[other].item, viewer)
      if rank > worst {
        worst = rank
        victim = other
      }
    }
    if victim < 0 { return false }
    let generation = viewer.pointee.players[victim].generation
    forgetReadiness(viewer, victim, &context)
    let loser = viewer.pointee.players[victim].item
    if hasClient { dropFromGate(viewer, victim, at: context.now) }
    viewer.pointee.players[victim] = PlayerState()
    if hasClient { stopLoadingByProximity(viewer, loser, &context) }
    note(
      viewer, .released(player: UInt32(victim), lostDecoder: true), item: loser, at: context.now)
    dropPartial(viewer, loser)
    tellPool(viewer, .slotFailed(SlotID(UInt32(victim)), generation: generation), &context)
    return true
  }

  /// The current item's player gets a decoder even where the others hold all of them.
  mutating func ensureDecoder(
    _ viewer: ViewerPointer, _ item: UInt32, _ context: inout Context<FeedEvent>
  ) {
    if viewer.pointee.view.phase == .starting { prepareDecoder(viewer, item, &context) }
  }

  /// The media for an item's first frame is there.
  mutating func reachStart(
    _ viewer: ViewerPointer, _ place: Int, _ context: inout Context<FeedEvent>
  ) {
    if viewer.pointee.items[place].known.contains(.data) { return }
    if isMissingAudio(viewer, place) { return }
    viewer.pointee.items[place].known.insert(.data)
    let loading = viewer.pointee.items[place].loading
    if loading >= 0 { noteAnswer(viewer, viewer.pointee.requests[loading], at: context.now) }
    viewer.pointee.items[place].times.data = context.now
    if catalogue.pointee.packaging == .progressive {
      viewer.pointee.items[place].inits = 1
      prepareDecoder(viewer, viewer.pointee.items[place].item, &context)
    }
    if let index = player(of: viewer.pointee.items[place].item, viewer) {
      announceReadiness(viewer, place, index, &context)
    }
  }

  // MARK: Playback

  /// The playhead in viewer's time, loops included.
  mutating func playhead(_ viewer: ViewerPointer, at now: Instant) -> TimeSpan {
    viewer.pointee.view.playhead.position(at: now)
  }

  /// How far into the item the playhead ever was.
  mutating func mediaPosition(_ viewer: ViewerPointer, at now: Instant) -> TimeSpan {
    let head = playhead(viewer, at: now)
    let duration = viewer.pointee.items[place(viewer.pointee.current)].title.duration
    return head < duration ? head : duration
  }

  /// The frame is on the screen: the item plays.
  mutating func startPlayback(
    _ viewer: ViewerPointer, _ context: inout Context<FeedEvent>
  ) {
    guard viewer.pointee.view.phase == .starting else { return }
    context.cancel(viewer.pointee.patienceEvent)
    viewer.pointee.patienceEvent = .none
    viewer.pointee.view.hasFrame = true
    viewer.pointee.view.firstFrameAt = context.now
    viewer.pointee.items[place(viewer.pointee.current)].known.insert(.rendered)
    if hasClient { showFirstFrame(viewer, &context) }
    resumePlayback(viewer, &context)
    continueLoading(viewer, viewer.pointee.current, &context)
    reportBuffer(viewer, &context)
  }

  mutating func resumePlayback(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let now = context.now
    viewer.pointee.view.phase = .playing
    note(viewer, .playing, item: viewer.pointee.current, at: now)
    viewer.pointee.view.playhead.play(at: now)
    let head = viewer.pointee.view.playhead.mark
    context.cancel(viewer.pointee.watchEvent)
    viewer.pointee.watchEvent = context.schedule(
      .watchEnded(slot: viewer.pointee.slot), at: now + (viewer.pointee.view.intended - head),
      for: viewer.pointee.session)
    if hasClient {
      schedulePause(viewer, &context)
      schedulePassEnd(viewer, &context)
    }
    if let scrubAt = viewer.pointee.view.scrubAt, scrubAt >= head {
      viewer.pointee.scrubEvent = context.schedule(
        .scrubBegan(slot: viewer.pointee.slot), at: now + (scrubAt - head),
        for: viewer.pointee.session)
    }
    watchBuffer(viewer, &context)
  }

  /// Plans the look at the buffer when the playhead will have reached its present end.
  private mutating func watchBuffer(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let state = viewer.pointee.items + place(viewer.pointee.current)
    context.cancel(viewer.pointee.bufferEvent)
    viewer.pointee.bufferEvent = .none
    let end = playable(state)
    if end >= state.pointee.title.duration || end >= viewer.pointee.view.intended { return }
    let left = end - playhead(viewer, at: context.now)
    viewer.pointee.bufferEvent = context.schedule(
      .bufferEnded(slot: viewer.pointee.slot),
      at: context.now + (left > .zero ? left : .zero), for: viewer.pointee.session)
  }

  /// The playhead has reached what was the end of the buffer: go on, or stall.
  mutating func checkBuffer(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    viewer.pointee.bufferEvent = .none
    guard viewer.pointee.view.phase == .playing else { return }
    let state = viewer.pointee.items + place(viewer.pointee.current)
    if playable(state) > playhead(viewer, at: context.now) {
      watchBuffer(viewer, &context)
      return
    }
    if hasClient && endsAtHole(viewer) {
      endView(viewer, &context)
      return
    }
    pausePlayback(viewer, at: context.now, &context)
    viewer.pointee.view.phase = .stalled
    note(viewer, .stalled, item: viewer.pointee.current, at: context.now)
    if hasClient {
      tellLog(viewer, .stallBegan(ItemID(viewer.pointee.current)), at: context.now, &context)
    }
    viewer.pointee.view.playhead.stall(at: context.now)
    let u = streams.uniform(
      .patience, entity: viewEntity(viewer), draw: UInt32(viewer.pointee.view.playhead.stalls))
    viewer.pointee.patienceEvent = context.schedule(
      .patienceEnded(slot: viewer.pointee.slot),
      at: (context.now + audience.pointee.patienceFloor).advanced(
        saturatingBy: TimeSpan(seconds: audience.pointee.patience.quantile(u))),
      for: viewer.pointee.session)
    reportBuffer(viewer, &context)
  }

  /// More of the current item is there: a stall may end.
  mutating func growBuffer(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    guard viewer.pointee.view.phase == .stalled else { return }
    let state = viewer.pointee.items + place(viewer.pointee.current)
    let ahead = held(state) - viewer.pointee.view.playhead.mark
    if ahead < resumeNeed(viewer, state) && held(state) < state.pointee.title.duration {
      return
    }
    viewer.pointee.view.playhead.hold(at: context.now)
    if hasClient {
      tellLog(viewer, .stallEnded(ItemID(viewer.pointee.current)), at: context.now, &context)
    }
    context.cancel(viewer.pointee.patienceEvent)
    viewer.pointee.patienceEvent = .none
    resumePlayback(viewer, &context)
  }

  /// Holds the playhead where it is.
  mutating func pausePlayback(
    _ viewer: ViewerPointer, at now: Instant, _ context: inout Context<FeedEvent>
  ) {
    holdPlayhead(viewer, at: now)
    context.cancel(viewer.pointee.watchEvent)
    context.cancel(viewer.pointee.bufferEvent)
    context.cancel(viewer.pointee.scrubEvent)
    viewer.pointee.watchEvent = .none
    viewer.pointee.bufferEvent = .none
    viewer.pointee.scrubEvent = .none
    if let client = viewer.pointee.client {
      context.cancel(client.pointee.pauseEvent)
      client.pointee.pauseEvent = .none
      context.cancel(client.pointee.passEvent)
      client.pointee.passEvent = .none
    }
  }

  mutating func holdPlayhead(_ viewer: ViewerPointer, at now: Instant) {
    viewer.pointee.view.playhead.settle(at: now)
    if viewer.pointee.view.phase == .playing {
      viewer.pointee.view.playhead.hold(at: now)
      viewer.pointee.view.phase = .scrubbing
    }
    if !viewer.pointee.view.hasFrame { return }
    let place = place(viewer.pointee.current)
    let position = mediaPosition(viewer, at: now)
    if position > viewer.pointee.items[place].renderedTo {
      viewer.pointee.items[place].renderedTo = position
    }
  }

  /// Tells the prefetch policy how the current item stands.
  mutating func reportBuffer(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    guard viewer.pointee.view.phase != .between, viewer.pointee.view.phase != .waitingForFeed
    else { return }
    let state = viewer.pointee.items + place(viewer.pointee.current)
    var ahead = held(state) - mediaPosition(viewer, at: context.now)
    if ahead < .zero { ahead = .zero }
    note(viewer, .buffer(ahead), item: viewer.pointee.current, at: context.now)
    tellPosition(viewer, &context)
    tellPrefetch(
      viewer, .bufferChanged(ahead: ahead, isComplete: isWhole(state)), &context)
  }
}
