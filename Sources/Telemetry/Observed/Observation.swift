/// What one line of telemetry or of a log says, whoever wrote it.
///
/// Times are seconds, sizes bytes, rates bits per second. What a line does not say is absent: not a
/// number, ``absentInstant``, or 0 for names. Names are hashes (``IdentitySalt``); nothing of them
/// is kept in clear.
public struct Observation: Sendable {
  /// What the clock of a start begins with.
  public enum Clock: UInt8, Sendable, CaseIterable {
    case unknown
    /// App open.
    case cold
    /// A swipe that settles.
    case swipe
    /// A tap or a call of play.
    case play
  }

  /// What a cache did with a request, in the words of the glossary.
  public enum CacheOutcome: UInt8, Sendable, CaseIterable {
    case unknown, hit, staleHit, revalidated, collapsed, miss, bypass, error
  }

  /// When: nanoseconds since 1970.
  public struct Stamps: Sendable {
    /// By the client's clock.
    public var client = Observation.absentInstant
    /// By the server's clock.
    public var server = Observation.absentInstant
  }

  /// Whose: 0 where nobody says.
  public struct Names: Sendable {
    public var session: UInt64 = 0
    public var view: UInt64 = 0
    public var viewer: UInt64 = 0
    public var title: UInt64 = 0
    /// The object of the title that was asked for.
    public var object: UInt64 = 0
  }

  /// How a view began.
  public struct Start: Sendable {
    /// To the first frame.
    public var ttff = Double.nan
    public var clock = Clock.unknown
    /// Left before the first frame, nil where nobody says.
    public var isAbandoned: Bool?
    /// Ended by an error.
    public var isFailed: Bool?
    /// The player was prepared and the frame decoded when the clock started.
    public var isReady: Bool?
    /// The place in the session's feed, from 0.
    public var item = Double.nan
  }

  /// How a view went on.
  public struct Playback: Sendable {
    /// How long the item was current.
    public var dwell = Double.nan
    /// How long media played.
    public var played = Double.nan
    /// How long it stood still after the first frame.
    public var stall = Double.nan
    public var stalls = Double.nan
    public var bitrate = Double.nan
    /// How long the title is.
    public var titleLength = Double.nan
  }

  /// The parts of a start that a device takes, in the order of a scenario's keys.
  public struct Parts: Sendable {
    public var launch = Double.nan
    public var creation = Double.nan
    public var preparation = Double.nan
    public var setup = Double.nan
    public var reuse = Double.nan
    public var decode = Double.nan
    public var presentation = Double.nan
  }

  /// Parts that a start may be cut into: columns of ``ObservedQuantity/startPart``.
  public static let mostStartParts = 8

  /// What was asked for.
  public struct Request: Sendable {
    public var isRequest = false
    public var bytes = Double.nan
    public var status = Double.nan
    /// From the request's arrival to its last byte.
    public var duration = Double.nan
    /// To the first byte.
    public var firstByte = Double.nan
    /// What the tier behind took of it.
    public var upstream = Double.nan
    public var roundTrip = Double.nan
    public var throughput = Double.nan
    public var outcome = CacheOutcome.unknown
    /// What the cache behind that one did, where the field lists both. Of a hit it is what the
    /// stored response had said, and means nothing.
    public var behind = CacheOutcome.unknown
    public var cmcd = CMCDValues()
  }

  /// Words that cohorts are made of; 0 where nobody says. See ``WordTable``.
  public struct Words: Sendable {
    public var device: UInt16 = 0
    public var network: UInt16 = 0
    public var region: UInt16 = 0
    public var version: UInt16 = 0
    public var edge: UInt16 = 0
    public var player: UInt16 = 0
  }

  public static let absentInstant = Int64.min

  public var when = Stamps()
  public var who = Names()
  public var start = Start()
  public var playback = Playback()
  public var parts = Parts()
  /// Where the time before the first frame went, by column of ``ObservedQuantity/startPart``;
  /// seconds.
  public var startParts = SIMD8<Float>(repeating: .nan)
  public var request = Request()
  public var words = Words()

  public init() {}

  /// The client's time, else the server's, seconds since 1970; not a number where neither is known.
  public var second: Double {
    let instant = when.client != Observation.absentInstant ? when.client : when.server
    if instant == Observation.absentInstant { return .nan }
    // Nanoseconds since 1970 are more than a number holds, seconds and a fraction are not.
    let (whole, rest) = instant.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Double(whole) + Double(rest) / 1e9
  }

  /// Whether it says anything of a view.
  public var isOfView: Bool {
    who.view != 0 || !start.ttff.isNaN || start.isAbandoned != nil || start.isFailed != nil
      || !playback.dwell.isNaN || !playback.played.isNaN || !playback.stall.isNaN
      || !playback.stalls.isNaN
  }
}

/// The keys of Common Media Client Data that something is made of; see ``CMCDReader``.
public struct CMCDValues: Sendable {
  /// 1 or 2; 0 without any key.
  public var version: UInt8 = 0
  /// Encoded and top bit rate, and measured throughput: bits per second.
  public var bitrate = Double.nan
  public var topBitrate = Double.nan
  public var throughput = Double.nan
  /// Buffer and duration of the object: seconds.
  public var buffer = Double.nan
  public var objectDuration = Double.nan
  /// Version 2: media start delay, latency to the live edge, time to the first byte: seconds.
  public var startDelay = Double.nan
  public var liveLatency = Double.nan
  public var firstByte = Double.nan
  /// The buffer ran dry since the request before.
  public var isStarved = false
  /// Needed at once: start, seek or an empty buffer.
  public var isStartup = false
  /// Object type, such as `v`, as its letters.
  public var objectType: UInt16 = 0
  /// Version 2: state of the player and event, as their letters.
  public var state: UInt8 = 0
  public var event: UInt16 = 0

  public init() {}
}
