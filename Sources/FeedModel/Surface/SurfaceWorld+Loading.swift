import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The requests of a card, one after the other: manifest, master playlist, then for the rung that
/// the rules choose its playlist, its initialisation segment and segment after segment.
extension SurfaceWorld {
  /// How far a card is to be loaded; zero when it is not.
  private func target(_ viewer: SurfacePointer, _ item: SurfaceItem, at now: Instant) -> TimeSpan {
    let head = configuration.policy.prefetch.headLength
    let position = item.playback.position(at: now)
    if item.isTold { return position + configuration.policy.forwardBuffer }
    if item.isMounted || item.hasPlayer {
      let start = configuration.policy.startThreshold
      return position + (head > start ? head : start)
    }
    return item.loading.isPrefetch ? head : .zero
  }

  private func needs(_ viewer: SurfacePointer, _ item: SurfaceItem, at now: Instant) -> Bool {
    if item.isLoading || item.isWhole { return false }
    let target = target(viewer, item, at: now)
    return target > .zero && item.held < target
  }

  /// Sends what may be sent: cards that play first, then those with a player, then prefetches while
  /// what plays has its buffer.
  mutating func pump(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    let cards = viewer.pointee.column.boundCards
    let now = context.now
    var prefetches = 0
    var isShort = false
    for index in cards {
      let item = viewer.pointee.items[index]
      let isPlayers = item.isMounted || item.hasPlayer
      if item.isLoading && !isPlayers { prefetches += 1 }
      if item.isTold && !item.isWhole
        && item.held - item.playback.position(at: now)
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
    for case .some(let standby) in viewer.pointee.players.slots {
      let index = Int(standby)
      let item = viewer.pointee.items[index]
      if !item.isMounted && needs(viewer, item, at: now) { request(viewer, index, &context) }
    }
    for index in cards where prefetches < configuration.policy.prefetch.concurrency {
      let item = viewer.pointee.items[index]
      if item.loading.isPrefetch && !item.isMounted && !item.hasPlayer
        && needs(viewer, item, at: now)
      {
        request(viewer, index, &context)
        prefetches += 1
      }
    }
  }

  private mutating func request(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let place = viewer.pointee.requests.add(nextRequest(viewer, index, at: context.now))
    viewer.pointee.items[index].loading.ask(place)
    measures.counts.requests += 1
    send(viewer, place, &context)
  }

  /// Media that can be played: what is held, and the start threshold once its bytes have passed.
  func playable(_ item: SurfaceItem) -> TimeSpan {
    if !item.times.has(.data) { return item.held }
    let need = startNeed(item)
    return item.held > need ? item.held : need
  }

  /// What is asked for next.
  private func nextRequest(
    _ viewer: SurfacePointer, _ index: Int, at now: Instant
  ) -> SurfaceRequest {
    let item = viewer.pointee.items[index]
    if let asset = item.loading.nextOfAll {
      let isManifest = asset == .mediaManifest
      return SurfaceRequest(
        .card(index), asset: asset,
        bytes: isManifest ? catalogue.pointee.manifestBytes : catalogue.pointee.masterBytes)
    }
    let rung = chooseRung(viewer, item, at: now)
    let asset = item.loading.next(of: rung)
    let bytes: Int64
    switch asset {
    case .mediaPlaylist: bytes = catalogue.pointee.mediaPlaylistBytes(of: item.title)
    case .initSegment: bytes = catalogue.pointee.initBytes
    default:
      bytes = item.title.segmentBytes(
        item.loading.rungs.count, rate: catalogue.pointee.ladder[rung],
        sources: setting.pointee.sources, catalogue: catalogue)
    }
    return SurfaceRequest(.card(index), asset: asset, rung: rung, bytes: bytes)
  }

  /// The rung of a card's next segment: the app's cap and rule, on what its players have seen of
  /// the throughput.
  private func chooseRung(
    _ viewer: SurfacePointer, _ item: SurfaceItem, at now: Instant
  ) -> RungIndex {
    let policy = configuration.policy
    if !item.isTold && !item.isMounted, let rung = policy.prefetchRung { return rung }
    let position = item.playback.position(at: now)
    var ahead = item.held - position
    if ahead < .zero { ahead = .zero }
    var playback = PlaybackSnapshot()
    if item.isTold {
      playback = PlaybackSnapshot(
        hasFirstFrame: item.playback.hasRun, played: position, bufferAhead: ahead,
        segmentsDownloaded: item.loading.rungs.count,
        estimateSpread: viewer.pointee.estimator.median.spread)
    }
    return policy.bitrate.rung(
      for: BitrateSnapshot(
        estimate: viewer.pointee.estimator.estimate, bufferAhead: ahead,
        current: item.loading.rungs.last.map { RungIndex(UInt32($0)) },
        cap: BitrateCap(policy.startupCap).cap(for: playback), segmentDuration: item.title.step,
        remaining: item.title.duration - item.held),
      in: catalogue.pointee.ladder)
  }

  // MARK: Answers

  /// The answer to a card's request is complete.
  mutating func complete(
    _ viewer: SurfacePointer, _ index: Int, _ request: SurfaceRequest,
    _ context: inout Context<SurfaceEvent>
  ) {
    viewer.pointee.items[index].loading.endRequest()
    let isFirst = viewer.pointee.items[index].loading.rungs.isEmpty
    viewer.pointee.items[index].loading.take(
      request.asset, request.rung, length: viewer.pointee.items[index].nextLength)
    switch request.asset {
    case .mediaManifest:
      viewer.pointee.items[index].times.reach(.manifest, at: context.now)
    case .masterPlaylist: break
    case .mediaPlaylist:
      if isFirst { viewer.pointee.items[index].times.reach(.playlists, at: context.now) }
    case .initSegment:
      if isFirst { viewer.pointee.items[index].times.reach(.initSegment, at: context.now) }
      viewer.pointee.items[index].bytes.deliver(request.bytes)
    default:
      viewer.pointee.estimator.add(
        ByteCount(request.bytes), over: context.now - request.firstByteAt)
      viewer.pointee.items[index].bytes.deliver(request.bytes)
      takeMedia(viewer, index, &context)
    }
  }

  private mutating func takeMedia(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    let item = viewer.pointee.items[index]
    if item.held >= startNeed(item) { reachStart(viewer, index, &context) }
    if viewer.pointee.items[index].isTold { playOn(viewer, index, &context) }
  }

  /// The media for a card's first frame is there.
  mutating func reachStart(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    if viewer.pointee.items[index].times.has(.data) { return }
    viewer.pointee.items[index].times.reach(.data, at: context.now)
    decode(viewer, index, &context)
  }

  /// Takes a card's request back; what has arrived of it was for nothing.
  mutating func cancelLoad(
    _ viewer: SurfacePointer, _ index: Int, _ context: inout Context<SurfaceEvent>
  ) {
    guard let place = viewer.pointee.items[index].loading.endRequest() else { return }
    let (request, remaining) = withdraw(viewer, place, at: context.now)
    measures.counts.cancelledRequests += 1
    let item = viewer.pointee.items[index]
    if let remaining, request.isMedia {
      let bytes = request.arrived(remaining: remaining)
      viewer.pointee.items[index].bytes.giveUp(
        bytes, isSegment: request.asset == .segment,
        rendered: renderedPart(item, request, of: bytes))
    }
    // The part of a segment that was enough for a start is gone.
    if item.held < startNeed(item) { viewer.pointee.items[index].times.undo(.data) }
    sendWaiting(viewer, &context)
  }

  /// Bytes that were rendered of what has come of the segment under way.
  private func renderedPart(
    _ item: SurfaceItem, _ request: SurfaceRequest, of bytes: Int64
  ) -> Int64 {
    let seen = item.playback.rendered - item.held
    if seen <= .zero { return 0 }
    let part = Int64(Double(request.bytes) * (seen.seconds / item.nextLength.seconds))
    return part < bytes ? part : bytes
  }

  /// A card that is told to play while it is loaded does not wait for prefetches any more.
  mutating func promote(_ viewer: SurfacePointer, _ index: Int, at now: Instant) {
    guard let place = viewer.pointee.items[index].loading.request else { return }
    syncLink(viewer, at: now)
    if viewer.pointee.transport.promote(place, at: now, cells: &cells) != nil {
      viewer.pointee.changeLink()
    }
  }
}
