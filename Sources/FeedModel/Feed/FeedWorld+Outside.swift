import CacheModel
import MediaUnits
import SimulationKernel

/// What is heard from real servers: it goes to the viewer who waits for it, if any does.
extension FeedWorld {
  /// Something was heard from outside.
  mutating func hear(_ number: UInt32, _ context: inout Context<FeedEvent>) {
    let answer = outsideAnswers[Int(number)]
    answersHeard += 1
    guard Int(answer.token.slot) < viewers.count else { return }
    let viewer = viewers[Int(answer.token.slot)]
    if hear(answer, &viewer.pointee, context) { goOn(answer.token.slot, &context) }
  }

  /// - Returns: whether it is for the viewer.
  private mutating func hear(
    _ answer: OutsideAnswer, _ viewer: inout Viewer, _ context: borrowing Context<FeedEvent>
  ) -> Bool {
    if case .player(let news) = answer.kind {
      if !viewer.isActive || viewer.session != answer.token.session { return false }
      viewerContext.begin(at: context.now, source: context.source)
      viewer.hear(news, &viewerContext)
      return true
    }
    if !viewer.waits(for: answer.token) {
      hearLate(answer, at: context.now)
      return false
    }
    viewerContext.begin(at: context.now, source: context.source)
    if let verdict = viewer.hear(answer, &viewerContext) {
      caches.countOutside(
        edge: verdict.edge, verdict.asset, verdict.outcome, bytes: verdict.bytes)
    }
    return true
  }

  /// Nobody waits for it; the bytes of its body have come all the same. Over real links they are
  /// delivered media that is never rendered; a modelled link knows itself what it has carried.
  private mutating func hearLate(_ answer: OutsideAnswer, at now: Instant) {
    measures.outside.late += 1
    switch answer.kind {
    case .ended(let bytes), .failed(let bytes):
      measures.outside.lateBytes += bytes
      if setting.pointee.servers != .real || !answer.isMedia { return }
      let (network, device, _) = configuration.choices(of: answer.token.session, streams)
      let cell = setting.pointee.cohort(network: network, device: device)
      measures.balances[cell].delivered += bytes
      measures.balances[cell].wasted += bytes
      viewerContext.begin(at: now, source: FeedWorld.audienceEntity)
      viewerContext.deliver(bytes)
    case .headed, .marked, .listed, .player: break
    }
  }
}
