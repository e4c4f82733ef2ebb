import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// What the player pool and the prefetch policy are told. What they command because of that waits
/// in a list (``PolicyCommands``): nobody who tells them something does it.
extension Viewer {
  mutating func tellPool(_ event: PlayerPool.Event, _ context: inout ViewerContext) {
    tellReadiness(before: event, &context)
    let decider = policy.pointee.victimDecider
    pool.handle(event, at: context.now, into: &context.commands.pool, by: decider)
    if decider == nil {
      noteTold(context.logs?.pool, event, at: context.now, context.commands.pool, &context)
    }
    context.commands.queuePool()
  }

  mutating func tellPrefetch(_ event: PrefetchPolicy.Event, _ context: inout ViewerContext) {
    if case .targetReached(let item, _) = event {
      note(.prefetchReached, item: item.index, at: context.now, &context)
    }
    if context.foreign.isUsed {
      context.foreign.tell(slot: slot, session: session, event, at: context.now)
      context.commands.queueAnswer()
      return
    }
    prefetch.handle(event, at: context.now, into: &context.commands.prefetch)
    noteTold(context.logs?.prefetch, event, at: context.now, context.commands.prefetch, &context)
    context.commands.queuePrefetch()
  }
}
