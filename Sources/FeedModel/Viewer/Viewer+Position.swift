import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Where the viewer is: in the feed, in the item, in the view.
extension Viewer {
  /// The playhead in viewer's time, loops included.
  func playhead(at now: Instant) -> TimeSpan {
    view.position(at: now)
  }

  /// How far into the item the playhead ever was.
  func mediaPosition(at now: Instant) -> TimeSpan {
    let head = playhead(at: now)
    let duration = items[place(current)].title.duration
    return head < duration ? head : duration
  }

  func viewEntity() -> UInt64 {
    UInt64(session) << 32 | UInt64(viewCount)
  }

  /// The item that stays on the screen while swipes are held; nil when none is.
  func heldItem() -> UInt32? {
    guard let state = client, state.pointee.heldSince != nil else { return nil }
    return pool.current?.index
  }

  /// Whether the current item ends where what is held of it ends.
  func endsAtHole() -> Bool {
    let state = clientState
    if state.pointee.failedItem == current { return true }
    return state.pointee.isOffline && clientSettings.pointee.offline?.endsAtHole == true
  }
}
