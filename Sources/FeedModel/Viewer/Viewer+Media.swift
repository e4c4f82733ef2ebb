import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Media that have arrived: the chain goes on, and what waited for them may begin.
extension Viewer {
  mutating func receiveChain(_ request: Request, _ context: inout ViewerContext) {
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
    endAnswer(request, place, &context)
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
      workOff(&context)
    }
  }

  /// More of an item can be played: its start, its stall or its prefetch may be over.
  private mutating func useMedia(_ place: Int, _ context: inout ViewerContext) {
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
    workOff(&context)
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

  /// The whole answer to a request for audio is here.
  mutating func receiveAudio(_ request: Request, _ context: inout ViewerContext) {
    let place = place(request.item)
    let isNew = !request.isFromDisk && !request.isConditional
    items[place].audio.loading = -1
    switch request.asset {
    case .mediaPlaylist: items[place].audio.hasPlaylist = true
    case .initSegment:
      items[place].audio.hasInit = true
      if isNew {
        items[place].initBytes += request.bytes
        if request.isPrefetch { items[place].initPrefetched += request.bytes }
      }
    default:
      items[place].audio.segments = request.segment + 1
      if isNew {
        items[place].audio.bytes += request.bytes
        if request.isPrefetch { items[place].audio.prefetched += request.bytes }
      }
      if items[place].known.contains(.video) {
        reachStart(place, &context)
      }
      useMedia(place, &context)
    }
    endAnswer(request, place, &context)
  }

  /// What an answer was taken for has been done: the item's chain goes on.
  private mutating func endAnswer(
    _ request: Request, _ place: Int, _ context: inout ViewerContext
  ) {
    if request.asset != .segment {
      reachStage(place, &context)
      workOff(&context)
    }
    continueLoading(request.item, &context)
  }
}
