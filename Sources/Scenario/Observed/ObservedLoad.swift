/// What an audience took by the clock: how many came and watched in each five minutes, and what
/// edges were asked for then. A reader of telemetry and access logs fills it; it grows with the
/// time that they are of, and not with their lines.
///
/// Nothing of it is an estimate, and nobody is left out of it: a capacity plan is held against it.
public struct ObservedLoad: Sendable, Equatable {
  /// Five minutes by the clock, and what came in them.
  public struct Block: Sendable, Equatable {
    /// Of ``ObservedLoad/block`` seconds since 1970.
    public let number: Int64
    /// Views and sessions that began.
    public var views: Int64 = 0
    public var sessions: Int64 = 0
    /// Seconds that all views together were on the screen; over those of a block, viewers at a
    /// time.
    public var shown = 0.0
    /// Bytes that views say, by when the view began.
    public var viewBytes = 0.0
    public var asked = Requests()

    public init(number: Int64) { self.number = number }
  }

  /// What edges were asked for. An edge goes on with what it fetches, revalidates or passes by.
  public struct Requests: Sendable, Equatable {
    /// All that were asked, whatever came of it, and the bytes sent.
    public var count: Int64 = 0
    public var bytes = 0.0
    /// Requests that say their bytes, and those that say what the edge did.
    public var sized: Int64 = 0
    public var placed: Int64 = 0
    /// Without errors (statuses from 400): those that an edge could have answered by itself, and
    /// those that it did answer by a copy, fresh, stale or just being fetched for another.
    public var answered: Int64 = 0
    public var answeredBytes = 0.0
    public var hits: Int64 = 0
    public var hitBytes = 0.0
    /// What edges went on with, and the bytes that they had to get for it.
    public var fills: Int64 = 0
    public var fillBytes = 0.0
    /// Of ``fills``, those that say what the cache behind the edges did, and those that it answered
    /// by a copy; what it went on with is the origin's.
    public var followed: Int64 = 0
    public var followedHits: Int64 = 0
    public var originBytes = 0.0

    public init() {}

    public mutating func add(_ other: Requests) {
      count += other.count
      bytes += other.bytes
      sized += other.sized
      placed += other.placed
      answered += other.answered
      answeredBytes += other.answeredBytes
      hits += other.hits
      hitBytes += other.hitBytes
      fills += other.fills
      fillBytes += other.fillBytes
      followed += other.followed
      followedHits += other.followedHits
      originBytes += other.originBytes
    }
  }

  /// Sums over one of ``ObservedLoad/groupCount`` parts of the sessions, by turns: an interval is
  /// that of how they differ.
  public struct Group: Sendable, Equatable {
    /// Sessions that somebody named, and their views.
    public var sessions: Int64 = 0
    public var namedViews: Int64 = 0
    public var views: Int64 = 0
    /// Views that say how long they were on the screen, and how long, seconds.
    public var timed: Int64 = 0
    public var seconds = 0.0
    /// Views that say their bytes; bytes of all, those of what was fetched and not seen among them.
    public var sized: Int64 = 0
    public var bytes = 0.0

    public init() {}
  }

  /// That a viewer was there in an hour.
  public struct Presence: Sendable, Equatable {
    /// Dense numbers; whose they were stays with the reader.
    public let viewer: UInt32
    /// Of ``ObservedViews/block`` seconds since 1970.
    public let hour: Int64

    public init(viewer: UInt32, hour: Int64) {
      self.viewer = viewer
      self.hour = hour
    }
  }

  /// Seconds of a ``Block``.
  public static let block = 300.0
  /// Blocks of an hour, and hours of a day.
  public static let (blocksAnHour, hoursADay): (Int64, Int64) = (12, 24)
  public static let groupCount = 20

  /// In the order of time, each number once; those in which nothing came may lack.
  public var blocks: [Block] = []
  public var groups = [Group](repeating: Group(), count: ObservedLoad.groupCount)
  /// No two are equal.
  public var presences: [Presence] = []
  /// Lines of views that do not say whose, and whether there were more viewers than are kept.
  public var strangers: Int64 = 0
  public var hasTooManyViewers = false
  /// Views and requests without a time that is believed: they are in no block.
  public var undatedViews: Int64 = 0
  public var undatedRequests: Int64 = 0
  /// Eight digits over what was read.
  public var digest = ""
  /// What is to be known of it, in sentences without a full stop.
  public var notes: [String] = []

  public init() {}

  public var views: Int64 { groups.reduce(0) { $0 + $1.views } }
  public var requests: Int64 { blocks.reduce(undatedRequests) { $0 + $1.asked.count } }

  /// Takes the requests of other files in place of its own.
  public mutating func replaceRequests(with other: ObservedLoad) {
    var merged: [Block] = []
    var (mine, theirs) = (blocks[...], other.blocks[...])
    while let number = [mine.first?.number, theirs.first?.number].compactMap({ $0 }).min() {
      var block = Block(number: number)
      if mine.first?.number == number { block = mine.removeFirst() }
      block.asked = Requests()
      if theirs.first?.number == number { block.asked = theirs.removeFirst().asked }
      merged.append(block)
    }
    blocks = merged
    undatedRequests = other.undatedRequests
  }
}
