import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Requests: what to ask for next, the disk cache, the connection, the transfer.
extension Viewer {
  /// Asks for the next object of an item's chain, if one is wanted and none is on its way.
  ///
  /// The chain is media manifest, master playlist, media playlist and init segment of the chosen
  /// rung, segment after segment, or with DASH one MPD in place of the playlists (VF-048);
  /// one request at a time for an item, as players do, and one beside it for audio of its own.
  mutating func continueLoading(_ item: UInt32, _ context: inout ViewerContext) {
    let place = place(item)
    guard items[place].item == item else { return }
    let isCurrent = item == current && view.phase != .between
    if hasClient && !mayLoad(isCurrent: isCurrent) { return }
    if catalogue.pointee.audioRate != nil { continueAudio(place, &context) }
    guard items[place].loading < 0 else { return }
    let state = items.at(place)
    if state.pointee.segments >= state.pointee.title.segmentCount { return }
    if isCurrent {
      let ahead = videoHeld(state) - mediaPosition(at: context.now)
      if state.pointee.segments > 0 && isFull(state, ahead) {
        scheduleResume(ahead, &context)
        return
      }
    } else if state.pointee.target <= videoHeld(state) && isVideoAtStage(state) {
      return
    }
    if state.pointee.times.chainStart == StartupTimes.unset {
      items[place].times.chainStart = context.now
      requestPoster(place, &context)
    }
    requestNext(place, isPrefetch: !isCurrent, &context)
    if companion != nil { sendCompanion(&context) }
  }

  private mutating func requestNext(
    _ place: Int, isPrefetch: Bool, _ context: inout ViewerContext
  ) {
    let state = items.at(place)
    var offset = ObjectLayout.mediaManifest
    var asset = AssetClass.mediaManifest
    var bytes = catalogue.pointee.manifestBytes
    var rung = RungIndex(0)
    if state.pointee.known.contains(.manifest) && !state.pointee.known.contains(.master) {
      offset = ObjectLayout.master
      asset = .masterPlaylist
      bytes =
        catalogue.pointee.packaging == .dash
        ? catalogue.pointee.descriptionBytes : catalogue.pointee.masterBytes
    } else if catalogue.pointee.packaging == .progressive {
      rung =
        state.pointee.lastRung
        ?? chooseRung(place, isPrefetch: isPrefetch, at: context.now)
      (offset, asset) = (ObjectLayout.segment(state.pointee.segments, rung: rung), .segment)
      bytes = state.pointee.title.segmentBytes(
        state.pointee.segments, rate: catalogue.pointee.ladder[rung],
        sources: setting.pointee.sources,
        catalogue: catalogue)
      if state.pointee.segments == 0 {
        bytes += catalogue.pointee.initBytes
        predictStart(state, rung)
      }
    } else if state.pointee.known.contains(.master) {
      rung = chooseRung(place, isPrefetch: isPrefetch, at: context.now)
      let bit = UInt8(1) << UInt8(rung.index)
      if state.pointee.playlists & bit == 0 && catalogue.pointee.packaging == .hls {
        offset = ObjectLayout.playlists + rung.index
        asset = .mediaPlaylist
        bytes = catalogue.pointee.mediaPlaylistBytes(of: state.pointee.title)
      } else if state.pointee.inits & bit == 0 {
        offset = ObjectLayout.inits + rung.index
        asset = .initSegment
        bytes = catalogue.pointee.initBytes
      } else {
        offset = ObjectLayout.segment(state.pointee.segments, rung: rung)
        asset = .segment
        bytes = state.pointee.title.segmentBytes(
          state.pointee.segments, rate: catalogue.pointee.ladder[rung],
          sources: setting.pointee.sources,
          catalogue: catalogue)
        if state.pointee.segments == 0 { predictStart(state, rung) }
      }
    }
    let index = requests.take()
    items[place].loading = index
    requests[index].destination = .chain
    requests[index].rung = rung
    requests[index].segment = state.pointee.segments
    request(index, place: place, offset, asset, bytes: bytes, isPrefetch: isPrefetch, &context)
  }

  private func chooseRung(_ place: Int, isPrefetch: Bool, at now: Instant) -> RungIndex {
    let state = items.at(place)
    if isPrefetch, let rung = policy.pointee.prefetchRung { return rung }
    var playback = PlaybackSnapshot()
    var ahead = held(state)
    if !isPrefetch {
      let position = mediaPosition(at: now)
      ahead = ahead - position
      if ahead < .zero { ahead = .zero }
      playback = PlaybackSnapshot(
        hasFirstFrame: view.hasFrame, played: position, bufferAhead: ahead,
        segmentsDownloaded: state.pointee.segments,
        estimateSpread: estimator.median.spread)
    }
    var cap = policy.pointee.cap(for: playback)
    if hasClient && isPrefetch { cap = peak(state.pointee.item, cap) }
    return policy.pointee.rung(
      for: BitrateSnapshot(
        estimate: estimator.estimate, bufferAhead: ahead,
        current: state.pointee.lastRung, cap: cap,
        segmentDuration: state.pointee.title.step,
        remaining: achievable(state, ahead)),
      in: catalogue.pointee.ladder)
  }

  private mutating func requestPoster(_ place: Int, _ context: inout ViewerContext) {
    if !policy.pointee.fetchesPosters { return }
    if items[place].known.contains(.poster) { return }
    items[place].known.insert(.poster)
    let index = requests.take()
    requests[index].destination = .poster
    if servers == .modelled { companion = .wanted }
    request(
      index, place: place, ObjectLayout.poster, .poster,
      bytes: catalogue.pointee.posterBytes, isPrefetch: true, &context)
  }

  // MARK: Not wanted any more

  /// The prefetch policy wants nothing of an item any more. What its player wants is loaded on, by
  /// the request that is under way.
  mutating func stopPrefetch(_ item: UInt32, _ context: inout ViewerContext) {
    let place = place(item)
    guard items[place].item == item else { return }
    let state = items.at(place)
    if state.pointee.playerTarget <= held(state) {
      stopLoading(item, &context)
      return
    }
    state.pointee.prefetchTarget = .zero
    state.pointee.stage = .nothing
  }

  /// Stops the chain of an item that nobody wants any more.
  mutating func stopLoading(_ item: UInt32, _ context: inout ViewerContext) {
    let place = place(item)
    guard items[place].item == item else { return }
    items[place].prefetchTarget = .zero
    items[place].playerTarget = .zero
    items[place].stage = .nothing
    let index = items[place].loading
    if index >= 0 { cancelRequest(index, &context) }
    let audio = items[place].audio.loading
    if audio >= 0 { cancelRequest(audio, &context) }
  }

  /// An item that was being prefetched is current now: its request gets the full weight.
  mutating func promote(_ place: Int, _ context: inout ViewerContext) {
    items[place].prefetchTarget = .zero
    items[place].playerTarget = .zero
    items[place].stage = .nothing
    promoteAudio(place, &context)
    let index = items[place].loading
    if index < 0 { return }
    guard let lost = promote(request: index, &context) else { return }
    let request = requests[index]
    if request.asset == .segment && request.segment == 0 {
      items[place].times.sharedBefore = TimeSpan(nanoseconds: Int64(lost))
    }
  }

  /// Whether an item may be asked for now.
  private func mayLoad(isCurrent: Bool) -> Bool {
    let state = clientState
    if state.pointee.holdsLoading { return false }
    if isCurrent && state.pointee.failedItem == current { return false }
    if isCurrent || !state.pointee.isOffline { return true }
    return clientSettings.pointee.offline?.suspendsPrefetch != true
  }
}
