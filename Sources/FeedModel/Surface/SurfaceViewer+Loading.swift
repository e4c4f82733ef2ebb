import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The requests of a card, one after the other: manifest, master playlist, then for the rung that
/// the rules choose its playlist, its initialisation segment and segment after segment.
extension SurfaceViewer {
  /// How far a card is to be loaded; zero when it is not.
  private func target(_ index: Int, at now: Instant) -> TimeSpan {
    let head = policy.pointee.prefetch.headLength
    if items[index].isTold {
      return items[index].playback.position(at: now) + policy.pointee.forwardBuffer
    }
    if items[index].isMounted || items[index].hasPlayer {
      let start = policy.pointee.startThreshold
      return items[index].playback.position(at: now) + (head > start ? head : start)
    }
    return items[index].loading.isPrefetch ? head : .zero
  }

  private func needs(_ index: Int, at now: Instant) -> Bool {
    if items[index].isLoading || items[index].isWhole { return false }
    let target = target(index, at: now)
    return target > .zero && items[index].held < target
  }

  /// Sends what may be sent: cards that play first, then those with a player, then prefetches while
  /// what plays has its buffer.
  mutating func pump(_ context: inout SurfaceContext) {
    let cards = column.boundCards
    var prefetches = prefetches(of: cards)
    let isShort = isShort(cards, at: context.now)
    for isPlaying in [true, false] {
      for index in cards where items[index].isMounted && items[index].isTold == isPlaying {
        if needs(index, at: context.now) { request(index, &context) }
      }
    }
    if isShort { return }
    // Cards that players stand by for.
    for case .some(let standby) in players.slots {
      let index = Int(standby)
      if !items[index].isMounted && needs(index, at: context.now) { request(index, &context) }
    }
    for index in cards where prefetches < policy.pointee.prefetch.concurrency {
      if items[index].loading.isPrefetch && !items[index].isMounted && !items[index].hasPlayer
        && needs(index, at: context.now)
      {
        request(index, &context)
        prefetches += 1
      }
    }
  }

  /// How many of the cards are loaded that no player waits for.
  private func prefetches(of cards: Range<Int>) -> Int {
    var count = 0
    for index in cards
    where items[index].isLoading && !items[index].isMounted && !items[index].hasPlayer {
      count += 1
    }
    return count
  }

  /// Whether one of the cards plays and has less than its buffer.
  private func isShort(_ cards: Range<Int>, at now: Instant) -> Bool {
    for index in cards where items[index].isTold && !items[index].isWhole {
      let ahead = items[index].held - items[index].playback.position(at: now)
      if ahead < policy.pointee.prefetch.pauseBelowBuffer { return true }
    }
    return false
  }

  private mutating func request(_ index: Int, _ context: inout SurfaceContext) {
    let place = requests.add(nextRequest(index, at: context.now))
    items[index].loading.ask(place)
    context.measures.counts.requests += 1
    send(place, &context)
  }

  /// Media that can be played: what is held, and the start threshold once its bytes have passed.
  func playable(_ index: Int) -> TimeSpan {
    let held = items[index].held
    if !items[index].times.has(.data) { return held }
    let need = startNeed(index)
    return held > need ? held : need
  }

  /// What is asked for next.
  private func nextRequest(_ index: Int, at now: Instant) -> SurfaceRequest {
    if let asset = items[index].loading.nextOfAll {
      let isManifest = asset == .mediaManifest
      return SurfaceRequest(
        .card(index), asset: asset,
        bytes: isManifest ? catalogue.pointee.manifestBytes : catalogue.pointee.masterBytes)
    }
    let rung = chooseRung(index, at: now)
    let asset = items[index].loading.next(of: rung)
    let bytes: Int64
    switch asset {
    case .mediaPlaylist: bytes = catalogue.pointee.mediaPlaylistBytes(of: items[index].title)
    case .initSegment: bytes = catalogue.pointee.initBytes
    default:
      bytes = items[index].title.segmentBytes(
        items[index].loading.rungs.count, rate: catalogue.pointee.ladder[rung],
        sources: setting.pointee.sources, catalogue: catalogue)
    }
    return SurfaceRequest(.card(index), asset: asset, rung: rung, bytes: bytes)
  }

  /// The rung of a card's next segment: the app's cap and rule, on what its players have seen of
  /// the throughput.
  private func chooseRung(_ index: Int, at now: Instant) -> RungIndex {
    let item = items[index]
    if !item.isTold && !item.isMounted, let rung = policy.pointee.prefetchRung { return rung }
    let position = item.playback.position(at: now)
    var ahead = item.held - position
    if ahead < .zero { ahead = .zero }
    var playback = PlaybackSnapshot()
    if item.isTold {
      playback = PlaybackSnapshot(
        hasFirstFrame: item.playback.hasRun, played: position, bufferAhead: ahead,
        segmentsDownloaded: item.loading.rungs.count, estimateSpread: estimator.median.spread)
    }
    return policy.pointee.rung(
      for: BitrateSnapshot(
        estimate: estimator.estimate, bufferAhead: ahead,
        current: item.loading.rungs.last.map { RungIndex(UInt32($0)) },
        cap: policy.pointee.cap(for: playback),
        segmentDuration: item.title.step, remaining: item.title.duration - item.held),
      in: catalogue.pointee.ladder)
  }

  // MARK: Not needed any more, or sooner

  /// Takes a card's request back; what has arrived of it was for nothing.
  mutating func cancelLoad(_ index: Int, _ context: inout SurfaceContext) {
    guard let place = items[index].loading.endRequest() else { return }
    let (request, remaining) = withdraw(place, &context)
    context.measures.counts.cancelledRequests += 1
    if let remaining, request.isMedia {
      let bytes = request.arrived(remaining: remaining)
      let rendered = renderedPart(index, request, of: bytes)
      items[index].bytes.giveUp(bytes, isSegment: request.asset == .segment, rendered: rendered)
    }
    // The part of a segment that was enough for a start is gone.
    if items[index].held < startNeed(index) { items[index].times.undo(.data) }
    sendWaiting(&context)
  }

  /// Bytes that were rendered of what has come of the segment under way.
  private func renderedPart(_ index: Int, _ request: SurfaceRequest, of bytes: Int64) -> Int64 {
    ShownItem.bytes(
      of: request.bytes, arrived: bytes, seen: items[index].playback.rendered - items[index].held,
      length: items[index].nextLength)
  }

  /// A card that is told to play while it is loaded does not wait for prefetches any more.
  mutating func promote(_ index: Int, _ context: inout SurfaceContext) {
    guard let place = items[index].loading.request else { return }
    promote(request: place, &context)
  }
}
