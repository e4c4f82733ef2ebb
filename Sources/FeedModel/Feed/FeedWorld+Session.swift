import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

typealias ViewerPointer = UnsafeMutablePointer<Viewer>

/// Sessions: the beginning, the sequence of views, the end.
extension FeedWorld {
  /// A session begins.
  mutating func begin(_ session: UInt32, _ context: inout Context<FeedEvent>) {
    let viewer = takeViewer(session, at: context.now)
    activeSessions += 1
    noteSessions(1, at: context.now)
    measures.counts.sessions += 1
    if isCounting { measures.offsets.sessions += 1 }
    if activeSessions > measures.peakSessions { measures.peakSessions = activeSessions }
    noteBeginning(viewer, at: context.now)
    if servers != .modelled {
      outsideCommands.append(
        .begin(slot: viewer.pointee.slot, session: session, at: context.now))
      beginLogs(viewer)
    }
    scheduleHandOvers(viewer, &context)
    if hasClient { scheduleOffline(viewer, &context) }
    beginView(viewer, &context)
  }

  private mutating func scheduleHandOvers(
    _ viewer: ViewerPointer, _ context: inout Context<FeedEvent>
  ) {
    let profile = networks + viewer.pointee.network
    for index in 0..<profile.pointee.handOvers.count {
      context.schedule(
        .handOver(slot: viewer.pointee.slot, index: UInt32(index)),
        at: context.now + TimeSpan(nanoseconds: profile.pointee.handOvers[index].from),
        for: viewer.pointee.session)
    }
  }

  /// A viewer's place in memory, reused when there is one.
  private mutating func takeViewer(_ session: UInt32, at now: Instant) -> ViewerPointer {
    let entity = UInt64(session)
    let (network, device, persona) = configuration.choices(of: session, streams)
    let rate = LinkRate(
      session: session, profile: networks + network, sources: sources)
    let cell = cellOfSession(session, network: network)
    let viewer: ViewerPointer
    if let free = freeViewers.popLast() {
      viewer = viewers[Int(free)]
      viewer.pointee.link = AccessLink(rate: rate, isInCell: cell >= 0, at: now)
      viewer.pointee.pool = PlayerPool(policy.pointee.pool)
      viewer.pointee.prefetch = PrefetchPolicy(policy.pointee.prefetch)
      viewer.pointee.estimator = PlayerEstimator(
        policy.pointee.player.estimator, initial: policy.pointee.initialEstimate)
      viewer.pointee.extras?.deinitialize(count: 1)
      viewer.pointee.extras?.deallocate()
      viewer.pointee.extras = nil
    } else {
      viewer = .allocate(capacity: 1)
      let slot = vacantSlots.popLast() ?? UInt32(viewers.count)
      viewer.initialize(
        to: Viewer(
          slot: slot, link: AccessLink(rate: rate, isInCell: cell >= 0, at: now),
          policy: policy.pointee, connections: transport.pointee.connectionsPerHost,
          items: itemCount))
      if Int(slot) == viewers.count {
        viewers.append(viewer)
      } else {
        viewers[Int(slot)] = viewer
      }
    }
    reset(viewer, session, at: now)
    if hasClient { resetClient(viewer) }
    viewer.pointee.network = network
    viewer.pointee.device = device
    viewer.pointee.persona = persona
    viewer.pointee.cell = cell
    setDistances(viewer)
    let length = audience.pointee.sessionLength.quantile(
      streams.uniform(.sessionLength, entity: entity))
    if isCounting { measures.offsets.sessionSeconds += length }
    viewer.pointee.endsAt = now.advanced(saturatingBy: TimeSpan(seconds: length))
    return viewer
  }

  private mutating func reset(_ viewer: ViewerPointer, _ session: UInt32, at now: Instant) {
    viewer.pointee.session = session
    viewer.pointee.isActive = true
    viewer.pointee.edge = session % UInt32(edges)
    viewer.pointee.keyValue = keyValue(of: session)
    viewer.pointee.arrivedAt = now
    let used =
      streams.uniform(.sessionChoice, entity: UInt64(session), draw: 3)
      < transport.pointee.resumption
    viewer.pointee.hosts.edge.reset(canResume: used)
    viewer.pointee.hosts.feed.reset(canResume: used)
    viewer.pointee.connectionSerial = 0
    viewer.pointee.waitingRequests = 0
    viewer.pointee.radio = Radio()
    viewer.pointee.mainFreeAt = now
    viewer.pointee.diskLog.reset()
    viewer.pointee.titles.removeAll()
    viewer.pointee.players.initialize(repeating: PlayerState())
    let blank = ItemState(
      title: Title(
        TitleID(0), catalogue: catalogue, streams: streams))
    for place in 0..<itemCount { viewer.pointee.items[place] = blank }
    viewer.pointee.listed.removeAll(keepingCapacity: true)
    viewer.pointee.current = 0
    viewer.pointee.pager = FeedWorld.pager(policy.pointee)
    viewer.pointee.bufferLimit = nil
    viewer.pointee.viewCount = 0
    viewer.pointee.view = ViewState()
    viewer.pointee.view.settledAt = now
    viewer.pointee.view.playCalledAt = now
    viewer.pointee.linkEvent = .none
    viewer.pointee.patienceEvent = .none
    viewer.pointee.watchEvent = .none
    viewer.pointee.bufferEvent = .none
    viewer.pointee.loadEvent = .none
    viewer.pointee.scrubEvent = .none
    viewer.pointee.burstEvent = .none
  }

  /// Gives back the memory of viewers who are gone, all but those that the next arrivals need:
  /// their places are then empty.
  mutating func releaseViewers() {
    blocks.trim(to: spareViewers)
    while freeViewers.count > spareViewers {
      let slot = freeViewers.removeLast()
      let viewer = viewers[Int(slot)]
      vacantSlots.append(slot)
      if let nobody {
        viewers[Int(slot)] = nobody
        viewer.pointee.release()
        viewer.deinitialize(count: 1)
        viewer.deallocate()
      } else {
        // One of them stands in all empty places, for events that come too late.
        nobody = viewer
      }
    }
  }

  private mutating func setDistances(_ viewer: ViewerPointer) {
    let profile = networks + viewer.pointee.network
    let u = streams.uniform(.roundTrip, entity: UInt64(viewer.pointee.session))
    var roundTrip = TimeSpan(seconds: profile.pointee.roundTrip.quantile(u))
    if roundTrip < .milliseconds(1) { roundTrip = .milliseconds(1) }
    if let fixed = transport.pointee.model.roundTrip { roundTrip = fixed }
    viewer.pointee.roundTrip = roundTrip
  }

  // MARK: Views

  /// The next item has settled: it is current from now on.
  mutating func settle(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    if hasClient && !passGate(viewer, &context) { return }
    let isBack = viewer.pointee.view.isBack
    let wasBurst = viewer.pointee.view.isBurst
    viewer.pointee.view = ViewState()
    viewer.pointee.view.isBack = isBack
    let (burst, length) = streams.uniformPair(.burst, entity: viewEntity(viewer))
    viewer.pointee.view.isBurst =
      burst < (wasBurst ? audience.pointee.burstContinuation : audience.pointee.burstStart)
    if viewer.pointee.view.isBurst {
      viewer.pointee.burstEvent = context.schedule(
        .burstEnded(slot: viewer.pointee.slot),
        at: context.now + TimeSpan(seconds: audience.pointee.burstDwell.quantile(length)),
        for: viewer.pointee.session)
    }
    viewer.pointee.view.settledAt = context.now
    viewer.pointee.view.playCalledAt = context.now
    beginView(viewer, &context)
  }

  /// Shows the current item, or waits for the feed page that brings it.
  mutating func beginView(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let current = viewer.pointee.current
    if viewer.pointee.patienceEvent == .none {
      let patience = audience.pointee.patience.quantile(
        streams.uniform(.patience, entity: viewEntity(viewer)))
      viewer.pointee.patienceEvent = context.schedule(
        .patienceEnded(slot: viewer.pointee.slot),
        at: (context.now + audience.pointee.patienceFloor).advanced(
          saturatingBy: TimeSpan(seconds: patience)),
        for: viewer.pointee.session)
    }
    if current >= viewer.pointee.feedCount {
      viewer.pointee.view.phase = .waitingForFeed
      askForPage(viewer, &context)
      return
    }
    viewer.pointee.view.phase = .starting
    viewer.pointee.view.playCalledAt = context.now
    let place = item(viewer, current, at: context.now)
    drawIntention(viewer, place)
    if hasClient { beginClientView(viewer, place, &context) }
    let last = ItemID(viewer.pointee.feedCount - 1)
    promote(viewer, place, &context)
    tellLengths(viewer, &context)
    tellPrefetch(viewer, .feedMoved(current: ItemID(current), last: last), &context)
    tellPool(viewer, .currentChanged(ItemID(current), last: last), &context)
    ensureDecoder(viewer, current, &context)
    retryDecoders(viewer, &context)
    if viewer.pointee.view.phase == .starting { continueLoading(viewer, current, &context) }
    if hasClient { applyProximity(viewer, &context) }
    reportBuffer(viewer, &context)
    askForPage(viewer, &context)
  }

  mutating func viewEntity(_ viewer: ViewerPointer) -> UInt64 {
    UInt64(viewer.pointee.session) << 32 | UInt64(viewer.pointee.viewCount)
  }

  /// Draws how much of the item the viewer wants to see.
  private mutating func drawIntention(_ viewer: ViewerPointer, _ place: Int) {
    let duration = viewer.pointee.items[place].title.duration
    let persona = audience.pointee.personas[viewer.pointee.persona]
    var bucket = 0
    while bucket < persona.dwell.count - 1 && duration >= persona.dwell[bucket].below {
      bucket += 1
    }
    let entity = viewEntity(viewer)
    let (completes, time) = streams.uniformPair(.dwell, entity: entity, pair: 0)
    let (loops, scrub) = streams.uniformPair(.dwell, entity: entity, pair: 1)
    if completes < persona.dwell[bucket].completion {
      var rounds = Int64(1)
      if duration < audience.pointee.loopBelow {
        rounds += Int64(loops * Double(audience.pointee.maximumLoops + 1))
      }
      viewer.pointee.view.intended = duration * rounds
    } else {
      var watch = TimeSpan(seconds: persona.dwell[bucket].watchTime.quantile(time))
      if watch > duration { watch = duration }
      if watch < .milliseconds(50) { watch = .milliseconds(50) }
      viewer.pointee.view.intended = watch
    }
    if scrub < persona.scrubProbability {
      viewer.pointee.view.scrubAt = viewer.pointee.view.intended / 2
    }
    if isCounting {
      measures.offsets.addView(
        segments: viewer.pointee.items[place].title.segmentCount,
        after: Int(viewer.pointee.current))
    }
  }

  /// No frame for too long: the viewer goes on, or leaves.
  mutating func losePatience(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    viewer.pointee.patienceEvent = .none
    switch viewer.pointee.view.phase {
    case .waitingForFeed:
      if hasClient { endClientView(viewer, at: context.now, &context) }
      record(viewer, at: context.now, isCut: false)
      endSession(viewer, &context)
    case .starting, .stalled: endView(viewer, &context)
    case .playing, .scrubbing, .paused, .looping, .between: break
    }
  }

  /// The viewer of a burst swipes on, frame or not.
  mutating func endBurst(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    viewer.pointee.burstEvent = .none
    if viewer.pointee.view.phase == .waitingForFeed || viewer.pointee.view.phase == .between {
      return
    }
    endView(viewer, &context)
  }

  /// The view is over: record it, and swipe or leave.
  mutating func endView(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let now = context.now
    cancelScrub(viewer, &context)
    pausePlayback(viewer, at: now, &context)
    if hasClient { endClientView(viewer, at: now, &context) }
    record(viewer, at: now, isCut: false)
    context.cancel(viewer.pointee.patienceEvent)
    viewer.pointee.patienceEvent = .none
    context.cancel(viewer.pointee.loadEvent)
    context.cancel(viewer.pointee.scrubEvent)
    context.cancel(viewer.pointee.burstEvent)
    viewer.pointee.burstEvent = .none
    let old = viewer.pointee.current
    stopLoading(viewer, old, &context)
    noteDropped(viewer, old, at: now)
    if now >= viewer.pointee.endsAt {
      endSession(viewer, &context)
      return
    }
    let (direction, time) = streams.uniformPair(.swipe, entity: viewEntity(viewer))
    let canGoBack = old > 0 && viewer.pointee.items[place(old - 1)].item == old - 1
    let isBack = canGoBack && direction < audience.pointee.backSwipe
    viewer.pointee.viewCount += 1
    viewer.pointee.current = isBack ? old - 1 : old + 1
    viewer.pointee.view.isBack = isBack
    viewer.pointee.view.phase = .between
    context.schedule(
      .settled(slot: viewer.pointee.slot),
      at: now + TimeSpan(seconds: audience.pointee.settle.quantile(time)),
      for: viewer.pointee.session)
  }

  // MARK: The end

  mutating func endSession(
    _ viewer: ViewerPointer, isKilled: Bool = false, _ context: inout Context<FeedEvent>
  ) {
    if hasClient { closeClient(viewer, isKilled: isKilled, &context) }
    for index in 0..<viewer.pointee.requestCount
    where viewer.pointee.requests[index].isActive {
      discard(viewer, index, at: context.now)
    }
    if viewer.pointee.cell >= 0 { refreshCell(viewer, &context) }
    context.cancel(viewer.pointee.linkEvent)
    context.cancel(viewer.pointee.bufferEvent)
    context.cancel(viewer.pointee.loadEvent)
    context.cancel(viewer.pointee.scrubEvent)
    context.cancel(viewer.pointee.burstEvent)
    noteEnd(viewer, at: context.now, isCut: false)
    noteSessions(-1, at: context.now)
    leave(viewer, isCut: false)
  }

  /// The run ends while the session goes on.
  mutating func cut(_ viewer: ViewerPointer, at now: Instant) {
    if viewer.pointee.view.phase != .between { record(viewer, at: now, isCut: true) }
    for index in 0..<viewer.pointee.requestCount
    where viewer.pointee.requests[index].isActive {
      discard(viewer, index, at: now)
    }
    measures.counts.sessionsCut += 1
    if hasClient { countSessionTime(viewer, at: now) }
    noteEnd(viewer, at: now, isCut: true)
    leave(viewer, isCut: true)
  }

  private mutating func leave(_ viewer: ViewerPointer, isCut: Bool) {
    if servers != .modelled {
      outsideCommands.append(
        .end(slot: viewer.pointee.slot, session: viewer.pointee.session))
    }
    for place in 0..<itemCount { retire(viewer, place, isCut: isCut) }
    measures.counts.playerCreates += Int64(viewer.pointee.pool.creates)
    measures.counts.playerRetargets += Int64(viewer.pointee.pool.retargets)
    measures.counts.staleReadiness += Int64(viewer.pointee.pool.staleReadiness)
    measures.counts.prefetchStarts += Int64(viewer.pointee.prefetch.starts)
    measures.counts.prefetchCancels += Int64(viewer.pointee.prefetch.cancels)
    measures.counts.prefetchReached += Int64(viewer.pointee.prefetch.reached)
    measures.contention[viewer.pointee.network].add(viewer.pointee.link.contention)
    let heap = viewer.pointee.heapBytes
    if heap > measures.viewerBytes { measures.viewerBytes = heap }
    viewer.pointee.isActive = false
    freeViewers.append(viewer.pointee.slot)
    activeSessions -= 1
  }
}
