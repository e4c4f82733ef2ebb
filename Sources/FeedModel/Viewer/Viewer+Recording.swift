import AudienceModel
import CacheModel
import CachePolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// Writes down one session. Every hook costs one comparison when another session, or none, is
/// watched.
extension Viewer {
  /// Writes a change down if the viewer is watched.
  @inline(__always)
  func note(
    _ kind: @autoclosure () -> SessionChange.Kind,
    item: UInt32? = nil, at now: Instant, _ context: inout ViewerContext
  ) {
    if isWatched {
      context.recording.changes.append(SessionChange(at: now, item: item, kind: kind()))
    }
  }

  /// The watched session begins.
  func noteBeginning(at now: Instant, _ context: inout ViewerContext) {
    guard isWatched else { return }
    context.recording.network = network
    context.recording.device = device
    context.recording.edge = edge
    context.recording.roundTrip = transport.roundTrip
    context.recording.beganAt = now
  }

  func noteEnd(at now: Instant, isCut: Bool, _ context: inout ViewerContext) {
    guard isWatched else { return }
    context.recording.endedAt = now
    context.recording.isCut = isCut
  }

  func noteView(_ record: ViewRecord, at now: Instant, _ context: inout ViewerContext) {
    guard isWatched else { return }
    let isKnown = view.phase != .waitingForFeed
    context.recording.views.append(
      SessionRecording.View(
        record: record, endedAt: now,
        duration: isKnown ? items[place(record.item)].title.duration : .zero))
  }

  func noteOpening(
    _ opening: ViewerTransport.Opening, isFeed: Bool, _ context: inout ViewerContext
  ) {
    guard isWatched else { return }
    context.recording.connections.append(
      SessionRecording.Connection(
        serial: opening.serial, isFeed: isFeed, place: opening.place, openedAt: opening.openedAt,
        nameAt: opening.nameAt, connectedAt: opening.connectedAt, readyAt: opening.readyAt))
  }

  /// A player has got an item.
  func noteAssignment(
    _ index: Int, isCreated: Bool, at now: Instant, _ context: inout ViewerContext
  ) {
    let player = players[index]
    note(
      .assigned(
        player: UInt32(index), usableAt: player.playerReadyAt, isCreated: isCreated),
      item: player.item, at: now, &context)
  }

  /// A decoder is being set up for the item in a place.
  func noteDecoder(
    _ place: Int, _ index: Int, from begin: Instant, isReused: Bool,
    at now: Instant, _ context: inout ViewerContext
  ) {
    let state = items.at(place)
    note(
      .decoder(
        player: UInt32(index), from: begin, until: state.pointee.times.decoder,
        isReused: isReused),
      item: state.pointee.item, at: now, &context)
  }

  /// A player is ready, unless it has been given to another item since.
  func noteReadiness(
    player: UInt32, generation: UInt32, at now: Instant, _ context: inout ViewerContext
  ) {
    guard isWatched, players[Int(player)].generation == generation
    else { return }
    // It may be told later than it was.
    var place = context.recording.changes.count
    while place > 0 && context.recording.changes[place - 1].at > now { place -= 1 }
    context.recording.changes.insert(
      SessionChange(
        at: now, item: players[Int(player)].item, kind: .ready(player: player)),
      at: place)
  }

  /// A request has got a connection.
  func noteDispatch(
    _ index: Int, readyAt: Instant, at now: Instant, _ context: inout ViewerContext
  ) {
    guard isWatched else { return }
    while context.recording.dispatches.count <= index {
      context.recording.dispatches.append((.zero, .zero))
    }
    context.recording.dispatches[index] = (now, readyAt)
  }

  /// A request ends, or a try of it; called while it still says how it stands.
  func noteRequest(
    _ index: Int, _ outcome: RequestRecord.Outcome, at now: Instant, _ context: inout ViewerContext
  ) {
    guard isWatched else { return }
    let request = requests[index]
    // Between two tries nothing is under way.
    if request.isBackingOff { return }
    let sent = request.times.sentAt
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
      if index < context.recording.dispatches.count {
        record.dispatchedAt = current(context.recording.dispatches[index].at)
        if record.dispatchedAt != nil {
          record.readyAt = context.recording.dispatches[index].readyAt
        }
      }
      record.firstByteAt = current(request.times.firstByteAt)
      record.joinedAt = current(request.times.joinedAt)
      if !request.destination.isService {
        record.edgeAt = current(request.times.edgeAt)
        record.tier = request.answer.tier
        record.reason = request.answer.reason
        let isOpen = request.waiting != .max
        if !request.answer.isImmediate, record.edgeAt != nil {
          record.upstreamWait = isOpen ? now - request.times.edgeAt : request.times.upstreamWait
        }
      }
    }
    context.recording.requests.append(record)
  }

  /// Writes the rates down that a watched viewer's link had until `now`, at their times among the
  /// changes that are there already.
  mutating func watchLink(until now: Instant, _ context: inout ViewerContext) {
    while let change = transport.step(before: now, sources: setting.pointee.sources) {
      let rate = transport.rate
      if rate == context.recording.linkRate { continue }
      context.recording.linkRate = rate
      var place = context.recording.changes.count
      while place > 0 && context.recording.changes[place - 1].at > change { place -= 1 }
      context.recording.changes.insert(
        SessionChange(at: change, item: nil, kind: .linkRate(rate)), at: place)
    }
  }

  /// The link's rate, where it has changed since it was last written down.
  @inline(__always)
  func noteLinkRate(at now: Instant, _ context: inout ViewerContext) {
    guard isWatched, transport.rate != context.recording.linkRate else { return }
    let rate = transport.rate
    context.recording.linkRate = rate
    note(.linkRate(rate), at: now, &context)
  }
}
