import MediaUnits

/// A long press over the storyboard: pause, overlay, moves, seek on release (SIG-033, SIG-034).
///
/// The session asks for the pause and gives it back with ``Command/endPause(_:)``; whether playback
/// goes on is decided by ``PauseStack``, so a press on a paused item leaves it paused. Positions
/// are held to the item and spaced by ``ScrubThrottle``; the last one is looked up while the finger
/// rests, and is the target of the seek when it is lifted before. No command touches a decoder:
/// what is shown comes from the storyboard alone.
///
/// Events out of order are counted: a move or a release without a press, a second press, a timer
/// that is late.
public struct ScrubSession: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// How far apart sprite lookups are (SIG-032).
    public var throttle: ScrubThrottle.Configuration

    public init(throttle: ScrubThrottle.Configuration = ScrubThrottle.Configuration()) {
      self.throttle = throttle
    }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// A long press began on the item, whose playhead stands at `playhead`.
    case pressed(ItemID, playhead: TimeSpan, duration: TimeSpan)
    /// The finger stands for this position.
    case moved(TimeSpan)
    /// The finger was lifted.
    case released
    /// The gesture was taken away: the item left the screen, or the app did.
    case cancelled
    /// The timer of ``Command/setTimer(at:)`` fired.
    case timerFired
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable {
    /// Tell the pause stack that a scrub began.
    case beginPause(ItemID)
    case showOverlay(ItemID)
    /// Show the sprite of this position.
    case lookup(position: TimeSpan)
    case hideOverlay(ItemID)
    /// Move the playhead.
    case seek(ItemID, to: TimeSpan)
    /// Tell the pause stack that the scrub ended.
    case endPause(ItemID)
    /// Report ``Event/timerFired`` at this time; replaces a timer that is set.
    case setTimer(at: Instant)
    case cancelTimer
  }

  enum State: Sendable, Equatable {
    /// No finger. Can transition to: pressed.
    case idle
    /// A finger stands at `position`; it has moved when that is not nil. Can transition to: idle.
    case pressed(ItemID, duration: TimeSpan, position: TimeSpan?)
  }

  public let configuration: Configuration
  var state = State.idle
  var throttle: ScrubThrottle
  var throttled: [ScrubThrottle.Command] = []

  /// Presses that became sessions.
  public private(set) var sessions = 0
  /// Sessions that ended with a seek.
  public private(set) var seeks = 0
  /// Events that changed nothing.
  public private(set) var ignored = 0
  /// Sprite lookups commanded.
  public var lookups: Int { throttle.lookups }

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    throttle = ScrubThrottle(configuration.throttle)
  }

  /// The item under the finger; nil without one.
  public var item: ItemID? {
    if case .pressed(let item, _, _) = state { return item }
    return nil
  }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch (event, state) {
    case (.pressed(let item, let playhead, let duration), .idle):
      sessions += 1
      let length = max(duration, .zero)
      state = .pressed(item, duration: length, position: nil)
      commands.append(.beginPause(item))
      commands.append(.showOverlay(item))
      tell(.positionChanged(clamped(playhead, to: length)), at: now, into: &commands)
    case (.moved(let position), .pressed(let item, let duration, _)):
      let position = clamped(position, to: duration)
      state = .pressed(item, duration: duration, position: position)
      tell(.positionChanged(position), at: now, into: &commands)
    case (.released, .pressed(let item, _, let position)):
      end(item, seekingTo: position, at: now, into: &commands)
    case (.cancelled, .pressed(let item, _, _)):
      end(item, seekingTo: nil, at: now, into: &commands)
    case (.timerFired, .pressed): tell(.timerFired, at: now, into: &commands)
    case (.pressed, .pressed), (.moved, .idle), (.released, .idle), (.cancelled, .idle),
      (.timerFired, .idle):
      ignored += 1
    }
  }

  private func clamped(_ position: TimeSpan, to duration: TimeSpan) -> TimeSpan {
    max(.zero, min(position, duration))
  }

  private mutating func end(
    _ item: ItemID, seekingTo position: TimeSpan?, at now: Instant,
    into commands: inout [Command]
  ) {
    state = .idle
    if throttle.isWaiting { tell(.scrubCancelled, at: now, into: &commands) }
    commands.append(.hideOverlay(item))
    if let position {
      seeks += 1
      commands.append(.seek(item, to: position))
    }
    commands.append(.endPause(item))
  }

  private mutating func tell(
    _ event: ScrubThrottle.Event, at now: Instant, into commands: inout [Command]
  ) {
    throttled.removeAll(keepingCapacity: true)
    throttle.handle(event, at: now, into: &throttled)
    for command in throttled {
      switch command {
      case .lookup(let position): commands.append(.lookup(position: position))
      case .setTimer(let at): commands.append(.setTimer(at: at))
      case .cancelTimer: commands.append(.cancelTimer)
      }
    }
  }
}
