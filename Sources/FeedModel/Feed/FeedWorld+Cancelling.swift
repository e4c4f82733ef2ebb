import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// Requests that are given up.
extension FeedWorld {
  /// Gives up a request; what has arrived of media is counted as delivered and can only be wasted.
  mutating func cancelRequest(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    syncLink(viewer, at: context.now)
    discard(viewer, index, at: context.now)
    sendWaiting(viewer, &context)
    rescheduleLink(viewer, &context)
  }

  /// The same without a clock, for the end of the run.
  ///
  /// - Parameter isRepeated: the request is sent again; what had arrived is lost, also for bytes
  ///   that were on the screen, because the new copy counts for them.
  mutating func discard(
    _ viewer: ViewerPointer, _ index: Int, at now: Instant, isRepeated: Bool = false
  ) {
    noteRequest(viewer, index, isRepeated ? .repeated : .cancelled, at: now)
    cancelAtEdge(viewer, index, at: now)
    giveUpOutside(viewer, index, at: now)
    let request = viewer.pointee.requests[index]
    viewer.pointee.requests[index].isActive = false
    if !isRepeated { measures.counts.cancelledRequests += 1 }
    if request.isWaiting {
      viewer.pointee.waitingRequests -= 1
    } else if !request.isFromDisk && !request.isBackingOff {
      let connection = connection(viewer, request)
      connection.pointee.outstanding -= 1
      connection.pointee.lastActive = now
      // An answer of HTTP/1.1 cannot be stopped in any other way than by closing.
      if transport.pointee.http == .http1 { connection.pointee.isOpen = false }
    }
    if request.destination == .chain {
      viewer.pointee.items[place(request.item)].loading = -1
    } else if request.destination == .audio {
      viewer.pointee.items[place(request.item)].audio.loading = -1
    }
    guard let remaining = withdraw(viewer, index, at: now) else { return }
    guard request.asset == .segment || request.asset == .initSegment,
      !request.isConditional, !request.isError
    else { return }
    let share = 1 - remaining / request.wireBytes
    let bytes = Int64(Double(request.bytes) * (share > 0 ? (share < 1 ? share : 1) : 0))
    let place = place(request.item)
    let shown = isRepeated ? 0 : renderedPart(viewer, request, arrived: bytes)
    let extras = viewer.pointee.items[place].addExtras(&blocks)
    extras.pointee.cancelled.all += bytes
    extras.pointee.cancelled.rendered += shown
    if request.isPrefetch {
      extras.pointee.cancelled.prefetched += bytes
      extras.pointee.cancelled.prefetchedRendered += shown
    }
    if player(of: request.item, viewer) == nil { dropPartial(viewer, request.item) }
    measures.counts.deliveredBytes += bytes
  }

  /// Bytes of a cancelled segment that were on the screen: a view may play what has arrived.
  private mutating func renderedPart(
    _ viewer: ViewerPointer, _ request: Request, arrived bytes: Int64
  ) -> Int64 {
    guard request.asset == .segment else { return 0 }
    let state = viewer.pointee.items + place(request.item)
    let step = state.pointee.title.step
    let seen = state.pointee.renderedTo - step * Int64(request.segment)
    if seen <= .zero { return 0 }
    let length = state.pointee.title.length(of: request.segment, step: step)
    let shown = Int64(Double(request.bytes) * (seen.seconds / length.seconds))
    return shown < bytes ? shown : bytes
  }

  /// Part of a segment lives in a player only: an item without one has lost it.
  mutating func dropPartial(_ viewer: ViewerPointer, _ item: UInt32) {
    let state = viewer.pointee.items + place(item)
    guard item != ItemState.nobody, state.pointee.item == item, held(state) < startNeed(state)
    else { return }
    state.pointee.known.subtract([.data, .video])
    state.pointee.times.data = StartupTimes.unset
  }
}
