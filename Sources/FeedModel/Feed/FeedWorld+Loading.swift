import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Requests: what to ask for next, the disk cache, the connection, the transfer.
extension FeedWorld {
  /// Asks for the next object of an item's chain, if one is wanted and none is on its way.
  ///
  /// The chain is media manifest, master playlist, media playlist and init segment of the chosen
  /// rung, segment after segment, or with DASH one MPD in place of the playlists (VF-048);
  /// one request at a time for an item, as players do, and one beside it for audio of its own.
  mutating func continueLoading(
    _ viewer: ViewerPointer, _ item: UInt32, _ context: inout Context<FeedEvent>
  ) {
    let place = place(item)
    guard viewer.pointee.items[place].item == item else { return }
    let isCurrent = item == viewer.pointee.current && viewer.pointee.view.phase != .between
    if hasClient && !mayLoad(viewer, isCurrent: isCurrent) { return }
    if catalogue.pointee.audioRate != nil { continueAudio(viewer, place, &context) }
    guard viewer.pointee.items[place].loading < 0 else { return }
    let state = viewer.pointee.items + place
    if state.pointee.segments >= state.pointee.title.segmentCount { return }
    if isCurrent {
      let ahead = videoHeld(state) - mediaPosition(viewer, at: context.now)
      if state.pointee.segments > 0 && isFull(viewer, state, ahead) {
        scheduleResume(viewer, ahead, &context)
        return
      }
    } else if state.pointee.target <= videoHeld(state) && isVideoAtStage(state) {
      return
    }
    if state.pointee.times.chainStart == StartupTimes.unset {
      viewer.pointee.items[place].times.chainStart = context.now
      requestPoster(viewer, place, &context)
    }
    requestNext(viewer, place, isPrefetch: !isCurrent, &context)
    if companion != nil { sendCompanion(viewer, &context) }
  }

  /// Comes back when the playhead has used up what is too much.
  mutating func scheduleResume(
    _ viewer: ViewerPointer, _ ahead: TimeSpan, _ context: inout Context<FeedEvent>
  ) {
    context.cancel(viewer.pointee.loadEvent)
    if viewer.pointee.view.phase != .playing { return }
    let state = viewer.pointee.items + place(viewer.pointee.current)
    let wait = ahead - loadLevels(viewer, state).least + .nanoseconds(1)
    viewer.pointee.loadEvent = context.schedule(
      .loadResumed(slot: viewer.pointee.slot), at: context.now + wait,
      for: viewer.pointee.session)
  }

  private mutating func requestNext(
    _ viewer: ViewerPointer, _ place: Int, isPrefetch: Bool, _ context: inout Context<FeedEvent>
  ) {
    let state = viewer.pointee.items + place
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
        ?? chooseRung(
          viewer, place, isPrefetch: isPrefetch, at: context.now)
      (offset, asset) = (ObjectLayout.segment(state.pointee.segments, rung: rung), .segment)
      bytes = state.pointee.title.segmentBytes(
        state.pointee.segments, rate: catalogue.pointee.ladder[rung], sources: sources,
        catalogue: catalogue)
      if state.pointee.segments == 0 {
        bytes += catalogue.pointee.initBytes
        predictStart(viewer, state, rung)
      }
    } else if state.pointee.known.contains(.master) {
      rung = chooseRung(viewer, place, isPrefetch: isPrefetch, at: context.now)
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
          state.pointee.segments, rate: catalogue.pointee.ladder[rung], sources: sources,
          catalogue: catalogue)
        if state.pointee.segments == 0 { predictStart(viewer, state, rung) }
      }
    }
    let index = takeRequest(viewer)
    viewer.pointee.items[place].loading = index
    viewer.pointee.requests[index].destination = .chain
    viewer.pointee.requests[index].rung = rung
    viewer.pointee.requests[index].segment = state.pointee.segments
    request(
      viewer, index, place: place, offset, asset, bytes: bytes, isPrefetch: isPrefetch, &context)
  }

  private mutating func chooseRung(
    _ viewer: ViewerPointer, _ place: Int, isPrefetch: Bool, at now: Instant
  ) -> RungIndex {
    let state = viewer.pointee.items + place
    if isPrefetch, let rung = policy.pointee.prefetchRung { return rung }
    var playback = PlaybackSnapshot()
    var ahead = held(state)
    if !isPrefetch {
      let position = mediaPosition(viewer, at: now)
      ahead = ahead - position
      if ahead < .zero { ahead = .zero }
      playback = PlaybackSnapshot(
        hasFirstFrame: viewer.pointee.view.hasFrame, played: position, bufferAhead: ahead,
        segmentsDownloaded: state.pointee.segments,
        estimateSpread: viewer.pointee.estimator.median.spread)
    }
    var cap = BitrateCap(policy.pointee.startupCap).cap(for: playback)
    if hasClient && isPrefetch { cap = peak(viewer, state.pointee.item, cap) }
    return policy.pointee.bitrate.rung(
      for: BitrateSnapshot(
        estimate: viewer.pointee.estimator.estimate, bufferAhead: ahead,
        current: state.pointee.lastRung, cap: cap,
        segmentDuration: state.pointee.title.step,
        remaining: achievable(viewer, state, ahead)),
      in: catalogue.pointee.ladder)
  }

  private mutating func requestPoster(
    _ viewer: ViewerPointer, _ place: Int, _ context: inout Context<FeedEvent>
  ) {
    if !policy.pointee.fetchesPosters { return }
    if viewer.pointee.items[place].known.contains(.poster) { return }
    viewer.pointee.items[place].known.insert(.poster)
    let index = takeRequest(viewer)
    viewer.pointee.requests[index].destination = .poster
    if servers == .modelled { companion = .wanted }
    request(
      viewer, index, place: place, ObjectLayout.poster, .poster,
      bytes: catalogue.pointee.posterBytes, isPrefetch: true, &context)
  }

  /// A free request; its generation distinguishes it from earlier ones at the same place.
  mutating func takeRequest(_ viewer: ViewerPointer) -> Int {
    var index = 0
    while index < viewer.pointee.requestCount && viewer.pointee.requests[index].isActive {
      index += 1
    }
    if index == viewer.pointee.requestCount { viewer.pointee.addRequest() }
    let generation = viewer.pointee.requests[index].generation &+ 1
    viewer.pointee.requests[index] = Request()
    viewer.pointee.requests[index].generation = generation
    viewer.pointee.requests[index].isActive = true
    return index
  }

  /// Gets an object from the disk cache or sends for it.
  mutating func request(
    _ viewer: ViewerPointer, _ index: Int, place: Int, _ offset: UInt32, _ asset: AssetClass,
    bytes: Int64, isPrefetch: Bool, _ context: inout Context<FeedEvent>
  ) {
    let state = viewer.pointee.items + place
    viewer.pointee.requests[index].item = state.pointee.item
    viewer.pointee.requests[index].offset = offset
    viewer.pointee.requests[index].asset = asset
    viewer.pointee.requests[index].bytes = bytes
    viewer.pointee.requests[index].isPrefetch = isPrefetch
    viewer.pointee.requests[index].sentAt = context.now
    let isManifest = offset == ObjectLayout.mediaManifest
    let object = ObjectLayout.object(
      isManifest ? state.pointee.title.id.index : state.pointee.number, offset)
    viewer.pointee.requests[index].object = object
    viewer.pointee.requests[index].number = state.pointee.number
    if state.pointee.title.missing != 0 && state.pointee.title.lacks(asset) {
      take(viewer, index, &context)
      return
    }
    if state.pointee.isRepeated, let copy = touchDisk(viewer, object) {
      let response = response(onDisk: copy)
      if isManifest && numbers.hasVersions {
        viewer.pointee.requests[index].number = copy.number
      }
      if case .fresh = CacheFreshness.disposition(of: response, at: context.now) {
        viewer.pointee.requests[index].isFromDisk = true
        if isManifest { noteManifest(viewer, index, at: context.now) }
        measures.client.count(asset, .hit, bytes: bytes)
        context.schedule(
          .diskRead(
            slot: viewer.pointee.slot, request: UInt32(index),
            generation: viewer.pointee.requests[index].generation),
          at: context.now + devices[viewer.pointee.device].diskRead,
          for: viewer.pointee.session)
        return
      }
      viewer.pointee.requests[index].isConditional = true
      measures.client.count(asset, .revalidated, bytes: bytes)
    } else {
      measures.client.count(asset, .miss, bytes: bytes)
    }
    let entity = UInt64(viewer.pointee.session) << 32 | UInt64(state.pointee.item)
    viewer.pointee.requests[index].serviceDraw =
      streams.uniform(.request, entity: entity, draw: 2 * offset)
    measures.counts.requests += 1
    dispatch(viewer, index, &context)
  }

  /// Ends a request for what the title does not have: there is nothing to wait for.
  private mutating func take(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    viewer.pointee.requests[index].isFromDisk = true
    viewer.pointee.requests[index].bytes = 0
    context.schedule(
      .diskRead(
        slot: viewer.pointee.slot, request: UInt32(index),
        generation: viewer.pointee.requests[index].generation),
      at: context.now, for: viewer.pointee.session)
  }

  // MARK: Completion

  /// The whole answer is here.
  mutating func complete(
    _ viewer: ViewerPointer, _ index: Int, _ context: inout Context<FeedEvent>
  ) {
    let request = viewer.pointee.requests[index]
    noteRequest(viewer, index, request.isError ? .failed : .completed, at: context.now)
    viewer.pointee.requests[index].isActive = false
    if !request.isFromDisk {
      settleConnection(viewer, request, at: context.now)
      sendWaiting(viewer, &context)
    }
    if request.destination == .events {
      receivePost(viewer, request, &context)
      return
    }
    if request.isError {
      recover(viewer, index, &context)
      return
    }
    switch request.destination {
    case .feed: receiveFeedPage(viewer, &context)
    case .events: break
    case .poster:
      keep(viewer, request, at: context.now)
      let place = place(request.item)
      if viewer.pointee.items[place].item == request.item {
        viewer.pointee.items[place].posterAt = context.now
      }
    case .vtt, .sprite:
      keep(viewer, request, at: context.now)
      receiveStoryboard(viewer, request, &context)
    case .chain:
      keep(viewer, request, at: context.now)
      receiveChain(viewer, request, &context)
    case .audio:
      keep(viewer, request, at: context.now)
      receiveAudio(viewer, request, &context)
    }
  }

  private mutating func settleConnection(
    _ viewer: ViewerPointer, _ request: Request, at now: Instant
  ) {
    let connection = connection(viewer, request)
    connection.pointee.outstanding -= 1
    connection.pointee.lastActive = now
    if !request.destination.isService {
      measures.counts.deliveredBytes += request.isConditional || request.isError ? 0 : request.bytes
    }
    if request.asset == .segment && !request.isConditional && !request.isError {
      if request.destination == .audio { return }
      viewer.pointee.estimator.add(
        ByteCount(request.bytes), over: now - request.firstByteAt)
    }
  }

  /// Puts an answer into the disk cache (SIG-029, SIG-030, SIG-044).
  private mutating func keep(_ viewer: ViewerPointer, _ request: Request, at now: Instant) {
    if request.isFromDisk || !keptByDevices[Int(request.asset.rawValue)] { return }
    storeOnDisk(
      viewer, request,
      DiskCopy(
        storedAt: now, age: request.age, stated: request.stated, number: request.number,
        asset: request.asset))
  }

  private mutating func receiveChain(
    _ viewer: ViewerPointer, _ request: Request, _ context: inout Context<FeedEvent>
  ) {
    let place = place(request.item)
    let now = context.now
    let bit = UInt8(1) << UInt8(request.rung.index)
    viewer.pointee.items[place].loading = -1
    if !viewer.pointee.items[place].known.contains(.data) {
      noteAnswer(viewer, request, at: now)
    }
    switch request.asset {
    case .mediaManifest:
      viewer.pointee.items[place].known.insert(.manifest)
      viewer.pointee.items[place].number = request.number
      viewer.pointee.items[place].times.manifest = now
    case .masterPlaylist:
      viewer.pointee.items[place].known.insert(.master)
      if catalogue.pointee.packaging == .dash && viewer.pointee.items[place].segments == 0 {
        viewer.pointee.items[place].times.playlists = now
      }
    case .mediaPlaylist:
      viewer.pointee.items[place].playlists |= bit
      if viewer.pointee.items[place].segments == 0 {
        viewer.pointee.items[place].times.playlists = now
      }
    case .initSegment:
      viewer.pointee.items[place].inits |= bit
      if !request.isFromDisk && !request.isConditional {
        viewer.pointee.items[place].initBytes += request.bytes
        if request.isPrefetch { viewer.pointee.items[place].initPrefetched += request.bytes }
      }
      if viewer.pointee.items[place].segments == 0 {
        viewer.pointee.items[place].times.initSegment = now
        prepareDecoder(viewer, request.item, &context)
      }
    default: receiveSegment(viewer, request, place, &context)
    }
    if request.asset != .segment { reachStage(viewer, place, &context) }
    if viewer.pointee.isActive { continueLoading(viewer, request.item, &context) }
  }

  private mutating func receiveSegment(
    _ viewer: ViewerPointer, _ request: Request, _ place: Int,
    _ context: inout Context<FeedEvent>
  ) {
    var entry = UInt32(request.bytes)
    if request.isFromDisk || request.isConditional { entry |= Viewer.fromDisk }
    if request.isPrefetch { entry |= Viewer.prefetched }
    viewer.pointee.items[place].heldSegments.set(
      request.segment, to: UInt64(request.rung.index) << 32 | UInt64(entry),
      of: viewer.pointee.items[place].segments, &blocks)
    viewer.pointee.items[place].segments = request.segment + 1
    viewer.pointee.items[place].lastRung = request.rung
    if request.segment == 0 { viewer.pointee.items[place].firstRung = request.rung }
    if request.isFromDisk && request.segment == 0 {
      viewer.pointee.items[place].times.firstByte = context.now
    }
    useMedia(viewer, place, &context)
    if !request.isFromDisk {
      tellPrefetch(
        viewer,
        .throughputChanged(
          viewer.pointee.estimator.estimate, bitrate: catalogue.pointee.ladder[request.rung]),
        &context)
    }
  }

  /// More of an item can be played: its start, its stall or its prefetch may be over.
  mutating func useMedia(
    _ viewer: ViewerPointer, _ place: Int, _ context: inout Context<FeedEvent>
  ) {
    let state = viewer.pointee.items + place
    let item = state.pointee.item
    if held(state) >= startNeed(state) { reachStart(viewer, place, &context) }
    if item == viewer.pointee.current && viewer.pointee.view.phase != .between {
      growBuffer(viewer, &context)
      reportBuffer(viewer, &context)
    } else if reachTarget(state) {
      let reached = isWhole(state) ? .max : held(state)
      tellPrefetch(viewer, .targetReached(ItemID(item), reached), &context)
    }
  }

  /// Ends what was wanted of an item and is there; whether there was any.
  private mutating func reachTarget(_ state: UnsafeMutablePointer<ItemState>) -> Bool {
    let held = held(state)
    let isFetched = state.pointee.prefetchTarget > .zero && held >= state.pointee.prefetchTarget
    let isBuffered = state.pointee.playerTarget > .zero && held >= state.pointee.playerTarget
    if isFetched { state.pointee.prefetchTarget = .zero }
    if isBuffered { state.pointee.playerTarget = .zero }
    return isFetched || isBuffered
  }

  /// The prefetch policy wants nothing of an item any more. What its player wants is loaded on, by
  /// the request that is under way.
  mutating func stopPrefetch(
    _ viewer: ViewerPointer, _ item: UInt32, _ context: inout Context<FeedEvent>
  ) {
    let place = place(item)
    guard viewer.pointee.items[place].item == item else { return }
    let state = viewer.pointee.items + place
    if state.pointee.playerTarget <= held(state) {
      stopLoading(viewer, item, &context)
      return
    }
    state.pointee.prefetchTarget = .zero
    state.pointee.stage = .nothing
  }

  /// Stops the chain of an item that nobody wants any more.
  mutating func stopLoading(
    _ viewer: ViewerPointer, _ item: UInt32, _ context: inout Context<FeedEvent>
  ) {
    let place = place(item)
    guard viewer.pointee.items[place].item == item else { return }
    viewer.pointee.items[place].prefetchTarget = .zero
    viewer.pointee.items[place].playerTarget = .zero
    viewer.pointee.items[place].stage = .nothing
    let index = viewer.pointee.items[place].loading
    if index >= 0 { cancelRequest(viewer, index, &context) }
    let audio = viewer.pointee.items[place].audio.loading
    if audio >= 0 { cancelRequest(viewer, audio, &context) }
  }

  /// An item that was being prefetched is current now: its request gets the full weight.
  mutating func promote(
    _ viewer: ViewerPointer, _ place: Int, _ context: inout Context<FeedEvent>
  ) {
    viewer.pointee.items[place].prefetchTarget = .zero
    viewer.pointee.items[place].playerTarget = .zero
    viewer.pointee.items[place].stage = .nothing
    promoteAudio(viewer, place, &context)
    let index = viewer.pointee.items[place].loading
    if index < 0 { return }
    syncLink(viewer, at: context.now)
    guard let lost = viewer.pointee.link.promote(request: index) else { return }
    let request = viewer.pointee.requests[index]
    if request.asset == .segment && request.segment == 0 {
      viewer.pointee.items[place].times.sharedBefore = TimeSpan(nanoseconds: Int64(lost))
    }
    if viewer.pointee.cell >= 0 { reenter(viewer, index, &context) }
    rescheduleLink(viewer, &context)
  }
}
