import AudienceModel
import CacheModel
import CachePolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// Writes down one session. Every hook costs one comparison when another session, or none, is
/// watched.
extension FeedWorld {
  /// The session number that no session has.
  static let nobody = UInt32.max

  @inline(__always)
  func isWatched(_ viewer: ViewerPointer) -> Bool {
    viewer.pointee.session == recording.session
  }

  /// Writes a change down if the viewer is watched.
  @inline(__always)
  mutating func note(
    _ viewer: ViewerPointer, _ kind: @autoclosure () -> SessionChange.Kind,
    item: UInt32? = nil, at now: Instant
  ) {
    if isWatched(viewer) {
      recording.changes.append(SessionChange(at: now, item: item, kind: kind()))
    }
  }

  /// The watched session begins.
  mutating func noteBeginning(_ viewer: ViewerPointer, at now: Instant) {
    guard isWatched(viewer) else { return }
    recording.network = viewer.pointee.network
    recording.device = viewer.pointee.device
    recording.edge = viewer.pointee.edge
    recording.roundTrip = viewer.pointee.roundTrip
    recording.beganAt = now
  }

  mutating func noteEnd(_ viewer: ViewerPointer, at now: Instant, isCut: Bool) {
    guard isWatched(viewer) else { return }
    tellReadiness(viewer, until: now)
    recording.endedAt = now
    recording.isCut = isCut
  }

  mutating func noteView(_ viewer: ViewerPointer, _ record: ViewRecord, at now: Instant) {
    guard isWatched(viewer) else { return }
    let isKnown = viewer.pointee.view.phase != .waitingForFeed
    recording.views.append(
      SessionRecording.View(
        record: record, endedAt: now,
        duration: isKnown ? viewer.pointee.items[place(record.item)].title.duration : .zero))
  }

  mutating func noteOpening(
    _ viewer: ViewerPointer, _ connection: UnsafeMutablePointer<Connection>, isFeed: Bool,
    at begin: Instant
  ) {
    guard isWatched(viewer) else { return }
    let host = isFeed ? viewer.pointee.hosts.feed : viewer.pointee.hosts.edge
    recording.connections.append(
      SessionRecording.Connection(
        serial: viewer.pointee.connectionSerial - 1, isFeed: isFeed,
        place: connection - host.connections, openedAt: begin,
        nameAt: connection.pointee.nameAt, connectedAt: connection.pointee.connectedAt,
        readyAt: connection.pointee.readyAt))
  }

  /// A player has got an item.
  mutating func noteAssignment(
    _ viewer: ViewerPointer, _ index: Int, isCreated: Bool, at now: Instant
  ) {
    let player = viewer.pointee.players[index]
    note(
      viewer,
      .assigned(
        player: UInt32(index), usableAt: player.playerReadyAt, isCreated: isCreated),
      item: player.item, at: now)
  }

  /// A decoder is being set up for the item in a place.
  mutating func noteDecoder(
    _ viewer: ViewerPointer, _ place: Int, _ index: Int, from begin: Instant, isReused: Bool,
    at now: Instant
  ) {
    let state = viewer.pointee.items + place
    note(
      viewer,
      .decoder(
        player: UInt32(index), from: begin, until: state.pointee.times.decoder,
        isReused: isReused),
      item: state.pointee.item, at: now)
  }

  /// A player is ready, unless it has been given to another item since.
  mutating func noteReadiness(
    _ viewer: ViewerPointer, player: UInt32, generation: UInt32, at now: Instant
  ) {
    guard isWatched(viewer), viewer.pointee.players[Int(player)].generation == generation
    else { return }
    // It may be told later than it was.
    var place = recording.changes.count
    while place > 0 && recording.changes[place - 1].at > now { place -= 1 }
    recording.changes.insert(
      SessionChange(
        at: now, item: viewer.pointee.players[Int(player)].item, kind: .ready(player: player)),
      at: place)
  }

  /// A request has got a connection.
  mutating func noteDispatch(
    _ viewer: ViewerPointer, _ index: Int, readyAt: Instant, at now: Instant
  ) {
    guard isWatched(viewer) else { return }
    while recording.dispatches.count <= index { recording.dispatches.append((.zero, .zero)) }
    recording.dispatches[index] = (now, readyAt)
  }

  /// A request ends, or a try of it; called while it still says how it stands.
  mutating func noteRequest(
    _ viewer: ViewerPointer, _ index: Int, _ outcome: RequestRecord.Outcome, at now: Instant
  ) {
    guard isWatched(viewer) else { return }
    let request = viewer.pointee.requests[index]
    // Between two tries nothing is under way.
    if request.isBackingOff { return }
    let sent = request.sentAt
    // The fields of an earlier try say nothing of this one.
    func current(_ time: Instant) -> Instant? { time >= sent && time <= now ? time : nil }
    let hasRung =
      request.asset == .mediaPlaylist || request.asset == .initSegment || request.asset == .segment
    var record = RequestRecord(
      asset: request.asset, item: request.destination.isService ? nil : request.item,
      rung: hasRung ? UInt8(request.rung.index) : nil,
      segment: request.asset == .segment ? UInt32(request.segment) : nil, bytes: request.bytes,
      outcome: outcome, isPrefetch: request.isPrefetch, isFromDisk: request.isFromDisk,
      isConditional: request.isConditional, retries: request.retries, sentAt: sent, endedAt: now,
      upstreamWait: .zero, tier: .none, reason: .none)
    if !request.isFromDisk && !request.isWaiting {
      if index < recording.dispatches.count {
        record.dispatchedAt = current(recording.dispatches[index].at)
        if record.dispatchedAt != nil { record.readyAt = recording.dispatches[index].readyAt }
      }
      record.firstByteAt = current(request.firstByteAt)
      record.joinedAt = current(request.joinedAt)
      if !request.destination.isService {
        record.edgeAt = current(request.edgeAt)
        record.tier = request.tier
        record.reason = request.reason
        let isOpen = request.waiting != .max
        if !request.isImmediate, record.edgeAt != nil {
          record.upstreamWait = isOpen ? now - request.edgeAt : request.upstreamWait
        }
      }
    }
    recording.requests.append(record)
  }

  /// Writes the rates down that a watched viewer's link had until `now`, at their times among the
  /// changes that are there already.
  mutating func watchLink(_ viewer: ViewerPointer, until now: Instant) {
    while let change = viewer.pointee.link.step(
      before: now, session: viewer.pointee.session, profile: networks + viewer.pointee.network,
      sources: sources)
    {
      let rate = viewer.pointee.link.rate.rate
      if rate == recording.linkRate { continue }
      recording.linkRate = rate
      var place = recording.changes.count
      while place > 0 && recording.changes[place - 1].at > change { place -= 1 }
      recording.changes.insert(
        SessionChange(at: change, item: nil, kind: .linkRate(rate)), at: place)
    }
  }

  /// The link's rate, where it has changed since it was last written down.
  @inline(__always)
  mutating func noteLinkRate(_ viewer: ViewerPointer, at now: Instant) {
    guard isWatched(viewer), viewer.pointee.link.rate.rate != recording.linkRate else { return }
    let rate = viewer.pointee.link.rate.rate
    recording.linkRate = rate
    note(viewer, .linkRate(rate), at: now)
  }
}
