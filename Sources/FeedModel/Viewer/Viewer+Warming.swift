import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// What prefetch families ask for beside media: stages of the chain, connections, a limit for the
/// current item's buffer; and what they are told.
extension Viewer {
  // MARK: Stages

  /// Brings an item to a stage below media.
  mutating func warm(_ item: UInt32, _ stage: PrefetchStage, _ context: inout ViewerContext) {
    if stage == .connection {
      warmConnection(at: context.now, &context)
      tellPrefetch(.stageReached(ItemID(item), stage), &context)
      return
    }
    let place = self.item(item, at: context.now, &context)
    items[place].stage = stage
    if isAtStage(items.at(place)) {
      reachStage(place, &context)
    } else {
      continueLoading(item, &context)
    }
  }

  /// Whether an item is at the stage that is wanted of it, or none is.
  private func isAtStage(_ state: UnsafeMutablePointer<ItemState>) -> Bool {
    isVideoAtStage(state) && (catalogue.pointee.audioRate == nil || isAudioAtStage(state))
  }

  /// Whether the video's chain has what the wanted stage needs of it: it does not go on while the
  /// audio's is not as far.
  func isVideoAtStage(_ state: UnsafeMutablePointer<ItemState>) -> Bool {
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
  func isAudioAtStage(_ state: UnsafeMutablePointer<ItemState>) -> Bool {
    switch state.pointee.stage {
    case .nothing, .connection, .media: return true
    case .playlists:
      if catalogue.pointee.packaging == .dash { return state.pointee.known.contains(.master) }
      return state.pointee.audio.hasPlaylist
    case .initSegment: return state.pointee.audio.hasInit
    }
  }

  /// Reports a stage that was wanted and is there.
  mutating func reachStage(_ place: Int, _ context: inout ViewerContext) {
    let state = items.at(place)
    let stage = state.pointee.stage
    if stage == .nothing || !isAtStage(state) { return }
    state.pointee.stage = .nothing
    note(.prefetchReached, item: state.pointee.item, at: context.now, &context)
    tellPrefetch(.stageReached(ItemID(state.pointee.item), stage), &context)
  }

  /// Opens the connection to the edge, if none is open.
  private mutating func warmConnection(at now: Instant, _ context: inout ViewerContext) {
    syncLink(at: now, &context)
    if let opening = transport.warm(at: now, sources: setting.pointee.sources) {
      note(opening, of: .edge, &context)
    }
  }

  /// Players farther ahead that got no decoder may get one now that they are nearer. The next
  /// item's player of a pool with one ahead has just been assigned and has asked already.
  mutating func retryDecoders(_ context: inout ViewerContext) {
    let ahead = policy.pointee.pool.ahead
    if ahead < 2 || view.phase == .waitingForFeed { return }
    for offset in 1...UInt32(ahead) {
      prepareDecoder(current + offset, &context)
    }
  }

  // MARK: What families read

  /// Tells the lengths of the items in reach, which the feed's pages say, where they matter.
  mutating func tellLengths(_ context: inout ViewerContext) {
    guard policy.pointee.prefetch.family.readsHazard, pages.count > 0
    else { return }
    let current = self.current
    let reach = current + UInt32(policy.pointee.prefetch.itemsAhead)
    let last = min(reach, pages.count - 1)
    if current > last { return }
    for item in current...last {
      let place = self.item(item, at: context.now, &context)
      tellPrefetch(.durationKnown(ItemID(item), items[place].title.duration), &context)
    }
  }

  /// Tells where the playhead is, and whether it stands still, where that matters.
  mutating func tellPosition(_ context: inout ViewerContext) {
    if policy.pointee.prefetch.family.readsHazard {
      tellPrefetch(.positionChanged(mediaPosition(at: context.now)), &context)
    }
    if policy.pointee.prefetch.suspendsOnStall {
      let isStalled = view.phase == .stalled
      tellPrefetch(.stallChanged(isStalled: isStalled), &context)
    }
  }

  // MARK: The player's buffer

  /// The prefetch policy sets how far ahead the current item may load.
  mutating func limitBuffer(_ limit: TimeSpan?, _ context: inout ViewerContext) {
    bufferLimit = limit
    if view.isFull { continueLoading(current, &context) }
  }

  /// Media ahead at which the current item stops loading, and at which it goes on.
  func loadLevels(_ state: UnsafeMutablePointer<ItemState>) -> (most: TimeSpan, least: TimeSpan) {
    var most = policy.pointee.forwardBuffer
    if let top = policy.pointee.player.topBuffer,
      state.pointee.lastRung == catalogue.pointee.ladder.top
    {
      most = top
    }
    if hasClient { most = activeBuffer(usual: most) }
    if let limit = bufferLimit, limit < most { most = limit }
    // Less than a start or a stall needs would end none.
    most = max(most, max(startNeed(state), resumeNeed(state)))
    let least = policy.pointee.player.minimumBuffer ?? most
    return (most, least < most ? least : most)
  }

  /// Whether the current item has loaded enough for now.
  mutating func isFull(_ state: UnsafeMutablePointer<ItemState>, _ ahead: TimeSpan) -> Bool {
    let levels = loadLevels(state)
    let isFull = ahead >= (view.isFull ? levels.least : levels.most)
    view.isFull = isFull
    return isFull
  }

  /// Media that an item can still get, the next segment included, for the rule that chooses it.
  func achievable(_ state: UnsafeMutablePointer<ItemState>, _ ahead: TimeSpan) -> TimeSpan {
    let remaining = state.pointee.title.duration - held(state)
    if bufferLimit == nil || state.pointee.item != current {
      return remaining
    }
    let room = loadLevels(state).most - ahead
    let most = (room > .zero ? room : .zero) + state.pointee.title.step
    return remaining < most ? remaining : most
  }

  // MARK: Will it keep up?

  /// Fixes what the first frame needs when its first segment is asked for. Left out: that the
  /// prediction may change until then.
  func predictStart(_ state: UnsafeMutablePointer<ItemState>, _ rung: RungIndex) {
    guard let keepUp = policy.pointee.player.keepUp else { return }
    state.pointee.startNeed = need(keepUp, estimator.estimate, rung)
  }

  /// Media ahead that ends a stall.
  func resumeNeed(_ state: UnsafeMutablePointer<ItemState>) -> TimeSpan {
    guard let keepUp = policy.pointee.player.keepUp, let rung = state.pointee.lastRung
    else { return policy.pointee.resumeThreshold }
    return need(keepUp, estimator.estimate, rung)
  }

  private func need(
    _ keepUp: PlayerModel.KeepUp, _ estimate: BitRate, _ rung: RungIndex
  ) -> TimeSpan {
    let rate = catalogue.pointee.ladder[rung].scaled(by: keepUp.plenty)
    return estimate >= rate ? keepUp.shorter : keepUp.longer
  }
}
