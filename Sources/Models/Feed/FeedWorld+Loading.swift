import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel

/// Requests: what to ask for next, the disk cache, the connection, the transfer.
extension FeedWorld {
  /// Asks for the next object of an item's chain, if one is wanted and none is on its way.
  ///
  /// The chain is media manifest, master playlist, media playlist and init segment of the chosen
  /// rung, segment after segment; one request at a time for an item, as players do.
  mutating func continueLoading(
    _ viewer: ViewerPointer, _ item: UInt32, _ context: inout Context<FeedEvent>
  ) {
    let place = place(item)
    guard viewer.pointee.items[place].item == item, viewer.pointee.items[place].loading < 0
    else { return }
    let isCurrent = item == viewer.pointee.current && viewer.pointee.view.phase != .between
    let state = viewer.pointee.items + place
    if state.pointee.segments >= state.pointee.title.segmentCount { return }
    if isCurrent {
      let ahead = held(state) - mediaPosition(viewer, at: context.now)
      if state.pointee.segments > 0 && ahead >= configuration.policy.forwardBuffer {
        scheduleResume(viewer, ahead, &context)
        return
      }
    } else if state.pointee.target <= held(state) {
      return
    }
    if state.pointee.times.chainStart == StartupTimes.unset {
      viewer.pointee.items[place].times.chainStart = context.now
      requestPoster(viewer, place, &context)
    }
    requestNext(viewer, place, isPrefetch: !isCurrent, &context)
  }

  /// Comes back when the playhead has used up what is too much.
  private func scheduleResume(
    _ viewer: ViewerPointer, _ ahead: TimeSpan, _ context: inout Context<FeedEvent>
  ) {
    context.cancel(viewer.pointee.loadEvent)
    if viewer.pointee.view.phase != .playing { return }
    let wait = ahead - configuration.policy.forwardBuffer + .nanoseconds(1)
    viewer.pointee.loadEvent = context.schedule(
      .loadResumed(slot: viewer.pointee.slot), at: context.now + wait,
      for: viewer.pointee.session)
  }

  private mutating func requestNext(
    _ viewer: ViewerPointer, _ place: Int, isPrefetch: Bool, _ context: inout Context<FeedEvent>
  ) {
    let state = viewer.pointee.items + place
    var offset = ObjectLayout.mediaManifest
    var asset = AssetClass.mediaManifest
    var bytes = catalogue.pointee.manifestBytes
    var rung = RungIndex(0)
    if state.pointee.known.contains(.manifest) && !state.pointee.known.contains(.master) {
      offset = ObjectLayout.master
      asset = .masterPlaylist
      bytes = catalogue.pointee.masterBytes
    } else if state.pointee.known.contains(.master) {
      rung = chooseRung(viewer, place, isPrefetch: isPrefetch, at: context.now)
      let bit = UInt8(1) << UInt8(rung.index)
      if state.pointee.playlists & bit == 0 {
        offset = ObjectLayout.playlists + rung.index
        asset = .mediaPlaylist
        bytes =
          catalogue.pointee.playlistBytes
          + catalogue.pointee.playlistBytesPerSegment * Int64(state.pointee.title.segmentCount)
      } else if state.pointee.inits & bit == 0 {
        offset = ObjectLayout.inits + rung.index
        asset = .initSegment
        bytes = catalogue.pointee.initBytes
      } else {
        offset = ObjectLayout.segment(state.pointee.segments, rung: rung)
        asset = .segment
        bytes = state.pointee.title.segmentBytes(
          state.pointee.segments, rate: catalogue.pointee.ladder[rung], sources: sources,
          catalogue: catalogue)
      }
    }
    let index = takeRequest(viewer)
    viewer.pointee.items[place].loading = index
    viewer.pointee.requests[index].destination = .chain
    viewer.pointee.requests[index].rung = rung
    viewer.pointee.requests[index].segment = state.pointee.segments
    request(
      viewer, index, place: place, offset, asset, bytes: bytes, isPrefetch: isPrefetch, &context)
  }

  private func chooseRung(
    _ viewer: ViewerPointer, _ place: Int, isPrefetch: Bool, at now: Instant
  ) -> RungIndex {
    let state = viewer.pointee.items + place
    var playback = PlaybackSnapshot()
    var ahead = held(state)
    if !isPrefetch {
      let position = mediaPosition(viewer, at: now)
      ahead = ahead - position
      if ahead < .zero { ahead = .zero }
      playback = PlaybackSnapshot(
        hasFirstFrame: viewer.pointee.view.hasFrame, played: position, bufferAhead: ahead,
        segmentsDownloaded: state.pointee.segments, estimateSpread: viewer.pointee.estimator.spread)
    }
    let cap = BitrateCap(configuration.policy.startupCap).cap(for: playback)
    return configuration.policy.bitrate.rung(
      for: BitrateSnapshot(
        estimate: viewer.pointee.estimator.estimate, bufferAhead: ahead,
        current: state.pointee.lastRung, cap: cap,
        segmentDuration: catalogue.pointee.segmentDuration,
        remaining: state.pointee.title.duration - held(state)),
      in: catalogue.pointee.ladder)
  }

  private mutating func requestPoster(
    _ viewer: ViewerPointer, _ place: Int, _ context: inout Context<FeedEvent>
  ) {
    if !configuration.policy.fetchesPosters { return }
    if viewer.pointee.items[place].known.contains(.poster) { return }
    viewer.pointee.items[place].known.insert(.poster)
    let index = takeRequest(viewer)
    viewer.pointee.requests[index].destination = .poster
    request(
      viewer, index, place: place, ObjectLayout.poster, .poster,
      bytes: catalogue.pointee.posterBytes, isPrefetch: true, &context)
  }

  /// A free request; its generation distinguishes it from earlier ones at the same place.
  func takeRequest(_ viewer: ViewerPointer) -> Int {
    var index = 0
    while index < viewer.pointee.requestCount && viewer.pointee.requests[index].isActive {
      index += 1
    }
    if index == viewer.pointee.requestCount { viewer.pointee.addRequest() }
    let generation = viewer.pointee.requests[index].generation &+ 1
    viewer.pointee.requests[index] = Request()
    viewer.pointee.requests[index].generation = generation
    viewer.pointee.requests[index].isActive = true
    return index
  }

  /// Gets an object from the disk cache or sends for it.
  mutating func request(
    _ viewer: ViewerPointer, _ index: Int, place: Int, _ offset: UInt32, _ asset: AssetClass,
    bytes: Int64, isPrefetch: Bool, _ context: inout Context<FeedEvent>
  ) {
    let state = viewer.pointee.items + place
    viewer.pointee.requests[index].item = state.pointee.item
    viewer.pointee.requests[index].offset = offset
    viewer.pointee.requests[index].asset = asset
    viewer.pointee.requests[index].bytes = bytes
    viewer.pointee.requests[index].isPrefetch = isPrefetch
    viewer.pointee.requests[index].sentAt = context.now
    let object = ObjectLayout.object(state.pointee.title.id, offset)
    viewer.pointee.requests[index].object = object
    if state.pointee.isRepeated, let stored = viewer.pointee.disk.touch(object) {
      let response = viewer.pointee.diskStored[stored]
      if case .fresh = CacheFreshness.disposition(of: response, at: context.now) {
        viewer.pointee.requests[index].isFromDisk = true
        measures.client.count(asset, .hit, bytes: bytes)
        context.schedule(
          .diskRead(
            slot: viewer.pointee.slot, request: UInt32(index),
            generation: viewer.pointee.requests[index].generation),
          at: context.now + devices[viewer.pointee.device].diskRead,
          for: viewer.pointee.session)
        return
      }
      viewer.pointee.requests[index].isConditional = true
      measures.client.count(asset, .revalidated, bytes: bytes)
    } else {
      measures.client.count(asset, .miss, bytes: bytes)
    }
    let entity = UInt64(viewer.pointee.session) << 32 | UInt64(state.pointee.item)
    (viewer.pointee.requests[index].serviceDraw, viewer.pointee.requests[index].lossDraw) =
      streams.uniformPair(.request, entity: entity, pair: offset)
    measures.requests += 1
    let sent = send(viewer, index, toFeed: false, &context)
    context.schedule(
      .requestAtEdge(
        slot: viewer.pointee.slot, request: UInt32(index),
        generation: viewer.pointee.requests[index].generation),
      at: sent, for: edges[Int(viewer.pointee.edge)].entity, phase: .arrival)
  }

  /// Opens the connection if need be and returns when the request reaches the server.
  mutating func send(
    _ viewer: ViewerPointer, _ index: Int, toFeed: Bool, _ context: inout Context<FeedEvent>
  ) -> Instant {
    let now = context.now
    let profile = networks + viewer.pointee.network
    var connection =
      toFeed ? viewer.pointee.feedConnection : viewer.pointee.edgeConnection
    let transport = configuration.transport
    let roundTrip = viewer.pointee.roundTrip
    if connection.isOpen && connection.outstanding == 0
      && now - connection.lastActive > transport.idleClose
    {
      connection.isOpen = false
    }
    // A radio that was idle has to be promoted before anything is sent.
    var begin = now
    if profile.pointee.promotion > .zero && viewer.pointee.link.count == 0
      && now - viewer.pointee.lastByteAt > profile.pointee.radioIdle
    {
      begin += profile.pointee.promotion
      viewer.pointee.lastByteAt = begin
    } else if viewer.pointee.lastByteAt > begin {
      // Another request of this instant has woken the radio; both wait for it.
      begin = viewer.pointee.lastByteAt
    }
    if !connection.isOpen {
      connection.nameAt = begin + (connection.isNameKnown ? .zero : profile.pointee.nameLookup)
      connection.isNameKnown = true
      connection.connectedAt = connection.nameAt + roundTrip
      connection.readyAt = connection.connectedAt + roundTrip * transport.tlsRoundTrips
      connection.isOpen = true
      connection.window = transport.initialWindow
      connection.lastActive = connection.readyAt
      measures.connectionsOpened += 1
    }
    connection.outstanding += 1
    if connection.readyAt > begin { begin = connection.readyAt }
    noteConnection(viewer, index, connection)
    if toFeed {
      viewer.pointee.feedConnection = connection
    } else {
      viewer.pointee.edgeConnection = connection
    }
    let uplink = TimeSpan(seconds: Double(transport.requestBytes) * 8 / profile.pointee.uplinkRate)
    return begin + roundTrip / 2 + uplink + queueingDelay(viewer, at: now)
  }

  /// Marks the handshake's steps on an item whose chain waits for them.
  private func noteConnection(
    _ viewer: ViewerPointer, _ index: Int, _ connection: Connection
  ) {
    let request = viewer.pointee.requests[index]
    guard request.destination == .chain else { return }
    let place = place(request.item)
    guard viewer.pointee.items[place].times.secureAt == StartupTimes.unset else { return }
    viewer.pointee.items[place].times.nameAt = connection.nameAt
    viewer.pointee.items[place].times.connectedAt = connection.connectedAt
    viewer.pointee.items[place].times.secureAt = connection.readyAt
  }

  /// What the link's own backlog adds to a round trip: windows in flight beyond the pipe, bounded.
  private func queueingDelay(_ viewer: ViewerPointer, at now: Instant) -> TimeSpan {
    if !viewer.pointee.link.isBusy(at: now) { return .zero }
    let transport = configuration.transport
    let window =
      viewer.pointee.edgeConnection.window
      * Double(transport.segmentSize + transport.overhead)
    let backlog = viewer.pointee.link.backlog
    let inFlight = window < backlog ? window : backlog
    let pipe = viewer.pointee.link.rate.rate * 0.125 * viewer.pointee.roundTrip.seconds
    if inFlight <= pipe { return .zero }
    let delay = TimeSpan(seconds: (inFlight - pipe) * 8 / viewer.pointee.link.rate.rate)
    let limit = networks[viewer.pointee.network].queueLimit
    return delay < limit ? delay : limit
  }

  /// An answer's first byte reaches the viewer at `arrival`: the body joins the link after that and
  /// after its rounds of slow start, for which the link is taken as it stands now.
  mutating func beginTransfer(
    _ viewer: ViewerPointer, _ index: Int, at arrival: Instant,
    _ context: inout Context<FeedEvent>
  ) {
    syncLink(viewer, at: context.now)
    let request = viewer.pointee.requests + index
    request.pointee.firstByteAt = arrival
    let transport = configuration.transport
    let isFeed = request.pointee.destination == .feed
    var connection = isFeed ? viewer.pointee.feedConnection : viewer.pointee.edgeConnection
    let body = request.pointee.isConditional ? 0 : request.pointee.bytes
    let packets =
      (body + transport.segmentSize - 1) / transport.segmentSize
      + (transport.responseHeaderBytes > 0 ? 1 : 0)
    let wire =
      Double(body + transport.responseHeaderBytes + packets * transport.overhead)
    let isForCurrent =
      request.pointee.destination == .chain
      && request.pointee.item == viewer.pointee.current
    let weight =
      request.pointee.isPrefetch && !isForCurrent ? transport.prefetchWeight : 1
    let share = viewer.pointee.link.share(weight: weight, at: context.now)
    let packetTime = Double(transport.segmentSize + transport.overhead) * 8 / share
    decayWindow(&connection, viewer, at: arrival)
    var firstLoss = Double.infinity
    if viewer.pointee.logKeep < 0 {
      let kept = PortableMath.log(request.pointee.lossDraw) / viewer.pointee.logKeep
      firstLoss = kept < 1e15 ? Double(Int64(kept)) + 1 : kept
    }
    let cost = Transport.cost(
      packets: Double(packets), packetTime: packetTime,
      roundTrip: Double(viewer.pointee.roundTrip.nanoseconds), window: connection.window,
      firstLoss: firstLoss, lossWindow: viewer.pointee.lossWindow)
    connection.window = cost.window
    connection.lastActive = arrival
    if isFeed {
      viewer.pointee.feedConnection = connection
    } else {
      viewer.pointee.edgeConnection = connection
    }
    request.pointee.wireBytes = wire
    viewer.pointee.link.add(
      Flow(
        request: index, joinAt: arrival.nanoseconds + Int64(cost.stall) + 1,
        remaining: wire, markAt: startMark(viewer, request, wire), weight: weight))
    if request.pointee.asset == .segment && request.pointee.segment == 0 {
      viewer.pointee.items[place(request.pointee.item)].times.firstByte = arrival
    }
    rescheduleLink(viewer, &context)
  }

  private func decayWindow(
    _ connection: inout Connection, _ viewer: ViewerPointer, at now: Instant
  ) {
    guard configuration.transport.slowStartAfterIdle else { return }
    let timeout = TimeSpan.milliseconds(200) + viewer.pointee.roundTrip
    var idle = now - connection.lastActive - viewer.pointee.roundTrip
    let floor = configuration.transport.initialWindow
    while idle > timeout && connection.window > floor {
      connection.window = connection.window * 0.5 > floor ? connection.window * 0.5 : floor
      idle -= timeout
    }
  }

  /// Wire bytes left when the media for the first frame has passed, or -1.
  private func startMark(
    _ viewer: ViewerPointer, _ request: UnsafeMutablePointer<Request>, _ wire: Double
  ) -> Double {
    guard request.pointee.asset == .segment else { return -1 }
    let state = viewer.pointee.items + place(request.pointee.item)
    if state.pointee.known.contains(.data) { return -1 }
    let step = catalogue.pointee.segmentDuration
    let missing = startNeed(state) - step * Int64(request.pointee.segment)
    let length = state.pointee.title.length(of: request.pointee.segment, step: step)
    if missing >= length { return -1 }
    if missing <= .zero { return wire * 0.999 }
    return wire * (1 - missing.seconds / length.seconds)
  }

  // MARK: The link

  func syncLink(_ viewer: ViewerPointer, at now: Instant) {
    viewer.pointee.link.advance(to: now)
    viewer.pointee.link.rate.advance(
      to: viewer.pointee.link.second(at: now), session: viewer.pointee.session,
      profile: networks + viewer.pointee.network, sources: sources)
  }

  func rescheduleLink(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    context.cancel(viewer.pointee.linkEvent)
    viewer.pointee.linkEvent = .none
    if let next = viewer.pointee.link.nextChange(after: context.now) {
      viewer.pointee.linkEvent = context.schedule(
        .linkChanged(slot: viewer.pointee.slot), at: next, for: viewer.pointee.session,
        phase: .arrival)
    }
  }

  mutating func progressLink(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    syncLink(viewer, at: context.now)
    viewer.pointee.linkEvent = .none
    while let (request, isEnd) = viewer.pointee.link.takeFinished(at: context.now) {
      viewer.pointee.lastByteAt = context.now
      if isEnd {
        complete(viewer, request, &context)
      } else {
        reachStart(viewer, place(viewer.pointee.requests[request].item), &context)
      }
      if !viewer.pointee.isActive { return }
    }
    rescheduleLink(viewer, &context)
  }

  // MARK: Completion and cancelling

  /// The whole answer is here.
  mutating func complete(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    let request = viewer.pointee.requests[index]
    viewer.pointee.requests[index].isActive = false
    if !request.isFromDisk { settleConnection(viewer, request, at: context.now) }
    switch request.destination {
    case .feed: receiveFeedPage(viewer, &context)
    case .poster: keep(viewer, request, at: context.now)
    case .vtt, .sprite:
      keep(viewer, request, at: context.now)
      receiveStoryboard(viewer, request, &context)
    case .chain:
      keep(viewer, request, at: context.now)
      receiveChain(viewer, request, &context)
    }
  }

  private mutating func settleConnection(
    _ viewer: ViewerPointer, _ request: Request, at now: Instant
  ) {
    if request.destination == .feed {
      viewer.pointee.feedConnection.outstanding -= 1
      viewer.pointee.feedConnection.lastActive = now
    } else {
      viewer.pointee.edgeConnection.outstanding -= 1
      viewer.pointee.edgeConnection.lastActive = now
      measures.deliveredBytes += request.isConditional ? 0 : request.bytes
    }
    if request.asset == .segment && !request.isConditional {
      viewer.pointee.estimator.add(
        ByteCount(request.bytes), over: now - request.firstByteAt)
    }
  }

  /// Puts an answer into the disk cache (SIG-029, SIG-030, SIG-044).
  private func keep(_ viewer: ViewerPointer, _ request: Request, at now: Instant) {
    if request.isFromDisk { return }
    let directives = configuration.cdn.assetTTL.directives(for: request.asset)
    guard
      let response = CacheFreshness.store(
        directives, shared: false, at: now, initialAge: request.age)
    else { return }
    guard
      let stored = viewer.pointee.disk.insert(
        request.object, size: ByteCount(request.bytes), evicted: { _, _ in })
    else { return }
    while viewer.pointee.diskStored.count <= stored {
      viewer.pointee.diskStored.append(response)
    }
    viewer.pointee.diskStored[stored] = response
  }

  private mutating func receiveChain(
    _ viewer: ViewerPointer, _ request: Request, _ context: inout Context<FeedEvent>
  ) {
    let place = place(request.item)
    let now = context.now
    let bit = UInt8(1) << UInt8(request.rung.index)
    viewer.pointee.items[place].loading = -1
    if !request.isImmediate { noteMiss(viewer, request.item) }
    switch request.asset {
    case .mediaManifest:
      viewer.pointee.items[place].known.insert(.manifest)
      viewer.pointee.items[place].times.manifest = now
    case .masterPlaylist: viewer.pointee.items[place].known.insert(.master)
    case .mediaPlaylist:
      viewer.pointee.items[place].playlists |= bit
      if viewer.pointee.items[place].segments == 0 {
        viewer.pointee.items[place].times.playlists = now
      }
    case .initSegment:
      viewer.pointee.items[place].inits |= bit
      if !request.isFromDisk && !request.isConditional {
        viewer.pointee.items[place].initBytes += request.bytes
        if request.isPrefetch { viewer.pointee.items[place].initPrefetched += request.bytes }
      }
      if viewer.pointee.items[place].segments == 0 {
        viewer.pointee.items[place].times.initSegment = now
        prepareDecoder(viewer, request.item, &context)
      }
    default: receiveSegment(viewer, request, place, &context)
    }
    if viewer.pointee.isActive { continueLoading(viewer, request.item, &context) }
  }

  private mutating func receiveSegment(
    _ viewer: ViewerPointer, _ request: Request, _ place: Int,
    _ context: inout Context<FeedEvent>
  ) {
    var entry = UInt32(request.bytes)
    if request.isFromDisk || request.isConditional { entry |= Viewer.fromDisk }
    if request.isPrefetch { entry |= Viewer.prefetched }
    viewer.pointee.segmentBytes[place * ObjectLayout.maximumSegments + request.segment] = entry
    viewer.pointee.items[place].segments = request.segment + 1
    viewer.pointee.items[place].lastRung = request.rung
    if request.segment == 0 { viewer.pointee.items[place].firstRung = request.rung }
    if request.isFromDisk && request.segment == 0 {
      viewer.pointee.items[place].times.firstByte = context.now
    }
    let state = viewer.pointee.items + place
    if held(state) >= startNeed(state) { reachStart(viewer, place, &context) }
    if request.item == viewer.pointee.current && viewer.pointee.view.phase != .between {
      growBuffer(viewer, &context)
      reportBuffer(viewer, &context)
    } else if held(state) >= state.pointee.target && state.pointee.target > .zero {
      let isWhole = state.pointee.segments >= state.pointee.title.segmentCount
      viewer.pointee.items[place].target = .zero
      tellPrefetch(
        viewer, .targetReached(ItemID(request.item), isWhole ? .max : held(state)), &context)
    }
    if !request.isFromDisk {
      tellPrefetch(
        viewer,
        .throughputChanged(
          viewer.pointee.estimator.estimate,
          bitrate: catalogue.pointee.ladder[request.rung]), &context)
    }
  }

  /// Gives up a request; what has arrived of media is counted as delivered and can only be wasted.
  mutating func cancelRequest(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    syncLink(viewer, at: context.now)
    discard(viewer, index, at: context.now)
    rescheduleLink(viewer, &context)
  }

  /// The same without a clock, for the end of the run.
  mutating func discard(_ viewer: ViewerPointer, _ index: Int, at now: Instant) {
    let request = viewer.pointee.requests[index]
    viewer.pointee.requests[index].isActive = false
    measures.cancelledRequests += 1
    if request.destination == .feed {
      viewer.pointee.feedConnection.outstanding -= 1
    } else if !request.isFromDisk {
      viewer.pointee.edgeConnection.outstanding -= 1
      viewer.pointee.edgeConnection.lastActive = now
    }
    if request.destination == .chain {
      viewer.pointee.items[place(request.item)].loading = -1
    }
    guard let remaining = viewer.pointee.link.remove(request: index) else { return }
    guard request.asset == .segment || request.asset == .initSegment,
      !request.isConditional
    else { return }
    let share = 1 - remaining / request.wireBytes
    let bytes = Int64(Double(request.bytes) * (share > 0 ? (share < 1 ? share : 1) : 0))
    let place = place(request.item)
    let shown = renderedPart(viewer, request, arrived: bytes)
    viewer.pointee.items[place].cancelledBytes += bytes
    viewer.pointee.items[place].cancelledRendered += shown
    if request.isPrefetch {
      viewer.pointee.items[place].cancelledPrefetched += bytes
      viewer.pointee.items[place].cancelledPrefetchedRendered += shown
    }
    if player(of: request.item, viewer) == nil { dropPartial(viewer, request.item) }
    measures.deliveredBytes += bytes
  }

  /// Bytes of a cancelled segment that were on the screen: a view may play what has arrived.
  private func renderedPart(
    _ viewer: ViewerPointer, _ request: Request, arrived bytes: Int64
  ) -> Int64 {
    guard request.asset == .segment else { return 0 }
    let state = viewer.pointee.items + place(request.item)
    let step = catalogue.pointee.segmentDuration
    let seen = state.pointee.renderedTo - step * Int64(request.segment)
    if seen <= .zero { return 0 }
    let length = state.pointee.title.length(of: request.segment, step: step)
    let shown = Int64(Double(request.bytes) * (seen.seconds / length.seconds))
    return shown < bytes ? shown : bytes
  }

  /// Part of a segment lives in a player only: an item without one has lost it.
  func dropPartial(_ viewer: ViewerPointer, _ item: UInt32) {
    let state = viewer.pointee.items + place(item)
    guard item != ItemState.nobody, state.pointee.item == item, held(state) < startNeed(state)
    else { return }
    state.pointee.known.remove(.data)
    state.pointee.times.data = StartupTimes.unset
  }

  /// The start of the current view waited for something that the edge had to get elsewhere.
  func noteMiss(_ viewer: ViewerPointer, _ item: UInt32) {
    if item == viewer.pointee.current && viewer.pointee.view.phase == .starting {
      viewer.pointee.view.waitedForMiss = true
    }
  }

  /// Stops the chain of an item that nobody wants any more.
  mutating func stopLoading(
    _ viewer: ViewerPointer, _ item: UInt32, _ context: inout Context<FeedEvent>
  ) {
    let place = place(item)
    guard viewer.pointee.items[place].item == item else { return }
    viewer.pointee.items[place].target = .zero
    let index = viewer.pointee.items[place].loading
    if index >= 0 { cancelRequest(viewer, index, &context) }
  }

  /// An item that was being prefetched is current now: its request gets the full weight.
  mutating func promote(_ viewer: ViewerPointer, _ place: Int) {
    viewer.pointee.items[place].target = .zero
    let index = viewer.pointee.items[place].loading
    if index >= 0 { viewer.pointee.link.changeWeight(request: index, to: 1) }
  }
}
