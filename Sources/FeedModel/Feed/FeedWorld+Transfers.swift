import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// Transfers: what they cost beyond their bytes, and the link that they share.
extension FeedWorld {
  /// An answer's first byte reaches the viewer at `arrival`: the body joins the link after that and
  /// after its rounds of slow start and recovery, for which the link is taken as it stands now.
  mutating func beginTransfer(
    _ viewer: ViewerPointer, _ index: Int, at arrival: Instant,
    _ context: inout Context<FeedEvent>
  ) {
    syncLink(viewer, at: context.now)
    noteLinkRate(viewer, at: context.now)
    let request = viewer.pointee.requests + index
    request.pointee.firstByteAt = arrival
    if request.pointee.asset == .mediaManifest { readVersion(viewer, index, at: context.now) }
    let isCurrentItem =
      !request.pointee.destination.isService
      && request.pointee.item == viewer.pointee.current
    let isForCurrent = isCurrentItem && request.pointee.destination == .chain
    let weight =
      request.pointee.isPrefetch && !isCurrentItem ? transport.pointee.prefetchWeight : 1
    let held = connection(viewer, request.pointee).pointee.held
    let stall = transferCost(viewer, request, weight: weight, at: arrival, context.now)
    let wire = request.pointee.wireBytes
    request.pointee.joinedAt = arrival + TimeSpan(nanoseconds: stall)
    viewer.pointee.link.add(
      Flow(
        request: index, joinAt: request.pointee.joinedAt.nanoseconds + 1, remaining: wire,
        markAt: startMark(viewer, request, wire), weight: weight,
        role: isForCurrent
          ? .current : role(of: request.pointee, isCurrentItem: isCurrentItem),
        connection: number(of: request.pointee), held: held))
    noteStart(viewer, index, firstByte: arrival, joined: request.pointee.joinedAt)
    rescheduleLink(viewer, &context)
  }

  /// Keeps when the first segment of a chain began to come.
  mutating func noteStart(
    _ viewer: ViewerPointer, _ index: Int, firstByte: Instant, joined: Instant
  ) {
    let request = viewer.pointee.requests + index
    guard request.pointee.asset == .segment, request.pointee.segment == 0,
      request.pointee.destination == .chain
    else { return }
    let state = viewer.pointee.items + place(request.pointee.item)
    // A copy that is fetched again after the start says nothing of the start.
    if state.pointee.known.contains(.data) { return }
    state.pointee.times.sent = request.pointee.sentAt
    state.pointee.times.firstByte = firstByte
    state.pointee.times.joined = joined
    state.pointee.times.queued = request.pointee.queued
    state.pointee.times.sharedBefore = .zero
  }

  @inline(__always)
  private mutating func role(of request: Request, isCurrentItem: Bool) -> Flow.Role {
    if isCurrentItem { return .other }
    let isMedia =
      request.destination == .chain || request.destination == .poster
      || request.destination == .audio
    return isMedia && request.isPrefetch ? .prefetch : .other
  }

  /// Nanoseconds in which the transfer does not use the link; sets its bytes on the wire and what
  /// the connection has learnt.
  private mutating func transferCost(
    _ viewer: ViewerPointer, _ request: UnsafeMutablePointer<Request>, weight: Double,
    at arrival: Instant, _ now: Instant
  ) -> Int64 {
    let hasBody = !request.pointee.isConditional && !request.pointee.isError
    let body = hasBody ? request.pointee.bytes : 0
    let connection = connection(viewer, request.pointee)
    if transport.pointee.model != .firstFrame {
      connection.pointee.lastActive = arrival
      request.pointee.wireBytes = Double(body) / transport.pointee.model.payloadShare
      return 0
    }
    let packets = transport.pointee.packets(of: body)
    request.pointee.wireBytes = transport.pointee.wireBytes(of: body, packets: packets)
    // A connection's transfers share its window, so the pipe that the window has to fill is the
    // connection's part of the link. A link that is down now is taken at its mean: waiting for it
    // is not slow start.
    var share = viewer.pointee.link.share(
      of: number(of: request.pointee), weight: weight, at: now)
    if viewer.pointee.cell >= 0 {
      let full = weight * cellBias(viewer)
      let level = cells[viewer.pointee.cell].link.rateOfNewFlow(weight: full) * 1e-9
      if level < share { share = level }
    }
    let packetTime = transport.pointee.packetTime(at: viewer.pointee.link.usable(share))
    let (stall, missing) = connection.pointee.carry(
      packets: packets, packetTime: packetTime, at: arrival, roundTrip: viewer.pointee.roundTrip,
      profile: networks + viewer.pointee.network, transport: transport)
    if let missing { hold(viewer, connection, number(of: request.pointee), missing) }
    return stall
  }

  /// The other responses of a connection wait for a packet that is missing.
  private mutating func hold(
    _ viewer: ViewerPointer, _ connection: UnsafeMutablePointer<Connection>, _ number: Int,
    _ span: HeldSpan
  ) {
    connection.pointee.held = span
    viewer.pointee.link.hold(connection: number, span)
  }

  /// Number of a request's connection among the viewer's.
  @inline(__always)
  private mutating func number(of request: Request) -> Int {
    request.connection + (request.destination.isService ? Connection.perHost : 0)
  }

  /// Wire bytes left when the media for the first frame has passed, or -1.
  mutating func startMark(
    _ viewer: ViewerPointer, _ request: UnsafeMutablePointer<Request>, _ wire: Double
  ) -> Double {
    guard request.pointee.asset == .segment, request.pointee.destination == .chain,
      !request.pointee.isError
    else { return -1 }
    let state = viewer.pointee.items + place(request.pointee.item)
    if state.pointee.known.contains(.data) { return -1 }
    let step = state.pointee.title.step
    let missing = startNeed(state) - step * Int64(request.pointee.segment)
    let length = state.pointee.title.length(of: request.pointee.segment, step: step)
    if missing >= length { return -1 }
    if missing <= .zero { return wire * 0.999 }
    return wire * (1 - missing.seconds / length.seconds)
  }

  // MARK: The link

  mutating func syncLink(_ viewer: ViewerPointer, at now: Instant) {
    // What one event does calls this several times.
    if viewer.pointee.link.isAt(now) { return }
    if isWatched(viewer) { watchLink(viewer, until: now) }
    viewer.pointee.link.advance(
      to: now, session: viewer.pointee.session, profile: networks + viewer.pointee.network,
      sources: sources)
  }

  /// Plans the next change of a viewer's link.
  mutating func rescheduleLink(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    if changingLink == viewer {
      hasChangedLink = true
      return
    }
    if viewer.pointee.cell >= 0 { refreshCell(viewer, &context) }
    context.cancel(viewer.pointee.linkEvent)
    viewer.pointee.linkEvent = .none
    if let next = viewer.pointee.link.nextChange(
      after: context.now, session: viewer.pointee.session,
      profile: networks + viewer.pointee.network, sources: sources)
    {
      viewer.pointee.linkEvent = context.schedule(
        .linkChanged(slot: viewer.pointee.slot), at: next, for: viewer.pointee.session,
        phase: .arrival)
    }
  }

  /// Keeps what the first segment lost to the viewer's other transfers until the start had enough.
  mutating func noteShare(_ viewer: ViewerPointer, _ index: Int, _ lost: Double) {
    let request = viewer.pointee.requests + index
    guard request.pointee.asset == .segment, request.pointee.segment == 0,
      request.pointee.destination == .chain
    else { return }
    let state = viewer.pointee.items + place(request.pointee.item)
    if state.pointee.known.contains(.data) { return }
    state.pointee.times.shared = TimeSpan(nanoseconds: Int64(lost))
  }

  mutating func progressLink(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    syncLink(viewer, at: context.now)
    noteLinkRate(viewer, at: context.now)
    viewer.pointee.linkEvent = .none
    if viewer.pointee.cell >= 0 {
      enterCell(viewer, &context)
      if viewer.pointee.isActive { rescheduleLink(viewer, &context) }
      return
    }
    while let (request, isEnd, lost) = viewer.pointee.link.takeFinished(at: context.now) {
      viewer.pointee.radio.receive(at: context.now)
      noteShare(viewer, request, lost)
      if isEnd {
        if isHere(viewer, request) { complete(viewer, request, &context) }
      } else {
        reachStart(viewer, place(viewer.pointee.requests[request].item), &context)
      }
      if !viewer.pointee.isActive { return }
    }
    rescheduleLink(viewer, &context)
  }
}
