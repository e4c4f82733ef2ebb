import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// Requests that are given up.
extension Viewer {
  /// Gives up a request; what has arrived of media is counted as delivered and can only be wasted.
  mutating func cancelRequest(_ index: Int, _ context: inout ViewerContext) {
    syncLink(at: context.now, &context)
    discard(index, at: context.now, &context)
    sendWaiting(&context)
    isLinkChanged = true
  }

  /// The same without a clock, for the end of the run.
  ///
  /// - Parameter isRepeated: the request is sent again; what had arrived is lost, also for bytes
  ///   that were on the screen, because the new copy counts for them.
  mutating func discard(
    _ index: Int, at now: Instant, isRepeated: Bool = false, _ context: inout ViewerContext
  ) {
    noteRequest(index, isRepeated ? .repeated : .cancelled, at: now, &context)
    cancelAtEdge(index, &context)
    giveUpOutside(index, at: now, &context)
    if requests.choice != nil {
      dropOther(than: index, &context)
      forgetChoice(index, at: now)
    }
    let request = requests[index]
    requests[index].isActive = false
    if !isRepeated { context.measures.counts.cancelledRequests += 1 }
    if request.isWaiting {
      requests.withoutConnection -= 1
    } else if !request.isFromDisk && !request.isBackingOff {
      transport.giveUp(request.server, request.connection, at: now)
    }
    if request.destination == .chain {
      items[place(request.item)].loading = -1
    } else if request.destination == .audio {
      items[place(request.item)].audio.loading = -1
    }
    guard let remaining = transport.withdraw(index, at: now, cells: &context.cells)
    else { return }
    guard request.asset == .segment || request.asset == .initSegment,
      !request.isConditional, !request.answer.isError
    else { return }
    let share = ViewerTransport.Transfer.arrivedShare(
      remaining: remaining, of: request.way.wireBytes)
    let bytes = Int64(Double(request.bytes) * share)
    let place = place(request.item)
    let shown = isRepeated ? 0 : renderedPart(request, arrived: bytes)
    let extras = items[place].addExtras(&context.blocks)
    extras.pointee.cancelled.all += bytes
    extras.pointee.cancelled.rendered += shown
    if request.isPrefetch {
      extras.pointee.cancelled.prefetched += bytes
      extras.pointee.cancelled.prefetchedRendered += shown
    }
    if players.index(of: request.item) == nil { dropPartial(request.item) }
    context.deliver(bytes)
  }

  /// Bytes of a cancelled segment that were on the screen: a view may play what has arrived.
  private func renderedPart(_ request: Request, arrived bytes: Int64) -> Int64 {
    guard request.asset == .segment else { return 0 }
    let state = items.at(place(request.item))
    let step = state.pointee.title.step
    let seen = state.pointee.renderedTo - step * Int64(request.segment)
    let length = state.pointee.title.length(of: request.segment, step: step)
    return ShownItem.bytes(of: request.bytes, arrived: bytes, seen: seen, length: length)
  }
}
