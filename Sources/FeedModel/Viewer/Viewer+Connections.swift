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
extension Viewer {
  /// Sends a request to the edge, or leaves it waiting until a connection is free.
  mutating func dispatch(_ index: Int, _ context: inout ViewerContext) {
    guard let sent = send(index, &context) else { return }
    arrive(index, at: sent, &context)
  }

  /// The same, of a request that no provider has been asked for yet.
  mutating func dispatchAnew(_ index: Int, _ context: inout ViewerContext) {
    if requests.choice != nil { choose(index, &context) }
    dispatch(index, &context)
  }

  /// A request will be at its server at `sent`.
  mutating func arrive(_ index: Int, at sent: Instant, _ context: inout ViewerContext) {
    switch companion {
    case .wanted:
      companion = .found(index, arriving: sent)
      return
    case .found(let first, arriving: sent):
      companion = nil
      plan(.pairAtEdge(pair(first, index)), at: sent, context)
      return
    default: break
    }
    plan(
      .requestAtEdge(
        request: UInt32(index),
        generation: requests[index].generation), at: sent, context)
  }

  private func pair(_ first: Int, _ second: Int) -> RequestPair {
    RequestPair(
      first: UInt16(first), second: UInt16(second),
      firstGeneration: UInt16(truncatingIfNeeded: requests[first].generation),
      secondGeneration: UInt16(truncatingIfNeeded: requests[second].generation))
  }

  /// A request that nobody joined travels by itself.
  mutating func sendCompanion(_ context: inout ViewerContext) {
    let found = companion
    companion = nil
    if case .found(let index, let sent) = found { arrive(index, at: sent, &context) }
  }

  /// Sends requests that waited for a connection: the current item's first, then the oldest.
  mutating func sendWaiting(_ context: inout ViewerContext) {
    while requests.withoutConnection > 0 {
      if requests.choice == nil && !transport.hasFreeConnection { return }
      var best = -1
      for index in 0..<requests.count
      where requests[index].isActive && requests[index].isWaiting {
        if requests.choice != nil && !transport.hasFreeConnection(to: requests[index].server) {
          continue
        }
        if best < 0 || goesBefore(index, best) { best = index }
      }
      if best < 0 { return }
      requests[best].isWaiting = false
      requests.withoutConnection -= 1
      requests[best].times.queued =
        requests[best].times.queued + (context.now - requests[best].times.sentAt)
      dispatch(best, &context)
    }
  }

  private func goesBefore(_ a: Int, _ b: Int) -> Bool {
    let (left, right) = (requests[a], requests[b])
    let current = self.current
    let isLeft = left.destination == .chain && left.item == current
    let isRight = right.destination == .chain && right.item == current
    if isLeft != isRight { return isLeft }
    return left.times.sentAt != right.times.sentAt
      ? left.times.sentAt < right.times.sentAt : a < b
  }

  /// Sends a request and returns when it reaches the server; nil when it waits for a connection,
  /// for a link that never comes back, or for what the look-up of its server's name says.
  mutating func send(_ index: Int, _ context: inout ViewerContext) -> Instant? {
    if servers == .real { return sendReal(index, at: context.now, &context) }
    let now = context.now
    syncLink(at: now, &context)
    let request = requests.at(index)
    let server = request.pointee.server
    guard
      let departure = transport.send(
        to: server, body: request.pointee.way.bodyBytes, at: now, cells: &context.cells,
        sources: setting.pointee.sources)
    else {
      request.pointee.isWaiting = true
      requests.withoutConnection += 1
      return nil
    }
    request.pointee.connection = departure.connection
    if let failsAt = departure.failsAt {
      noteMissingName(request)
      plan(
        .nameFailed(request: UInt32(index), generation: request.pointee.generation), at: failsAt,
        context)
      return nil
    }
    if let opening = departure.opening { note(opening, of: server, &context) }
    guard let arrival = departure.arrivesAt else { return nil }
    noteConnection(request, departure)
    noteDispatch(index, readyAt: departure.readyAt, at: now, &context)
    request.pointee.times.queued = request.pointee.times.queued + departure.queueing
    return arrival
  }

  /// A connection was opened.
  mutating func note(
    _ opening: ViewerTransport.Opening, of server: ViewerTransport.Server,
    _ context: inout ViewerContext
  ) {
    noteOpening(opening, isFeed: server == .service, &context)
    context.measures.counts.connectionsOpened += 1
  }

  /// Marks the handshake's steps on an item whose chain waits for them.
  private func noteConnection(
    _ request: UnsafeMutablePointer<Request>, _ departure: ViewerTransport.Departure
  ) {
    guard request.pointee.destination == .chain else { return }
    let state = items.at(place(request.pointee.item))
    let known = state.pointee.times.secureAt
    guard known == StartupTimes.unset || known == .distantFuture else { return }
    state.pointee.times.nameAt = departure.nameAt
    state.pointee.times.connectedAt = departure.connectedAt
    state.pointee.times.secureAt = departure.secureAt
  }

  /// The connection that an item's chain waits for has no address: until a later one has, all of
  /// the wait is for the name.
  private func noteMissingName(_ request: UnsafeMutablePointer<Request>) {
    guard request.pointee.destination == .chain else { return }
    let state = items.at(place(request.pointee.item))
    guard state.pointee.times.secureAt == StartupTimes.unset else { return }
    state.pointee.times.nameAt = .distantFuture
    state.pointee.times.connectedAt = .distantFuture
    state.pointee.times.secureAt = .distantFuture
  }
}
