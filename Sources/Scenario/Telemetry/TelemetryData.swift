/// What telemetry says about viewers, in seconds and counts.
public struct TelemetryData: Sendable {
  /// Values of which some are known only to be larger.
  public struct Times: Sendable {
    public var seen: [Double] = []
    public var censored: [Double] = []
    /// Values of 0, which no law of positive values can hold.
    public var zeros = 0

    public init() {}

    public var count: Int { seen.count + censored.count + zeros }

    public mutating func add(_ value: Double, isCensored: Bool = false) {
      if isCensored {
        // That a time is longer than nothing says nothing.
        if value > 0 { censored.append(value) }
      } else if value > 0 {
        seen.append(value)
      } else {
        zeros += 1
      }
    }
  }

  /// Settle to first frame; censored where the viewer left before.
  public var startup = Times()
  /// Settle to leaving an item that has no frame; censored by the first frame.
  public var leaving = Times()
  /// Settle to the end of the view; censored never.
  public var dwell = Times()
  /// First event of a session to the middle of its last view, because a scenario's session ends
  /// with the view in which its time is up; where the log may have cut it, censored at the last
  /// view's beginning. One that had begun before the log did is not among them.
  public var session = Times()
  /// All sessions, and of each that was seen whole how many views it has.
  public var sessions = 0
  public var sessionViews: [Double] = []
  public var views = 0
  /// For each title how often it was viewed or asked for.
  public var titleCounts: [Int] = []
  /// Of events alone: the places in its feed of each session's titles, and how many sessions each
  /// title had.
  public var sessionTitles: [Range<Int>] = []
  public var titleSessions: [Int] = []
  /// Views of a title that the session had had at most ``near`` items before, or nobody knows how
  /// many, as another item.
  public var titleRepeats = 0
  /// Feeds that repeat nothing may forget what was long ago: they are told by what is near.
  public static let near = 32
  /// From the first event to the last.
  public var span = 0.0
  /// Values under a name of the user's own: `quantity,value,censored`.
  public var named: [String: Times] = [:]
  /// What tables, exports and logs say beside.
  public var field = FieldSamples()

  public init() {}
}

/// What was read, and what was not.
public struct TelemetryReading: Sendable {
  public var data = TelemetryData()
  /// The format of the files: `events`, `csv`, or that of a log.
  public var formats: [String] = []
  /// Events, rows or requests that were read, malformed ones not among them.
  public var records = 0
  /// Lines or events that could not be read: every one counted, the first in full.
  public var malformed = 0
  public var problems: [Problem] = []
  /// Of the problems those of records that were read all the same.
  public var partial = 0
  /// Malformed lines or events that no problem names.
  public var unnamed: Int { malformed - (problems.count - partial) }
  /// Events that came again with the same id.
  public var repeated = 0
  /// Events of a name that nothing is fitted to.
  public var unused = 0
  public var notes: [String] = []
  /// FNV-1a over all bytes of the files, for the provenance.
  public var digest: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The most problems that are kept in full.
  public static let limit = 20

  public init() {}

  public mutating func reject(_ problem: @autoclosure () -> Problem) {
    malformed += 1
    if problems.count < TelemetryReading.limit { problems.append(problem()) }
  }

  mutating func digest(_ bytes: [UInt8]) {
    // Eight bytes at a time: files are large.
    var hash = digest
    var index = 0
    bytes.withUnsafeBytes { raw in
      while index + 8 <= raw.count {
        hash ^= raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        hash = hash &* 0x0000_0100_0000_01B3
        index += 8
      }
      while index < raw.count {
        hash ^= UInt64(raw[index])
        hash = hash &* 0x0000_0100_0000_01B3
        index += 1
      }
    }
    digest = hash
  }
}
