import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// The first of two requests that may reach their edge by one event.
enum TravellingRequest {
  /// The next request to be sent is one. Can transition to: found.
  case wanted
  case found(Int, arriving: Instant)
}

/// Connections: which one a request takes, how it is opened, when the request reaches its server.
extension FeedWorld {
  /// The connection that carries a request.
  @inline(__always)
  mutating func connection(
    _ viewer: ViewerPointer, _ request: Request
  ) -> UnsafeMutablePointer<Connection> {
    let host =
      request.destination.isService ? viewer.pointee.hosts.feed : viewer.pointee.hosts.edge
    return host.connections + request.connection
  }

  /// Sends a request to the edge, or leaves it waiting until a connection is free.
  mutating func dispatch(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    guard let sent = send(viewer, index, &context) else { return }
    arrive(viewer, index, at: sent, &context)
  }

  /// A request will be at its server at `sent`.
  mutating func arrive(
    _ viewer: ViewerPointer, _ index: Int, at sent: Instant, _ context: inout Context<FeedEvent>
  ) {
    let edge = CacheHierarchy.edgeEntity(Int(viewer.pointee.edge))
    switch companion {
    case .wanted:
      companion = .found(index, arriving: sent)
      return
    case .found(let first, arriving: sent):
      companion = nil
      context.schedule(
        .pairAtEdge(slot: viewer.pointee.slot, pair(viewer, first, index)), at: sent, for: edge,
        phase: .arrival)
      return
    default: break
    }
    context.schedule(
      .requestAtEdge(
        slot: viewer.pointee.slot, request: UInt32(index),
        generation: viewer.pointee.requests[index].generation),
      at: sent, for: edge, phase: .arrival)
  }

  private mutating func pair(
    _ viewer: ViewerPointer, _ first: Int, _ second: Int
  ) -> RequestPair {
    RequestPair(
      first: UInt16(first), second: UInt16(second),
      firstGeneration: UInt16(truncatingIfNeeded: viewer.pointee.requests[first].generation),
      secondGeneration: UInt16(truncatingIfNeeded: viewer.pointee.requests[second].generation))
  }

  /// A request that nobody joined travels by itself.
  mutating func sendCompanion(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let found = companion
    companion = nil
    if case .found(let index, let sent) = found { arrive(viewer, index, at: sent, &context) }
  }

  /// Sends requests that waited for a connection: the current item's first, then the oldest.
  mutating func sendWaiting(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    while viewer.pointee.waitingRequests > 0 {
      let free = viewer.pointee.hosts.edge.choose(
        limit: transport.pointee.connectionsPerHost, isShared: false)
      if free < 0 { return }
      var best = -1
      for index in 0..<viewer.pointee.requestCount
      where viewer.pointee.requests[index].isActive && viewer.pointee.requests[index].isWaiting {
        if best < 0 || goesBefore(viewer, index, best) { best = index }
      }
      viewer.pointee.requests[best].isWaiting = false
      viewer.pointee.waitingRequests -= 1
      viewer.pointee.requests[best].queued =
        viewer.pointee.requests[best].queued + (context.now - viewer.pointee.requests[best].sentAt)
      dispatch(viewer, best, &context)
    }
  }

  private mutating func goesBefore(_ viewer: ViewerPointer, _ a: Int, _ b: Int) -> Bool {
    let (left, right) = (viewer.pointee.requests[a], viewer.pointee.requests[b])
    let current = viewer.pointee.current
    let isLeft = left.destination == .chain && left.item == current
    let isRight = right.destination == .chain && right.item == current
    if isLeft != isRight { return isLeft }
    return left.sentAt != right.sentAt ? left.sentAt < right.sentAt : a < b
  }

  /// Opens a connection if need be and returns when the request reaches the server; nil when it
  /// waits for a connection, or for a link that never comes back.
  mutating func send(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) -> Instant? {
    if servers == .real { return sendReal(viewer, index, at: context.now) }
    syncLink(viewer, at: context.now)
    let isFeed = viewer.pointee.requests[index].destination.isService
    let isShared = isFeed || transport.pointee.http != .http1
    let host = isFeed ? viewer.pointee.hosts.feed : viewer.pointee.hosts.edge
    let choice = host.choose(limit: transport.pointee.connectionsPerHost, isShared: isShared)
    if choice < 0 {
      viewer.pointee.requests[index].isWaiting = true
      viewer.pointee.waitingRequests += 1
      return nil
    }
    viewer.pointee.requests[index].connection = choice
    let connection = host.connections + choice
    let now = context.now
    if connection.pointee.isOpen && connection.pointee.outstanding == 0
      && now - connection.pointee.lastActive > transport.pointee.idleClose
    {
      connection.pointee.isOpen = false
    }
    connection.pointee.outstanding += 1
    guard var begin = linkReady(viewer, isOpen: connection.pointee.isOpen, at: now) else {
      return nil
    }
    if !connection.pointee.isOpen { open(viewer, connection, isFeed: isFeed, at: begin) }
    if connection.pointee.readyAt > begin { begin = connection.pointee.readyAt }
    noteConnection(viewer, index, connection)
    noteDispatch(viewer, index, readyAt: begin, at: now)
    if transport.pointee.model != .firstFrame { return begin + viewer.pointee.roundTrip / 2 }
    let uplink = transport.pointee.requestTime(
      body: viewer.pointee.requests[index].bodyBytes,
      uplink: networks[viewer.pointee.network].uplinkRate)
    let queueing = queueingDelay(viewer, connection, at: now)
    viewer.pointee.requests[index].queued = viewer.pointee.requests[index].queued + queueing
    return begin + viewer.pointee.roundTrip / 2 + uplink + queueing
  }

  /// When the radio and the link carry packets; nil for never.
  mutating func linkReady(_ viewer: ViewerPointer, isOpen: Bool, at now: Instant) -> Instant? {
    let profile = networks + viewer.pointee.network
    let isIdle = transport.pointee.model == .firstFrame && viewer.pointee.link.count == 0
    let begin = viewer.pointee.radio.wake(at: now, isIdle: isIdle, profile: profile)
    guard profile.pointee.conditions != nil else { return begin }
    return profile.pointee.firstTry(
      at: begin, since: viewer.pointee.arrivedAt, isOpen: isOpen,
      roundTrip: viewer.pointee.roundTrip)
  }

  mutating func open(
    _ viewer: ViewerPointer, _ connection: UnsafeMutablePointer<Connection>, isFeed: Bool,
    at begin: Instant
  ) {
    let host = isFeed ? viewer.pointee.hosts.feed : viewer.pointee.hosts.edge
    connection.pointee.open(
      at: begin, to: host,
      number: UInt64(viewer.pointee.session) << 16 | UInt64(viewer.pointee.connectionSerial),
      over: AccessPath(
        profile: networks + viewer.pointee.network, rate: viewer.pointee.link.rate.rate,
        mean: viewer.pointee.link.rate.mean, roundTrip: viewer.pointee.roundTrip),
      transport: transport, streams: streams)
    viewer.pointee.connectionSerial += 1
    if isFeed {
      viewer.pointee.hosts.feed.learn(from: connection.pointee)
    } else {
      viewer.pointee.hosts.edge.learn(from: connection.pointee)
    }
    noteOpening(viewer, connection, isFeed: isFeed, at: begin)
    measures.counts.connectionsOpened += 1
  }

  /// Marks the handshake's steps on an item whose chain waits for them.
  private mutating func noteConnection(
    _ viewer: ViewerPointer, _ index: Int, _ connection: UnsafeMutablePointer<Connection>
  ) {
    let request = viewer.pointee.requests[index]
    guard request.destination == .chain else { return }
    let place = place(request.item)
    guard viewer.pointee.items[place].times.secureAt == StartupTimes.unset else { return }
    viewer.pointee.items[place].times.nameAt = connection.pointee.nameAt
    viewer.pointee.items[place].times.connectedAt = connection.pointee.connectedAt
    viewer.pointee.items[place].times.secureAt = connection.pointee.readyAt
  }

  /// What the link's own backlog adds to a round trip: windows in flight beyond the pipe, bounded.
  private mutating func queueingDelay(
    _ viewer: ViewerPointer, _ connection: UnsafeMutablePointer<Connection>, at now: Instant
  ) -> TimeSpan {
    if !viewer.pointee.link.isBusy(at: now) { return .zero }
    let rate = viewer.pointee.link.rate.rate
    return connection.pointee.queueingDelay(
      backlog: rate > 0 ? backlog(viewer) : 0, rate: rate, roundTrip: viewer.pointee.roundTrip,
      limit: networks[viewer.pointee.network].queueLimit, transport: transport)
  }

  // MARK: Hand-over

  /// The old network is lost: TCP connections are gone, and what was under way on them is asked
  /// for anew; QUIC connections wait for the new path.
  mutating func handOver(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    let change = networks[viewer.pointee.network].handOvers[index]
    syncLink(viewer, at: context.now)
    measures.counts.handOvers += 1
    note(viewer, .handOver, at: context.now)
    if change.keepsConnections { return }
    if transport.pointee.isQUIC {
      let up = networks[viewer.pointee.network].timeline!.upTime(from: change.until)
      let end = viewer.pointee.arrivedAt.advanced(saturatingBy: TimeSpan(nanoseconds: up))
      migrate(viewer, until: end, at: context.now)
      rescheduleLink(viewer, &context)
      return
    }
    if servers != .modelled { outsideCommands.append(.close(session: viewer.pointee.session)) }
    viewer.pointee.hosts.edge.close(at: context.now)
    viewer.pointee.hosts.feed.close(at: context.now)
    // The item on the screen first, then the others.
    for isCurrent in [true, false] {
      for request in 0..<viewer.pointee.requestCount {
        let old = viewer.pointee.requests[request]
        guard old.isActive, !old.isFromDisk, !old.isBackingOff,
          (old.destination == .chain && old.item == viewer.pointee.current) == isCurrent
        else { continue }
        sendAnew(viewer, request, &context)
      }
    }
    rescheduleLink(viewer, &context)
  }

  /// A path change takes a round trip of validation and starts with the initial window (RFC 9000
  /// sections 9.3 and 9.4).
  private mutating func migrate(_ viewer: ViewerPointer, until end: Instant, at now: Instant) {
    let ready = end.advanced(saturatingBy: viewer.pointee.roundTrip)
    hold(viewer, until: ready.nanoseconds, at: now)
    let roundTrip = Double(viewer.pointee.roundTrip.nanoseconds)
    for host in [viewer.pointee.hosts.edge, viewer.pointee.hosts.feed] {
      for place in 0..<host.count {
        host.connections[place].state.forgetPath(roundTrip: roundTrip)
      }
    }
  }

  /// Repeats a request whose connection is gone; what had arrived of its answer is lost.
  private mutating func sendAnew(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    let old = viewer.pointee.requests[index]
    let isLoading =
      old.destination == .chain && viewer.pointee.items[place(old.item)].loading == index
    let isAudio = old.destination == .audio
    discard(viewer, index, at: context.now, isRepeated: true)
    measures.counts.repeatedRequests += 1
    viewer.pointee.requests[index] = old
    viewer.pointee.requests[index].generation = old.generation &+ 1
    viewer.pointee.requests[index].isWaiting = false
    viewer.pointee.requests[index].isImmediate = true
    viewer.pointee.requests[index].waiting = .max
    viewer.pointee.requests[index].isError = false
    viewer.pointee.requests[index].retries = 0
    viewer.pointee.requests[index].sentAt = context.now
    viewer.pointee.requests[index].queued = .zero
    if isLoading { viewer.pointee.items[place(old.item)].loading = index }
    if isAudio { viewer.pointee.items[place(old.item)].audio.loading = index }
    switch old.destination {
    case .feed: sendFeedRequest(viewer, index, isRepeated: true, &context)
    case .events: repeatPost(viewer, index, &context)
    default: dispatch(viewer, index, &context)
    }
  }
}
