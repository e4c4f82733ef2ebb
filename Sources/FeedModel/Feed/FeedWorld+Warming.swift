import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// What prefetch families ask for beside media: stages of the chain, connections, a limit for the
/// current item's buffer; and what they are told.
extension FeedWorld {
  // MARK: Stages

  /// Brings an item to a stage below media.
  mutating func warm(
    _ viewer: ViewerPointer, _ item: UInt32, _ stage: PrefetchStage,
    _ context: inout Context<FeedEvent>
  ) {
    if stage == .connection {
      warmConnection(viewer, at: context.now)
      tellPrefetch(viewer, .stageReached(ItemID(item), stage), &context)
      return
    }
    let place = self.item(viewer, item, at: context.now)
    viewer.pointee.items[place].stage = stage
    if isAtStage(viewer.pointee.items + place) {
      reachStage(viewer, place, &context)
    } else {
      continueLoading(viewer, item, &context)
    }
  }

  /// Whether an item is at the stage that is wanted of it, or none is.
  private mutating func isAtStage(_ state: UnsafeMutablePointer<ItemState>) -> Bool {
    isVideoAtStage(state) && (catalogue.pointee.audioRate == nil || isAudioAtStage(state))
  }

  /// Whether the video's chain has what the wanted stage needs of it: it does not go on while the
  /// audio's is not as far.
  mutating func isVideoAtStage(_ state: UnsafeMutablePointer<ItemState>) -> Bool {
    if catalogue.pointee.packaging == .progressive { return true }
    switch state.pointee.stage {
    case .nothing, .connection, .media: return true
    case .playlists:
      if catalogue.pointee.packaging == .dash { return state.pointee.known.contains(.master) }
      return state.pointee.playlists != 0
    case .initSegment: return state.pointee.inits != 0
    }
  }

  /// The same of the audio's chain.
  mutating func isAudioAtStage(_ state: UnsafeMutablePointer<ItemState>) -> Bool {
    switch state.pointee.stage {
    case .nothing, .connection, .media: return true
    case .playlists:
      if catalogue.pointee.packaging == .dash { return state.pointee.known.contains(.master) }
      return state.pointee.audio.hasPlaylist
    case .initSegment: return state.pointee.audio.hasInit
    }
  }

  /// Reports a stage that was wanted and is there.
  mutating func reachStage(
    _ viewer: ViewerPointer, _ place: Int, _ context: inout Context<FeedEvent>
  ) {
    let state = viewer.pointee.items + place
    let stage = state.pointee.stage
    if stage == .nothing || !isAtStage(state) { return }
    state.pointee.stage = .nothing
    note(viewer, .prefetchReached, item: state.pointee.item, at: context.now)
    tellPrefetch(viewer, .stageReached(ItemID(state.pointee.item), stage), &context)
  }

  /// Opens the connection to the edge, if none is open.
  private mutating func warmConnection(_ viewer: ViewerPointer, at now: Instant) {
    syncLink(viewer, at: now)
    let host = viewer.pointee.hosts.edge
    let choice = host.choose(
      limit: transport.pointee.connectionsPerHost, isShared: transport.pointee.http != .http1)
    if choice < 0 { return }
    let connection = host.connections + choice
    if connection.pointee.isOpen && connection.pointee.outstanding == 0
      && now - connection.pointee.lastActive > transport.pointee.idleClose
    {
      connection.pointee.isOpen = false
    }
    if connection.pointee.isOpen { return }
    guard let begin = linkReady(viewer, isOpen: false, at: now) else { return }
    open(viewer, connection, isFeed: false, at: begin)
  }

  /// Players farther ahead that got no decoder may get one now that they are nearer. The next
  /// item's player of a pool with one ahead has just been assigned and has asked already.
  mutating func retryDecoders(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let ahead = policy.pointee.pool.ahead
    if ahead < 2 || viewer.pointee.view.phase == .waitingForFeed { return }
    for offset in 1...UInt32(ahead) {
      prepareDecoder(viewer, viewer.pointee.current + offset, &context)
    }
  }

  // MARK: What families read

  /// Tells the lengths of the items in reach, which the feed's pages say, where they matter.
  mutating func tellLengths(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    guard policy.pointee.prefetch.family.readsHazard, viewer.pointee.feedCount > 0
    else { return }
    let current = viewer.pointee.current
    let reach = current + UInt32(policy.pointee.prefetch.itemsAhead)
    let last = min(reach, viewer.pointee.feedCount - 1)
    if current > last { return }
    for item in current...last {
      let place = self.item(viewer, item, at: context.now)
      tellPrefetch(
        viewer, .durationKnown(ItemID(item), viewer.pointee.items[place].title.duration), &context)
    }
  }

  /// Tells where the playhead is, and whether it stands still, where that matters.
  mutating func tellPosition(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    if policy.pointee.prefetch.family.readsHazard {
      tellPrefetch(viewer, .positionChanged(mediaPosition(viewer, at: context.now)), &context)
    }
    if policy.pointee.prefetch.suspendsOnStall {
      let isStalled = viewer.pointee.view.phase == .stalled
      tellPrefetch(viewer, .stallChanged(isStalled: isStalled), &context)
    }
  }

  // MARK: The player's buffer

  /// The prefetch policy sets how far ahead the current item may load.
  mutating func limitBuffer(
    _ viewer: ViewerPointer, _ limit: TimeSpan?, _ context: inout Context<FeedEvent>
  ) {
    viewer.pointee.bufferLimit = limit
    if viewer.pointee.view.isFull { continueLoading(viewer, viewer.pointee.current, &context) }
  }

  /// Media ahead at which the current item stops loading, and at which it goes on.
  mutating func loadLevels(
    _ viewer: ViewerPointer, _ state: UnsafeMutablePointer<ItemState>
  ) -> (most: TimeSpan, least: TimeSpan) {
    var most = policy.pointee.forwardBuffer
    if let top = policy.pointee.player.topBuffer,
      state.pointee.lastRung == catalogue.pointee.ladder.top
    {
      most = top
    }
    if hasClient { most = activeBuffer(usual: most) }
    if let limit = viewer.pointee.bufferLimit, limit < most { most = limit }
    // Less than a start or a stall needs would end none.
    most = max(most, max(startNeed(state), resumeNeed(viewer, state)))
    let least = policy.pointee.player.minimumBuffer ?? most
    return (most, least < most ? least : most)
  }

  /// Whether the current item has loaded enough for now.
  mutating func isFull(
    _ viewer: ViewerPointer, _ state: UnsafeMutablePointer<ItemState>, _ ahead: TimeSpan
  ) -> Bool {
    let levels = loadLevels(viewer, state)
    let isFull = ahead >= (viewer.pointee.view.isFull ? levels.least : levels.most)
    viewer.pointee.view.isFull = isFull
    return isFull
  }

  /// Media that an item can still get, the next segment included, for the rule that chooses it.
  mutating func achievable(
    _ viewer: ViewerPointer, _ state: UnsafeMutablePointer<ItemState>, _ ahead: TimeSpan
  ) -> TimeSpan {
    let remaining = state.pointee.title.duration - held(state)
    if viewer.pointee.bufferLimit == nil || state.pointee.item != viewer.pointee.current {
      return remaining
    }
    let room = loadLevels(viewer, state).most - ahead
    let most = (room > .zero ? room : .zero) + state.pointee.title.step
    return remaining < most ? remaining : most
  }

  // MARK: Will it keep up?

  /// Fixes what the first frame needs when its first segment is asked for. Left out: that the
  /// prediction may change until then.
  mutating func predictStart(
    _ viewer: ViewerPointer, _ state: UnsafeMutablePointer<ItemState>, _ rung: RungIndex
  ) {
    guard let keepUp = policy.pointee.player.keepUp else { return }
    state.pointee.startNeed = need(keepUp, viewer.pointee.estimator.estimate, rung)
  }

  /// Media ahead that ends a stall.
  mutating func resumeNeed(
    _ viewer: ViewerPointer, _ state: UnsafeMutablePointer<ItemState>
  ) -> TimeSpan {
    guard let keepUp = policy.pointee.player.keepUp, let rung = state.pointee.lastRung
    else { return policy.pointee.resumeThreshold }
    return need(keepUp, viewer.pointee.estimator.estimate, rung)
  }

  private mutating func need(
    _ keepUp: PlayerModel.KeepUp, _ estimate: BitRate, _ rung: RungIndex
  ) -> TimeSpan {
    let rate = catalogue.pointee.ladder[rung].scaled(by: keepUp.plenty)
    return estimate >= rate ? keepUp.shorter : keepUp.longer
  }
}
