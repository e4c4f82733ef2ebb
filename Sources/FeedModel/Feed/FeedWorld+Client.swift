import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What the app does beyond loading and playing; see ``ClientConfiguration``. No function here is
/// called unless that is active, so that it costs nothing and draws nothing otherwise.
extension FeedWorld {
  /// The viewer's state; only where the configuration is active.
  @inline(__always)
  func client(_ viewer: ViewerPointer) -> UnsafeMutablePointer<ClientState> {
    viewer.pointee.client!
  }

  /// Index of the viewer's cohort.
  mutating func cohort(_ viewer: ViewerPointer) -> Int {
    viewer.pointee.network * deviceCount + viewer.pointee.device
  }

  /// A session begins.
  mutating func resetClient(_ viewer: ViewerPointer) {
    let state = ClientState(
      clientSettings.pointee, players: policy.pointee.pool.size)
    if viewer.pointee.client == nil {
      viewer.pointee.client = .allocate(capacity: 1)
      viewer.pointee.client!.initialize(to: state)
    } else {
      client(viewer).pointee = state
    }
  }

  /// Plans what a session's network does to the app.
  mutating func scheduleOffline(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    guard clientSettings.pointee.offline != nil,
      let timeline = networks[viewer.pointee.network].timeline
    else { return }
    for silence in timeline.silences {
      context.schedule(
        .offlineChanged(slot: viewer.pointee.slot, isOffline: true),
        at: context.now + TimeSpan(nanoseconds: silence.from), for: viewer.pointee.session)
      if silence.until == .max { continue }
      context.schedule(
        .offlineChanged(slot: viewer.pointee.slot, isOffline: false),
        at: context.now + TimeSpan(nanoseconds: silence.until), for: viewer.pointee.session)
    }
  }

  mutating func handleClient(
    _ event: FeedEvent, _ viewer: ViewerPointer, _ context: inout Context<FeedEvent>
  ) {
    switch event {
    case .pauseBegan: beginPause(viewer, &context)
    case .pauseEnded: endPause(viewer, &context)
    case .passEnded: endPass(viewer, &context)
    case .passBegan: beginPass(viewer, &context)
    case .telemetryTimer(_, let isRetry): fireTelemetryTimer(viewer, isRetry: isRetry, &context)
    case .offlineChanged(_, let isOffline):
      if isOffline { goOffline(viewer, &context) } else { goOnline(viewer, &context) }
    default: break
    }
  }

  /// The session is over; nobody calls this for one that the end of the run cuts.
  mutating func closeClient(
    _ viewer: ViewerPointer, isKilled: Bool, _ context: inout Context<FeedEvent>
  ) {
    let state = client(viewer)
    context.cancel(state.pointee.pauseEvent)
    context.cancel(state.pointee.flushTimer)
    context.cancel(state.pointee.retryTimer)
    if isKilled { measures.clientSide.kills += 1 }
    if clientSettings.pointee.telemetry != nil {
      closeTelemetry(viewer, isKilled: isKilled, at: context.now)
    }
    measures.clientSide.poolSessions += 1
    measures.clientSide.poolMemory +=
      Int64(state.pointee.peakPlayers)
      * devices[viewer.pointee.device].playerMemory.bytes
  }

  // MARK: Views

  /// The current item is known: the view that began at its settling is told.
  mutating func beginClientView(
    _ viewer: ViewerPointer, _ place: Int, _ context: inout Context<FeedEvent>
  ) {
    let state = client(viewer)
    let item = ItemID(viewer.pointee.current)
    if state.pointee.gate.active == nil {
      var commands: [ReadinessGate.Command] = []
      state.pointee.gate.handle(.jumped(to: item), at: context.now, into: &commands)
      noteTold(viewer, ReadinessGate.self, .jumped(to: item), at: context.now, commands)
    }
    tellStack(viewer, .itemChanged(item), at: context.now)
    tellDrafts(viewer, .shown(item), at: context.now)
    state.pointee.failedItem = nil
    if let end = clientSettings.pointee.end {
      if end == .loop { drawLoops(viewer, place) }
      viewer.pointee.view.intended = max(
        .nanoseconds(1),
        end.playable(
          of: viewer.pointee.items[place].title.duration,
          within: viewer.pointee.view.intended))
      if let scrubAt = viewer.pointee.view.scrubAt, scrubAt > viewer.pointee.view.intended {
        viewer.pointee.view.scrubAt = viewer.pointee.view.intended / 2
      }
    }
    drawPause(viewer)
    tellLog(
      viewer, .viewBegan(item, duration: viewer.pointee.items[place].title.duration),
      at: viewer.pointee.view.settledAt, &context)
  }

  /// A frame is on the screen.
  mutating func showFirstFrame(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let item = ItemID(viewer.pointee.current)
    tellLog(viewer, .firstFrameRendered(item), at: context.now, &context)
    if let rung = viewer.pointee.items[place(viewer.pointee.current)].lastRung {
      tellLog(
        viewer, .bitrateSelected(item, catalogue.pointee.ladder[rung]), at: context.now, &context)
    }
  }

  /// The view has ended; the record is being written. A process that is killed tells nobody.
  mutating func endClientView(
    _ viewer: ViewerPointer, isKilled: Bool = false, at now: Instant,
    _ context: inout Context<FeedEvent>
  ) {
    let state = client(viewer)
    let view = viewer.pointee.view
    if !isKilled {
      let item = ItemID(viewer.pointee.current)
      tellLog(viewer, .viewEnded(item, played: view.playhead.mark), at: now, &context)
    }
    let cell = cohort(viewer)
    measures.swipes[cell].views += 1
    let held = state.pointee.held
    state.pointee.held = .zero
    // The first view waits for the app, not for a swipe.
    if viewer.pointee.viewCount == 0 || view.phase == .waitingForFeed { return }
    let covered = (view.hasFrame ? view.firstFrameAt : now) - view.settledAt
    var black = covered
    let posterAt = viewer.pointee.items[place(viewer.pointee.current)].posterAt
    if clientSettings.pointee.placeholder == .poster, let posterAt {
      let until = posterAt > view.settledAt ? posterAt - view.settledAt : .zero
      if until < black { black = until }
    }
    measures.swipes[cell].swipes += 1
    measures.swipes[cell].covered += covered.nanoseconds
    measures.swipes[cell].black += black.nanoseconds
    measures.swipes[cell].gateWait += held.nanoseconds
    measures.swipeWaits[cell].add(covered + held)
  }

  // MARK: The gate

  /// The item that stays on the screen while swipes are held; nil when none is.
  mutating func heldItem(_ viewer: ViewerPointer) -> UInt32? {
    guard let state = viewer.pointee.client, state.pointee.heldSince != nil else { return nil }
    return viewer.pointee.pool.current?.index
  }

  /// A swipe has settled on the next item: whether the gate lets it through. When it does not, the
  /// viewer is on the old item again and swipes once more after a while.
  mutating func passGate(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) -> Bool {
    let state = client(viewer)
    if clientSettings.pointee.gate == nil { return true }
    var commands: [ReadinessGate.Command] = []
    let before = state.pointee.gate.escapes
    let jumped = ReadinessGate.Event.jumped(to: ItemID(viewer.pointee.current))
    state.pointee.gate.handle(jumped, at: context.now, into: &commands)
    noteTold(viewer, ReadinessGate.self, jumped, at: context.now, commands)
    let cell = cohort(viewer)
    for command in commands {
      switch command {
      case .snapBack:
        measures.swipes[cell].snapBacks += 1
        snapBack(viewer, &context)
        return false
      case .activate(let item): viewer.pointee.current = item.index
      case .pause, .showPlaceholder, .play: break
      }
    }
    measures.swipes[cell].escapes += Int64(state.pointee.gate.escapes - before)
    if let since = state.pointee.heldSince { state.pointee.held = context.now - since }
    state.pointee.heldSince = nil
    return true
  }

  private mutating func snapBack(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let state = client(viewer)
    let since = state.pointee.heldSince ?? context.now
    state.pointee.heldSince = since
    let patience = audience.pointee.patience.quantile(
      streams.uniform(.patience, entity: viewEntity(viewer)))
    let leavesAt = (since + audience.pointee.patienceFloor).advanced(
      saturatingBy: TimeSpan(seconds: patience))
    // Nothing else is on offer: who loses patience here closes the app.
    if context.now >= leavesAt {
      state.pointee.held = context.now - since
      measures.swipes[cohort(viewer)].swipes += 1
      measures.swipes[cohort(viewer)].leftAtGate += 1
      measures.swipes[cohort(viewer)].gateWait += state.pointee.held.nanoseconds
      measures.swipeWaits[cohort(viewer)].add(state.pointee.held)
      endSession(viewer, &context)
      return
    }
    if viewer.pointee.current >= viewer.pointee.feedCount { askForPage(viewer, &context) }
    // The old item asks for nothing any more, so nothing has to wait for its buffer or its stall.
    if policy.pointee.prefetch.suspendsOnStall {
      tellPrefetch(viewer, .stallChanged(isStalled: false), &context)
    }
    tellPrefetch(viewer, .bufferChanged(ahead: .zero, isComplete: true), &context)
    // A neighbour that lost its player, or got no decoder, asks once more.
    if let shown = viewer.pointee.pool.current, viewer.pointee.feedCount > 0 {
      let last = ItemID(viewer.pointee.feedCount - 1)
      tellPool(viewer, .currentChanged(shown, last: last), &context)
      prepareDecoder(viewer, viewer.pointee.current, &context)
      applyProximity(viewer, &context)
    }
    let retry = clientSettings.pointee.snapRetry?.quantile(
      streams.uniform(
        .snapRetry, entity: viewEntity(viewer), draw: UInt32(state.pointee.gate.snapBacks)))
    context.schedule(
      .settled(slot: viewer.pointee.slot),
      at: context.now + TimeSpan(seconds: max(retry ?? 1, 0.001)),
      for: viewer.pointee.session)
  }

  /// What the gate knows a preparation by: no two players' generations are the same.
  private mutating func token(_ player: Int, _ generation: UInt32) -> UInt32 {
    UInt32(player) << 24 | generation & 0xFF_FFFF
  }

  mutating func tellGate(
    _ viewer: ViewerPointer, player: Int, generation: UInt32, _ change: PlayerChange,
    at now: Instant
  ) {
    let item = viewer.pointee.players[player].item
    if item == ItemState.nobody { return }
    let state = client(viewer)
    let token = token(player, generation)
    let event: ReadinessGate.Event =
      switch change {
      case .preparing: .preparing(ItemID(item), generation: token)
      case .ready: .becameReady(ItemID(item), generation: token)
      case .dropped: .dropped(ItemID(item), generation: token)
      }
    var commands: [ReadinessGate.Command] = []
    state.pointee.gate.handle(event, at: now, into: &commands)
    noteTold(viewer, ReadinessGate.self, event, at: now, commands)
    if change == .preparing && viewer.pointee.pool.liveSlots > state.pointee.peakPlayers {
      state.pointee.peakPlayers = viewer.pointee.pool.liveSlots
    }
  }

  /// A player loses the item that it has.
  mutating func dropFromGate(_ viewer: ViewerPointer, _ player: Int, at now: Instant) {
    tellGate(
      viewer, player: player, generation: viewer.pointee.players[player].generation, .dropped,
      at: now)
  }

  /// What has become of a player's item.
  enum PlayerChange { case preparing, ready, dropped }

  // MARK: Proximity

  /// Every player's item is loaded as far as its distance allows; the current one by the player.
  mutating func applyProximity(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    guard let policy = clientSettings.pointee.proximity else { return }
    let current = ItemID(heldItem(viewer) ?? viewer.pointee.current)
    for player in 0..<viewer.pointee.players.count {
      let item = viewer.pointee.players[player].item
      if item == ItemState.nobody || item == current.index { continue }
      let place = place(item)
      guard viewer.pointee.items[place].item == item else { continue }
      if item < current.index && current.index - item > FeedConfiguration.loadedBehind {
        stopLoadingByProximity(viewer, item, &context)
        continue
      }
      let setting = setting(policy, viewer, ItemID(item))
      let duration = viewer.pointee.items[place].title.duration
      viewer.pointee.items[place].playerTarget =
        setting.forwardBuffer < duration ? setting.forwardBuffer : duration
      // Also where the target stood already and nothing could be asked for.
      continueLoading(viewer, item, &context)
    }
  }

  /// An item loses its player: what only that had asked for is not wanted any more.
  mutating func stopLoadingByProximity(
    _ viewer: ViewerPointer, _ item: UInt32, _ context: inout Context<FeedEvent>
  ) {
    guard clientSettings.pointee.proximity != nil, item != ItemState.nobody,
      item != viewer.pointee.current
    else { return }
    let place = place(item)
    guard viewer.pointee.items[place].item == item else { return }
    viewer.pointee.items[place].playerTarget = .zero
    if !viewer.pointee.prefetch.isActive(ItemID(item)) { stopLoading(viewer, item, &context) }
  }

  private mutating func setting(
    _ policy: ProximityPolicy, _ viewer: ViewerPointer, _ item: ItemID
  ) -> ProximitySetting {
    let current = ItemID(heldItem(viewer) ?? viewer.pointee.current)
    let rung = viewer.pointee.items[place(current.index)].lastRung
    return policy.setting(
      for: policy.proximity(of: item, active: current),
      throughput: viewer.pointee.estimator.median.estimate,
      bitrate: rung.map { catalogue.pointee.ladder[$0] } ?? .zero)
  }

  /// The peak that an item's player was told, beside the cap at the start.
  mutating func peak(_ viewer: ViewerPointer, _ item: UInt32, _ cap: BitRate?) -> BitRate? {
    guard let policy = clientSettings.pointee.proximity, player(of: item, viewer) != nil
    else { return cap }
    let peak = setting(policy, viewer, ItemID(item)).peakBitRate
    guard let peak else { return cap }
    guard let cap else { return peak }
    return peak < cap ? peak : cap
  }

  /// How far ahead of the playhead the current item is loaded: what its player was told, where that
  /// is less than what the player would load by itself.
  mutating func activeBuffer(usual: TimeSpan) -> TimeSpan {
    guard let policy = clientSettings.pointee.proximity else { return usual }
    let own = policy.setting(for: .active).forwardBuffer
    return own < usual ? own : usual
  }

  // MARK: Pages and titles

  /// Time of the feed API for a page, and where the page comes from.
  ///
  /// - Parameter isRepeated: the page was asked for before and has been counted.
  mutating func pageService(
    _ viewer: ViewerPointer, usual: TimeSpan, isRepeated: Bool
  ) -> TimeSpan {
    guard let ranker = clientSettings.pointee.ranker else { return usual }
    let page = viewer.pointee.feedCount / policy.pointee.pageSize
    let entity = UInt64(viewer.pointee.session) << 32 | UInt64(page)
    let (u, slow) = streams.uniformPair(.ranker, entity: entity)
    var time = ranker.latency.quantile(u)
    if slow < ranker.slowShare { time *= ranker.slowFactor }
    let latency = TimeSpan(seconds: time)
    let seen = ranker.isAtClient ? latency + ranker.overhead + viewer.pointee.roundTrip : latency
    let fallback = RankerFallback(ranker.fallback)
    let bit = UInt64(1) << UInt64(page & 63)
    measures.clientSide.pages += isRepeated ? 0 : 1
    if fallback.source(latency: seen) == .ranker {
      client(viewer).pointee.trending &= ~bit
      return latency + ranker.overhead
    }
    client(viewer).pointee.trending |= bit
    measures.clientSide.trendingPages += isRepeated ? 0 : 1
    return ranker.fallback.deadline + ranker.overhead
  }

  /// The title of an item whose page says so: Trending is the same for everybody and in order of
  /// popularity; exploration items come from the tail. Nil for the usual choice.
  mutating func chooseClientTitle(
    _ viewer: ViewerPointer, _ item: UInt32, entity: UInt64
  ) -> TitleID? {
    let size = policy.pointee.pageSize
    let page = item / size
    let titles = catalogue.pointee.titles
    measures.clientSide.items += 1
    if client(viewer).pointee.trending >> UInt64(page & 63) & 1 == 1 {
      return TitleID(titleStride > 1 ? sampled(item % titles) : item % titles)
    }
    guard let mixer = clientSettings.pointee.exploration,
      mixer.explores(place: Int(item % size), pageSize: Int(size), page: page)
    else { return nil }
    measures.clientSide.explorationItems += 1
    let first = clientSettings.pointee.explorationFrom * Double(titles)
    let u = streams.uniform(.exploration, entity: entity)
    let title = UInt32(first + u * (Double(titles) - first))
    let chosen = title < titles ? title : titles - 1
    return TitleID(titleStride > 1 ? sampled(chosen) : chosen)
  }
}
