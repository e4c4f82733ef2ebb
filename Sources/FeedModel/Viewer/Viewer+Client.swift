import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What the app does beyond loading and playing; see ``ClientConfiguration``. No function here is
/// called unless that is active, so that it costs nothing and draws nothing otherwise.
extension Viewer {
  /// The viewer's state; only where the configuration is active.
  @inline(__always)
  var clientState: UnsafeMutablePointer<ClientState> { client! }

  /// Index of the viewer's cohort.
  var cohort: Int { setting.pointee.cohort(network: network, device: device) }

  /// A session begins.
  mutating func resetClient() {
    let state = ClientState(
      clientSettings.pointee, players: policy.pointee.pool.size)
    if client == nil {
      client = .allocate(capacity: 1)
      client!.initialize(to: state)
    } else {
      clientState.pointee = state
    }
  }

  /// Plans what a session's network does to the app.
  mutating func scheduleOffline(_ context: borrowing ViewerContext) {
    guard clientSettings.pointee.offline != nil,
      let timeline = networks[network].timeline
    else { return }
    for silence in timeline.silences {
      plan(
        .offlineChanged(isOffline: true), at: context.now + TimeSpan(nanoseconds: silence.from),
        context)
      if silence.until == .max { continue }
      plan(
        .offlineChanged(isOffline: false), at: context.now + TimeSpan(nanoseconds: silence.until),
        context)
    }
  }

  mutating func actInClient(_ happening: Happening, _ context: inout ViewerContext) {
    switch happening {
    case .pauseBegan: beginPause(&context)
    case .pauseEnded: endPause(&context)
    case .passEnded: endPass(&context)
    case .passBegan: beginPass(&context)
    case .telemetryTimer(let isRetry): fireTelemetryTimer(isRetry: isRetry, &context)
    case .offlineChanged(let isOffline):
      if isOffline { goOffline(&context) } else { goOnline(&context) }
    default: break
    }
  }

  /// The session is over; nobody calls this for one that the end of the run cuts.
  mutating func closeClient(isKilled: Bool, _ context: inout ViewerContext) {
    let state = clientState
    agenda.cancel(.pause)
    agenda.cancel(.flush)
    agenda.cancel(.retry)
    if isKilled { context.measures.clientSide.kills += 1 }
    if clientSettings.pointee.telemetry != nil {
      closeTelemetry(isKilled: isKilled, at: context.now, &context)
    }
    context.measures.clientSide.poolSessions += 1
    context.measures.clientSide.poolMemory +=
      Int64(state.pointee.peakPlayers)
      * devices[device].playerMemory.bytes
  }

  // MARK: Views

  /// The current item is known: the view that began at its settling is told.
  mutating func beginClientView(_ place: Int, _ context: inout ViewerContext) {
    let state = clientState
    let item = ItemID(current)
    if state.pointee.gate.active == nil {
      var commands: [ReadinessGate.Command] = []
      state.pointee.gate.handle(.jumped(to: item), at: context.now, into: &commands)
      noteTold(ReadinessGate.self, .jumped(to: item), at: context.now, commands, &context)
    }
    tellStack(.itemChanged(item), at: context.now, &context)
    tellDrafts(.shown(item), at: context.now, &context)
    state.pointee.failedItem = nil
    if let end = clientSettings.pointee.end {
      if end == .loop { drawLoops(place) }
      view.intended = max(
        .nanoseconds(1),
        end.playable(
          of: items[place].title.duration,
          within: view.intended))
      if let scrubAt = view.scrubAt, scrubAt > view.intended {
        view.scrubAt = view.intended / 2
      }
    }
    drawPause()
    tellLog(
      .viewBegan(item, duration: items[place].title.duration),
      at: view.settledAt, &context)
  }

  /// A frame is on the screen.
  mutating func showFirstFrame(_ context: inout ViewerContext) {
    let item = ItemID(current)
    tellLog(.firstFrameRendered(item), at: context.now, &context)
    if let rung = items[place(current)].lastRung {
      tellLog(.bitrateSelected(item, catalogue.pointee.ladder[rung]), at: context.now, &context)
    }
  }

  /// The view has ended; the record is being written. A process that is killed tells nobody.
  mutating func endClientView(
    isKilled: Bool = false, at now: Instant,
    _ context: inout ViewerContext
  ) {
    let state = clientState
    let view = self.view
    if !isKilled {
      let item = ItemID(current)
      tellLog(.viewEnded(item, played: view.playhead.mark), at: now, &context)
    }
    let cell = cohort
    context.measures.swipes[cell].views += 1
    let held = state.pointee.held
    state.pointee.held = .zero
    // The first view waits for the app, not for a swipe.
    if viewCount == 0 || view.phase == .waitingForFeed { return }
    let covered = (view.hasFrame ? view.firstFrameAt : now) - view.settledAt
    var black = covered
    let posterAt = items[place(current)].posterAt
    if clientSettings.pointee.placeholder == .poster, let posterAt {
      let until = posterAt > view.settledAt ? posterAt - view.settledAt : .zero
      if until < black { black = until }
    }
    context.measures.swipes[cell].swipes += 1
    context.measures.swipes[cell].covered += covered.nanoseconds
    context.measures.swipes[cell].black += black.nanoseconds
    context.measures.swipes[cell].gateWait += held.nanoseconds
    context.measures.swipeWaits[cell].add(covered + held)
  }

  // MARK: The gate

  /// The item that stays on the screen while swipes are held; nil when none is.
  func heldItem() -> UInt32? {
    guard let state = client, state.pointee.heldSince != nil else { return nil }
    return pool.current?.index
  }

  /// A swipe has settled on the next item: whether the gate lets it through. When it does not, the
  /// viewer is on the old item again and swipes once more after a while.
  mutating func passGate(_ context: inout ViewerContext) -> Bool {
    let state = clientState
    if clientSettings.pointee.gate == nil { return true }
    var commands: [ReadinessGate.Command] = []
    let before = state.pointee.gate.escapes
    let jumped = ReadinessGate.Event.jumped(to: ItemID(current))
    state.pointee.gate.handle(jumped, at: context.now, into: &commands)
    noteTold(ReadinessGate.self, jumped, at: context.now, commands, &context)
    let cell = cohort
    for command in commands {
      switch command {
      case .snapBack:
        context.measures.swipes[cell].snapBacks += 1
        snapBack(&context)
        return false
      case .activate(let item): current = item.index
      case .pause, .showPlaceholder, .play: break
      }
    }
    context.measures.swipes[cell].escapes += Int64(state.pointee.gate.escapes - before)
    if let since = state.pointee.heldSince { state.pointee.held = context.now - since }
    state.pointee.heldSince = nil
    return true
  }

  private mutating func snapBack(_ context: inout ViewerContext) {
    let state = clientState
    let since = state.pointee.heldSince ?? context.now
    state.pointee.heldSince = since
    let patience = audience.pointee.patience.quantile(
      streams.uniform(.patience, entity: viewEntity()))
    let leavesAt = (since + audience.pointee.patienceFloor).advanced(
      saturatingBy: TimeSpan(seconds: patience))
    // Nothing else is on offer: who loses patience here closes the app.
    if context.now >= leavesAt {
      state.pointee.held = context.now - since
      context.measures.swipes[cohort].swipes += 1
      context.measures.swipes[cohort].leftAtGate += 1
      context.measures.swipes[cohort].gateWait += state.pointee.held.nanoseconds
      context.measures.swipeWaits[cohort].add(state.pointee.held)
      endSession(&context)
      return
    }
    if current >= pages.count { askForPage(&context) }
    // The old item asks for nothing any more, so nothing has to wait for its buffer or its stall.
    if policy.pointee.prefetch.suspendsOnStall {
      tellPrefetch(.stallChanged(isStalled: false), &context)
    }
    tellPrefetch(.bufferChanged(ahead: .zero, isComplete: true), &context)
    // A neighbour that lost its player, or got no decoder, asks once more.
    if let shown = pool.current, pages.count > 0 {
      let last = ItemID(pages.count - 1)
      tellPool(.currentChanged(shown, last: last), &context)
      prepareDecoder(current, &context)
      applyProximity(&context)
    }
    let retry = clientSettings.pointee.snapRetry?.quantile(
      streams.uniform(
        .snapRetry, entity: viewEntity(), draw: UInt32(state.pointee.gate.snapBacks)))
    plan(.settled, at: context.now + TimeSpan(seconds: max(retry ?? 1, 0.001)), context)
  }

  /// What the gate knows a preparation by: no two players' generations are the same.
  private func token(_ player: Int, _ generation: UInt32) -> UInt32 {
    UInt32(player) << 24 | generation & 0xFF_FFFF
  }

  func tellGate(
    player: Int, generation: UInt32, _ change: PlayerChange,
    at now: Instant, _ context: inout ViewerContext
  ) {
    let item = players[player].item
    if item == ItemState.nobody { return }
    let state = clientState
    let token = token(player, generation)
    let event: ReadinessGate.Event =
      switch change {
      case .preparing: .preparing(ItemID(item), generation: token)
      case .ready: .becameReady(ItemID(item), generation: token)
      case .dropped: .dropped(ItemID(item), generation: token)
      }
    var commands: [ReadinessGate.Command] = []
    state.pointee.gate.handle(event, at: now, into: &commands)
    noteTold(ReadinessGate.self, event, at: now, commands, &context)
    if change == .preparing && pool.liveSlots > state.pointee.peakPlayers {
      state.pointee.peakPlayers = pool.liveSlots
    }
  }

  /// A player loses the item that it has.
  func dropFromGate(_ player: Int, at now: Instant, _ context: inout ViewerContext) {
    tellGate(
      player: player, generation: players[player].generation, .dropped,
      at: now, &context)
  }

  /// What has become of a player's item.
  enum PlayerChange { case preparing, ready, dropped }

  // MARK: Proximity

  /// Every player's item is loaded as far as its distance allows; the current one by the player.
  mutating func applyProximity(_ context: inout ViewerContext) {
    guard let policy = clientSettings.pointee.proximity else { return }
    let current = ItemID(heldItem() ?? self.current)
    for player in 0..<players.count {
      let item = players[player].item
      if item == ItemState.nobody || item == current.index { continue }
      let place = place(item)
      guard items[place].item == item else { continue }
      if item < current.index && current.index - item > FeedConfiguration.loadedBehind {
        stopLoadingByProximity(item, &context)
        continue
      }
      let setting = setting(policy, ItemID(item))
      let duration = items[place].title.duration
      items[place].playerTarget =
        setting.forwardBuffer < duration ? setting.forwardBuffer : duration
      // Also where the target stood already and nothing could be asked for.
      continueLoading(item, &context)
    }
  }

  /// An item loses its player: what only that had asked for is not wanted any more.
  mutating func stopLoadingByProximity(_ item: UInt32, _ context: inout ViewerContext) {
    guard clientSettings.pointee.proximity != nil, item != ItemState.nobody,
      item != current
    else { return }
    let place = place(item)
    guard items[place].item == item else { return }
    items[place].playerTarget = .zero
    if !prefetch.isActive(ItemID(item)) { stopLoading(item, &context) }
  }

  private func setting(_ policy: ProximityPolicy, _ item: ItemID) -> ProximitySetting {
    let current = ItemID(heldItem() ?? self.current)
    let rung = items[place(current.index)].lastRung
    return policy.setting(
      for: policy.proximity(of: item, active: current),
      throughput: estimator.median.estimate,
      bitrate: rung.map { catalogue.pointee.ladder[$0] } ?? .zero)
  }

  /// The peak that an item's player was told, beside the cap at the start.
  func peak(_ item: UInt32, _ cap: BitRate?) -> BitRate? {
    guard let policy = clientSettings.pointee.proximity, players.index(of: item) != nil
    else { return cap }
    let peak = setting(policy, ItemID(item)).peakBitRate
    guard let peak else { return cap }
    guard let cap else { return peak }
    return peak < cap ? peak : cap
  }

  /// How far ahead of the playhead the current item is loaded: what its player was told, where that
  /// is less than what the player would load by itself.
  func activeBuffer(usual: TimeSpan) -> TimeSpan {
    guard let policy = clientSettings.pointee.proximity else { return usual }
    let own = policy.setting(for: .active).forwardBuffer
    return own < usual ? own : usual
  }

  // MARK: Pages and titles

  /// Time of the feed API for a page, and where the page comes from.
  ///
  /// - Parameter isRepeated: the page was asked for before and has been counted.
  func pageService(usual: TimeSpan, isRepeated: Bool, _ context: inout ViewerContext) -> TimeSpan {
    guard let ranker = clientSettings.pointee.ranker else { return usual }
    let page = pages.count / policy.pointee.pageSize
    let entity = UInt64(session) << 32 | UInt64(page)
    let (u, slow) = streams.uniformPair(.ranker, entity: entity)
    var time = ranker.latency.quantile(u)
    if slow < ranker.slowShare { time *= ranker.slowFactor }
    let latency = TimeSpan(seconds: time)
    let seen = ranker.isAtClient ? latency + ranker.overhead + transport.roundTrip : latency
    let fallback = RankerFallback(ranker.fallback)
    let bit = UInt64(1) << UInt64(page & 63)
    context.measures.clientSide.pages += isRepeated ? 0 : 1
    if fallback.source(latency: seen) == .ranker {
      clientState.pointee.trending &= ~bit
      return latency + ranker.overhead
    }
    clientState.pointee.trending |= bit
    context.measures.clientSide.trendingPages += isRepeated ? 0 : 1
    return ranker.fallback.deadline + ranker.overhead
  }

  /// The title of an item whose page says so: Trending is the same for everybody and in order of
  /// popularity; exploration items come from the tail. Nil for the usual choice.
  func chooseClientTitle(
    _ item: UInt32, entity: UInt64, _ context: inout ViewerContext
  ) -> TitleID? {
    let size = policy.pointee.pageSize
    let page = item / size
    let titles = catalogue.pointee.titles
    context.measures.clientSide.items += 1
    if clientState.pointee.trending >> UInt64(page & 63) & 1 == 1 {
      return TitleID(
        setting.pointee.titleStride > 1 ? setting.pointee.sampled(item % titles) : item % titles)
    }
    guard let mixer = clientSettings.pointee.exploration,
      mixer.explores(place: Int(item % size), pageSize: Int(size), page: page)
    else { return nil }
    context.measures.clientSide.explorationItems += 1
    let first = clientSettings.pointee.explorationFrom * Double(titles)
    let u = streams.uniform(.exploration, entity: entity)
    let title = UInt32(first + u * (Double(titles) - first))
    let chosen = title < titles ? title : titles - 1
    return TitleID(setting.pointee.titleStride > 1 ? setting.pointee.sampled(chosen) : chosen)
  }
}
