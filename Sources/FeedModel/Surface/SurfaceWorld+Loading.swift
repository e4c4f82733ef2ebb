import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The requests of a card, one after the other: manifest, playlists, initialisation segment,
/// segments; over one connection of the viewer's.
extension SurfaceWorld {
  /// How far a card is to be loaded; zero when it is not.
  private func target(_ viewer: SurfacePointer, _ item: SurfaceItem) -> TimeSpan {
    let head = configuration.policy.prefetch.headLength
    if item.isTold { return item.playhead + configuration.policy.forwardBuffer }
    if item.isMounted {
      let start = configuration.policy.startThreshold
      return item.playhead + (head > start ? head : start)
    }
    return item.isPrefetch ? head : .zero
  }

  private func isComplete(_ item: SurfaceItem) -> Bool {
    item.stage == .segments && item.nextSegment >= item.title.segmentCount
  }

  private func needs(_ viewer: SurfacePointer, _ item: SurfaceItem) -> Bool {
    if item.isLoading || isComplete(item) { return false }
    let target = target(viewer, item)
    return target > .zero && (item.stage != .segments || item.held < target)
  }

  /// Sends what may be sent: cards that play first, then those with a player, then prefetches while
  /// what plays has its buffer.
  mutating func pump(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    let cards = boundItems(viewer)
    var prefetches = 0
    var isShort = false
    for index in cards {
      let item = viewer.pointee.items[index]
      if item.isLoading && !item.isMounted { prefetches += 1 }
      if item.isTold && !isComplete(item)
        && item.held - item.playhead < configuration.policy.prefetch.pauseBelowBuffer
      {
        isShort = true
      }
    }
    for isPlaying in [true, false] {
      for index in cards {
        let item = viewer.pointee.items[index]
        if item.isMounted && item.isTold == isPlaying && needs(viewer, item) {
          request(viewer, index, &context)
        }
      }
    }
    if isShort { return }
    for index in cards where prefetches < configuration.policy.prefetch.concurrency {
      let item = viewer.pointee.items[index]
      if item.isPrefetch && !item.isMounted && needs(viewer, item) {
        request(viewer, index, &context)
        prefetches += 1
      }
    }
  }

  /// When the connection can carry a request. A new one costs the look-up of the name and the round
  /// trips of its handshake; an idle radio is promoted first.
  mutating func connect(_ viewer: SurfacePointer, at now: Instant) -> Instant {
    let profile = networks + viewer.pointee.network
    var begin = now
    if profile.pointee.promotion > .zero && viewer.pointee.link.count == 0
      && now - viewer.pointee.lastByteAt > profile.pointee.radioIdle
    {
      begin += profile.pointee.promotion
    }
    viewer.pointee.lastByteAt = begin
    let transport = configuration.transport
    if !viewer.pointee.isConnected {
      viewer.pointee.isConnected = true
      measures.counts.connectionsOpened += 1
      viewer.pointee.connection = transport.newSender(roundTrip: viewer.pointee.roundTrip)
      let flights = Int64(transport.handshake.flightCount)
      viewer.pointee.readyAt =
        begin + profile.pointee.nameLookup + viewer.pointee.roundTrip * flights
    }
    return viewer.pointee.readyAt > begin ? viewer.pointee.readyAt : begin
  }

  private mutating func request(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let transport = configuration.transport
    syncLink(viewer, at: context.now)
    let begin = connect(viewer, at: context.now)
    let (asset, bytes) = describe(viewer, index)
    let uplink = transport.requestTime(uplink: networks[viewer.pointee.network].uplinkRate)
    let (service, wait) = answer(viewer, asset, bytes)
    let firstByte = begin + viewer.pointee.roundTrip + uplink + service + wait
    if wait > .zero && viewer.pointee.items[index].times.data == .zero {
      let until = firstByte - viewer.pointee.roundTrip / 2
      viewer.pointee.items[index].waits.append(
        SurfaceWait(asset: asset, from: until - wait, until: until))
    }
    note(viewer, index, begin: begin, firstByte: firstByte, at: context.now)
    let isForeground = viewer.pointee.items[index].isTold
    let weight = isForeground ? 1 : transport.prefetchWeight
    let packets = transport.packets(of: bytes)
    let wire = transport.wireBytes(of: bytes, packets: packets)
    let stall = slowStart(viewer, packets: packets, weight: weight, at: firstByte)
    viewer.pointee.items[index].isLoading = true
    viewer.pointee.items[index].bytes = bytes
    viewer.pointee.items[index].wireBytes = wire
    viewer.pointee.items[index].asset = asset.rawValue
    viewer.pointee.link.add(
      Flow(
        request: index, joinAt: firstByte.nanoseconds + stall + 1, remaining: wire, markAt: -1,
        weight: weight, role: isForeground ? .current : .prefetch, connection: 0))
    measures.counts.requests += 1
    rescheduleLink(viewer, &context)
  }

  /// Time in which the link is not used while the window grows; the connection learns.
  private mutating func slowStart(
    _ viewer: SurfacePointer, packets: Int64, weight: Double, at arrival: Instant
  ) -> Int64 {
    let transport = configuration.transport
    let share = viewer.pointee.link.share(of: 0, weight: weight, at: arrival)
    viewer.pointee.connection.resume(
      at: arrival.nanoseconds, idleRestart: transport.slowStartAfterIdle)
    return viewer.pointee.connection.sendClosed(
      packets: packets,
      packetTime: transport.packetTime(at: viewer.pointee.link.usable(share)),
      roundTrip: viewer.pointee.roundTrip, at: arrival)
  }

  /// What is asked for next.
  private mutating func describe(_ viewer: SurfacePointer, _ index: Int) -> (AssetClass, Int64) {
    let item = viewer.pointee.items[index]
    switch item.stage {
    case .manifest:
      chooseRung(viewer, index)
      return (.mediaManifest, catalogue.pointee.manifestBytes)
    case .master: return (.masterPlaylist, catalogue.pointee.masterBytes)
    case .playlist:
      return (.mediaPlaylist, catalogue.pointee.mediaPlaylistBytes(of: item.title))
    case .initSegment: return (.initSegment, catalogue.pointee.initBytes)
    case .segments:
      let rate = catalogue.pointee.ladder[item.rung]
      let bytes = item.title.segmentBytes(
        item.nextSegment, rate: rate, sources: sources, catalogue: catalogue)
      return (.segment, bytes)
    }
  }

  /// The rung for the whole card: the start-up cap, and what the link has carried on average.
  private mutating func chooseRung(_ viewer: SurfacePointer, _ index: Int) {
    let ladder = catalogue.pointee.ladder
    var limit = BitRate(bitsPerSecond: Int64(viewer.pointee.link.rate.mean * 0.7))
    if let cap = configuration.policy.startupCap.rate, cap < limit { limit = cap }
    viewer.pointee.items[index].rung = ladder.highest(notAbove: limit)
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
    _ viewer: SurfacePointer, _ index: Int, begin: Instant, firstByte: Instant, at now: Instant
  ) {
    let item = viewer.pointee.items[index]
    if item.stage == .manifest {
      viewer.pointee.items[index].times.asked = now
      viewer.pointee.items[index].times.connected = begin
    }
    if item.stage == .segments && item.nextSegment == 0 {
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
    while let (index, _, _) = viewer.pointee.link.takeFinished(at: context.now) {
      viewer.pointee.lastByteAt = context.now
      complete(viewer, index, &context)
    }
    pump(viewer, &context)
    rescheduleLink(viewer, &context)
  }

  /// An answer is complete.
  private mutating func complete(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    viewer.pointee.items[index].isLoading = false
    let item = viewer.pointee.items[index]
    switch item.stage {
    case .manifest:
      viewer.pointee.items[index].stage = .master
      viewer.pointee.items[index].times.manifest = context.now
    case .master: viewer.pointee.items[index].stage = .playlist
    case .playlist:
      viewer.pointee.items[index].stage = .initSegment
      viewer.pointee.items[index].times.playlists = context.now
    case .initSegment:
      viewer.pointee.items[index].stage = .segments
      viewer.pointee.items[index].times.initSegment = context.now
      deliver(viewer, index, item.bytes)
    case .segments:
      deliver(viewer, index, item.bytes)
      let step = catalogue.pointee.segmentDuration
      viewer.pointee.items[index].held += item.title.length(of: item.nextSegment, step: step)
      viewer.pointee.items[index].nextSegment += 1
      takeMedia(viewer, index, &context)
    }
  }

  private mutating func deliver(_ viewer: SurfacePointer, _ index: Int, _ bytes: Int64) {
    viewer.pointee.items[index].delivered += bytes
    if !viewer.pointee.items[index].isWanted { viewer.pointee.items[index].prefetched += bytes }
  }

  private mutating func takeMedia(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let item = viewer.pointee.items[index]
    let start = configuration.policy.startThreshold
    let need = start < item.title.duration ? start : item.title.duration
    if item.times.data == .zero && item.held >= need {
      viewer.pointee.items[index].times.data = context.now
      decode(viewer, index, &context)
    }
    if item.isTold { playOn(viewer, index, &context) }
  }

  /// Takes a request back; what has arrived of it was for nothing.
  mutating func cancelLoad(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    guard viewer.pointee.items[index].isLoading else { return }
    viewer.pointee.items[index].isLoading = false
    syncLink(viewer, at: context.now)
    if let flow = viewer.pointee.link.remove(request: index) {
      viewer.pointee.items[index].delivered += arrived(viewer.pointee.items[index], flow)
      measures.counts.cancelledRequests += 1
    }
    rescheduleLink(viewer, &context)
  }

  /// Media bytes that arrived of a transfer.
  func arrived(_ item: SurfaceItem, _ flow: Flow) -> Int64 {
    guard item.stage == .segments || item.stage == .initSegment, item.wireBytes > 0 else {
      return 0
    }
    let share = 1 - flow.remaining / item.wireBytes
    return share <= 0 ? 0 : Int64(Double(item.bytes) * (share < 1 ? share : 1))
  }
}
