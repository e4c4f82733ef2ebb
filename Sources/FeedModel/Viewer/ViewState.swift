import CacheModel
import MediaUnits

/// What the viewer is doing.
enum ViewPhase: UInt8 {
  /// The current item is not in any feed page yet. Can transition to: starting.
  case waitingForFeed
  /// The current item has no frame yet. Can transition to: playing, between.
  case starting
  /// Can transition to: stalled, scrubbing, paused, looping, between.
  case playing
  /// Can transition to: playing, between.
  case stalled
  /// Playback is paused by a long press. Can transition to: playing, stalled.
  case scrubbing
  /// Playback is paused by something else. Can transition to: playing, stalled.
  case paused
  /// The player seeks to zero for another pass. Can transition to: playing, between.
  case looping
  /// Swiping to the next item. Can transition to: starting, waitingForFeed.
  case between
}

/// The view that is under way.
struct ViewState {
  var phase = ViewPhase.waitingForFeed
  var settledAt = Instant.zero
  var playCalledAt = Instant.zero
  var isBack = false
  /// Part of a swipe burst: the view ends soon, with or without a frame.
  var isBurst = false
  /// When the pool said play, and when the main thread was free for the attachment; unset before.
  var playAt = StartupTimes.unset
  var attachAt = StartupTimes.unset
  var firstFrameAt = Instant.zero
  var hasFrame = false
  /// The frame was ready when the clock started.
  var isReady = false
  /// The start waited for something that the edge had to get elsewhere.
  var waitedForMiss = false
  /// The request of the start that waited longest for that, and the wait of all, which follow each
  /// other.
  var answer = StartAnswer()
  var upstreamWait = TimeSpan.zero
  /// Media time the viewer wants to see, loops included.
  var intended = TimeSpan.zero
  var playhead = Playhead()
  var scrubAt: TimeSpan?
  /// The last frame of a long press in viewer's time.
  var scrubEnd = Instant.zero
  /// Loading has stopped at the forward buffer.
  var isFull = false
}
