import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Telemetry: from what happens in a view to what the ingest has.
extension FeedWorld {
  /// Bytes of an answer to a post (assumed).
  private static let answerBytes: Int64 = 120

  /// Reports something of a view; what is emitted goes into the batcher.
  mutating func tellLog(
    _ viewer: ViewerPointer, _ event: ViewLog.Event, at time: Instant,
    _ context: inout Context<FeedEvent>
  ) {
    if clientSettings.pointee.telemetry == nil { return }
    var commands: [ViewLog.Command] = []
    client(viewer).pointee.log.handle(event, at: time, into: &commands)
    noteTold(viewer, ViewLog.self, event, at: time, commands)
    for command in commands {
      guard case .emit(let event) = command else { continue }
      count(event)
      tellBatcher(viewer, .recorded(event), &context)
    }
  }

  private mutating func count(_ event: TelemetryEvent) {
    measures.clientSide.telemetry.recorded += 1
    switch event.name {
    case .viewStart: measures.clientSide.telemetry.viewStarts += 1
    case .viewEnd: measures.clientSide.telemetry.viewEnds += 1
    case .timeToFirstFrame:
      measures.clientSide.telemetry.firstFrames += 1
      measures.clientSide.telemetry.firstFrameTime += event.value
    default: break
    }
  }

  mutating func tellBatcher(
    _ viewer: ViewerPointer, _ event: TelemetryBatcher.Event,
    _ context: inout Context<FeedEvent>
  ) {
    if clientSettings.pointee.telemetry == nil { return }
    let state = client(viewer)
    var commands: [TelemetryBatcher.Command] = []
    let overflowed = state.pointee.batcher.overflowed
    state.pointee.batcher.handle(event, at: context.now, into: &commands)
    noteTold(viewer, TelemetryBatcher.self, event, at: context.now, commands)
    let dropped = state.pointee.batcher.overflowed - overflowed
    measures.clientSide.telemetry.lost += Int64(dropped)
    settleGivenUp(viewer)
    for command in commands {
      switch command {
      case .post(let batch, let first, let count, _, let attempt):
        post(viewer, (batch, attempt), first, count, &context)
      case .setTimer(let timer, let at, let jitter):
        setTimer(viewer, isRetry: timer == .retry, at, jitter, &context)
      case .cancelTimer(.flush):
        context.cancel(state.pointee.flushTimer)
        state.pointee.flushTimer = .none
      case .cancelTimer(.retry):
        context.cancel(state.pointee.retryTimer)
        state.pointee.retryTimer = .none
      }
    }
  }

  /// Events that left the batcher without having reached the ingest are lost.
  private mutating func settleGivenUp(_ viewer: ViewerPointer) {
    let state = client(viewer)
    let first = state.pointee.batcher.firstSequence
    if first <= state.pointee.settledSequence { return }
    measures.clientSide.telemetry.lost += Int64(first - state.pointee.settledSequence)
    state.pointee.settledSequence = first
  }

  private mutating func setTimer(
    _ viewer: ViewerPointer, isRetry: Bool, _ at: Instant, _ jitter: TimeSpan,
    _ context: inout Context<FeedEvent>
  ) {
    let state = client(viewer)
    context.cancel(isRetry ? state.pointee.retryTimer : state.pointee.flushTimer)
    var time = at
    if jitter > .zero {
      time += jitter.scaled(
        by: streams.uniform(
          .ingest, entity: UInt64(viewer.pointee.session), draw: 3 * state.pointee.posts + 2))
    }
    let event = context.schedule(
      .telemetryTimer(slot: viewer.pointee.slot, isRetry: isRetry), at: time,
      for: viewer.pointee.session)
    if isRetry {
      state.pointee.retryTimer = event
    } else {
      state.pointee.flushTimer = event
    }
  }

  mutating func fireTelemetryTimer(
    _ viewer: ViewerPointer, isRetry: Bool, _ context: inout Context<FeedEvent>
  ) {
    if isRetry {
      client(viewer).pointee.retryTimer = .none
    } else {
      client(viewer).pointee.flushTimer = .none
    }
    tellBatcher(viewer, .timerFired(isRetry ? .retry : .flush), &context)
  }

  // MARK: Posts

  private mutating func post(
    _ viewer: ViewerPointer, _ number: (batch: UInt32, attempt: Int), _ first: UInt64,
    _ count: Int, _ context: inout Context<FeedEvent>
  ) {
    guard let settings = clientSettings.pointee.telemetry else { return }
    let state = client(viewer)
    measures.clientSide.telemetry.posts += 1
    state.pointee.posts += 1
    let index = takeRequest(viewer)
    viewer.pointee.requests[index].destination = .events
    viewer.pointee.requests[index].asset = .feed
    viewer.pointee.requests[index].sentAt = context.now
    viewer.pointee.requests[index].bytes = FeedWorld.answerBytes
    viewer.pointee.requests[index].bodyBytes =
      settings.envelopeBytes + settings.eventBytes * Int64(count)
    let entity = UInt64(viewer.pointee.session)
    viewer.pointee.requests[index].serviceDraw = streams.uniform(
      .ingest, entity: entity, draw: 3 * state.pointee.posts)
    state.pointee.post = ClientState.Post(
      request: index, batch: number.batch, attempt: number.attempt, first: first, count: count,
      arrival: .distantFuture, isTaken: false)
    sendPost(viewer, index, &context)
  }

  /// Sends a post again on another connection: its answer is lost with the old one, but not what
  /// the ingest has of it.
  mutating func repeatPost(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    let state = client(viewer)
    if let post = state.pointee.post, post.arrival <= context.now { ingest(viewer, post) }
    measures.clientSide.telemetry.posts += 1
    state.pointee.posts += 1
    sendPost(viewer, index, &context)
  }

  /// Sends a post, or sends it anew on another connection.
  mutating func sendPost(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    guard let settings = clientSettings.pointee.telemetry,
      let sent = send(viewer, index, &context)
    else { return }
    let state = client(viewer)
    if servers != .modelled {
      state.pointee.post?.arrival = sent
      state.pointee.post?.isTaken = true
      arrive(viewer, index, at: sent, &context)
      return
    }
    let u = streams.uniform(
      .ingest, entity: UInt64(viewer.pointee.session), draw: 3 * state.pointee.posts + 1)
    viewer.pointee.requests[index].isError = u < settings.failureShare
    state.pointee.post?.arrival = sent
    state.pointee.post?.isTaken = u >= settings.failureShare / 2
    let service = TimeSpan(
      seconds: settings.latency.quantile(viewer.pointee.requests[index].serviceDraw))
    beginTransfer(
      viewer, index, at: sent + service + viewer.pointee.roundTrip / 2, &context)
  }

  /// The answer to a post is here.
  mutating func receivePost(
    _ viewer: ViewerPointer, _ request: Request, _ context: inout Context<FeedEvent>
  ) {
    let state = client(viewer)
    guard let post = state.pointee.post else { return }
    state.pointee.post = nil
    ingest(viewer, post)
    tellBatcher(
      viewer,
      request.isError
        ? .failed(batch: post.batch, attempt: post.attempt) : .accepted(batch: post.batch),
      &context)
  }

  /// The ingest takes a post's events, if it does.
  private mutating func ingest(_ viewer: ViewerPointer, _ post: ClientState.Post) {
    if !post.isTaken { return }
    let state = client(viewer)
    let dropsRepeats = state.pointee.batcher.configuration.delivery == .retryWithNumbers
    for sequence in post.first..<(post.first + UInt64(post.count)) {
      if sequence < state.pointee.settledSequence {
        if !dropsRepeats { measures.clientSide.telemetry.duplicated += 1 }
        continue
      }
      state.pointee.settledSequence = sequence + 1
      guard let event = state.pointee.batcher.event(sequence) else { continue }
      measures.clientSide.telemetry.delivered += 1
      measures.eventDelays.add(post.arrival - event.at)
    }
  }

  /// The session's time since the measuring began.
  mutating func countSessionTime(_ viewer: ViewerPointer, at now: Instant) {
    let begin = max(viewer.pointee.arrivedAt, Instant.zero + configuration.cdn.warmUp)
    if now > begin { measures.clientSide.telemetry.sessionTime += (now - begin).nanoseconds }
  }

  /// The process is gone. One that was closed by the viewer sends what it has in a last post, once;
  /// a killed one loses it.
  mutating func closeTelemetry(_ viewer: ViewerPointer, isKilled: Bool, at now: Instant) {
    guard let settings = clientSettings.pointee.telemetry else { return }
    let state = client(viewer)
    countSessionTime(viewer, at: now)
    if let post = state.pointee.post, post.arrival <= now { ingest(viewer, post) }
    let end = state.pointee.batcher.firstSequence + UInt64(state.pointee.batcher.pendingCount)
    let first = max(state.pointee.settledSequence, state.pointee.batcher.firstSequence)
    if first >= end { return }
    let u = streams.uniform(
      .ingest, entity: UInt64(viewer.pointee.session), draw: 3 * state.pointee.posts + 4)
    if isKilled || u < settings.failureShare / 2 {
      measures.clientSide.telemetry.lost += Int64(end - first)
      if isKilled { return }
    }
    measures.clientSide.telemetry.posts += 1
    if u < settings.failureShare / 2 { return }
    let last = ClientState.Post(
      request: -1, batch: 0, attempt: 0, first: first, count: Int(end - first),
      arrival: now + viewer.pointee.roundTrip / 2, isTaken: true)
    ingest(viewer, last)
  }
}
