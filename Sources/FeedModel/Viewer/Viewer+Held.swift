import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What is held of an item, and what that is good for.
extension Viewer {
  /// Media held from the start of an item without a gap, audio included.
  func held(_ state: UnsafeMutablePointer<ItemState>) -> TimeSpan {
    let video = videoHeld(state)
    if catalogue.pointee.audioRate == nil { return video }
    let audio = audioHeld(state)
    return audio < video ? audio : video
  }

  /// The same of the video's segments.
  func videoHeld(_ state: UnsafeMutablePointer<ItemState>) -> TimeSpan {
    if state.pointee.segments >= state.pointee.title.segmentCount {
      return state.pointee.title.duration
    }
    return state.pointee.title.step * Int64(state.pointee.segments)
  }

  /// What the first frame needs: the start threshold, or the whole item when that is shorter.
  func startNeed(_ state: UnsafeMutablePointer<ItemState>) -> TimeSpan {
    let own = state.pointee.startNeed
    let need = own > .zero ? own : policy.pointee.startThreshold
    return need < state.pointee.title.duration ? need : state.pointee.title.duration
  }

  /// Media that can be played: what is held, and the start threshold once its bytes have passed.
  func playable(_ state: UnsafeMutablePointer<ItemState>) -> TimeSpan {
    let whole = held(state)
    if state.pointee.known.contains(.data) {
      let need = startNeed(state)
      return whole > need ? whole : need
    }
    return whole
  }

  /// ``playable(_:)``, and of a player that takes parts what has come of the segment under way.
  mutating func playableNow(
    _ state: UnsafeMutablePointer<ItemState>, _ context: inout ViewerContext
  ) -> TimeSpan {
    let end = playable(state)
    if !policy.pointee.player.takesParts || catalogue.pointee.audioRate != nil { return end }
    let index = state.pointee.loading
    guard index >= 0, state.pointee.known.contains(.data) else { return end }
    let request = requests.at(index)
    guard request.pointee.asset == .segment, request.pointee.segment == state.pointee.segments,
      !request.pointee.isConditional, !request.pointee.answer.isError,
      request.pointee.way.wireBytes > 0
    else { return end }
    syncLink(at: context.now, &context)
    isLinkChanged = true
    let left = transport.left(of: index, at: context.now, cells: &context.cells)
    // A link that has carried all may be ahead of a real server's last byte.
    guard left != nil || request.pointee.isLinkDone else { return end }
    let share = 1 - (left ?? 0) / request.pointee.way.wireBytes
    if share <= 0 { return end }
    let step = state.pointee.title.step
    let length = state.pointee.title.length(of: request.pointee.segment, step: step)
    let come = step * Int64(request.pointee.segment) + TimeSpan(seconds: length.seconds * share)
    return come > end ? come : end
  }

  func audioHeld(_ state: UnsafeMutablePointer<ItemState>) -> TimeSpan {
    if state.pointee.audio.segments >= state.pointee.title.segmentCount {
      return state.pointee.title.duration
    }
    return state.pointee.title.step * Int64(state.pointee.audio.segments)
  }

  /// Whether everything of an item is held.
  func isWhole(_ state: UnsafeMutablePointer<ItemState>) -> Bool {
    let count = state.pointee.title.segmentCount
    if catalogue.pointee.audioRate != nil && state.pointee.audio.segments < count { return false }
    return state.pointee.segments >= count
  }

  /// Notes that the start's video is there; whether its audio is not.
  func isMissingAudio(_ place: Int) -> Bool {
    if catalogue.pointee.audioRate == nil { return false }
    let state = items.at(place)
    state.pointee.known.insert(.video)
    return audioHeld(state) < startNeed(state)
  }

  /// Bytes of an item's audio: a constant rate, so that they were rendered as far as the item was.
  func audioBalance(_ state: UnsafeMutablePointer<ItemState>) -> ByteBalance {
    var balance = ByteBalance()
    let audio = state.pointee.audio
    if audio.bytes == 0 { return balance }
    let held = audioHeld(state)
    let seen = state.pointee.renderedTo < held ? state.pointee.renderedTo.seconds / held.seconds : 1
    balance.delivered = audio.bytes
    balance.rendered = Int64(Double(audio.bytes) * seen)
    balance.prefetched = audio.prefetched
    // What was prefetched came first.
    balance.prefetchedWasted = max(0, audio.prefetched - balance.rendered)
    return balance
  }

  /// Part of a segment lives in a player only: an item without one has lost it.
  func dropPartial(_ item: UInt32) {
    let state = items.at(place(item))
    guard item != ItemState.nobody, state.pointee.item == item, held(state) < startNeed(state)
    else { return }
    state.pointee.known.subtract([.data, .video])
    state.pointee.times.data = StartupTimes.unset
  }

  /// A request that the current view's start needed has been answered, or the view has ended
  /// without it: notes its wait behind the edge, as far as the view saw it.
  mutating func noteAnswer(_ request: Request, at now: Instant) {
    guard !request.answer.isImmediate, request.item == current,
      view.phase == .starting
    else { return }
    let isOpen = request.waiting != .max || request.isBackingOff
    let end = isOpen ? now : request.times.edgeAt + request.times.upstreamWait
    view.noteWait(
      for: StartAnswer(
        asset: request.asset, tier: isOpen ? .none : request.answer.tier,
        reason: request.answer.reason),
      from: request.times.edgeAt, to: end)
  }
}
