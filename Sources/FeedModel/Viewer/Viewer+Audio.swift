import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// Audio in segments of its own: a second chain beside the video's, and a start that needs both.
///
/// The audio playlist (HLS only), the init segment and the segments are asked for one after the
/// other while the video's chain goes on; both begin once the master playlist or the MPD is there.
/// Audio segments are as long as the video's, at a constant rate. Left out: audio renditions,
/// decoding audio.
extension Viewer {
  /// Asks for the next object of an item's audio, if one is wanted and none is on its way.
  mutating func continueAudio(_ place: Int, _ context: inout ViewerContext) {
    let state = items.at(place)
    guard state.pointee.audio.loading < 0, state.pointee.known.contains(.master),
      state.pointee.audio.segments < state.pointee.title.segmentCount
    else { return }
    let item = state.pointee.item
    let isCurrent = item == current && view.phase != .between
    if isCurrent {
      let ahead = audioHeld(state) - mediaPosition(at: context.now)
      if state.pointee.audio.segments > 0 && ahead >= loadLevels(state).most {
        scheduleResume(ahead, &context)
        return
      }
    } else if state.pointee.target <= audioHeld(state) && isAudioAtStage(state) {
      return
    }
    requestAudio(place, isPrefetch: !isCurrent, &context)
  }

  private mutating func requestAudio(
    _ place: Int, isPrefetch: Bool, _ context: inout ViewerContext
  ) {
    let state = items.at(place)
    guard let rate = catalogue.pointee.audioRate else { return }
    let rung = ObjectLayout.audio
    var offset = ObjectLayout.segment(state.pointee.audio.segments, rung: rung)
    var asset = AssetClass.segment
    let length = state.pointee.title.length(
      of: state.pointee.audio.segments, step: state.pointee.title.step)
    var bytes = rate.bytes(in: length).bytes
    if catalogue.pointee.packaging == .hls && !state.pointee.audio.hasPlaylist {
      offset = ObjectLayout.playlists + rung.index
      asset = .mediaPlaylist
      bytes = catalogue.pointee.mediaPlaylistBytes(of: state.pointee.title)
    } else if !state.pointee.audio.hasInit {
      offset = ObjectLayout.inits + rung.index
      asset = .initSegment
      bytes = catalogue.pointee.audioInitBytes
    }
    let index = requests.take()
    items[place].audio.loading = index
    requests[index].destination = .audio
    requests[index].rung = rung
    requests[index].segment = state.pointee.audio.segments
    request(index, place: place, offset, asset, bytes: bytes, isPrefetch: isPrefetch, &context)
  }

  /// An item that was being prefetched is current now: its audio gets the full weight, too.
  mutating func promoteAudio(_ place: Int, _ context: inout ViewerContext) {
    let index = items[place].audio.loading
    if index < 0 { return }
    _ = promote(request: index, &context)
  }
}
