import MediaUnits

/// The player's buffer and what has been played from it.
struct SabreBuffer: Sendable {
  private let ladder: SabreLadder
  /// The levels of all segments appended so far, played ones included.
  private var levels: [Int] = []
  private var head = 0
  /// ms played of the head.
  private(set) var consumed = 0.0
  private var lastPlayed = -1
  private(set) var tally = SabreTally()

  init(_ ladder: SabreLadder, segmentCount: Int) {
    self.ladder = ladder
    levels.reserveCapacity(segmentCount)
  }

  /// Segments, the one being played included.
  var count: Int { levels.count - head }
  /// ms of play time.
  var level: Double { ladder.segmentDuration * Double(count) - consumed }

  /// The level of the segment at `position`, counted from the one being played.
  subscript(position: Int) -> Int {
    get { levels[head + position] }
    set { levels[head + position] = newValue }
  }

  mutating func append(_ level: Int) { levels.append(level) }

  /// Time passes before play starts.
  mutating func startUp(_ time: Double) { tally.playTime += time }

  /// Lets `time` ms pass at the player, who stalls when the buffer runs out.
  mutating func drain(_ time: Double) {
    if count == 0 {
      stall(time)
      return
    }
    let duration = ladder.segmentDuration
    var rest = time
    if consumed > 0 {
      if rest + consumed < duration {
        consumed += rest
        tally.playTime += rest
        return
      }
      rest -= duration - consumed
      tally.playTime += duration - consumed
      consumed = 0
      head += 1
    }
    while rest > 0 && count > 0 {
      begin(self[0])
      if rest >= duration {
        rest -= duration
        tally.playTime += duration
        head += 1
      } else {
        consumed = rest
        tally.playTime += rest
        rest = 0
      }
    }
    if rest > 0 {
      stall(rest)
      tally.stallEvents += 1
    }
  }

  private mutating func stall(_ time: Double) {
    tally.stallTime += time
    tally.playTime += time
  }

  private mutating func begin(_ level: Int) {
    let rate = ladder.bitrates[level]
    tally.utility += ladder.utilities[level]
    tally.bitrate += rate
    if lastPlayed >= 0 && lastPlayed != level {
      let before = ladder.bitrates[lastPlayed]
      tally.bitrateChange += (rate - before).magnitude
      tally.logBitrateChange += PortableMath.log(rate / before).magnitude
    }
    lastPlayed = level
  }
}

/// Sums over what has been played; times in ms, bit rates in kbit/s.
struct SabreTally: Sendable {
  /// Start-up, play and stalls.
  var playTime = 0.0
  var stallTime = 0.0
  var stallEvents = 0
  /// Sum over segments.
  var bitrate = 0.0
  var utility = 0.0
  var bitrateChange = 0.0
  var logBitrateChange = 0.0
}
