import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What real servers answer.
extension Viewer {
  /// A real server's answer to a request is heard, or a part of it.
  ///
  /// - Returns: what it says of the edge's cache; nil when it says nothing of it.
  mutating func hear(_ answer: OutsideAnswer, _ context: inout ViewerContext) -> OutsideVerdict? {
    let index = Int(answer.token.index)
    switch answer.kind {
    case .headed(let head):
      if requests[index].outside == .asked { return receive(head, index, &context) }
    case .marked:
      guard servers == .real, requests[index].outside == .headed else { return nil }
      reachStart(place(requests[index].item), &context)
    case .listed(let titles):
      let count = catalogue.pointee.titles
      for title in titles where title < count { pages.listed.append(title) }
    case .ended(let bytes): end(index, bytes, &context)
    case .failed: return fail(index, &context)
    case .player: break
    }
    return nil
  }

  /// Whether a request is under way that an answer is for.
  func waits(for token: OutsideToken) -> Bool {
    let index = Int(token.index)
    return isActive && session == token.session && index < requests.count
      && requests[index].isActive && requests[index].generation == token.generation
  }

  mutating func receive(
    _ head: OutsideHead, _ index: Int, _ context: inout ViewerContext
  ) -> OutsideVerdict? {
    var verdict: OutsideVerdict?
    let request = requests.at(index)
    request.pointee.outside = .headed
    request.pointee.answer.isError = head.isError
    if request.pointee.isConditional && !head.isNotModified {
      request.pointee.isConditional = false
    }
    if let bytes = head.bytes, !head.isNotModified, !head.isError { request.pointee.bytes = bytes }
    request.pointee.answer.age = head.age
    request.pointee.answer.stated =
      head.lifetime ?? setting.pointee.origin.usualLifetimes[Int(request.pointee.asset.rawValue)]
    request.pointee.times.upstreamWait = context.now - request.pointee.times.edgeAt
    if !request.pointee.destination.isService {
      let bytes = request.pointee.isConditional ? 0 : request.pointee.bytes
      verdict = OutsideVerdict(
        edge: Int(edge), asset: request.pointee.asset, outcome: head.outcome, bytes: bytes)
      judge(request, head.outcome)
      let excess = head.age - request.pointee.answer.stated
      if excess > .zero && !head.isError { context.measures.staleness.count(excess.nanoseconds) }
    }
    if head.isError { context.measures.counts.clientErrors += 1 }
    if servers == .realBehindModelledLinks {
      beginTransfer(index, at: context.now + transport.roundTrip / 2, &context)
      return verdict
    }
    request.pointee.times.firstByteAt = context.now
    request.pointee.times.joinedAt = context.now
    request.pointee.way.wireBytes = Double(request.pointee.bytes)
    if request.pointee.asset == .mediaManifest { readVersion(index, at: context.now, &context) }
    noteStart(index, firstByte: context.now, joined: context.now)
    return verdict
  }

  /// What an answer says of the caches on its way.
  private func judge(_ request: UnsafeMutablePointer<Request>, _ outcome: CacheOutcome) {
    let (tier, reason): (AnsweringTier, MissReason) =
      switch outcome {
      case .hit, .staleHit: (.edge, .none)
      case .collapsed: (.edge, .collapsed)
      case .revalidated: (.origin, .expired)
      case .miss: (.origin, .cold)
      case .bypass: (.origin, .bypass)
      case .error: (.none, .error)
      }
    request.pointee.answer.tier = tier
    request.pointee.answer.reason = reason
    request.pointee.answer.isImmediate =
      (outcome == .hit || outcome == .staleHit) && request.pointee.retries == 0
  }

  mutating func end(_ index: Int, _ bytes: Int64, _ context: inout ViewerContext) {
    let request = requests.at(index)
    guard request.pointee.outside == .headed else { return }
    request.pointee.outside = .whole
    if servers == .real {
      if !request.pointee.isConditional && !request.pointee.answer.isError {
        request.pointee.bytes = bytes
      }
      transport.receive(at: context.now)
      complete(index, &context)
    } else if request.pointee.isLinkDone {
      complete(index, &context)
    }
  }

  /// No answer, or half of one: the viewer takes it as an error.
  mutating func fail(_ index: Int, _ context: inout ViewerContext) -> OutsideVerdict? {
    let request = requests.at(index)
    guard request.pointee.outside == .asked || request.pointee.outside == .headed
    else { return nil }
    var verdict: OutsideVerdict?
    if request.pointee.outside == .asked {
      if !request.pointee.destination.isService {
        verdict = OutsideVerdict(
          edge: Int(edge), asset: request.pointee.asset, outcome: .error, bytes: 0)
      }
      request.pointee.answer.reason = .error
    }
    request.pointee.outside = .whole
    if !request.pointee.answer.isError { context.measures.counts.clientErrors += 1 }
    request.pointee.answer.isError = true
    syncLink(at: context.now, &context)
    _ = transport.withdraw(index, at: context.now, cells: &context.cells)
    transport.close(request.pointee.server, request.pointee.connection)
    complete(index, &context)
    isLinkChanged = true
    return verdict
  }
}
