import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What viewers make of answers that are errors, and of those that took long.
extension Viewer {
  /// What a player does by itself: it asks again after waits that double, without end (assumed).
  static let playerRetry = RetryPolicy(
    firstWait: .seconds(1), longestWait: .seconds(8), jitter: 0, maximumRetries: .max)

  /// A request's server cannot be found, which is an error like any other.
  mutating func loseName(_ index: Int, _ context: inout ViewerContext) {
    requests[index].answer.isError = true
    requests[index].answer.hasNoName = true
    context.measures.counts.clientErrors += 1
    context.measures.counts.nameFailures += 1
    complete(index, &context)
  }

  /// Nobody has answered a request, and the viewer waits no longer.
  mutating func loseAnswer(_ index: Int, _ context: inout ViewerContext) {
    let request = requests.at(index)
    request.pointee.answer.isError = true
    request.pointee.times.firstByteAt = context.now
    context.measures.counts.clientErrors += 1
    let provider = Int(request.pointee.provider)
    let outage = configuration.cdn.providers[provider].outage(at: request.pointee.times.edgeAt)
    if outage?.kind == .unreachable {
      transport.lose(request.pointee.server, request.pointee.connection)
    }
    complete(index, &context)
  }

  /// A request has failed at its provider.
  ///
  /// - Returns: whether it is on its way to another one, or a copy of it was already.
  mutating func failOver(_ index: Int, _ context: inout ViewerContext) -> Bool {
    if requests.choice == nil { return false }
    if losesCopy(index, &context) { return true }
    guard let next = provider(afterFailureOf: index, &context) else { return false }
    context.measures.providers.switching.failovers += 1
    requests[index].isActive = true
    requests[index].answer = RequestAnswer()
    requests[index].times.sentAt = context.now
    requests[index].times.queued = .zero
    requests[index].times.firstByteAt = .zero
    assign(index, to: next, &context)
    dispatch(index, &context)
    return true
  }

  /// An error has arrived: the device's own stale copy will do where `stale-if-error` allows it;
  /// else the request is sent again after a while, until nobody wants the item any more.
  ///
  /// - Returns: whether the view is over, because its item cannot play.
  mutating func recover(_ index: Int, _ context: inout ViewerContext) -> Bool {
    let request = requests.at(index)
    request.pointee.answer.isError = false
    let place = place(request.pointee.item)
    guard
      request.pointee.destination == .feed
        || items[place].item == request.pointee.item
    else {
      context.measures.counts.cancelledRequests += 1
      return false
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
      request.pointee.times.sentAt = context.now
      plan(
        .diskRead(
          request: UInt32(index),
          generation: request.pointee.generation), at: context.now + devices[device].diskRead,
        context)
      return false
    }
    request.pointee.isBackingOff = true
    var wait = Viewer.playerRetry.wait(failures: Int(request.pointee.retries) + 1)
    let failed = request.pointee
    if hasClient, let answer = clientSettings.pointee.answer(to: failure(of: failed)) {
      // Telling of the failure may send a post, and then the requests may have moved.
      guard let chosen = retryWait(failed, answer, &context) else {
        requests[index].isActive = false
        requests[index].isBackingOff = false
        return giveUp(requests[index], &context)
      }
      wait = chosen
    }
    plan(
      .requestRetried(
        request: UInt32(index),
        generation: requests[index].generation), at: context.now + wait, context)
    return false
  }

  /// Sends a request again.
  mutating func retry(_ index: Int, _ context: inout ViewerContext) {
    let request = requests.at(index)
    request.pointee.isBackingOff = false
    request.pointee.answer.hasNoName = false
    if request.pointee.retries < .max { request.pointee.retries += 1 }
    request.pointee.times.sentAt = context.now
    context.measures.counts.clientRetries += 1
    if request.pointee.destination == .feed {
      sendFeedRequest(index, isRepeated: true, &context)
    } else {
      dispatchAnew(index, &context)
    }
  }

  /// What a policy looks at.
  private func failure(of request: Request) -> RequestFailure {
    let isFeed = request.destination == .feed
    return RequestFailure(
      failures: Int(request.retries) + 1, isFeedPage: isFeed,
      isOnScreen: isFeed ? view.phase == .waitingForFeed : request.item == current,
      hasNoAnswer: request.answer.hasNoName)
  }

  /// After an error: when to ask again by the policy's answer; nil when the item is given up.
  private mutating func retryWait(
    _ request: Request, _ answer: RetryPolicy.Answer,
    _ context: inout ViewerContext
  ) -> TimeSpan? {
    let isOnScreen = failure(of: request).isOnScreen
    if isOnScreen && request.destination != .feed {
      tellLog(
        .playbackFailed(
          ItemID(request.item), code: request.answer.hasNoName ? Viewer.noAnswer : 503),
        at: context.now, &context)
    }
    let entity = UInt64(session) << 32 | UInt64(request.item)
    let u = streams.uniform(
      .retryJitter, entity: entity, draw: request.offset << 8 | UInt32(request.retries))
    switch answer {
    case .giveUp: return nil
    case .retry(let wait, let jitter): return wait + jitter.scaled(by: u)
    case .askViewer:
      // Nobody is asked about an item that is not on the screen.
      if !isOnScreen { return nil }
      context.measures.clientSide.retryTaps += 1
      return TimeSpan(seconds: clientSettings.pointee.tapDelay?.quantile(u) ?? 2)
    }
  }

  /// The code of an error that no server has sent.
  private static let noAnswer: Int64 = 0

  /// A request of the chain is not tried again: the viewer goes on from an item that cannot play. A
  /// page of the feed is asked for again with the next move.
  ///
  /// - Returns: whether that ends the view.
  private mutating func giveUp(_ request: Request, _ context: inout ViewerContext) -> Bool {
    if request.destination == .feed { losePage(&context) }
    guard request.destination == .chain || request.destination == .audio else { return false }
    context.measures.clientSide.itemsGivenUp += 1
    if request.destination == .audio {
      items[place(request.item)].audio.loading = -1
    } else {
      items[place(request.item)].loading = -1
    }
    // It plays with neither alone.
    stopLoading(request.item, &context)
    let isCurrent = request.item == current
    let phase = view.phase
    if isCurrent && (phase == .starting || phase == .stalled) { return true }
    if isCurrent && phase != .between {
      // What is held of it still plays.
      clientState.pointee.failedItem = request.item
    } else {
      tellPrefetch(.itemFailed(ItemID(request.item)), &context)
    }
    return false
  }
}
