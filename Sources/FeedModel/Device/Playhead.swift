import MediaUnits

/// Where one player's playhead is, and how long it has stood there for want of media.
///
/// Left out: playback speed, which is 1.
struct Playhead {
  enum Motion: UInt8 {
    /// Can transition to: moving.
    case held
    /// Can transition to: held, stalled.
    case moving
    /// Waits for media. Can transition to: held, moving.
    case stalled
  }

  private(set) var motion = Motion.held
  /// Media time at ``since``.
  private(set) var mark = TimeSpan.zero
  /// When the motion changed or was settled last.
  private var since = Instant.zero
  /// Time and number of the stalls, the present one up to ``since``.
  private(set) var stalled = TimeSpan.zero
  private(set) var stalls: Int32 = 0

  /// Media time at `now`; loops go on counting.
  func position(at now: Instant) -> TimeSpan {
    motion == .moving ? mark + (now - since) : mark
  }

  mutating func play(at now: Instant) {
    settle(at: now)
    motion = .moving
    since = now
  }

  /// The media are used up.
  mutating func stall(at now: Instant) {
    settle(at: now)
    motion = .stalled
    since = now
    stalls += 1
  }

  mutating func hold(at now: Instant) {
    settle(at: now)
    motion = .held
  }

  /// Back to the beginning of the item, held; what was counted stays.
  mutating func rewind() {
    motion = .held
    mark = .zero
  }

  /// Counts the time since the last change up to `now`.
  ///
  /// - Returns: what of it was played and what was stalled; one of them is zero.
  @discardableResult
  mutating func settle(at now: Instant) -> (played: TimeSpan, stalled: TimeSpan) {
    let time = now - since
    switch motion {
    case .held: return (.zero, .zero)
    case .moving:
      since = now
      mark += time
      return (time, .zero)
    case .stalled:
      since = now
      stalled += time
      return (.zero, time)
    }
  }
}
