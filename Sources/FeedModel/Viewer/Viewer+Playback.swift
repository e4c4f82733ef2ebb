import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Players and playback: decoders, first frame, stalls.
extension Viewer {
  // MARK: Players

  mutating func prepare(
    _ slot: SlotID, _ item: UInt32, _ generation: UInt32,
    _ context: inout ViewerContext
  ) {
    let index = Int(slot.index)
    let before = players[index].item
    if hasClient {
      dropFromGate(index, at: context.now, &context)
      stopLoadingByProximity(before, &context)
    }
    _ = self.item(item, at: context.now, &context)
    forgetReadiness(index, &context)
    players[index].item = item
    players[index].generation = generation
    players[index].isPreparing = false
    if hasClient {
      tellGate(player: index, generation: generation, .preparing, at: context.now, &context)
    }
    if before != item { dropPartial(before) }
    let isCreated = !players[index].isCreated
    players[index].isCreated = true
    players[index].playerReadyAt =
      isCreated
      ? createPlayer(index, at: context.now) : retarget(index, at: context.now)
    noteAssignment(index, isCreated: isCreated, at: context.now, &context)
    prepareDecoder(item, &context)
  }

  /// Sets a decoder up once the init segment is known and a decoder can be had.
  mutating func prepareDecoder(_ item: UInt32, _ context: inout ViewerContext) {
    let place = place(item)
    guard let index = players.index(of: item), items[place].item == item,
      items[place].inits != 0, !players[index].isPreparing
    else { return }
    let device = devices + self.device
    let isReused = players[index].hasDecoder
    if !isReused {
      if players.decoders >= device.pointee.decoderLimit {
        if !takeDecoder(for: index, &context) {
          context.measures.counts.decodersRefused += 1
          return
        }
      }
      players[index].hasDecoder = true
    }
    players[index].isPreparing = true
    let entity = UInt64(session) << 32 | UInt64(item)
    let u = streams.uniform(.decoder, entity: entity)
    var setup =
      isReused ? device.pointee.decoderReuse.quantile(u) : device.pointee.decoderSetup.quantile(u)
    if device.pointee.stress != nil { setup *= stress(beside: index, at: context.now) }
    var begin = context.now
    if players[index].playerReadyAt > begin {
      begin = players[index].playerReadyAt
    }
    items[place].times.decoder = begin + TimeSpan(seconds: setup)
    noteDecoder(place, index, from: begin, isReused: isReused, at: context.now, &context)
    announceReadiness(place, index, &context)
  }

  /// How little an item needs a decoder: the current one most, then those ahead, then those behind.
  private func decoderRank(_ item: UInt32) -> Int64 {
    let distance = Int64(item) - Int64(current)
    if hasClient && item == heldItem() { return -1 }
    return distance >= 0 ? distance : FeedConfiguration.rankBehind - distance
  }

  /// Takes the decoder of the player whose item needs it least, if it needs it less than this one.
  private mutating func takeDecoder(for index: Int, _ context: inout ViewerContext) -> Bool {
    var victim = -1
    var worst = decoderRank(players[index].item)
    for other in 0..<players.count
    where other != index && players[other].hasDecoder {
      let rank = decoderRank(players[other].item)
      if rank > worst {
        worst = rank
        victim = other
      }
    }
    if victim < 0 { return false }
    let generation = players[victim].generation
    forgetReadiness(victim, &context)
    let loser = players[victim].item
    if hasClient { dropFromGate(victim, at: context.now, &context) }
    players[victim] = PlayerState()
    if hasClient { stopLoadingByProximity(loser, &context) }
    note(
      .released(player: UInt32(victim), lostDecoder: true), item: loser, at: context.now, &context)
    dropPartial(loser)
    tellPool(.slotFailed(SlotID(UInt32(victim)), generation: generation), &context)
    return true
  }

  /// The current item's player gets a decoder even where the others hold all of them.
  mutating func ensureDecoder(_ item: UInt32, _ context: inout ViewerContext) {
    if view.phase == .starting { prepareDecoder(item, &context) }
  }

  /// The media for an item's first frame is there.
  mutating func reachStart(_ place: Int, _ context: inout ViewerContext) {
    if items[place].known.contains(.data) { return }
    if isMissingAudio(place) { return }
    items[place].known.insert(.data)
    let loading = items[place].loading
    if loading >= 0 { noteAnswer(requests[loading], at: context.now) }
    items[place].times.data = context.now
    if catalogue.pointee.packaging == .progressive {
      items[place].inits = 1
      prepareDecoder(items[place].item, &context)
    }
    if let index = players.index(of: items[place].item) {
      announceReadiness(place, index, &context)
    }
  }

  // MARK: Playback

  /// The playhead in viewer's time, loops included.
  func playhead(at now: Instant) -> TimeSpan {
    view.playhead.position(at: now)
  }

  /// How far into the item the playhead ever was.
  func mediaPosition(at now: Instant) -> TimeSpan {
    let head = playhead(at: now)
    let duration = items[place(current)].title.duration
    return head < duration ? head : duration
  }

  /// The frame is on the screen: the item plays.
  mutating func startPlayback(_ context: inout ViewerContext) {
    guard view.phase == .starting else { return }
    agenda.cancel(.patience)
    view.hasFrame = true
    view.firstFrameAt = context.now
    items[place(current)].known.insert(.rendered)
    if hasClient { showFirstFrame(&context) }
    resumePlayback(&context)
    continueLoading(current, &context)
    reportBuffer(&context)
  }

  mutating func resumePlayback(_ context: inout ViewerContext) {
    let now = context.now
    view.phase = .playing
    note(.playing, item: current, at: now, &context)
    view.playhead.play(at: now)
    let head = view.playhead.mark
    agenda.cancel(.watch)
    plan(.watchEnded, at: now + (view.intended - head), context)
    if hasClient {
      schedulePause(&context)
      schedulePassEnd(&context)
    }
    if let scrubAt = view.scrubAt, scrubAt >= head {
      plan(.scrubBegan, at: now + (scrubAt - head), context)
    }
    watchBuffer(&context)
  }

  /// Plans the look at the buffer when the playhead will have reached its present end.
  private mutating func watchBuffer(_ context: inout ViewerContext) {
    let state = items.at(place(current))
    agenda.cancel(.buffer)
    let end = playable(state)
    if end >= state.pointee.title.duration || end >= view.intended { return }
    let left = end - playhead(at: context.now)
    plan(.bufferEnded, at: context.now + (left > .zero ? left : .zero), context)
  }

  /// The playhead has reached what was the end of the buffer: go on, or stall.
  mutating func checkBuffer(_ context: inout ViewerContext) {
    guard view.phase == .playing else { return }
    let state = items.at(place(current))
    if playable(state) > playhead(at: context.now) {
      watchBuffer(&context)
      return
    }
    if hasClient && endsAtHole() {
      endView(&context)
      return
    }
    pausePlayback(at: context.now, &context)
    view.phase = .stalled
    note(.stalled, item: current, at: context.now, &context)
    if hasClient {
      tellLog(.stallBegan(ItemID(current)), at: context.now, &context)
    }
    view.playhead.stall(at: context.now)
    let u = streams.uniform(
      .patience, entity: viewEntity(), draw: UInt32(view.playhead.stalls))
    plan(
      .patienceEnded,
      at: (context.now + audience.pointee.patienceFloor).advanced(
        saturatingBy: TimeSpan(seconds: audience.pointee.patience.quantile(u))), context)
    reportBuffer(&context)
  }

  /// More of the current item is there: a stall may end.
  mutating func growBuffer(_ context: inout ViewerContext) {
    guard view.phase == .stalled else { return }
    let state = items.at(place(current))
    let ahead = held(state) - view.playhead.mark
    if ahead < resumeNeed(state) && held(state) < state.pointee.title.duration {
      return
    }
    view.playhead.hold(at: context.now)
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
    view.playhead.settle(at: now)
    if view.phase == .playing {
      view.playhead.hold(at: now)
      view.phase = .scrubbing
    }
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
}
