/// What a live run knows beside the viewers' measures: whom it asked, how the generator was, how
/// long answers took, what went wrong.
public struct LiveFacts: Sendable, Equatable {
  /// A reading of the generator and the limit beyond which its numbers cannot be believed.
  public struct Reading: Sendable, Equatable {
    public var name: String
    public var value: Double
    public var unit: String
    public var limit: Double?
    public var isGood: Bool

    public init(name: String, value: Double, unit: String, limit: Double?, isGood: Bool) {
      self.name = name
      self.value = value
      self.unit = unit
      self.limit = limit
      self.isGood = isGood
    }
  }

  /// How long answers of a class took, milliseconds from the request to the last byte.
  public struct Latency: Sendable, Equatable {
    /// Asset class.
    public var name: String
    public var count: Int64
    /// Median, 95th and 99th percentile and largest: from the moment of sending, and corrected,
    /// from the moment at which the request was due.
    public var sent, due: [Double]

    public init(name: String, count: Int64, sent: [Double], due: [Double]) {
      self.name = name
      self.count = count
      self.sent = sent
      self.due = due
    }
  }

  /// What players told servers of themselves: Common Media Client Data (CTA-5004).
  public struct ClientData: Sendable, Equatable {
    /// `headers` or `query`.
    public var way: String
    public var version: Int
    /// Requests that carried it.
    public var requests: Int64 = 0

    public init(way: String, version: Int) {
      self.way = way
      self.version = version
    }
  }

  /// What servers said of their answers: Common Media Server Data (CTA-5006).
  public struct ServerData: Sendable, Equatable {
    /// One server on the way, by the name that it gives itself.
    public struct Hop: Sendable, Equatable {
      public var name: String
      public var answers: Int64
      /// 5th, 50th and 95th percentile of what it said; empty where it said nothing.
      public var throughputKbps, roundTripMilliseconds, responseDelayMilliseconds: [Double]
      /// The lowest bit rate that it suggested not to exceed.
      public var suggestedKbps: Double?
      /// Answers under duress.
      public var duress: Int64

      public init(name: String) {
        self.name = name
        answers = 0
        (throughputKbps, roundTripMilliseconds, responseDelayMilliseconds) = ([], [], [])
        duress = 0
      }
    }

    /// Answers with either header, and with each of them.
    public var answers: Int64 = 0
    public var objects: Int64 = 0
    public var dynamics: Int64 = 0
    /// Segments of another bit rate than the one that was asked for.
    public var otherBitrates: Int64 = 0
    /// Members and keys that cannot be, and the first of them in words.
    public var malformed: Int64 = 0
    public var examples: [String] = []
    /// Keys that nobody has defined, and those that are somebody's own.
    public var unknown: Int64 = 0
    public var custom: Int64 = 0
    /// In the order in which they were first heard of.
    public var hops: [Hop] = []
    /// Segments whose server estimated the throughput, that estimate and what was measured of
    /// them, and the first in parts of the second: 5th, 50th and 95th percentile.
    public var compared: Int64 = 0
    public var estimatedKbps: [Double] = []
    public var measuredKbps: [Double] = []
    public var estimatedByMeasured: [Double] = []
    /// Segments asked for after a server had suggested a bit rate, and those of them above it.
    public var suggested: Int64 = 0
    public var exceeded: Int64 = 0

    public init() {}
  }

  /// How often something happened.
  public struct Count: Sendable, Equatable {
    public var name: String
    public var count: Int64

    public init(_ name: String, _ count: Int64) {
      self.name = name
      self.count = count
    }
  }

  public var target: String
  /// What stood at the target, and what carried the bytes: in words.
  public var edge, link: String
  public var health: [Reading]
  /// Why the generator's numbers cannot be believed; empty when they can.
  public var reasons: [String]
  public var latencies: [Latency]
  /// Failed requests by kind, and malformed answers.
  public var failures: [Count]
  /// Sessions that began, and those that began late.
  public var starts, lateStarts: Int64
  public var requests, bytes: Int64
  /// Media bodies that were compared with what the stand-in serves, and right.
  public var checked: Int64
  /// Pieces of answers that nobody waited for any more, and the bytes of their bodies.
  public var lateAnswers, lateBytes: Int64
  /// nil where players were to say nothing of themselves.
  public var clientData: ClientData?
  /// nil where no server said anything, unless it was asked for.
  public var serverData: ServerData?
  /// What else a reader has to know, a sentence each.
  public var notes: [String]
  /// Wall-clock seconds of the whole run.
  public var seconds: Double

  public init(target: String, edge: String, link: String) {
    self.target = target
    self.edge = edge
    self.link = link
    health = []
    reasons = []
    latencies = []
    failures = []
    starts = 0
    lateStarts = 0
    requests = 0
    bytes = 0
    checked = 0
    lateAnswers = 0
    lateBytes = 0
    notes = []
    seconds = 0
  }
}
