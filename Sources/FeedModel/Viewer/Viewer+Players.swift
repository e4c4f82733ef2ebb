import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// The players of the pool: which item each has, its decoder, when it can show a frame.
extension Viewer {
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
    if setting.pointee.hasRealPlayers {
      noteAssignment(index, isCreated: isCreated, at: context.now, &context)
      prepareReal(index, &context)
      return
    }
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

  /// Players farther ahead that got no decoder may get one now that they are nearer. The next
  /// item's player of a pool with one ahead has just been assigned and has asked already.
  mutating func retryDecoders(_ context: inout ViewerContext) {
    let ahead = policy.pointee.pool.ahead
    if ahead < 2 || view.phase == .waitingForFeed { return }
    for offset in 1...UInt32(ahead) {
      prepareDecoder(current + offset, &context)
    }
  }

  /// A player has become ready.
  mutating func receiveReadiness(
    _ player: UInt32, _ generation: UInt32,
    _ context: inout ViewerContext
  ) {
    noteReadiness(player: player, generation: generation, at: context.now, &context)
    if hasClient {
      tellGate(player: Int(player), generation: generation, .ready, at: context.now, &context)
    }
    tellPool(.slotReady(SlotID(player), generation: generation), &context)
  }

  /// A player gives up its item.
  mutating func release(_ index: Int, _ context: inout ViewerContext) {
    forgetReadiness(index, &context)
    if hasClient { dropFromGate(index, at: context.now, &context) }
    let loser = players[index].item
    players[index] = PlayerState()
    releaseReal(index, &context)
    if hasClient { stopLoadingByProximity(loser, &context) }
    // One that lost its decoder is gone already.
    if loser != ItemState.nobody {
      note(
        .released(player: UInt32(index), lostDecoder: false), item: loser, at: context.now,
        &context)
    }
    dropPartial(loser)
  }
}
