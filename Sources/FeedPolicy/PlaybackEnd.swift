import MediaUnits

/// What happens when an item was played to its end.
///
/// A pure decider: it says how far one pass goes, what follows it, and what part of an item a view
/// has seen. Leaves out: the gap of a seek to zero (the host knows it, REEL-006).
public enum PlaybackEnd: Sendable, Equatable {
  /// Again from the beginning, as often as the viewer stays (REEL-006).
  case loop
  /// Once; the last frame stays (VF-042).
  case once
  /// The first part only, once; the last frame of it stays.
  case preview(TimeSpan)

  /// What the host does when a pass has ended.
  public enum Action: Sendable, Equatable {
    /// Seek to zero and go on.
    case replay
    /// Stay on the last frame.
    case hold
  }

  /// What a view has seen of its item.
  public struct Completion: Sendable, Equatable {
    /// Passes that reached the end.
    public var passes: Int64
    /// Part of the item that was on the screen at least once, 0...1: what telemetry calls percent
    /// complete. A loop does not raise it beyond 1, and a preview never reaches 1 unless it covers
    /// the item.
    public var share: Double
  }

  /// The media that one pass plays of an item.
  public func pass(of duration: TimeSpan) -> TimeSpan {
    switch self {
    case .loop, .once: duration
    case .preview(let length): min(max(length, .zero), duration)
    }
  }

  /// What follows a pass.
  public var action: Action {
    switch self {
    case .loop: .replay
    case .once, .preview: .hold
    }
  }

  /// The media that can be played while a viewer stays for `stay`, loops included.
  public func playable(of duration: TimeSpan, within stay: TimeSpan) -> TimeSpan {
    let longest = action == .replay && duration > .zero ? stay : pass(of: duration)
    return max(.zero, min(stay, longest))
  }

  /// What was seen when so much media was played, loops included.
  public func completion(of duration: TimeSpan, played: TimeSpan) -> Completion {
    let pass = pass(of: duration)
    if pass <= .zero || played <= .zero { return Completion(passes: 0, share: 0) }
    let seen = min(played, pass)
    let passes = played.wholeSteps(of: pass)
    return Completion(
      passes: action == .replay ? passes : min(passes, 1),
      share: Double(seen.nanoseconds) / Double(duration.nanoseconds))
  }
}
