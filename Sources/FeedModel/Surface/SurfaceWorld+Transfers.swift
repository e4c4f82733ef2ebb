import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Requests on their way: when they leave and are at their server, what the edge answers, and what
/// the viewer's transport makes of the answer.
extension SurfaceWorld {
  // MARK: Leaving

  /// Sends a request, or leaves it waiting until a connection is free.
  mutating func send(
    _ viewer: SurfacePointer, _ place: Int, _ context: inout Context<SurfaceEvent>
  ) {
    syncLink(viewer, at: context.now)
    viewer.pointee.changeLink()
    let server = viewer.pointee.requests[place].server
    guard
      let departure = viewer.pointee.transport.send(
        to: server, body: 0, at: context.now, cells: &cells, sources: setting.pointee.sources)
    else {
      viewer.pointee.requests.wait(place)
      return
    }
    viewer.pointee.requests[place].connection = departure.connection
    if departure.opening != nil { measures.counts.connectionsOpened += 1 }
    // The link may never come back.
    guard let arrival = departure.arrivesAt else { return }
    let request = viewer.pointee.requests[place]
    switch request.purpose {
    case .card(let item):
      if request.asset == .mediaManifest {
        viewer.pointee.items[item].times.reach(.asked, at: context.now)
        viewer.pointee.items[item].times.reach(.connected, at: departure.readyAt)
      }
      context.schedule(
        .requestAtEdge(
          slot: viewer.pointee.slot, request: UInt32(place),
          generation: viewer.pointee.requests.generation(of: place)),
        at: arrival, for: viewer.pointee.session, phase: .arrival)
    case .page(let number):
      let u = streams.uniform(.surfacePage, entity: viewer.pointee.entity(number))
      let latency = TimeSpan(seconds: configuration.feedLatency.quantile(u))
      beginTransfer(
        viewer, place, arriving: arrival + latency + viewer.pointee.transport.roundTrip / 2,
        at: context.now)
    }
  }

  /// Sends requests that waited for a connection: those of cards that play first, then of cards
  /// with a player, then the oldest.
  mutating func sendWaiting(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    while viewer.pointee.requests.waiting > 0 && viewer.pointee.transport.hasFreeConnection {
      var best = -1
      for place in 0..<viewer.pointee.requests.count
      where viewer.pointee.requests.isUsed(place) && viewer.pointee.requests[place].isWaiting {
        if best < 0 || goesBefore(viewer, place, best) { best = place }
      }
      viewer.pointee.requests.leave(best)
      send(viewer, best, &context)
    }
  }

  private func goesBefore(_ viewer: SurfacePointer, _ a: Int, _ b: Int) -> Bool {
    let (left, right) = (viewer.pointee.requests[a], viewer.pointee.requests[b])
    let (first, second) = (urgency(viewer, left), urgency(viewer, right))
    return first != second ? first > second : left.serial < right.serial
  }

  private func urgency(_ viewer: SurfacePointer, _ request: SurfaceRequest) -> Int {
    // Pages share their connection and never wait.
    guard case .card(let index) = request.purpose else { return 0 }
    let item = viewer.pointee.items[index]
    return item.isTold ? 2 : item.isMounted || item.hasPlayer ? 1 : 0
  }

  // MARK: The edge

  /// A request is at the edge, which answers at once, or when it has got what it does not keep.
  mutating func askEdge(
    _ viewer: SurfacePointer, _ place: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let request = viewer.pointee.requests[place]
    guard case .card(let item) = request.purpose else { return }
    let wait = upstreamWait(viewer, request)
    if wait == .zero {
      answer(viewer, place, at: context.now)
      return
    }
    let end = context.now + wait
    if !viewer.pointee.items[item].times.has(.data) {
      viewer.pointee.items[item].waits.add(request.asset, from: context.now, until: end)
    }
    context.schedule(
      .edgeAnswered(
        slot: viewer.pointee.slot, request: UInt32(place),
        generation: viewer.pointee.requests.generation(of: place)),
      at: end, for: viewer.pointee.session, phase: .arrival)
  }

  /// Time of the way to the origin and its first byte: zero for a hit. Manifests are never kept.
  private mutating func upstreamWait(
    _ viewer: SurfacePointer, _ request: SurfaceRequest
  ) -> TimeSpan {
    let cdn = configuration.cdn
    let entity = viewer.pointee.entity(request.serial)
    let (u0, u1) = streams.uniformPair(.surfaceEdge, entity: entity, pair: 0)
    let isKept = request.asset != .mediaManifest
    measures.counts.deliveredBytes += request.bytes
    if isKept && u0 < surface.edgeHits {
      measures.edge.count(request.asset, .hit, bytes: request.bytes)
      return .zero
    }
    measures.edge.count(request.asset, isKept ? .miss : .bypass, bytes: request.bytes)
    measures.counts.originRequests += 1
    measures.counts.originBytes += request.bytes
    let trip = TimeSpan(seconds: cdn.edge.upstream.roundTrip.quantile(u1))
    let u3 = streams.uniform(.surfaceEdge, entity: entity, draw: 3)
    let first = TimeSpan(seconds: cdn.origin.firstByte.quantile(u3))
    let floor = cdn.edge.upstream.floor
    return (trip > floor ? trip : floor) + first
  }

  /// The edge has what a request is for: after its own service the answer leaves, and its first
  /// byte is at the viewer half a round trip later.
  mutating func answer(_ viewer: SurfacePointer, _ place: Int, at now: Instant) {
    let entity = viewer.pointee.entity(viewer.pointee.requests[place].serial)
    let u = streams.uniform(.surfaceEdge, entity: entity, draw: 2)
    let service = TimeSpan(seconds: configuration.cdn.edge.serviceTime.quantile(u))
    beginTransfer(
      viewer, place, arriving: now + service + viewer.pointee.transport.roundTrip / 2, at: now)
  }

  // MARK: Transfers

  private mutating func beginTransfer(
    _ viewer: SurfacePointer, _ place: Int, arriving arrival: Instant, at now: Instant
  ) {
    syncLink(viewer, at: now)
    let request = viewer.pointee.requests[place]
    var weight = 1.0
    var role = Flow.Role.other
    var mark = -1.0
    if case .card(let index) = request.purpose {
      let item = viewer.pointee.items[index]
      if !item.isTold { weight = setting.pointee.transport.pointee.prefetchWeight }
      role = item.isTold ? .current : .prefetch
      mark = startMark(item, request)
      if request.asset == .segment && item.loading.rungs.isEmpty {
        viewer.pointee.items[index].times.reach(.firstByte, at: arrival)
      }
    }
    let (_, wireBytes) = viewer.pointee.transport.begin(
      ViewerTransport.Transfer(
        request: place, server: request.server, connection: request.connection,
        body: request.bytes, weight: weight, role: role, markShare: mark),
      arriving: arrival, at: now, cells: &cells)
    viewer.pointee.requests[place].firstByteAt = arrival
    viewer.pointee.requests[place].wireBytes = wireBytes
    viewer.pointee.changeLink()
  }

  /// The share of a segment's bytes that is left when the media for the card's first frame has
  /// passed, or -1.
  private func startMark(_ item: SurfaceItem, _ request: SurfaceRequest) -> Double {
    if request.asset != .segment || item.times.has(.data) { return -1 }
    let missing = startNeed(item) - item.held
    return ViewerTransport.Transfer.markShare(after: missing, of: item.nextLength)
  }

  /// Media that a card's first frame needs.
  func startNeed(_ item: SurfaceItem) -> TimeSpan {
    let need = configuration.policy.startThreshold
    return need < item.title.duration ? need : item.title.duration
  }

  /// Takes a request back, with its connection.
  ///
  /// - Parameter isRepeated: it keeps its place, to be sent once more.
  /// - Returns: the request, and bytes of its answer that had not come; nil when it had not begun.
  mutating func withdraw(
    _ viewer: SurfacePointer, _ place: Int, at now: Instant, isRepeated: Bool = false
  ) -> (request: SurfaceRequest, remaining: Double?) {
    syncLink(viewer, at: now)
    viewer.pointee.changeLink()
    let request =
      isRepeated ? viewer.pointee.requests.renew(place) : viewer.pointee.requests.remove(place)
    if !request.isWaiting {
      viewer.pointee.transport.giveUp(request.server, request.connection, at: now)
    }
    if case .card(let item) = request.purpose { viewer.pointee.items[item].waits.cut(at: now) }
    return (request, viewer.pointee.transport.withdraw(place, at: now, cells: &cells))
  }

  // MARK: Another network

  /// The old network is lost: TCP connections are gone, and what was under way on them is asked for
  /// anew; QUIC connections wait for the new path.
  mutating func handOver(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    measures.counts.handOvers += 1
    let profile = setting.pointee.networks + viewer.pointee.traits.network
    let change = profile.pointee.handOvers[index]
    if change.keepsConnections { return }
    syncLink(viewer, at: context.now)
    viewer.pointee.changeLink()
    if setting.pointee.transport.pointee.isQUIC {
      viewer.pointee.transport.migrate(
        until: profile.pointee.end(of: change, for: viewer.pointee.traits.arrivedAt),
        at: context.now, cells: &cells)
      return
    }
    viewer.pointee.transport.closeAll(at: context.now)
    // Cards that play first, then the others.
    for isTold in [true, false] {
      for place in 0..<viewer.pointee.requests.count
      where viewer.pointee.requests.isUsed(place) {
        let urgency = urgency(viewer, viewer.pointee.requests[place])
        if (urgency == 2) == isTold { sendAnew(viewer, place, &context) }
      }
    }
  }

  /// Repeats a request whose connection is gone; what had come of its answer is lost, also media
  /// that was on the screen, because the new copy counts for it.
  private mutating func sendAnew(
    _ viewer: SurfacePointer, _ place: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let (request, remaining) = withdraw(viewer, place, at: context.now, isRepeated: true)
    measures.counts.repeatedRequests += 1
    if case .card(let index) = request.purpose {
      if let remaining, request.isMedia {
        let bytes = request.arrived(remaining: remaining)
        viewer.pointee.items[index].bytes.giveUp(bytes, isSegment: request.asset == .segment)
      }
      // What was enough for a start is gone where no player has it.
      let item = viewer.pointee.items[index]
      if !item.hasPlayer && item.held < startNeed(item) {
        viewer.pointee.items[index].times.undo(.data)
      }
    }
    send(viewer, place, &context)
  }

  // MARK: The link

  /// Brings the link to the present.
  mutating func syncLink(_ viewer: SurfacePointer, at now: Instant) {
    // What one turn does calls this several times.
    if viewer.pointee.transport.isAt(now) { return }
    viewer.pointee.transport.advance(to: now, sources: setting.pointee.sources)
  }
}
