import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// What prefetch families ask for beside media: stages of the chain, connections, a limit for the
/// current item's buffer; and what they are told.
extension Viewer {
  /// Brings an item to a stage below media.
  mutating func warm(_ item: UInt32, _ stage: PrefetchStage, _ context: inout ViewerContext) {
    if stage == .connection {
      warmConnection(at: context.now, &context)
      tellPrefetch(.stageReached(ItemID(item), stage), &context)
      return
    }
    let place = self.item(item, at: context.now, &context)
    items[place].stage = stage
    if isAtStage(items.at(place)) {
      reachStage(place, &context)
    } else {
      continueLoading(item, &context)
    }
  }

  /// Opens the connection to the edge, if none is open.
  private mutating func warmConnection(at now: Instant, _ context: inout ViewerContext) {
    syncLink(at: now, &context)
    let edge = ViewerTransport.Server.edge(
      ofProvider: requests.choice?.pointee.machine.current ?? 0)
    if let opening = transport.warm(edge, at: now, sources: setting.pointee.sources) {
      note(opening, of: edge, &context)
    }
  }

  // MARK: What families read

  /// Tells where the playhead is, and whether it stands still, where that matters.
  mutating func tellPosition(_ context: inout ViewerContext) {
    if policy.pointee.prefetch.family.readsHazard || context.foreign.readsHazard {
      tellPrefetch(.positionChanged(mediaPosition(at: context.now)), &context)
    }
    if policy.pointee.prefetch.suspendsOnStall || context.foreign.readsStalls {
      let isStalled = view.phase == .stalled
      tellPrefetch(.stallChanged(isStalled: isStalled), &context)
    }
  }

  // MARK: The player's buffer

  /// The prefetch policy sets how far ahead the current item may load.
  mutating func limitBuffer(_ limit: TimeSpan?, _ context: inout ViewerContext) {
    bufferLimit = limit
    if view.isFull { continueLoading(current, &context) }
  }

}
