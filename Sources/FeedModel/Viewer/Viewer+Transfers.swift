import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// Transfers: what they cost beyond their bytes, and the link that they share.
extension Viewer {
  /// An answer's first byte reaches the viewer at `arrival`: the body joins the link after that and
  /// after its rounds of slow start and recovery, for which the link is taken as it stands now.
  mutating func beginTransfer(_ index: Int, at arrival: Instant, _ context: inout ViewerContext) {
    syncLink(at: context.now, &context)
    noteLinkRate(at: context.now, &context)
    let request = requests.at(index)
    request.pointee.times.firstByteAt = arrival
    if request.pointee.asset == .mediaManifest { readVersion(index, at: context.now, &context) }
    let isCurrentItem =
      !request.pointee.destination.isService
      && request.pointee.item == current
    let isForCurrent = isCurrentItem && request.pointee.destination == .chain
    let weight =
      request.pointee.isPrefetch && !isCurrentItem ? transportSettings.pointee.prefetchWeight : 1
    let hasBody = !request.pointee.isConditional && !request.pointee.answer.isError
    let transfer = ViewerTransport.Transfer(
      request: index, server: request.pointee.server, connection: request.pointee.connection,
      body: hasBody ? request.pointee.bytes : 0, weight: weight,
      role: isForCurrent ? .current : role(of: request, isCurrentItem: isCurrentItem),
      markShare: startMark(request))
    (request.pointee.times.joinedAt, request.pointee.way.wireBytes) = transport.begin(
      transfer, arriving: arrival, at: context.now, cells: &context.cells)
    if !races(index, context) {
      noteStart(index, firstByte: arrival, joined: requests[index].times.joinedAt)
    }
    isLinkChanged = true
  }

  /// The answer to a copy is on its way: whether it is the first is known when it is there.
  ///
  /// - Returns: whether the request has another copy under way.
  mutating func races(_ index: Int, _ context: borrowing ViewerContext) -> Bool {
    guard let choice = requests.choice, choice.pointee.races.other(than: index) != nil else {
      return false
    }
    planFirstByte(index, context)
    return true
  }

  /// Looks again when the first byte of a copy is there.
  mutating func planFirstByte(_ index: Int, _ context: borrowing ViewerContext) {
    let request = requests.at(index)
    plan(
      .firstByte(request: UInt32(index), generation: request.pointee.generation),
      at: request.pointee.times.firstByteAt, context)
  }

  /// Keeps when the first segment of a chain began to come.
  func noteStart(_ index: Int, firstByte: Instant, joined: Instant) {
    let request = requests.at(index)
    guard request.pointee.asset == .segment, request.pointee.segment == 0,
      request.pointee.destination == .chain
    else { return }
    let state = items.at(place(request.pointee.item))
    // A copy that is fetched again after the start says nothing of the start.
    if state.pointee.known.contains(.data) { return }
    state.pointee.times.sent = request.pointee.times.sentAt
    state.pointee.times.firstByte = firstByte
    state.pointee.times.joined = joined
    state.pointee.times.queued = request.pointee.times.queued
    state.pointee.times.sharedBefore = .zero
  }

  private func role(of request: UnsafeMutablePointer<Request>, isCurrentItem: Bool) -> Flow.Role {
    if isCurrentItem { return .other }
    let destination = request.pointee.destination
    let isMedia = destination == .chain || destination == .poster || destination == .audio
    return isMedia && request.pointee.isPrefetch ? .prefetch : .other
  }

  /// The share of a request's bytes that is left when the media for the first frame has passed, or
  /// -1.
  func startMark(_ request: UnsafeMutablePointer<Request>) -> Double {
    guard request.pointee.asset == .segment, request.pointee.destination == .chain,
      !request.pointee.answer.isError
    else { return -1 }
    let state = items.at(place(request.pointee.item))
    if state.pointee.known.contains(.data) { return -1 }
    let step = state.pointee.title.step
    let missing = startNeed(state) - step * Int64(request.pointee.segment)
    let length = state.pointee.title.length(of: request.pointee.segment, step: step)
    return ViewerTransport.Transfer.markShare(after: missing, of: length)
  }

  // MARK: The link

  /// Brings the link to the present.
  mutating func syncLink(at now: Instant, _ context: inout ViewerContext) {
    // What one turn does calls this several times.
    if transport.isAt(now) { return }
    if isWatched { watchLink(until: now, &context) }
    transport.advance(to: now, sources: setting.pointee.sources)
  }

  /// Forgets what was measured of the link so far.
  mutating func forgetContention() { transport.forgetContention() }

  /// The viewer's transfers have changed: their caps do, and with them what the cell brings next.
  mutating func refreshCell(_ context: inout ViewerContext) {
    transport.setCaps(slot: slot, at: context.now, &context.cells)
    context.changesCell = true
  }

  /// Lets transfers whose time has come into the viewer's cell.
  mutating func enterCell(_ context: inout ViewerContext) {
    transport.enterCell(slot: slot, at: context.now, &context.cells)
    context.entersCell = true
  }

  /// The current item waits for a request from now on; what it has lost to others so far, or nil
  /// when it has no transfer.
  mutating func promote(request index: Int, _ context: inout ViewerContext) -> Double? {
    syncLink(at: context.now, &context)
    guard
      let (lost, entersCell) = transport.promote(
        index, at: context.now, cells: &context.cells)
    else { return nil }
    if entersCell { enterCell(&context) }
    isLinkChanged = true
    return lost
  }

  /// Keeps what the first segment lost to the viewer's other transfers until the start had enough.
  func noteShare(_ index: Int, _ lost: Double) {
    let request = requests.at(index)
    guard request.pointee.asset == .segment, request.pointee.segment == 0,
      request.pointee.destination == .chain
    else { return }
    let state = items.at(place(request.pointee.item))
    if state.pointee.known.contains(.data) { return }
    state.pointee.times.shared = TimeSpan(nanoseconds: Int64(lost))
  }
}
