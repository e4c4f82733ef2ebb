import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics

/// What the player pool and the prefetch policy command is done, one after the other.
extension Viewer {
  /// Does what the policies want done, one after the other, and what they want because of that.
  ///
  /// Called by who may be told of a view's end or has told a policy something, never by what a
  /// command does: what a policy is told of meanwhile follows behind the commands there are.
  @inline(__always)
  mutating func workOff(_ context: inout ViewerContext) {
    if !context.commands.isEmpty { performAll(&context) }
  }

  private mutating func performAll(_ context: inout ViewerContext) {
    while let command = context.commands.take() {
      // Of a session that is over nothing is done any more.
      if !isActive { continue }
      switch command {
      case .pool(let command): perform(command, &context)
      case .prefetch(let command): perform(command, &context)
      case .answer: performAnswer(&context)
      }
    }
  }

  /// Does what a foreign policy answers to the oldest event that it was told.
  private mutating func performAnswer(_ context: inout ViewerContext) {
    var commands: [PrefetchPolicy.Command] = []
    context.foreign.take(slot: slot, session: session, into: &commands)
    for command in commands where isActive { perform(command, &context) }
  }

  private mutating func perform(_ command: PlayerPool.Command, _ context: inout ViewerContext) {
    switch command {
    case .prepare(let slot, let item, let generation):
      prepare(slot, item.index, generation, &context)
    case .play: present(&context)
    case .pause(let slot): pauseReal(Int(slot.index), &context)
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
}
