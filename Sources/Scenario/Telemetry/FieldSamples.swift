/// What telemetry and logs say beside the times of views: of links, of devices, of when sessions
/// come, of what was watched, and of caches. Times are seconds, sizes bytes, rates bits per second.
public struct FieldSamples: Sendable {
  /// What a value is of.
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// A rate that was measured at a time.
    case measured
    /// Bytes over the time that their transfer took after its first byte.
    case transfer
    /// The mean rate of a playback.
    case playback
    /// A rate that a player takes for the next one's: CMCD's `mtp`.
    case estimate
    case roundTrip
    /// The parts of a start that a device takes.
    case launch, creation, preparation, setup, reuse, decode, presentation
    /// Times to the first frame of starts that were ready when their clock started, and of those
    /// that waited for something.
    case readyStart, waitedStart

    public var isRate: Bool { rawValue <= Kind.estimate.rawValue }
  }

  /// A value of a session.
  public struct Value: Sendable {
    public var kind: Kind
    /// Which of ``FieldSamples/sessions``.
    public var session: Int
    /// Since 1970; not a number where nobody says.
    public var second: Double
    public var value: Double
    /// How long it was measured, seconds; not a number where nobody says.
    public var width: Double
    /// Of a start, the bytes of its view; not a number where nobody says.
    public var bytes: Double

    public init(
      kind: Kind, session: Int, second: Double = .nan, value: Double, width: Double = .nan,
      bytes: Double = .nan
    ) {
      self.kind = kind
      self.session = session
      self.second = second
      self.value = value
      self.width = width
      self.bytes = bytes
    }
  }

  /// Whose values these are: numbers of words from 1, 0 where nobody says.
  public struct Session: Sendable {
    public var network: UInt16
    public var device: UInt16
    /// Whether the data say that these are values of one session; else it is one row.
    public var isNamed: Bool

    public init(network: UInt16 = 0, device: UInt16 = 0, isNamed: Bool = true) {
      self.network = network
      self.device = device
      self.isNamed = isNamed
    }
  }

  /// What was watched of titles of like lengths.
  public struct Watched: Sendable {
    /// Titles shorter than this, and not shorter than those in front; infinity for the last.
    public var below: Double
    public var times: TelemetryData.Times

    /// The ends of the buckets, seconds: those of the laws that scenarios have by themselves.
    public static let bounds = [10, 20, 40, 80, Double.infinity]

    public init(below: Double, times: TelemetryData.Times = .init()) {
      self.below = below
      self.times = times
    }
  }

  /// Requests of one outcome at the cache that the log is of.
  public struct Outcome: Sendable {
    public var word: String
    public var requests: Int
    public var bytes: Double

    public init(word: String, requests: Int, bytes: Double) {
      self.word = word
      self.requests = requests
      self.bytes = bytes
    }
  }

  /// Whether anything was read that could have said it: a table, an export or a log.
  public var isRead = false
  public var values: [Value] = []
  public var sessions: [Session] = []
  /// Words of networks and devices, in the order of their numbers.
  public var networks: [String] = []
  public var devices: [String] = []
  /// Of views with a frame, what was played of them: dwell without start and stalls where they do
  /// not say it.
  public var watched = TelemetryData.Times()
  /// The same of titles whose length is told, by length; censored where the end was reached.
  public var watchedByLength: [Watched] = []
  /// When sessions began, seconds since 1970, and from when to when the data go.
  public var begins: [Double] = []
  public var span: ClosedRange<Double>?
  public var outcomes: [Outcome] = []
  public var sizes = TelemetryData.Times()
  /// Rows of requests: what a policy chose to fetch.
  public var requests = 0
  /// Requests whose player says that it loads ahead of any view.
  public var preloads = 0
  /// What stands for how much of the data, where some was left out.
  public var notes: [String] = []

  public init() {}

  /// The values of a kind.
  public func values(of kind: Kind) -> [Value] { values.filter { $0.kind == kind } }
}
