import CallSignalling
import MediaUnits

/// What a measured run of the call world has found. Times are in nanoseconds, and nothing here
/// belongs to a user or a call that could be named (ICC-051).
public struct CallsMeasures: Sendable, Equatable {
  // Wishes.
  public var wishes = 0
  /// No caller was free, or nobody was listed.
  public var withoutCaller = 0
  public var nobodyListed = 0
  /// Wishes that came to a call in which both saw each other, and those that were given up.
  public var served = 0
  public var unserved = 0
  public var requests = 0
  public var busy = 0
  public var busyTimes: [Int64] = []
  /// From a wish to the other's picture.
  public var waits: [Int64] = []

  // Calls, by ``EndReason``.
  public var rings = 0
  /// Rings that nobody could hear, and those of interpreters whose connection the server knew to be
  /// gone.
  public var unheardRings = 0
  public var ghostRings = 0
  public var doubleRings = 0
  public var accepted = 0
  public var connected = 0
  public var ringEnds = [Int](repeating: 0, count: EndReason.allCases.count)
  public var setupEnds = [Int](repeating: 0, count: EndReason.allCases.count)
  public var talkEnds = [Int](repeating: 0, count: EndReason.allCases.count)
  public var lateAccepts = 0
  public var ringTime = TimeSpan.zero
  public var unheardRingTime = TimeSpan.zero
  /// From the accept to both pictures, and to the end of calls that came to nothing.
  public var setups: [Int64] = []
  public var failedSetups: [Int64] = []
  public var localFrames: [Int64] = []

  // Presence.
  public var outages = 0
  public var falseExpiries = 0
  public var shown: [Int64] = []
  public var hidden: [Int64] = []
  /// From an interpreter's being gone to its being out of the lists.
  public var ghosts: [Int64] = []
  /// From one party's being gone to the end of its call.
  public var stuck: [Int64] = []
  /// From a new connection to the name's being taken up again.
  public var lockouts: [Int64] = []
  /// From the server's being back to a client's registration, and the most of them in a second.
  public var recoveries: [Int64] = []
  public var registrationsPeak = 0
  public var discoveries: [Int64] = []
  public var connects: [Int64] = []

  // Cost.
  public var messages = 0
  public var heartbeats = 0
  public var presenceMessages = 0
  public var radioTime = TimeSpan.zero
  public var statisticsLines = 0

  // Relays, by ``MediaPath``.
  public var paths = [Int](repeating: 0, count: MediaPath.allCases.count)
  public var relayTaken = 0
  public var relayBlocked = 0
  /// Calls on the relays, summed over time.
  public var relayTime = TimeSpan.zero

  // Quality: seconds of calls, at one end each.
  public var seconds = 0
  public var frames = 0.0
  public var illegible = 0
  public var frozen = 0
  public var warned = 0
  public var warnings = 0

  /// The time that is counted.
  public var time = TimeSpan.zero

  public init() {}
}
