import MediaUnits

/// The playhead of the view that a viewer of the floor has, or has not begun yet.
struct FloorPlayhead {
  private enum Phase: UInt8 {
    /// Can become: starting.
    case between
    /// Can become: playing, between.
    case starting
    /// Can become: stalled, between.
    case playing
    /// Can become: playing, between.
    case stalled
  }

  private var phase = Phase.between
  /// How much of the item the viewer wants to see.
  private(set) var intended = TimeSpan.zero
  /// The view has shown a frame.
  private(set) var hasFrame = false
  /// Where it was at ``movedAt``.
  private var mark = TimeSpan.zero
  private var movedAt = Instant.zero

  var isInView: Bool { phase != .between }
  var isStarting: Bool { phase == .starting }
  var isPlaying: Bool { phase == .playing }
  var isStalled: Bool { phase == .stalled }

  /// How far it is, were the item endless.
  func position(at now: Instant) -> TimeSpan {
    phase == .playing ? mark + (now - movedAt) : mark
  }

  mutating func begin(intending length: TimeSpan) {
    phase = .starting
    intended = length
    hasFrame = false
    mark = .zero
  }

  /// The view starts, or goes on after a stall.
  ///
  /// - Returns: when the viewer has seen what he wants to see.
  mutating func play(at now: Instant) -> Instant {
    phase = .playing
    hasFrame = true
    movedAt = now
    return now + (intended - mark)
  }

  mutating func stall(at position: TimeSpan) {
    phase = .stalled
    mark = position
  }

  mutating func end() { phase = .between }
}
