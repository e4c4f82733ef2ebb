import MediaUnits
import ModelBasics

/// A histogram of times with 32 equal steps to every doubling, so that a quantile is at most a
/// thirty-second part too large.
public struct DelayHistogram: Sendable, Equatable {
  /// Microseconds; below 64 each has a bin of its own.
  private static let steps = 32
  private var bins: [Int64] = []
  public private(set) var count: Int64 = 0
  /// Nanoseconds.
  public private(set) var sum: Int64 = 0
  public private(set) var largest: Int64 = 0

  public init() {}

  public mutating func add(_ time: TimeSpan) {
    let nanoseconds = time > .zero ? time.nanoseconds : 0
    count += 1
    sum += nanoseconds
    if nanoseconds > largest { largest = nanoseconds }
    let bin = DelayHistogram.bin(of: UInt64(nanoseconds / 1000))
    while bins.count <= bin { bins.append(0) }
    bins[bin] += 1
  }

  public mutating func add(_ other: DelayHistogram) {
    count += other.count
    sum += other.sum
    if other.largest > largest { largest = other.largest }
    while bins.count < other.bins.count { bins.append(0) }
    for index in 0..<other.bins.count { bins[index] += other.bins[index] }
  }

  private static func bin(of microseconds: UInt64) -> Int {
    if microseconds < 64 { return Int(microseconds) }
    let doublings = 63 - microseconds.leadingZeroBitCount - 5
    return doublings * steps + Int(microseconds >> UInt64(doublings))
  }

  /// The upper edge of the bin that holds the quantile, at most the largest time; nanoseconds, nil
  /// without data.
  public func quantile(_ p: Double) -> Int64? {
    if count == 0 { return nil }
    var rank = Int64(p * Double(count))
    if Double(rank) < p * Double(count) { rank += 1 }
    if rank < 1 { rank = 1 }
    var seen: Int64 = 0
    for bin in 0..<bins.count {
      seen += bins[bin]
      if seen < rank { continue }
      let edge = DelayHistogram.upperEdge(bin) * 1000
      return edge < largest ? edge : largest
    }
    return largest
  }

  private static func upperEdge(_ bin: Int) -> Int64 {
    if bin < 64 { return Int64(bin) + 1 }
    let doublings = bin / steps - 1
    return Int64(bin - doublings * steps + 1) << Int64(doublings)
  }
}

extension DelayHistogram: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(each: bins) { $1.add($0) }
    for number in [count, sum, largest] { writer.add(number) }
  }

  public init?(_ reader: inout WordReader) {
    guard let bins = reader.each({ $0.integer() }), let count = reader.integer(),
      let sum = reader.integer(), let largest = reader.integer(),
      bins.reduce(0, &+) == count
    else { return nil }
    self.bins = bins
    self.count = count
    self.sum = sum
    self.largest = largest
  }
}

/// What the swipes of one cohort met with.
public struct SwipeSums: Counters {
  /// Views that a swipe began, and those of all kinds.
  public var swipes: Int64 = 0
  public var views: Int64 = 0
  /// Swipes that were snapped back, counted each time, and jumps that escaped.
  public var snapBacks: Int64 = 0
  public var escapes: Int64 = 0
  /// Viewers who closed the app because swipes were snapped back for too long.
  public var leftAtGate: Int64 = 0
  /// Nanoseconds between a swipe's first snap back and the item's turn.
  public var gateWait: Int64 = 0
  /// Nanoseconds in which an item of a swipe was on the screen without a frame, and without a
  /// poster either.
  public var covered: Int64 = 0
  public var black: Int64 = 0

  public init() {}
}

/// What telemetry went through.
public struct TelemetrySums: Counters {
  public var recorded: Int64 = 0
  /// Events that the ingest has, those that it will never have, and second copies of the first.
  public var delivered: Int64 = 0
  public var lost: Int64 = 0
  public var duplicated: Int64 = 0
  public var posts: Int64 = 0
  /// Nanoseconds of sessions that have ended.
  public var sessionTime: Int64 = 0
  /// View starts and view ends told, and the views behind them.
  public var viewStarts: Int64 = 0
  public var viewEnds: Int64 = 0
  /// Times to first frame told: how many and their sum in milliseconds.
  public var firstFrames: Int64 = 0
  public var firstFrameTime: Int64 = 0

  public init() {}
}

/// What was measured of ``ClientConfiguration``; all zero where it is not active.
public struct ClientMeasures: Counters {
  public var telemetry = TelemetrySums()
  /// Feed pages with a known source, and those from Trending.
  public var pages: Int64 = 0
  public var trendingPages: Int64 = 0
  /// Items with a known origin, and exploration items.
  public var items: Int64 = 0
  public var explorationItems: Int64 = 0
  /// Segment answers that failed, items that were given up, taps on "tap to retry".
  public var segmentErrors: Int64 = 0
  public var itemsGivenUp: Int64 = 0
  public var retryTaps: Int64 = 0
  /// Pauses, and processes that ended by a crash or in the background.
  public var pauses: Int64 = 0
  public var kills: Int64 = 0
  /// Objects stored on the disk before their item was on the screen, and objects of such items that
  /// were evicted before that (VF-022).
  public var storedAhead: Int64 = 0
  public var evictedAhead: Int64 = 0
  /// Messages that were typed and not sent, and drafts that were put back into a bar.
  public var drafts: Int64 = 0
  public var draftsRestored: Int64 = 0
  /// Passes of items that loop after the first, and the time of the seeks to zero, nanoseconds.
  public var loops: Int64 = 0
  public var loopGap: Int64 = 0
  /// Sessions that went offline; media of the current item and of those after it, and the part of
  /// it that was held without a gap; nanoseconds.
  public var offlineCuts: Int64 = 0
  public var offlineWanted: Int64 = 0
  public var offlinePlayable: Int64 = 0
  /// Sessions that ended, and the largest memory of their players, bytes.
  public var poolSessions: Int64 = 0
  public var poolMemory: Int64 = 0

  public init() {}
}
