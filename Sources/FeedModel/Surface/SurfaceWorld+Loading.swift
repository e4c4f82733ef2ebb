import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The requests of a card, one after the other: manifest, master playlist, then for the rung that
/// the rules choose its playlist, its initialisation segment and segment after segment; over one
/// connection of the viewer's.
extension SurfaceWorld {
  /// How far a card is to be loaded; zero when it is not.
  private func target(_ viewer: SurfacePointer, _ item: SurfaceItem, at now: Instant) -> TimeSpan {
    let head = configuration.policy.prefetch.headLength
    let position = item.playhead.position(at: now)
    if item.isTold { return position + configuration.policy.forwardBuffer }
    if item.isMounted || item.player != nil {
      let start = configuration.policy.startThreshold
      return position + (head > start ? head : start)
    }
    return item.isPrefetch ? head : .zero
  }

  private func needs(_ viewer: SurfacePointer, _ item: SurfaceItem, at now: Instant) -> Bool {
    if item.isLoading || item.isWhole { return false }
    let target = target(viewer, item, at: now)
    return target > .zero && item.held < target
  }

  /// Sends what may be sent: cards that play first, then those with a player, then prefetches while
  /// what plays has its buffer.
  mutating func pump(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    let cards = boundItems(viewer)
    let now = context.now
    var prefetches = 0
    var isShort = false
    for index in cards {
      let item = viewer.pointee.items[index]
      let isPlayers = item.isMounted || item.player != nil
      if item.isLoading && !isPlayers { prefetches += 1 }
      if item.isTold && !item.isWhole
        && item.held - item.playhead.position(at: now)
          < configuration.policy.prefetch.pauseBelowBuffer
      {
        isShort = true
      }
    }
    for isPlaying in [true, false] {
      for index in cards {
        let item = viewer.pointee.items[index]
        if item.isMounted && item.isTold == isPlaying && needs(viewer, item, at: now) {
          request(viewer, index, &context)
        }
      }
    }
    if isShort { return }
    // Cards that players stand by for.
    for case .some(let standby) in viewer.pointee.slots {
      let index = Int(standby)
      let item = viewer.pointee.items[index]
      if !item.isMounted && needs(viewer, item, at: now) { request(viewer, index, &context) }
    }
    for index in cards where prefetches < configuration.policy.prefetch.concurrency {
      let item = viewer.pointee.items[index]
      if item.isPrefetch && !item.isMounted && item.player == nil && needs(viewer, item, at: now) {
        request(viewer, index, &context)
        prefetches += 1
      }
    }
  }

  /// The connection that carries a request, opened if need be, and when it can: the radio awake,
  /// the link up, the handshake complete; nil for never.
  mutating func connect(
    _ viewer: SurfacePointer, to host: SurfaceHost, at now: Instant
  ) -> (connection: UnsafeMutablePointer<Connection>, begin: Instant)? {
    let profile = networks + viewer.pointee.network
    let isFeed = host == .feed
    let known = isFeed ? viewer.pointee.hosts.feed : viewer.pointee.hosts.edge
    let connection = known.connections
    if connection.pointee.isOpen && connection.pointee.outstanding == 0
      && now - connection.pointee.lastActive > transport.pointee.idleClose
    {
      connection.pointee.isOpen = false
    }
    var begin = viewer.pointee.radio.wake(
      at: now, isIdle: viewer.pointee.link.count == 0, profile: profile)
    if profile.pointee.conditions != nil {
      guard
        let first = profile.pointee.firstTry(
          at: begin, since: viewer.pointee.arrivedAt, isOpen: connection.pointee.isOpen,
          roundTrip: viewer.pointee.roundTrip)
      else { return nil }
      begin = first
    }
    if !connection.pointee.isOpen {
      connection.pointee.open(
        at: begin, to: known,
        number: UInt64(viewer.pointee.session) << 16 | UInt64(viewer.pointee.connectionSerial),
        over: AccessPath(
          profile: profile, rate: viewer.pointee.link.rate.rate,
          mean: viewer.pointee.link.rate.mean, roundTrip: viewer.pointee.roundTrip),
        transport: transport, streams: streams)
      viewer.pointee.connectionSerial += 1
      if isFeed {
        viewer.pointee.hosts.feed.learn(from: connection.pointee)
      } else {
        viewer.pointee.hosts.edge.learn(from: connection.pointee)
      }
      measures.counts.connectionsOpened += 1
    }
    return (connection, connection.pointee.readyAt > begin ? connection.pointee.readyAt : begin)
  }

  private mutating func request(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    syncLink(viewer, at: context.now)
    guard let (connection, begin) = connect(viewer, to: .edge, at: context.now) else { return }
    var request = nextRequest(viewer, index, at: context.now)
    let profile = networks + viewer.pointee.network
    let uplink = transport.pointee.requestTime(uplink: profile.pointee.uplinkRate)
    var queueing = TimeSpan.zero
    if viewer.pointee.link.isBusy(at: context.now) {
      queueing = connection.pointee.queueingDelay(
        backlog: viewer.pointee.link.backlog, rate: viewer.pointee.link.rate.rate,
        roundTrip: viewer.pointee.roundTrip, limit: profile.pointee.queueLimit,
        transport: transport)
    }
    let (service, wait) = answer(viewer, request.asset, request.bytes)
    let firstByte = begin + viewer.pointee.roundTrip + uplink + queueing + service + wait
    if wait > .zero && viewer.pointee.items[index].times.data == .zero {
      let until = firstByte - viewer.pointee.roundTrip / 2
      viewer.pointee.items[index].waits.append(
        SurfaceWait(asset: request.asset, from: until - wait, until: until))
    }
    note(viewer, index, request, begin: begin, firstByte: firstByte, at: context.now)
    let isForeground = viewer.pointee.items[index].isTold
    let weight = isForeground ? 1 : transport.pointee.prefetchWeight
    let packets = transport.pointee.packets(of: request.bytes)
    request.firstByteAt = firstByte
    request.wireBytes = transport.pointee.wireBytes(of: request.bytes, packets: packets)
    let share = viewer.pointee.link.share(of: 0, weight: weight, at: firstByte)
    let held = connection.pointee.held
    let (stall, missing) = connection.pointee.carry(
      packets: packets,
      packetTime: transport.pointee.packetTime(at: viewer.pointee.link.usable(share)),
      at: firstByte, roundTrip: viewer.pointee.roundTrip, profile: profile, transport: transport)
    connection.pointee.outstanding += 1
    // What is missing of this answer holds back the others.
    if let missing {
      connection.pointee.held = missing
      viewer.pointee.link.hold(connection: 0, missing)
    }
    viewer.pointee.link.add(
      Flow(
        request: index, joinAt: firstByte.nanoseconds + stall + 1, remaining: request.wireBytes,
        markAt: startMark(viewer.pointee.items[index], request), weight: weight,
        role: isForeground ? .current : .prefetch, connection: 0, held: held))
    viewer.pointee.items[index].request = request
    measures.counts.requests += 1
    rescheduleLink(viewer, &context)
  }

  /// Wire bytes left of the segment that brings a card's first frame when its media have passed, or
  /// -1.
  private func startMark(_ item: SurfaceItem, _ request: SurfaceRequest) -> Double {
    if request.asset != .segment || item.times.data != .zero { return -1 }
    let missing = startNeed(item) - item.held
    let length = item.title.length(of: item.rungs.count, step: item.title.step)
    if missing >= length { return -1 }
    if missing <= .zero { return request.wireBytes * 0.999 }
    return request.wireBytes * (1 - missing.seconds / length.seconds)
  }

  /// Media that a card's first frame needs.
  private func startNeed(_ item: SurfaceItem) -> TimeSpan {
    let need = configuration.policy.startThreshold
    return need < item.title.duration ? need : item.title.duration
  }

  /// Media that can be played: what is held, and the start threshold once its bytes have passed.
  func playable(_ item: SurfaceItem) -> TimeSpan {
    if item.times.data == .zero { return item.held }
    let need = startNeed(item)
    return item.held > need ? item.held : need
  }

  /// What is asked for next.
  private func nextRequest(
    _ viewer: SurfacePointer, _ index: Int, at now: Instant
  ) -> SurfaceRequest {
    let item = viewer.pointee.items[index]
    if !item.hasManifest {
      return SurfaceRequest(
        asset: .mediaManifest, rung: RungIndex(0), bytes: catalogue.pointee.manifestBytes)
    }
    if !item.hasMaster {
      return SurfaceRequest(
        asset: .masterPlaylist, rung: RungIndex(0), bytes: catalogue.pointee.masterBytes)
    }
    let rung = chooseRung(viewer, item, at: now)
    let bit = UInt8(1) << UInt8(rung.index)
    if item.playlists & bit == 0 {
      return SurfaceRequest(
        asset: .mediaPlaylist, rung: rung,
        bytes: catalogue.pointee.mediaPlaylistBytes(of: item.title))
    }
    if item.inits & bit == 0 {
      return SurfaceRequest(
        asset: .initSegment, rung: rung, bytes: catalogue.pointee.initBytes)
    }
    return SurfaceRequest(
      asset: .segment, rung: rung,
      bytes: item.title.segmentBytes(
        item.rungs.count, rate: catalogue.pointee.ladder[rung], sources: sources,
        catalogue: catalogue))
  }

  /// The rung of a card's next segment: the app's cap and rule, on what its players have seen of
  /// the throughput.
  private func chooseRung(
    _ viewer: SurfacePointer, _ item: SurfaceItem, at now: Instant
  ) -> RungIndex {
    let policy = configuration.policy
    if !item.isTold && !item.isMounted, let rung = policy.prefetchRung { return rung }
    let position = item.playhead.position(at: now)
    var ahead = item.held - position
    if ahead < .zero { ahead = .zero }
    var playback = PlaybackSnapshot()
    if item.isTold {
      playback = PlaybackSnapshot(
        hasFirstFrame: item.hasRun, played: position, bufferAhead: ahead,
        segmentsDownloaded: item.rungs.count,
        estimateSpread: viewer.pointee.estimator.median.spread)
    }
    return policy.bitrate.rung(
      for: BitrateSnapshot(
        estimate: viewer.pointee.estimator.estimate, bufferAhead: ahead,
        current: item.rungs.last.map { RungIndex(UInt32($0)) },
        cap: BitrateCap(policy.startupCap).cap(for: playback), segmentDuration: item.title.step,
        remaining: item.title.duration - item.held),
      in: catalogue.pointee.ladder)
  }

  /// Time of the edge's own service, and of the way to the origin and its first byte: zero for a
  /// hit. Manifests are never kept.
  private mutating func answer(
    _ viewer: SurfacePointer, _ asset: AssetClass, _ bytes: Int64
  ) -> (service: TimeSpan, wait: TimeSpan) {
    let number = viewer.pointee.requests
    viewer.pointee.requests += 1
    let cdn = configuration.cdn
    let (u0, u1) = streams.uniformPair(.surfaceEdge, entity: entity(viewer, number), pair: 0)
    let u2 = streams.uniform(.surfaceEdge, entity: entity(viewer, number), draw: 2)
    let service = TimeSpan(seconds: cdn.edge.serviceTime.quantile(u2))
    let isKept = asset != .mediaManifest
    measures.counts.deliveredBytes += bytes
    if isKept && u0 < surface.edgeHits {
      measures.edge.count(asset, .hit, bytes: bytes)
      return (service, .zero)
    }
    measures.edge.count(asset, isKept ? .miss : .bypass, bytes: bytes)
    measures.counts.originRequests += 1
    measures.counts.originBytes += bytes
    let trip = TimeSpan(seconds: cdn.edge.upstream.roundTrip.quantile(u1))
    let u3 = streams.uniform(.surfaceEdge, entity: entity(viewer, number), draw: 3)
    let first = TimeSpan(seconds: cdn.origin.firstByte.quantile(u3))
    let floor = cdn.edge.upstream.floor
    return (service, (trip > floor ? trip : floor) + first)
  }

  private mutating func note(
    _ viewer: SurfacePointer, _ index: Int, _ request: SurfaceRequest, begin: Instant,
    firstByte: Instant, at now: Instant
  ) {
    if request.asset == .mediaManifest {
      viewer.pointee.items[index].times.asked = now
      viewer.pointee.items[index].times.connected = begin
    }
    if request.asset == .segment && viewer.pointee.items[index].rungs.isEmpty {
      viewer.pointee.items[index].times.firstByte = firstByte
    }
  }

  // MARK: The link

  mutating func syncLink(_ viewer: SurfacePointer, at now: Instant) {
    viewer.pointee.link.advance(
      to: now, session: viewer.pointee.session, profile: networks + viewer.pointee.network,
      sources: sources)
  }

  private mutating func rescheduleLink(
    _ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>
  ) {
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

  mutating func progressLink(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    viewer.pointee.linkEvent = .none
    syncLink(viewer, at: context.now)
    while let (index, isEnd, _) = viewer.pointee.link.takeFinished(at: context.now) {
      viewer.pointee.radio.receive(at: context.now)
      if isEnd {
        complete(viewer, index, &context)
      } else {
        reachStart(viewer, index, &context)
      }
    }
    pump(viewer, &context)
    rescheduleLink(viewer, &context)
  }

  /// An answer is complete.
  private mutating func complete(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    guard let request = viewer.pointee.items[index].request else { return }
    viewer.pointee.items[index].request = nil
    settleConnection(viewer, at: context.now)
    let bit = UInt8(1) << UInt8(request.rung.index)
    let isFirst = viewer.pointee.items[index].rungs.isEmpty
    switch request.asset {
    case .mediaManifest:
      viewer.pointee.items[index].hasManifest = true
      viewer.pointee.items[index].times.manifest = context.now
    case .masterPlaylist: viewer.pointee.items[index].hasMaster = true
    case .mediaPlaylist:
      viewer.pointee.items[index].playlists |= bit
      if isFirst { viewer.pointee.items[index].times.playlists = context.now }
    case .initSegment:
      viewer.pointee.items[index].inits |= bit
      if isFirst { viewer.pointee.items[index].times.initSegment = context.now }
      deliver(viewer, index, request.bytes)
    default:
      viewer.pointee.estimator.add(
        ByteCount(request.bytes), over: context.now - request.firstByteAt)
      deliver(viewer, index, request.bytes)
      let segment = viewer.pointee.items[index].rungs.count
      let step = viewer.pointee.items[index].title.step
      viewer.pointee.items[index].held +=
        viewer.pointee.items[index].title.length(of: segment, step: step)
      viewer.pointee.items[index].rungs.append(UInt8(request.rung.index))
      takeMedia(viewer, index, &context)
    }
  }

  /// The connection has one answer less to bring.
  private func settleConnection(_ viewer: SurfacePointer, at now: Instant) {
    let connection = viewer.pointee.hosts.edge.connections
    connection.pointee.outstanding -= 1
    connection.pointee.lastActive = now
  }

  private mutating func deliver(_ viewer: SurfacePointer, _ index: Int, _ bytes: Int64) {
    viewer.pointee.items[index].delivered += bytes
    if !viewer.pointee.items[index].isWanted { viewer.pointee.items[index].prefetched += bytes }
  }

  private mutating func takeMedia(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let item = viewer.pointee.items[index]
    if item.held >= startNeed(item) { reachStart(viewer, index, &context) }
    if viewer.pointee.items[index].isTold { playOn(viewer, index, &context) }
  }

  /// The media for a card's first frame is there.
  private mutating func reachStart(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    if viewer.pointee.items[index].times.data != .zero { return }
    viewer.pointee.items[index].times.data = context.now
    decode(viewer, index, &context)
  }

  /// Takes a request back; what has arrived of it was for nothing.
  mutating func cancelLoad(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    guard let request = viewer.pointee.items[index].request else { return }
    viewer.pointee.items[index].request = nil
    settleConnection(viewer, at: context.now)
    syncLink(viewer, at: context.now)
    if let flow = viewer.pointee.link.remove(request: index) {
      let item = viewer.pointee.items[index]
      let bytes = arrived(request, flow)
      viewer.pointee.items[index].delivered += bytes
      if request.asset == .segment {
        viewer.pointee.items[index].cancelled += bytes
        viewer.pointee.items[index].cancelledRendered += renderedPart(item, request, of: bytes)
      }
      measures.counts.cancelledRequests += 1
    }
    // The part of a segment that was enough for a start is gone.
    let item = viewer.pointee.items[index]
    if item.held < startNeed(item) { viewer.pointee.items[index].times.data = .zero }
    rescheduleLink(viewer, &context)
  }

  /// Bytes that were rendered of what has come of the segment under way.
  private func renderedPart(
    _ item: SurfaceItem, _ request: SurfaceRequest, of bytes: Int64
  ) -> Int64 {
    let seen = item.rendered - item.held
    if seen <= .zero { return 0 }
    let length = item.title.length(of: item.rungs.count, step: item.title.step)
    let part = Int64(Double(request.bytes) * (seen.seconds / length.seconds))
    return part < bytes ? part : bytes
  }

  /// A card that is told to play while it is loaded does not wait for prefetches any more.
  mutating func promote(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    guard viewer.pointee.items[index].isLoading else { return }
    syncLink(viewer, at: context.now)
    if viewer.pointee.link.promote(request: index) != nil { rescheduleLink(viewer, &context) }
  }

  /// Media that arrived of the segment under way.
  func arrivedMedia(_ item: SurfaceItem, _ flow: Flow) -> TimeSpan {
    guard let request = item.request, request.asset == .segment, request.wireBytes > 0 else {
      return .zero
    }
    let length = item.title.length(of: item.rungs.count, step: item.title.step)
    let share = 1 - flow.remaining / request.wireBytes
    return share <= 0 ? .zero : length.scaled(by: share < 1 ? share : 1)
  }

  /// Media bytes that arrived of a transfer.
  func arrived(_ request: SurfaceRequest, _ flow: Flow) -> Int64 {
    guard request.asset == .segment || request.asset == .initSegment, request.wireBytes > 0 else {
      return 0
    }
    let share = 1 - flow.remaining / request.wireBytes
    return share <= 0 ? 0 : Int64(Double(request.bytes) * (share < 1 ? share : 1))
  }
}
