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
  /// Playback is paused by a long press. Can transition to: playing, stalled, paused, looping,
  /// between.
  case scrubbing
  /// Playback is paused by something else. Can transition to: playing, stalled.
  case paused
  /// The player seeks to zero for another pass. Can transition to: playing, between.
  case looping
  /// Swiping to the next item. Can transition to: starting, waitingForFeed.
  case between
}

/// Playback of the view that is under way: how its item starts, where the playhead is and what
/// holds it, what is seen of it and when the viewer wants to press or to go on.
///
/// It is told the time, keeps no clock and plans nothing: it says how long it takes from the
/// playhead to what comes next. What is loaded, which player shows it and what counts is not its
/// concern. A swipe to another item makes a new one.
struct Playback {
  private(set) var phase = ViewPhase.waitingForFeed
  /// When the item was the current one, and when it could be asked for: the page that names it was
  /// there.
  private(set) var settledAt: Instant
  /// When the app was there, of the first view of a session; of others long ago.
  private(set) var launchedAt = Instant.zero
  private(set) var playCalledAt: Instant
  /// The item was reached by a swipe back; after ``swipe(isBack:)`` the next one is.
  private(set) var isBack: Bool
  /// Part of a swipe burst: the view ends soon, with or without a frame.
  private(set) var isBurst: Bool
  /// When the pool said play, and when the main thread was free for the attachment; unset before.
  private(set) var playAt = StartupTimes.unset
  private(set) var attachAt = StartupTimes.unset
  private(set) var firstFrameAt = Instant.zero
  private(set) var hasFrame = false
  /// The frame was ready when the clock started.
  private(set) var isReady = false
  /// The start waited for something that the edge had to get elsewhere.
  private(set) var waitedForMiss = false
  /// The request of the start that waited longest for that, and the wait of all, which follow each
  /// other.
  private(set) var answer = StartAnswer()
  private(set) var upstreamWait = TimeSpan.zero
  /// Media time the viewer wants to see, loops included.
  private(set) var intended = TimeSpan.zero
  private(set) var playhead = Playhead()
  /// Media time at which the viewer presses; nil: never, or no more.
  private(set) var scrubAt: TimeSpan?
  /// The last frame of a long press in viewer's time.
  private(set) var scrubEnd = Instant.zero
  /// Loading has stopped at the forward buffer.
  private(set) var isFull = false

  /// A view that begins now, of an item that is not known yet.
  init(at now: Instant = .zero, isBack: Bool = false, isBurst: Bool = false) {
    settledAt = now
    playCalledAt = now
    self.isBack = isBack
    self.isBurst = isBurst
  }

  // MARK: The start

  /// The app is there, and asks for the feed, from `time` on.
  mutating func launch(until time: Instant) { launchedAt = time }

  /// No page names the current item.
  mutating func waitForFeed() { phase = .waitingForFeed }

  /// The item can be asked for from now on, and not before.
  mutating func callPlay(at now: Instant) { playCalledAt = now }

  /// The current item is known: its start is under way.
  mutating func start(at now: Instant) {
    phase = .starting
    playCalledAt = now
  }

  /// The pool says play: a frame is decoded.
  mutating func decode(at now: Instant) {
    isReady = now == settledAt
    playAt = now
    attachAt = now
  }

  /// The main thread is free to attach the player from `time` on.
  mutating func attach(at time: Instant) { attachAt = time }

  /// The first frame is on the screen.
  mutating func show(at now: Instant) {
    hasFrame = true
    firstFrameAt = now
  }

  /// The start has waited for what the edge had to get elsewhere; only what the view saw of it
  /// counts.
  ///
  /// - Parameter what: which answer; how long it took is counted here.
  mutating func noteWait(for what: StartAnswer, from begin: Instant, to end: Instant) {
    waitedForMiss = true
    let begin = max(begin, settledAt)
    let wait = end > begin ? end - begin : .zero
    upstreamWait += wait
    if answer.reason == .none || wait.nanoseconds > answer.wait {
      answer = what
      answer.wait = wait.nanoseconds
    }
  }

  // MARK: What the viewer wants

  /// - Parameters:
  ///   - time: media time that is wanted, loops included.
  ///   - scrubs: whether there is a long press, halfway.
  mutating func intend(_ time: TimeSpan, scrubs: Bool) {
    intended = time
    if scrubs { scrubAt = time / 2 }
  }

  /// More passes are wanted; the long press stays where it was.
  mutating func lengthen(to time: TimeSpan) { intended = time }

  /// Only so much can be seen; a long press that would come later comes halfway.
  mutating func limit(to time: TimeSpan) {
    intended = time
    if let at = scrubAt, at > time { scrubAt = time / 2 }
  }

  /// From the playhead to the end of what is wanted.
  var watchLeft: TimeSpan { intended - playhead.mark }

  /// From the playhead to the long press; nil where none is to come.
  var scrubLeft: TimeSpan? {
    guard let at = scrubAt, at >= playhead.mark else { return nil }
    return at - playhead.mark
  }

  /// From the playhead to the end of the present pass; nil where the view ends before or then.
  func passLeft(of duration: TimeSpan) -> TimeSpan? {
    let end = duration * (playhead.mark.wholeSteps(of: duration) + 1)
    return end >= intended ? nil : end - playhead.mark
  }

  // MARK: The playhead

  /// The playhead in viewer's time, loops included.
  func position(at now: Instant) -> TimeSpan { playhead.position(at: now) }

  /// Plays, or goes on.
  mutating func play(at now: Instant) {
    phase = .playing
    playhead.play(at: now)
  }

  /// Holds the playhead where it is; by what, what follows says.
  mutating func hold(at now: Instant) {
    playhead.settle(at: now)
    if phase == .playing {
      playhead.hold(at: now)
      phase = .scrubbing
    }
  }

  /// Nothing more can be played until more is there.
  mutating func stall(at now: Instant) {
    phase = .stalled
    playhead.stall(at: now)
  }

  /// There is enough again; ``play(at:)`` follows.
  mutating func endStall(at now: Instant) { playhead.hold(at: now) }

  /// The viewer presses, once a view.
  mutating func press(until end: Instant) {
    phase = .scrubbing
    scrubAt = nil
    scrubEnd = end
  }

  /// Something else than a long press holds the playhead.
  mutating func pause() { phase = .paused }

  /// A pass is over and another one comes.
  mutating func loop() { phase = .looping }

  /// The view is over: on to another item.
  mutating func swipe(isBack: Bool) {
    self.isBack = isBack
    phase = .between
  }

  // MARK: The buffer

  /// Whether enough is loaded: from `most` on, and until less than `least` is left.
  mutating func fills(_ ahead: TimeSpan, least: TimeSpan, most: TimeSpan) -> Bool {
    isFull = ahead >= (isFull ? least : most)
    return isFull
  }
}
