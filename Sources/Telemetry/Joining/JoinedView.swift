/// What all lines together say of a view. Times are seconds.
public struct JoinedView: Sendable {
  public internal(set) var title: UInt64
  public internal(set) var start: Observation.Start
  public internal(set) var playback: Observation.Playback
  public internal(set) var words: Observation.Words
  /// Where the time before the first frame went (``Observation/startParts``).
  public internal(set) var startParts: SIMD8<Float>
  /// Sent for it, as far as lines say.
  public internal(set) var bytes = Double.nan
  /// When it began, as far as its lines say; infinity where they do not.
  public internal(set) var begin = Double.infinity
  /// Whose; 0 where nobody says.
  let key: UInt64
  /// The view of the session in front of it; -1 for none.
  var previous: Int32
  /// How many lines spoke of it.
  private(set) var lines: UInt32 = 1

  init(_ observation: Observation, key: UInt64, previous: Int32) {
    title = observation.who.title
    start = observation.start
    playback = observation.playback
    words = observation.words
    startParts = observation.startParts
    bytes = observation.request.bytes
    self.key = key
    self.previous = previous
    note(observation)
  }

  /// Adds what one more line says; where both say something the later one holds, but stalls add up.
  /// - Parameters:
  ///   - isPart: whether what was played adds up, too.
  /// - Returns: whether both said how the view began.
  mutating func add(_ other: Observation, isPart: Bool) -> Bool {
    lines &+= 1
    if other.who.title != 0 { title = other.who.title }
    let isAgain = !start.ttff.isNaN && !other.start.ttff.isNaN
    if !other.start.ttff.isNaN { start.ttff = other.start.ttff }
    if other.start.clock != .unknown { start.clock = other.start.clock }
    start.isAbandoned = other.start.isAbandoned ?? start.isAbandoned
    start.isFailed = other.start.isFailed ?? start.isFailed
    if !other.start.item.isNaN { start.item = other.start.item }
    if isPart && !playback.played.isNaN && !other.playback.played.isNaN {
      playback.played += other.playback.played
    } else if !other.playback.played.isNaN {
      playback.played = other.playback.played
    }
    playback.add(other.playback, isAgain: isAgain)
    words.add(other.words)
    startParts.replace(with: other.startParts, where: other.startParts .== other.startParts)
    let sent = other.request.bytes
    if !sent.isNaN { bytes = bytes.isNaN || isAgain ? sent : bytes + sent }
    note(other)
    return isAgain
  }

  /// A line about the end of a view stands at its end.
  private mutating func note(_ observation: Observation) {
    var second = observation.second
    if second.isNaN { return }
    if !observation.playback.dwell.isNaN && observation.start.ttff.isNaN {
      second -= observation.playback.dwell
    }
    begin = min(begin, second)
  }

  /// How long it was current: said, or the start, the play and the stalls together; not a number
  /// where neither is known.
  var length: Double {
    if !playback.dwell.isNaN || playback.played.isNaN { return playback.dwell }
    return playback.played + (start.ttff.isNaN ? 0 : start.ttff)
      + (playback.stall.isNaN ? 0 : playback.stall)
  }

  /// Takes the one line that spoke of it for a row about all of it, which stands at its begin
  /// whatever it has.
  mutating func standAtBegin() {
    if !playback.dwell.isNaN && start.ttff.isNaN { begin += playback.dwell }
  }
}

extension Observation.Playback {
  /// Adds all but what was played.
  mutating func add(_ other: Observation.Playback, isAgain: Bool) {
    if !other.dwell.isNaN { dwell = other.dwell }
    if !other.bitrate.isNaN { bitrate = other.bitrate }
    if !other.titleLength.isNaN { titleLength = other.titleLength }
    if !other.stall.isNaN { stall = stall.isNaN || isAgain ? other.stall : stall + other.stall }
    if !other.stalls.isNaN {
      stalls = stalls.isNaN || isAgain ? other.stalls : stalls + other.stalls
    }
  }
}

extension Observation.Words {
  mutating func add(_ other: Observation.Words) {
    if other.device != 0 { device = other.device }
    if other.network != 0 { network = other.network }
    if other.region != 0 { region = other.region }
    if other.version != 0 { version = other.version }
    if other.edge != 0 { edge = other.edge }
    if other.player != 0 { player = other.player }
  }
}

/// A session and where its views stand.
struct JoinedSession {
  let key: UInt64
  /// Whether the lines say whose session it is: else it is one view and no session.
  let isNamed: Bool
  var first = Double.infinity
  var last = -Double.infinity
  /// The last of its views; -1 for none.
  var head: Int32 = -1
  var views: Int32 = 0
  /// Whether it stands in the younger generation now.
  var isMoved = false
}
