import MediaUnits
import MessageDelivery

/// What a run of the message world cost and how true its screens were (TBM-007 to TBM-009, X-012).
public struct MessagingMeasures: Sendable, Equatable {
  /// Requests of clients, by ``RequestKind``'s number.
  public var requests = [Int](repeating: 0, count: RequestKind.allCases.count)
  public var pushes = 0
  public var lostPushes = 0
  /// Pushes that took the place of a held one.
  public var coalescedPushes = 0
  public var pushBytes = 0
  public var pollBytes = 0
  /// Rows of the service's table.
  public var reads = 0
  public var writes = 0
  public var videos = 0
  public var falseViews = 0
  /// From a change at the recipient until its sender sees it, nanoseconds; only what was seen.
  public var downloadLags: [Int64] = []
  public var viewLags: [Int64] = []
  /// Time in which a sender had the app open, and time of that in which a status it saw was not
  /// true, summed over clients and over their videos.
  public var openTime = TimeSpan.zero
  public var wrongTime = TimeSpan.zero
  /// Time in which radios were in use or had been within the tail of 10 s (parameters section 1.6),
  /// summed over clients.
  public var radioTime = TimeSpan.zero
  /// Video-seconds in the object store.
  public var storedTime = TimeSpan.zero

  public init() {}

  /// All requests.
  public var requestCount: Int { requests.reduce(0, +) }
}

/// What of the measures is under way.
struct MessagingMeter {
  static let radioTail = TimeSpan.seconds(10)

  var measures = MessagingMeasures()
  var openSince: [Instant?]
  var radioUntil: [Instant]

  init(clients: Int) {
    openSince = [Instant?](repeating: .zero, count: clients)
    radioUntil = [Instant](repeating: .zero, count: clients)
  }

  mutating func useRadio(_ client: UInt32, at now: Instant) {
    let old = radioUntil[Int(client)]
    let until = now + MessagingMeter.radioTail
    measures.radioTime += until - (old > now ? old : now)
    radioUntil[Int(client)] = until
  }

  mutating func open(_ client: UInt32, _ isOpen: Bool, at now: Instant) {
    if let since = openSince[Int(client)] { measures.openTime += now - since }
    openSince[Int(client)] = isOpen ? now : nil
  }
}

extension MessagingWorld {
  /// Runs a schedule to its end and says what it cost.
  public static func measure(
    _ configuration: MessagingConfiguration, _ schedule: ProtocolSchedule<MessagingAction>
  ) -> MessagingMeasures {
    finish(configuration, schedule)
  }

  /// Notes from when on a sender sees a status that is not true, or until when.
  mutating func noteTruth(_ index: Int, at now: Instant) {
    let video = videos[index]
    let isOpen = meter.openSince[Int(video.sender)] != nil
    let truth: DeliveryStatus =
      video.isViewed ? .viewed : video.isOffered ? .downloaded : .uploaded
    let shown = video.shown ?? .pending
    // Between registration and download the states differ by variant; none of them is wrong.
    let isWrong =
      video.isKnown && !video.isReplaced && isOpen
      && (shown == .viewed || shown == .downloaded || truth != .uploaded) && shown != truth
    if let since = video.wrongSince {
      meter.measures.wrongTime += now - since
      videos[index].wrongSince = nil
    }
    if isWrong { videos[index].wrongSince = now }
  }

  /// Ends what is under way.
  mutating func closeMeasures(at now: Instant) {
    for client in 0..<schedule.actors { meter.open(client, false, at: now) }
    for index in 0..<videos.count {
      if let since = videos[index].wrongSince { meter.measures.wrongTime += now - since }
    }
    for object in objects { meter.measures.storedTime += now - object.since }
    meter.measures.pushes = server.pushes
    meter.measures.pushBytes = server.pushBytes
    meter.measures.pollBytes = server.pollBytes
    meter.measures.reads = server.reads
    meter.measures.writes = server.writes
    meter.measures.videos = videos.count
  }
}
