import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Telemetry: from what happens in a view to what the ingest has.
extension Viewer {
  /// Bytes of an answer to a post (assumed).
  private static let answerBytes: Int64 = 120

  /// Reports something of a view; what is emitted goes into the batcher.
  mutating func tellLog(_ event: ViewLog.Event, at time: Instant, _ context: inout ViewerContext) {
    if clientSettings.pointee.telemetry == nil { return }
    var commands: [ViewLog.Command] = []
    clientState.pointee.log.handle(event, at: time, into: &commands)
    noteTold(context.logs?.views, event, at: time, commands, &context)
    for command in commands {
      guard case .emit(let event) = command else { continue }
      count(event, &context)
      tellBatcher(.recorded(event), &context)
    }
  }

  private func count(_ event: TelemetryEvent, _ context: inout ViewerContext) {
    context.measures.clientSide.telemetry.recorded += 1
    switch event.name {
    case .viewStart: context.measures.clientSide.telemetry.viewStarts += 1
    case .viewEnd: context.measures.clientSide.telemetry.viewEnds += 1
    case .timeToFirstFrame:
      context.measures.clientSide.telemetry.firstFrames += 1
      context.measures.clientSide.telemetry.firstFrameTime += event.value
    default: break
    }
  }

  mutating func tellBatcher(_ event: TelemetryBatcher.Event, _ context: inout ViewerContext) {
    if clientSettings.pointee.telemetry == nil { return }
    let state = clientState
    var commands: [TelemetryBatcher.Command] = []
    let overflowed = state.pointee.batcher.overflowed
    state.pointee.batcher.handle(event, at: context.now, into: &commands)
    noteTold(context.logs?.batcher, event, at: context.now, commands, &context)
    let dropped = state.pointee.batcher.overflowed - overflowed
    context.measures.clientSide.telemetry.lost += Int64(dropped)
    settleGivenUp(&context)
    for command in commands {
      switch command {
      case .post(let batch, let first, let count, _, let attempt):
        post((batch, attempt), first, count, &context)
      case .setTimer(let timer, let at, let jitter):
        setTimer(isRetry: timer == .retry, at, jitter, &context)
      case .cancelTimer(.flush):
        agenda.cancel(.flush)
      case .cancelTimer(.retry):
        agenda.cancel(.retry)
      }
    }
  }

  /// Events that left the batcher without having reached the ingest are lost.
  private func settleGivenUp(_ context: inout ViewerContext) {
    let state = clientState
    let first = state.pointee.batcher.firstSequence
    if first <= state.pointee.settledSequence { return }
    context.measures.clientSide.telemetry.lost += Int64(first - state.pointee.settledSequence)
    state.pointee.settledSequence = first
  }

  private mutating func setTimer(
    isRetry: Bool, _ at: Instant, _ jitter: TimeSpan,
    _ context: inout ViewerContext
  ) {
    let state = clientState
    var time = at
    if jitter > .zero {
      time += jitter.scaled(
        by: streams.uniform(
          .ingest, entity: UInt64(session), draw: 3 * state.pointee.posts + 2))
    }
    plan(.telemetryTimer(isRetry: isRetry), at: time, context)
  }

  mutating func fireTelemetryTimer(isRetry: Bool, _ context: inout ViewerContext) {
    tellBatcher(.timerFired(isRetry ? .retry : .flush), &context)
  }

  // MARK: Posts

  private mutating func post(
    _ number: (batch: UInt32, attempt: Int), _ first: UInt64,
    _ count: Int, _ context: inout ViewerContext
  ) {
    guard let settings = clientSettings.pointee.telemetry else { return }
    let state = clientState
    context.measures.clientSide.telemetry.posts += 1
    state.pointee.posts += 1
    let index = requests.take()
    requests[index].destination = .events
    requests[index].asset = .feed
    requests[index].times.sentAt = context.now
    requests[index].bytes = Viewer.answerBytes
    requests[index].way.bodyBytes =
      settings.envelopeBytes + settings.eventBytes * Int64(count)
    let entity = UInt64(session)
    requests[index].way.serviceDraw = streams.uniform(
      .ingest, entity: entity, draw: 3 * state.pointee.posts)
    state.pointee.post = ClientState.Post(
      request: index, batch: number.batch, attempt: number.attempt, first: first, count: count,
      arrival: .distantFuture, isTaken: false)
    sendPost(index, &context)
  }

  /// Sends a post again on another connection: its answer is lost with the old one, but not what
  /// the ingest has of it.
  mutating func repeatPost(_ index: Int, _ context: inout ViewerContext) {
    let state = clientState
    if let post = state.pointee.post, post.arrival <= context.now { ingest(post, &context) }
    context.measures.clientSide.telemetry.posts += 1
    state.pointee.posts += 1
    sendPost(index, &context)
  }

  /// Sends a post, or sends it anew on another connection.
  private mutating func sendPost(_ index: Int, _ context: inout ViewerContext) {
    guard let settings = clientSettings.pointee.telemetry,
      let sent = send(index, &context)
    else { return }
    let state = clientState
    if servers != .modelled {
      state.pointee.post?.arrival = sent
      state.pointee.post?.isTaken = true
      arrive(index, at: sent, &context)
      return
    }
    let u = streams.uniform(
      .ingest, entity: UInt64(session), draw: 3 * state.pointee.posts + 1)
    requests[index].answer.isError = u < settings.failureShare
    state.pointee.post?.arrival = sent
    state.pointee.post?.isTaken = u >= settings.failureShare / 2
    let service = TimeSpan(
      seconds: settings.latency.quantile(requests[index].way.serviceDraw))
    beginTransfer(index, at: sent + service + transport.roundTrip / 2, &context)
  }

  /// The answer to a post is here.
  mutating func receivePost(_ request: Request, _ context: inout ViewerContext) {
    let state = clientState
    guard let post = state.pointee.post else { return }
    state.pointee.post = nil
    ingest(post, &context)
    tellBatcher(
      request.answer.isError
        ? .failed(batch: post.batch, attempt: post.attempt) : .accepted(batch: post.batch),
      &context)
  }

  /// The ingest takes a post's events, if it does.
  private func ingest(_ post: ClientState.Post, _ context: inout ViewerContext) {
    if !post.isTaken { return }
    let state = clientState
    let dropsRepeats = state.pointee.batcher.configuration.delivery == .retryWithNumbers
    for sequence in post.first..<(post.first + UInt64(post.count)) {
      if sequence < state.pointee.settledSequence {
        if !dropsRepeats { context.measures.clientSide.telemetry.duplicated += 1 }
        continue
      }
      state.pointee.settledSequence = sequence + 1
      guard let event = state.pointee.batcher.event(sequence) else { continue }
      context.measures.clientSide.telemetry.delivered += 1
      context.measures.eventDelays.add(post.arrival - event.at)
    }
  }

  /// The session's time since the measuring began.
  func countSessionTime(at now: Instant, _ context: inout ViewerContext) {
    let begin = max(arrivedAt, Instant.zero + configuration.cdn.warmUp)
    if now > begin {
      context.measures.clientSide.telemetry.sessionTime += (now - begin).nanoseconds
    }
  }

  /// The process is gone. One that was closed by the viewer sends what it has in a last post, once;
  /// a killed one loses it.
  func closeTelemetry(isKilled: Bool, at now: Instant, _ context: inout ViewerContext) {
    guard let settings = clientSettings.pointee.telemetry else { return }
    let state = clientState
    countSessionTime(at: now, &context)
    if let post = state.pointee.post, post.arrival <= now { ingest(post, &context) }
    let end = state.pointee.batcher.firstSequence + UInt64(state.pointee.batcher.pendingCount)
    let first = max(state.pointee.settledSequence, state.pointee.batcher.firstSequence)
    if first >= end { return }
    let u = streams.uniform(
      .ingest, entity: UInt64(session), draw: 3 * state.pointee.posts + 4)
    if isKilled || u < settings.failureShare / 2 {
      context.measures.clientSide.telemetry.lost += Int64(end - first)
      if isKilled { return }
    }
    context.measures.clientSide.telemetry.posts += 1
    if u < settings.failureShare / 2 { return }
    let last = ClientState.Post(
      request: -1, batch: 0, attempt: 0, first: first, count: Int(end - first),
      arrival: now + transport.roundTrip / 2, isTaken: true)
    ingest(last, &context)
  }
}
