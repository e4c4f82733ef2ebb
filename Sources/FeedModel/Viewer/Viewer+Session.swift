import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Sessions: the beginning, the sequence of views, the end.
extension Viewer {
  /// A session begins in this place: the device, the link and the policies are as new.
  mutating func begin(_ session: UInt32, _ context: inout ViewerContext) {
    reset(session, isWatched: session == context.recording.session, at: context.now)
    if hasClient { resetClient() }
    let length = audience.pointee.sessionLength.quantile(
      streams.uniform(.sessionLength, entity: UInt64(session)))
    if context.isCounting {
      context.measures.offsets.sessions += 1
      context.measures.offsets.sessionSeconds += length
    }
    traits.endsAt = context.now.advanced(saturatingBy: TimeSpan(seconds: length))
    noteBeginning(at: context.now, &context)
    if context.foreign.isUsed { context.foreign.begin(slot: slot, session: session) }
    if servers != .modelled {
      context.outsideCommands.append(.begin(slot: slot, session: session, at: context.now))
      beginLogs(&context)
    }
    scheduleHandOvers(context)
    if hasClient { scheduleOffline(context) }
    if !launch(&context) { beginView(&context) }
  }

  /// The view that has begun is the session's last.
  mutating func endAfterFirstView(at now: Instant) { traits.endsAt = now }

  /// The app is opened: before it asks for the feed it has to be there, if that takes any time.
  ///
  /// - Returns: whether it does; else it is there now.
  private mutating func launch(_ context: inout ViewerContext) -> Bool {
    let device = devices + self.device
    if device.pointee.appLaunch == nil { return false }
    let u = streams.uniform(.appLaunch, entity: UInt64(session))
    let launch = TimeSpan(seconds: device.pointee.appLaunch!.quantile(u))
    if launch <= .zero { return false }
    planPatience(context)
    view.launch(until: context.now.advanced(saturatingBy: launch))
    plan(.appLaunched, at: view.launchedAt, context)
    return true
  }

  /// The viewer waits for a first frame from now on.
  private mutating func planPatience(_ context: borrowing ViewerContext) {
    let patience = audience.pointee.patience.quantile(
      streams.uniform(.patience, entity: viewEntity()))
    plan(
      .patienceEnded,
      at: (context.now + audience.pointee.patienceFloor).advanced(
        saturatingBy: TimeSpan(seconds: patience)), context)
  }

  private mutating func scheduleHandOvers(_ context: borrowing ViewerContext) {
    let profile = networks + network
    for index in 0..<profile.pointee.handOvers.count {
      let wait = TimeSpan(nanoseconds: profile.pointee.handOvers[index].from)
      plan(.handOver(index: UInt32(index)), at: context.now + wait, context)
    }
  }

  private mutating func reset(_ session: UInt32, isWatched: Bool, at now: Instant) {
    traits = SessionTraits(
      session: session, isWatched: isWatched, edge: session % UInt32(setting.pointee.edges),
      keyValue: setting.pointee.keyValue(of: session), arrivedAt: now)
    (traits.network, traits.device, traits.persona) = configuration.choices(of: session, streams)
    transport.begin(
      setting.pointee.session(session, network: network), sources: setting.pointee.sources, at: now)
    pool = PlayerPool(policy.pointee.pool)
    prefetch = PrefetchPolicy(policy.pointee.prefetch)
    estimator = PlayerEstimator(
      policy.pointee.player.estimator, initial: policy.pointee.initialEstimate)
    closeStoryboard()
    isActive = true
    companion = nil
    requests.reset()
    if let first = ChosenProvider(setting, session: session, at: now) {
      requests.choice?.pointee = first
    }
    players.reset(at: now)
    disk.reset()
    titles.removeAll()
    items.clear(ItemState(title: Title(TitleID(0), catalogue: catalogue, streams: streams)))
    pages.reset(policy.pointee)
    current = 0
    bufferLimit = nil
    viewCount = 0
    view = Playback(at: now)
    agenda.removeAll()
    isLinkChanged = false
  }

  // MARK: Views

  /// Shows the current item, or waits for the feed page that brings it.
  mutating func beginView(_ context: inout ViewerContext) {
    let current = self.current
    if !agenda.has(.patience) { planPatience(context) }
    if current >= pages.count {
      view.waitForFeed()
      askForPage(&context)
      return
    }
    view.start(at: context.now)
    let place = item(current, at: context.now, &context)
    drawIntention(place, &context)
    if hasClient { beginClientView(place, &context) }
    let last = ItemID(pages.count - 1)
    promote(place, &context)
    tellLengths(&context)
    tellPrefetch(.feedMoved(current: ItemID(current), last: last), &context)
    workOff(&context)
    tellPool(.currentChanged(ItemID(current), last: last), &context)
    workOff(&context)
    ensureDecoder(current, &context)
    retryDecoders(&context)
    workOff(&context)
    if view.phase == .starting { continueLoading(current, &context) }
    if hasClient { applyProximity(&context) }
    reportBuffer(&context)
    workOff(&context)
    askForPage(&context)
  }

  /// Draws how much of the item the viewer wants to see.
  private mutating func drawIntention(_ place: Int, _ context: inout ViewerContext) {
    let duration = items[place].title.duration
    let persona = audience.pointee.personas[self.persona]
    let bucket = persona.place(of: duration)
    let entity = viewEntity()
    let (completes, time) = streams.uniformPair(.dwell, entity: entity, pair: 0)
    let (loops, scrub) = streams.uniformPair(.dwell, entity: entity, pair: 1)
    var intended: TimeSpan
    if completes < persona.dwell[bucket].completion {
      var rounds = Int64(1)
      if duration < audience.pointee.loopBelow {
        rounds += Int64(loops * Double(audience.pointee.maximumLoops + 1))
      }
      intended = duration * rounds
    } else {
      intended = TimeSpan(seconds: persona.dwell[bucket].watchTime.quantile(time))
      if intended > duration { intended = duration }
      if intended < .milliseconds(50) { intended = .milliseconds(50) }
    }
    if let most = audience.pointee.watchLimit, most < intended { intended = most }
    view.intend(intended, scrubs: scrub < persona.scrubProbability)
    if context.isCounting {
      context.measures.offsets.addView(
        segments: items[place].title.segmentCount,
        after: Int(current))
    }
  }

  /// No frame for too long: the viewer goes on, or leaves.
  mutating func losePatience(_ context: inout ViewerContext) {
    switch view.phase {
    case .waitingForFeed:
      if hasClient { endClientView(at: context.now, &context) }
      record(at: context.now, isCut: false, isLast: true, &context)
      endSession(&context)
    case .starting, .stalled: endView(&context)
    case .playing, .scrubbing, .paused, .looping, .between: break
    }
  }

  /// The viewer of a burst swipes on, frame or not.
  mutating func endBurst(_ context: inout ViewerContext) {
    if view.phase == .waitingForFeed || view.phase == .between {
      return
    }
    endView(&context)
  }

  /// The view is over: record it, and swipe or leave.
  mutating func endView(_ context: inout ViewerContext) {
    let now = context.now
    cancelScrub(&context)
    pausePlayback(at: now, &context)
    if hasClient { endClientView(at: now, &context) }
    let isLast = now >= endsAt || closesApp(at: now)
    record(at: now, isCut: false, isLast: isLast, &context)
    agenda.cancel(.patience)
    agenda.cancel(.load)
    agenda.cancel(.scrub)
    agenda.cancel(.burst)
    let old = current
    stopLoading(old, &context)
    noteDropped(old, at: now, &context)
    if isLast {
      endSession(&context)
      return
    }
    let (direction, time) = streams.uniformPair(.swipe, entity: viewEntity())
    let canGoBack = old > 0 && items[place(old - 1)].item == old - 1
    let isBack = canGoBack && direction < audience.pointee.backSwipe
    viewCount += 1
    current = isBack ? old - 1 : old + 1
    view.swipe(isBack: isBack)
    plan(.settled, at: now + TimeSpan(seconds: audience.pointee.settle.quantile(time)), context)
  }

  /// Whether the viewer closes the app for what the view that ends made him wait.
  private func closesApp(at now: Instant) -> Bool {
    guard let exits = audience.pointee.exits else { return false }
    let frameAt = view.hasFrame ? view.firstFrameAt : now
    let probability = exits.probability(
      waited: frameAt - view.settledAt, stalled: view.playhead.stalled)
    return streams.uniform(.exit, entity: viewEntity()) < probability
  }

  // MARK: The end

  /// The session is over; nothing happens to this viewer any more.
  mutating func endSession(isKilled: Bool = false, _ context: inout ViewerContext) {
    if hasClient { closeClient(isKilled: isKilled, &context) }
    for index in 0..<requests.count where requests[index].isActive {
      discard(index, at: context.now, &context)
    }
    if transport.cell >= 0 {
      transport.leaveCell(&context.cells)
      refreshCell(&context)
    }
    for slot in [Happening.Slot.link, .buffer, .load, .scrub, .burst] { agenda.cancel(slot) }
    if isWatched { tellReadiness(until: context.now, &context) }
    noteEnd(at: context.now, isCut: false, &context)
    leave(isCut: false, &context)
  }

  /// The run ends while the session goes on.
  mutating func cut(_ context: inout ViewerContext) {
    if view.phase != .between { record(at: context.now, isCut: true, &context) }
    for index in 0..<requests.count where requests[index].isActive {
      discard(index, at: context.now, &context)
    }
    context.measures.counts.sessionsCut += 1
    if hasClient { countSessionTime(at: context.now, &context) }
    if isWatched { tellReadiness(until: context.now, &context) }
    noteEnd(at: context.now, isCut: true, &context)
    leave(isCut: true, &context)
  }

  private mutating func leave(isCut: Bool, _ context: inout ViewerContext) {
    if servers != .modelled { context.outsideCommands.append(.end(slot: slot, session: session)) }
    for place in 0..<items.count { retire(place, isCut: isCut, &context) }
    context.measures.counts.playerCreates += Int64(pool.creates)
    context.measures.counts.playerRetargets += Int64(pool.retargets)
    context.measures.counts.staleReadiness += Int64(pool.staleReadiness)
    countPrefetches(&context)
    context.measures.contention[network].add(transport.contention)
    let heap = heapBytes
    if heap > context.measures.viewerBytes { context.measures.viewerBytes = heap }
    while agenda.next != nil {
      let entry = agenda.takeNext()
      if !isCut && servers == .modelled && entry.time <= setting.pointee.lastInstant {
        context.count(entry, target: target(of: entry))
      }
    }
    isActive = false
  }

  /// Counts what the prefetch policy has done in the session.
  private func countPrefetches(_ context: inout ViewerContext) {
    var (starts, cancels, reached) = (prefetch.starts, prefetch.cancels, prefetch.reached)
    if context.foreign.isUsed, let done = context.foreign.end(slot: slot, session: session) {
      (starts, cancels, reached) = (done.starts, done.cancels, done.reached)
    }
    context.measures.counts.prefetchStarts += Int64(starts)
    context.measures.counts.prefetchCancels += Int64(cancels)
    context.measures.counts.prefetchReached += Int64(reached)
  }

  /// Tells the lengths of the items in reach, which the feed's pages say, where they matter.
  mutating func tellLengths(_ context: inout ViewerContext) {
    guard policy.pointee.prefetch.family.readsHazard || context.foreign.readsHazard,
      pages.count > 0
    else { return }
    let current = self.current
    let reach = current + UInt32(policy.pointee.prefetch.itemsAhead)
    let last = min(reach, pages.count - 1)
    if current > last { return }
    for item in current...last {
      let place = self.item(item, at: context.now, &context)
      tellPrefetch(.durationKnown(ItemID(item), items[place].title.duration), &context)
      workOff(&context)
    }
  }
}
