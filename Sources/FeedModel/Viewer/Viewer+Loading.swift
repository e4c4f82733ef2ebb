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

  /// Comes back when the playhead has used up what is too much.
  mutating func scheduleResume(_ ahead: TimeSpan, _ context: inout ViewerContext) {
    agenda.cancel(.load)
    if view.phase != .playing { return }
    let state = items.at(place(current))
    let wait = ahead - loadLevels(state).least + .nanoseconds(1)
    plan(.loadResumed, at: context.now + wait, context)
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
    var cap = BitrateCap(policy.pointee.startupCap).cap(for: playback)
    if hasClient && isPrefetch { cap = peak(state.pointee.item, cap) }
    return policy.pointee.bitrate.rung(
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

  /// Gets an object from the disk cache or sends for it.
  mutating func request(
    _ index: Int, place: Int, _ offset: UInt32, _ asset: AssetClass,
    bytes: Int64, isPrefetch: Bool, _ context: inout ViewerContext
  ) {
    let state = items.at(place)
    requests[index].item = state.pointee.item
    requests[index].offset = offset
    requests[index].asset = asset
    requests[index].bytes = bytes
    requests[index].isPrefetch = isPrefetch
    requests[index].sentAt = context.now
    let isManifest = offset == ObjectLayout.mediaManifest
    let object = ObjectLayout.object(
      isManifest ? state.pointee.title.id.index : state.pointee.number, offset)
    requests[index].object = object
    requests[index].number = state.pointee.number
    if state.pointee.title.missing != 0 && state.pointee.title.lacks(asset) {
      take(index, &context)
      return
    }
    if state.pointee.isRepeated, let copy = touchDisk(object) {
      let response = response(onDisk: copy)
      if isManifest && numbers.hasVersions {
        requests[index].number = copy.number
      }
      if case .fresh = CacheFreshness.disposition(of: response, at: context.now) {
        requests[index].isFromDisk = true
        if isManifest { noteManifest(index, at: context.now, &context) }
        context.measures.client.count(asset, .hit, bytes: bytes)
        plan(
          .diskRead(
            request: UInt32(index),
            generation: requests[index].generation), at: context.now + devices[device].diskRead,
          context)
        return
      }
      requests[index].isConditional = true
      context.measures.client.count(asset, .revalidated, bytes: bytes)
    } else {
      context.measures.client.count(asset, .miss, bytes: bytes)
    }
    let entity = UInt64(session) << 32 | UInt64(state.pointee.item)
    requests[index].serviceDraw =
      streams.uniform(.request, entity: entity, draw: 2 * offset)
    context.measures.counts.requests += 1
    dispatch(index, &context)
  }

  /// Ends a request for what the title does not have: there is nothing to wait for.
  private mutating func take(_ index: Int, _ context: inout ViewerContext) {
    requests[index].isFromDisk = true
    requests[index].bytes = 0
    plan(
      .diskRead(
        request: UInt32(index),
        generation: requests[index].generation), at: context.now, context)
  }

  // MARK: Completion

  /// The whole answer is here.
  mutating func complete(_ index: Int, _ context: inout ViewerContext) {
    let request = requests[index]
    noteRequest(index, request.isError ? .failed : .completed, at: context.now, &context)
    requests[index].isActive = false
    if !request.isFromDisk {
      settleConnection(request, at: context.now, &context)
      sendWaiting(&context)
    }
    if request.destination == .events {
      receivePost(request, &context)
      return
    }
    if request.isError {
      recover(index, &context)
      return
    }
    switch request.destination {
    case .feed: receiveFeedPage(&context)
    case .events: break
    case .poster:
      keep(request, at: context.now, &context)
      let place = place(request.item)
      if items[place].item == request.item {
        items[place].posterAt = context.now
      }
    case .vtt, .sprite:
      keep(request, at: context.now, &context)
      receiveStoryboard(request, &context)
    case .chain:
      keep(request, at: context.now, &context)
      receiveChain(request, &context)
    case .audio:
      keep(request, at: context.now, &context)
      receiveAudio(request, &context)
    }
  }

  private mutating func settleConnection(
    _ request: Request, at now: Instant, _ context: inout ViewerContext
  ) {
    transport.settle(request.server, request.connection, at: now)
    if !request.destination.isService {
      context.deliver(request.isConditional || request.isError ? 0 : request.bytes)
    }
    if request.asset == .segment && !request.isConditional && !request.isError {
      if request.destination == .audio { return }
      estimator.add(
        ByteCount(request.bytes), over: now - request.firstByteAt)
    }
  }

  /// Puts an answer into the disk cache (SIG-029, SIG-030, SIG-044).
  private mutating func keep(_ request: Request, at now: Instant, _ context: inout ViewerContext) {
    if request.isFromDisk || !setting.pointee.keptByDevices[Int(request.asset.rawValue)] { return }
    storeOnDisk(
      request,
      DiskCopy(
        storedAt: now, age: request.age, stated: request.stated, number: request.number,
        asset: request.asset), &context)
  }

  private mutating func receiveChain(_ request: Request, _ context: inout ViewerContext) {
    let place = place(request.item)
    let now = context.now
    let bit = UInt8(1) << UInt8(request.rung.index)
    items[place].loading = -1
    if !items[place].known.contains(.data) {
      noteAnswer(request, at: now)
    }
    switch request.asset {
    case .mediaManifest:
      items[place].known.insert(.manifest)
      items[place].number = request.number
      items[place].times.manifest = now
    case .masterPlaylist:
      items[place].known.insert(.master)
      if catalogue.pointee.packaging == .dash && items[place].segments == 0 {
        items[place].times.playlists = now
      }
    case .mediaPlaylist:
      items[place].playlists |= bit
      if items[place].segments == 0 {
        items[place].times.playlists = now
      }
    case .initSegment:
      items[place].inits |= bit
      if !request.isFromDisk && !request.isConditional {
        items[place].initBytes += request.bytes
        if request.isPrefetch { items[place].initPrefetched += request.bytes }
      }
      if items[place].segments == 0 {
        items[place].times.initSegment = now
        prepareDecoder(request.item, &context)
      }
    default: receiveSegment(request, place, &context)
    }
    if request.asset != .segment { reachStage(place, &context) }
    if isActive { continueLoading(request.item, &context) }
  }

  private mutating func receiveSegment(
    _ request: Request, _ place: Int,
    _ context: inout ViewerContext
  ) {
    var entry = UInt32(request.bytes)
    if request.isFromDisk || request.isConditional { entry |= Viewer.fromDisk }
    if request.isPrefetch { entry |= Viewer.prefetched }
    items[place].heldSegments.set(
      request.segment, to: UInt64(request.rung.index) << 32 | UInt64(entry),
      of: items[place].segments, &context.blocks)
    items[place].segments = request.segment + 1
    items[place].lastRung = request.rung
    if request.segment == 0 { items[place].firstRung = request.rung }
    if request.isFromDisk && request.segment == 0 {
      items[place].times.firstByte = context.now
    }
    useMedia(place, &context)
    if !request.isFromDisk {
      tellPrefetch(
        .throughputChanged(
          estimator.estimate, bitrate: catalogue.pointee.ladder[request.rung]),
        &context)
    }
  }

  /// More of an item can be played: its start, its stall or its prefetch may be over.
  mutating func useMedia(_ place: Int, _ context: inout ViewerContext) {
    let state = items.at(place)
    let item = state.pointee.item
    if held(state) >= startNeed(state) { reachStart(place, &context) }
    if item == current && view.phase != .between {
      growBuffer(&context)
      reportBuffer(&context)
    } else if reachTarget(state) {
      let reached = isWhole(state) ? .max : held(state)
      tellPrefetch(.targetReached(ItemID(item), reached), &context)
    }
  }

  /// Ends what was wanted of an item and is there; whether there was any.
  private func reachTarget(_ state: UnsafeMutablePointer<ItemState>) -> Bool {
    let held = held(state)
    let isFetched = state.pointee.prefetchTarget > .zero && held >= state.pointee.prefetchTarget
    let isBuffered = state.pointee.playerTarget > .zero && held >= state.pointee.playerTarget
    if isFetched { state.pointee.prefetchTarget = .zero }
    if isBuffered { state.pointee.playerTarget = .zero }
    return isFetched || isBuffered
  }

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
}
