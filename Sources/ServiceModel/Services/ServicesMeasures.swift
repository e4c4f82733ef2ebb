import MediaUnits

/// What a run of the services has shown in its measured window.
public struct ServicesMeasures: Sendable, Equatable {
  /// Pages that the API began to make, by their source when they were answered.
  public var pages = 0
  public var served = [Int](repeating: 0, count: ServedSource.allCases.count)
  /// Pages that got no answer: the API was full, or the limiter refused them.
  public var shedPages = 0
  public var refusedPages = 0
  /// Nanoseconds from the API's door to its answer; from asking the ranker to its first answer.
  public var pageTimes: [Int64] = []
  public var rankerTimes: [Int64] = []
  /// Calls to the ranker that missed the deadline or failed, and those of them that failed.
  public var overDeadline = 0
  public var rankerErrors = 0
  /// Pages whose source is not what the ranker's latency says (SIG-009): must be zero.
  public var mismatches = 0
  public var rankerAttempts = 0
  public var hedges = 0
  public var breakerRefusals = 0
  /// Items of pages, and how many explore; pages beyond a tenth to a fifth.
  public var items = 0
  public var exploring = 0
  public var unevenPages = 0
  /// Items whose metadata was not in the cache, and items that the caches have lost, by kind:
  /// ranked, exploring.
  public var missed = [0, 0]
  public var cold = [0, 0]
  /// Items that came twice, and those passed over, in the pages of a session; of how many.
  public var duplicates = 0
  public var passedOver = 0
  public var listed = 0
  public var expiredShown = 0
  /// Swipes, and those that found no next item.
  public var swipes = 0
  public var starved = 0
  /// Sessions that gave up.
  public var sessions = 0
  public var failedSessions = 0
  /// Events recorded, that arrived, that were counted again, that are lost; nanoseconds until they
  /// arrived.
  public var events = 0
  public var eventsArrived = 0
  public var eventsRepeated = 0
  public var eventsLost = 0
  public var eventDelays: [Int64] = []
  public var posts = 0
  public var sessionTime = TimeSpan.zero
  /// Engagement writes, those that were throttled at least once, and those given up.
  public var writes = 0
  public var throttled = 0
  public var lostWrites = 0
  /// Reads of the table of titles, those that were throttled at least once, and those given up.
  public var reads = 0
  public var readsThrottled = 0
  public var lostReads = 0
  /// Nanoseconds from a write until the index shows it.
  public var indexLags: [Int64] = []
  /// Requests of abusers, and refused ones.
  public var abuse = 0
  public var abuseRefused = 0
  /// Nanoseconds that requests waited for a new token, and tokens given in the busiest second.
  public var tokenTimes: [Int64] = []
  public var tokensPerSecond: [Int] = []
  /// Items and those whose metadata was missed, by seconds from the flush of the cache.
  public var warming: [Int] = []
  public var warmingMissed: [Int] = []
  /// Shares of time in which servers were busy.
  public var rankerBusy = 0.0
  public var apiBusy = 0.0

  public init() {}

  /// Seconds from the flush until the first second in which at most this share of the items was not
  /// in the cache; nil when there is none.
  public func timeToWarm(share: Double) -> Double? {
    for second in 0..<warming.count where warming[second] > 0 {
      if Double(warmingMissed[second]) <= share * Double(warming[second]) {
        return Double(second + 1)
      }
    }
    return nil
  }
}
