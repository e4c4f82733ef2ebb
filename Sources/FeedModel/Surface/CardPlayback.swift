import MediaUnits
import SimulationKernel

/// A card's turn: whether it is told to play, where its playhead is and what was seen of it.
struct CardPlayback {
  private(set) var isTold = false
  private(set) var hasRun = false
  /// Has had its turn since it came on the screen and gets no other.
  private(set) var isSpent = false
  private var playhead = Playhead()
  /// Farthest that was rendered.
  private(set) var rendered = TimeSpan.zero
  private var event = EventHandle.none

  var isRunning: Bool { playhead.motion == .moving }
  /// Media time when it was settled last.
  var mark: TimeSpan { playhead.mark }

  func position(at now: Instant) -> TimeSpan { playhead.position(at: now) }

  /// The card is told to play.
  mutating func tell() { isTold = true }

  /// The card is told to pause.
  mutating func pause(at now: Instant) {
    playhead.hold(at: now)
    isTold = false
  }

  mutating func run(at now: Instant) {
    playhead.play(at: now)
    hasRun = true
  }

  /// The media are used up.
  mutating func stall(at now: Instant) { playhead.stall(at: now) }

  /// The turn is over.
  ///
  /// - Parameter isLast: there is no other while the card is on the screen.
  mutating func endTurn(isLast: Bool) {
    rewind()
    isSpent = isLast
  }

  /// Back to the beginning; what was counted stays.
  private mutating func rewind() {
    playhead.rewind()
    hasRun = false
  }

  /// Counts the time up to `now`.
  ///
  /// - Returns: what of it was played and what was stalled.
  mutating func settle(at now: Instant) -> (played: TimeSpan, stalled: TimeSpan) {
    let spans = playhead.settle(at: now)
    if playhead.mark > rendered { rendered = playhead.mark }
    return spans
  }

  /// An event will look at the playhead.
  mutating func plan(_ event: EventHandle) { self.event = event }

  /// Forgets the event.
  ///
  /// - Returns: it, to be cancelled if it has not come.
  @discardableResult
  mutating func takeEvent() -> EventHandle {
    let planned = event
    event = .none
    return planned
  }
}
