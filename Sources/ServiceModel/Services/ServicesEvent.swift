import FeedPolicy
import MediaUnits
import ModelBasics
import ServicePolicy
import SimulationKernel

/// The events of the services. Numbers of sessions' slots, pages, posts; `epoch` counts who had a
/// slot before.
public enum ServicesEvent: BitwiseCopyable, Sendable {
  case sessionArrives(UInt32)
  case swipe(slot: UInt32, epoch: UInt32)
  case askAgain(slot: UInt32, epoch: UInt32)
  case pageArrives(UInt32)
  case tokenGiven(UInt32)
  case apiDone(UInt32)
  case metadataRead(UInt32)
  case tableRead(page: UInt32, attempt: UInt8)
  case rankerDone(UInt32)
  case callTimer(page: UInt32, epoch: UInt32, kind: UInt8, attempt: UInt8)
  case deadline(page: UInt32, epoch: UInt32)
  case fallbackRead(UInt32)
  case pageReturns(UInt32)
  case batchTimer(slot: UInt32, epoch: UInt32, isRetry: Bool)
  case postArrives(UInt32)
  case ingested(UInt32)
  case postReturns(post: UInt32, isAccepted: Bool)
  case write(shard: UInt32, number: UInt32, attempt: UInt8)
  case publish(UInt32)
  case abuse(client: UInt32, number: UInt32)
  case flush
  case close

  var tag: UInt32 {
    switch self {
    case .sessionArrives: return ServicesTag.sessionArrives.rawValue
    case .swipe: return ServicesTag.swipe.rawValue
    case .askAgain: return ServicesTag.askAgain.rawValue
    case .pageArrives: return ServicesTag.pageArrives.rawValue
    case .tokenGiven: return ServicesTag.tokenGiven.rawValue
    case .apiDone: return ServicesTag.apiDone.rawValue
    case .metadataRead: return ServicesTag.metadataRead.rawValue
    case .rankerDone: return ServicesTag.rankerDone.rawValue
    case .callTimer: return ServicesTag.callTimer.rawValue
    case .deadline: return ServicesTag.deadline.rawValue
    case .fallbackRead: return ServicesTag.fallbackRead.rawValue
    case .pageReturns: return ServicesTag.pageReturns.rawValue
    case .batchTimer: return ServicesTag.batchTimer.rawValue
    case .postArrives: return ServicesTag.postArrives.rawValue
    case .ingested: return ServicesTag.ingested.rawValue
    case .postReturns: return ServicesTag.postReturns.rawValue
    case .write: return ServicesTag.write.rawValue
    case .publish: return ServicesTag.publish.rawValue
    case .abuse: return ServicesTag.abuse.rawValue
    case .flush: return ServicesTag.flush.rawValue
    case .close: return ServicesTag.close.rawValue
    case .tableRead: return ServicesTag.tableRead.rawValue
    }
  }
}

/// One viewer's app while it is open, and until its last events are delivered.
struct ServiceSession {
  enum Phase: UInt8 {
    /// Watching. Can transition to: starved, closing, free.
    case watching
    /// The next item is not there yet. Can transition to: watching, closing.
    case starved
    /// Only its telemetry is left. Can transition to: free.
    case closing
    case free
  }

  var phase = Phase.free
  var epoch: UInt32 = 0
  var number: UInt32 = 0
  var user: UInt32 = 0
  var isMeasured = false
  var itemsLeft = 0
  var current: UInt32 = 0
  var roundTrip = TimeSpan.zero
  var pager = CursorPager()
  var batcher = TelemetryBatcher()
  var flushTimer = EventHandle.none
  var retryTimer = EventHandle.none
  /// Events that the ingest has or that are lost.
  var settled: UInt64 = 0
  var posts: UInt32 = 0
  var pages: UInt32 = 0
  var failures = 0
  /// Lowest key that pages have shown, how many were, and keys a page passed over.
  var lowest = UInt64.max
  var given: UInt64 = 0
  var rankedAt: Instant?
  var tokenUntil = Instant.distantFuture
}

/// One request for a page.
struct ServicePage {
  var epoch: UInt32 = 0
  var isFree = true
  var number: UInt32 = 0
  var session: UInt32 = 0
  var sessionEpoch: UInt32 = 0
  var request: UInt32 = 0
  var cursor: UInt64?
  var isMeasured = false
  var arrivedAt = Instant.zero
  var askedAt = Instant.zero
  var call = CallMachine()
  var tickets: [QueueStation.Ticket?] = []
  /// Attempts that the ranker still has.
  var jobs = 0
  var isCold = false
  var source: ServedSource?
  var hasContent = false
  var hasMetadata = false
  /// Partitions of the table that have refused a read of the page, once for each title.
  var unread: [UInt32] = []
  var isReturned = false
  /// What became of the ranker: nil while it is out.
  var isOver: Bool?
  var keys: [UInt64] = []
  var next: UInt64?
}

/// Where a page came from.
public enum ServedSource: UInt8, Sendable, Equatable, CaseIterable {
  case ranker
  case trending
  case earlier
}

/// One post of events.
struct ServicePost {
  var isFree = true
  var session: UInt32 = 0
  var epoch: UInt32 = 0
  var number: UInt32 = 0
  var batch: UInt32 = 0
  var batchNumber: UInt32?
  var attempt = 0
  var first: UInt64 = 0
  var count = 0
  var arrivedAt = Instant.zero
}
