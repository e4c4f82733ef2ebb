import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics

/// What the player pool and the prefetch policy are told, and what they command.
extension Viewer {
  mutating func tellPool(_ event: PlayerPool.Event, _ context: inout ViewerContext) {
    tellReadiness(before: event, &context)
    pool.handle(event, at: context.now, into: &context.commands.pool)
    noteTold(PlayerPool.self, event, at: context.now, context.commands.pool, &context)
    if context.commands.pool.isEmpty { return }
    context.commands.queuePool()
    workOff(&context)
  }

  mutating func tellPrefetch(_ event: PrefetchPolicy.Event, _ context: inout ViewerContext) {
    if case .targetReached(let item, _) = event {
      note(.prefetchReached, item: item.index, at: context.now, &context)
    }
    prefetch.handle(event, at: context.now, into: &context.commands.prefetch)
    noteTold(PrefetchPolicy.self, event, at: context.now, context.commands.prefetch, &context)
    if context.commands.prefetch.isEmpty { return }
    context.commands.queuePrefetch()
    workOff(&context)
  }

  /// Does what the policies want done, one after the other, and what they want because of that.
  ///
  /// Within a command it does nothing: what the policy was told of meanwhile follows behind it.
  private mutating func workOff(_ context: inout ViewerContext) {
    if !context.commands.begin() { return }
    while let command = context.commands.take() {
      // Of a session that is over nothing is done any more.
      if !isActive { continue }
      switch command {
      case .pool(let command): perform(command, &context)
      case .prefetch(let command): perform(command, &context)
      }
    }
  }

  private mutating func perform(_ command: PlayerPool.Command, _ context: inout ViewerContext) {
    switch command {
    case .prepare(let slot, let item, let generation):
      prepare(slot, item.index, generation, &context)
    case .play: present(&context)
    case .pause: break
    case .release(let slot): release(Int(slot.index), &context)
    }
  }

  private mutating func perform(
    _ command: PrefetchPolicy.Command, _ context: inout ViewerContext
  ) {
    switch command {
    case .start(let item, let length, _):
      note(.prefetchStarted(length), item: item.index, at: context.now, &context)
      startPrefetch(item.index, length, &context)
    case .cancel(let item), .suspend(let item):
      note(.prefetchCancelled, item: item.index, at: context.now, &context)
      stopPrefetch(item.index, &context)
    case .warm(let item, let stage, _): warm(item.index, stage, &context)
    case .limitBuffer(let limit): limitBuffer(limit, &context)
    }
  }

  private mutating func startPrefetch(
    _ item: UInt32, _ length: TimeSpan,
    _ context: inout ViewerContext
  ) {
    let place = self.item(item, at: context.now, &context)
    let state = items.at(place)
    let target = length < state.pointee.title.duration ? length : state.pointee.title.duration
    if held(state) >= target {
      tellPrefetch(.targetReached(ItemID(item), isWhole(state) ? .max : held(state)), &context)
      return
    }
    items[place].stage = .nothing
    items[place].prefetchTarget = target
    continueLoading(item, &context)
  }

  /// A player gives up its item.
  private mutating func release(_ index: Int, _ context: inout ViewerContext) {
    forgetReadiness(index, &context)
    if hasClient { dropFromGate(index, at: context.now, &context) }
    let loser = players[index].item
    players[index] = PlayerState()
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
