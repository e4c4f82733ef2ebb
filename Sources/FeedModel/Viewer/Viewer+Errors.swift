import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel

/// What viewers make of answers that are errors, and of those that took long.
extension Viewer {
  /// What a player does by itself: it asks again after waits that double, without end (assumed).
  static let playerRetry = RetryPolicy(
    firstWait: .seconds(1), longestWait: .seconds(8), jitter: 0, maximumRetries: .max)

  /// An error has arrived: the device's own stale copy will do where `stale-if-error` allows it;
  /// else the request is sent again after a while, until nobody wants the item any more.
  mutating func recover(_ index: Int, _ context: inout ViewerContext) {
    let request = requests.at(index)
    request.pointee.isError = false
    let place = place(request.pointee.item)
    guard
      request.pointee.destination == .feed
        || items[place].item == request.pointee.item
    else {
      context.measures.counts.cancelledRequests += 1
      return
    }
    request.pointee.isActive = true
    if request.pointee.isConditional,
      let copy = touchDisk(request.pointee.object),
      CacheFreshness.mayServe(
        response(onDisk: copy), after: .serverError,
        at: context.now,
        rule: .withinWindow)
    {
      context.measures.counts.clientStale += 1
      request.pointee.isFromDisk = true
      request.pointee.sentAt = context.now
      plan(
        .diskRead(
          request: UInt32(index),
          generation: request.pointee.generation), at: context.now + devices[device].diskRead,
        context)
      return
    }
    request.pointee.isBackingOff = true
    var wait = Viewer.playerRetry.wait(failures: Int(request.pointee.retries) + 1)
    if hasClient, let policy = clientSettings.pointee.retry {
      // Telling of the failure may send a post, and then the requests may have moved.
      let failed = request.pointee
      guard let chosen = retryWait(failed, policy, &context) else {
        requests[index].isActive = false
        requests[index].isBackingOff = false
        giveUp(requests[index], &context)
        return
      }
      wait = chosen
    }
    plan(
      .requestRetried(
        request: UInt32(index),
        generation: requests[index].generation), at: context.now + wait, context)
  }

  /// Sends a request again.
  mutating func retry(_ index: Int, _ context: inout ViewerContext) {
    let request = requests.at(index)
    request.pointee.isBackingOff = false
    if request.pointee.retries < .max { request.pointee.retries += 1 }
    request.pointee.sentAt = context.now
    context.measures.counts.clientRetries += 1
    dispatch(index, &context)
  }

  /// A request that the current view's start needed has been answered, or the view has ended
  /// without it: notes its wait behind the edge, as far as the view saw it.
  mutating func noteAnswer(_ request: Request, at now: Instant) {
    guard !request.isImmediate, request.item == current,
      view.phase == .starting
    else { return }
    view.waitedForMiss = true
    let isOpen = request.waiting != .max || request.isBackingOff
    let end = isOpen ? now : request.edgeAt + request.upstreamWait
    let begin = max(request.edgeAt, view.settledAt)
    let wait = end > begin ? end - begin : .zero
    view.upstreamWait += wait
    let longest = view.answer
    if longest.reason == .none || wait.nanoseconds > longest.wait {
      view.answer = StartAnswer(
        asset: request.asset, tier: isOpen ? .none : request.tier, reason: request.reason,
        wait: wait.nanoseconds)
    }
  }
}
