import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel

/// What viewers make of answers that are errors, and of those that took long.
extension FeedWorld {
  /// What a player does by itself: it asks again after waits that double, without end (assumed).
  static let playerRetry = RetryPolicy(
    firstWait: .seconds(1), longestWait: .seconds(8), jitter: 0, maximumRetries: .max)

  /// An error has arrived: the device's own stale copy will do where `stale-if-error` allows it;
  /// else the request is sent again after a while, until nobody wants the item any more.
  mutating func recover(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    let request = viewer.pointee.requests + index
    request.pointee.isError = false
    let place = place(request.pointee.item)
    guard
      request.pointee.destination == .feed
        || viewer.pointee.items[place].item == request.pointee.item
    else {
      measures.counts.cancelledRequests += 1
      return
    }
    request.pointee.isActive = true
    if request.pointee.isConditional,
      let copy = touchDisk(viewer, request.pointee.object),
      CacheFreshness.mayServe(
        response(onDisk: copy), after: .serverError,
        at: context.now,
        rule: .withinWindow)
    {
      measures.counts.clientStale += 1
      request.pointee.isFromDisk = true
      request.pointee.sentAt = context.now
      context.schedule(
        .diskRead(
          slot: viewer.pointee.slot, request: UInt32(index),
          generation: request.pointee.generation),
        at: context.now + devices[viewer.pointee.device].diskRead, for: viewer.pointee.session)
      return
    }
    request.pointee.isBackingOff = true
    var wait = FeedWorld.playerRetry.wait(failures: Int(request.pointee.retries) + 1)
    if hasClient, let policy = clientSettings.pointee.retry {
      // Telling of the failure may send a post, and then the requests may have moved.
      let failed = request.pointee
      guard let chosen = retryWait(viewer, failed, policy, &context) else {
        viewer.pointee.requests[index].isActive = false
        viewer.pointee.requests[index].isBackingOff = false
        giveUp(viewer, viewer.pointee.requests[index], &context)
        return
      }
      wait = chosen
    }
    context.schedule(
      .requestRetried(
        slot: viewer.pointee.slot, request: UInt32(index),
        generation: viewer.pointee.requests[index].generation),
      at: context.now + wait, for: viewer.pointee.session)
  }

  /// Sends a request again.
  mutating func retry(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    let request = viewer.pointee.requests + index
    request.pointee.isBackingOff = false
    if request.pointee.retries < .max { request.pointee.retries += 1 }
    request.pointee.sentAt = context.now
    measures.counts.clientRetries += 1
    dispatch(viewer, index, &context)
  }

  /// A request that the current view's start needed has been answered, or the view has ended
  /// without it: notes its wait behind the edge, as far as the view saw it.
  mutating func noteAnswer(_ viewer: ViewerPointer, _ request: Request, at now: Instant) {
    guard !request.isImmediate, request.item == viewer.pointee.current,
      viewer.pointee.view.phase == .starting
    else { return }
    viewer.pointee.view.waitedForMiss = true
    let isOpen = request.waiting != .max || request.isBackingOff
    let end = isOpen ? now : request.edgeAt + request.upstreamWait
    let begin = max(request.edgeAt, viewer.pointee.view.settledAt)
    let wait = end > begin ? end - begin : .zero
    viewer.pointee.view.upstreamWait += wait
    let longest = viewer.pointee.view.answer
    if longest.reason == .none || wait.nanoseconds > longest.wait {
      viewer.pointee.view.answer = StartAnswer(
        asset: request.asset, tier: isOpen ? .none : request.tier, reason: request.reason,
        wait: wait.nanoseconds)
    }
  }
}
