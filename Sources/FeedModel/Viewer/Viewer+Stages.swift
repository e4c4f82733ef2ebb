import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Stages of the chain that a prefetch may stop at.
extension Viewer {
  /// Whether an item is at the stage that is wanted of it, or none is.
  func isAtStage(_ state: UnsafeMutablePointer<ItemState>) -> Bool {
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
}
