import ModelBasics

/// What the surface of a mixed feed did, summed over viewers; zero for other feeds.
public struct SurfaceMeasures: Counters {
  /// Time of the sessions, and the part of it in which a list moved, nanoseconds.
  public var sessionTime: Int64 = 0
  public var movingTime: Int64 = 0
  /// Flings, drags and pushes sideways.
  public var gestures: Int64 = 0
  /// Commands of the visibility machines.
  public var plays: Int64 = 0
  public var pauses: Int64 = 0
  public var mounts: Int64 = 0
  public var unmounts: Int64 = 0
  public var handOvers: Int64 = 0
  public var flaps: Int64 = 0
  /// Mounts while the list was faster than two viewports per second.
  public var flingMounts: Int64 = 0
  /// Most cards of one viewer that played at once.
  public var mostPlaying: Int64 = 0
  /// Messages over the bridge as configured, and what the two ways would take (VF-019).
  public var messages: Int64 = 0
  public var frameMessages: Int64 = 0
  public var crossingMessages: Int64 = 0
  /// Work of the main thread, microseconds.
  public var mainThread: Int64 = 0
  /// Cells bound to a widget, and those of them that were created for it (VF-017).
  public var binds: Int64 = 0
  public var cellCreates: Int64 = 0
  /// Plays that had to wait for a player.
  public var starvedPlays: Int64 = 0
  /// Times that viewers came to the end of the known feed (VF-006).
  public var starvations: Int64 = 0
  /// Turns that played to their end or their preview's.
  public var turns: Int64 = 0
  /// Time that cards played, and that they stalled after their start, nanoseconds: of all cards,
  /// while views have the time of their own card alone.
  public var playTime: Int64 = 0
  public var stallTime: Int64 = 0
  /// Flings that came to rest by themselves, and the time that they took, nanoseconds (SIG-035).
  public var settles: Int64 = 0
  public var settleTime: Int64 = 0

  public init() {}

  public mutating func add(_ other: SurfaceMeasures) {
    let most = max(mostPlaying, other.mostPlaying)
    addAll(other)
    mostPlaying = most
  }
}
