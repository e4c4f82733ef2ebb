import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What the edge is asked by a request of a card.
struct SurfaceEdgeRequest: Equatable {
  /// Of its draws.
  let entity: UInt64
  let asset: AssetClass
  let bytes: Int64
}

/// Requests on their way: when they leave and are at their server, and what the viewer's transport
/// makes of the answer.
extension SurfaceViewer {
  // MARK: Leaving

  /// Sends a request, or leaves it waiting until a connection is free.
  mutating func send(_ place: Int, _ context: inout SurfaceContext) {
    syncLink(at: context.now)
    changeLink()
    guard
      let departure = transport.send(
        to: requests[place].server, body: 0, at: context.now, cells: &context.cells,
        sources: setting.pointee.sources)
    else {
      requests.wait(place)
      return
    }
    requests[place].connection = departure.connection
    if departure.opening != nil { context.measures.counts.connectionsOpened += 1 }
    // The link may never come back.
    guard let arrival = departure.arrivesAt else { return }
    let request = requests[place]
    switch request.purpose {
    case .card(let item):
      if request.asset == .mediaManifest {
        items[item].times.reach(.asked, at: context.now)
        items[item].times.reach(.connected, at: departure.readyAt)
      }
      context.plan(
        .requestAtEdge(
          slot: slot, request: UInt32(place), generation: requests.generation(of: place)),
        at: arrival, phase: .arrival)
    case .page(let number):
      let u = streams.uniform(.surfacePage, entity: entity(number))
      let latency = TimeSpan(seconds: setting.pointee.configuration.feedLatency.quantile(u))
      beginTransfer(place, arriving: arrival + latency + transport.roundTrip / 2, &context)
    }
  }

  /// Sends requests that waited for a connection: those of cards that play first, then of cards
  /// with a player, then the oldest.
  mutating func sendWaiting(_ context: inout SurfaceContext) {
    while requests.waiting > 0 && transport.hasFreeConnection {
      var best = -1
      for place in 0..<requests.count where requests.isUsed(place) && requests[place].isWaiting {
        if best < 0 || goesBefore(place, best) { best = place }
      }
      requests.leave(best)
      send(best, &context)
    }
  }

  private func goesBefore(_ a: Int, _ b: Int) -> Bool {
    let (left, right) = (requests[a], requests[b])
    let (first, second) = (urgency(left), urgency(right))
    return first != second ? first > second : left.serial < right.serial
  }

  private func urgency(_ request: SurfaceRequest) -> Int {
    // Pages share their connection and never wait.
    guard case .card(let index) = request.purpose else { return 0 }
    if items[index].isTold { return 2 }
    return items[index].isMounted || items[index].hasPlayer ? 1 : 0
  }

  // MARK: The edge

  /// What the edge is asked by a request that has reached it; nil when it was given up meanwhile.
  func edgeRequest(_ place: UInt32, _ generation: UInt32) -> SurfaceEdgeRequest? {
    guard requests.isCurrent(place, generation) else { return nil }
    let request = requests[Int(place)]
    return SurfaceEdgeRequest(
      entity: entity(request.serial), asset: request.asset, bytes: request.bytes)
  }

  /// The edge has to get what a request is for, and has it after this time.
  mutating func wait(atEdge place: Int, for time: TimeSpan, _ context: inout SurfaceContext) {
    let request = requests[place]
    if case .card(let item) = request.purpose, !items[item].times.has(.data) {
      items[item].waits.add(request.asset, from: context.now, until: context.now + time)
    }
    context.plan(
      .edgeAnswered(
        slot: slot, request: UInt32(place), generation: requests.generation(of: place)),
      at: context.now + time, phase: .arrival)
  }

  /// The edge answers a request: after its own service the answer leaves, and its first byte is at
  /// the viewer half a round trip later.
  mutating func receive(
    _ place: Int, after service: TimeSpan, _ context: inout SurfaceContext
  ) {
    beginTransfer(
      place, arriving: context.now + service + transport.roundTrip / 2, &context)
  }

  // MARK: Transfers

  private mutating func beginTransfer(
    _ place: Int, arriving arrival: Instant, _ context: inout SurfaceContext
  ) {
    syncLink(at: context.now)
    let request = requests[place]
    var weight = 1.0
    var role = Flow.Role.other
    var mark = -1.0
    if case .card(let index) = request.purpose {
      let isTold = items[index].isTold
      if !isTold { weight = setting.pointee.transport.pointee.prefetchWeight }
      role = isTold ? .current : .prefetch
      mark = startMark(index, request)
      if request.asset == .segment && items[index].loading.rungs.isEmpty {
        items[index].times.reach(.firstByte, at: arrival)
      }
    }
    let (_, wireBytes) = transport.begin(
      ViewerTransport.Transfer(
        request: place, server: request.server, connection: request.connection,
        body: request.bytes, weight: weight, role: role, markShare: mark),
      arriving: arrival, at: context.now, cells: &context.cells)
    requests[place].firstByteAt = arrival
    requests[place].wireBytes = wireBytes
    changeLink()
  }

  /// The share of a segment's bytes that is left when the media for the card's first frame has
  /// passed, or -1.
  private func startMark(_ index: Int, _ request: SurfaceRequest) -> Double {
    if request.asset != .segment || items[index].times.has(.data) { return -1 }
    let missing = startNeed(index) - items[index].held
    return ViewerTransport.Transfer.markShare(after: missing, of: items[index].nextLength)
  }

  /// Media that a card's first frame needs.
  func startNeed(_ index: Int) -> TimeSpan {
    let need = policy.pointee.startThreshold
    let duration = items[index].title.duration
    return need < duration ? need : duration
  }

  /// Takes a request back, with its connection.
  ///
  /// - Parameter isRepeated: it keeps its place, to be sent once more.
  /// - Returns: the request, and bytes of its answer that had not come; nil when it had not begun.
  mutating func withdraw(
    _ place: Int, isRepeated: Bool = false, _ context: inout SurfaceContext
  ) -> (request: SurfaceRequest, remaining: Double?) {
    syncLink(at: context.now)
    changeLink()
    let request = isRepeated ? requests.renew(place) : requests.remove(place)
    if !request.isWaiting {
      transport.giveUp(request.server, request.connection, at: context.now)
    }
    if case .card(let item) = request.purpose { items[item].waits.cut(at: context.now) }
    return (request, transport.withdraw(place, at: context.now, cells: &context.cells))
  }

  // MARK: Another network

  /// The old network is lost: TCP connections are gone, and what was under way on them is asked for
  /// anew; QUIC connections wait for the new path.
  mutating func handOver(_ index: Int, _ context: inout SurfaceContext) {
    context.measures.counts.handOvers += 1
    let change = setting.pointee.networks[traits.network].handOvers[index]
    if change.keepsConnections { return }
    syncLink(at: context.now)
    changeLink()
    if !transport.handOver(change, at: context.now, cells: &context.cells) { return }
    // Cards that play first, then the others.
    for isTold in [true, false] {
      for place in 0..<requests.count where requests.isUsed(place) {
        if (urgency(requests[place]) == 2) == isTold { sendAnew(place, &context) }
      }
    }
  }

  /// Repeats a request whose connection is gone; what had come of its answer is lost, also media
  /// that was on the screen, because the new copy counts for it.
  private mutating func sendAnew(_ place: Int, _ context: inout SurfaceContext) {
    let (request, remaining) = withdraw(place, isRepeated: true, &context)
    context.measures.counts.repeatedRequests += 1
    if case .card(let index) = request.purpose {
      if let remaining, request.isMedia {
        let bytes = request.arrived(remaining: remaining)
        items[index].bytes.giveUp(bytes, isSegment: request.asset == .segment)
      }
      // What was enough for a start is gone where no player has it.
      if !items[index].hasPlayer && items[index].held < startNeed(index) {
        items[index].times.undo(.data)
      }
    }
    send(place, &context)
  }

  // MARK: The link

  /// Brings the link to the present.
  mutating func syncLink(at now: Instant) {
    // What one turn does calls this several times.
    if transport.isAt(now) { return }
    transport.advance(to: now, sources: setting.pointee.sources)
  }

  /// A card waits for a request from now on.
  mutating func promote(request place: Int, _ context: inout SurfaceContext) {
    syncLink(at: context.now)
    if transport.promote(place, at: context.now, cells: &context.cells) != nil { changeLink() }
  }
}
