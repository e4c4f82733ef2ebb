import MediaUnits
import MessageDelivery
import SimulationKernel

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
  /// From composing to the service's knowing; from there to the recipient's having the video, in
  /// all time and in the time that the recipient had the app open. Nanoseconds.
  public var uploadTimes: [Int64] = []
  public var deliveryTimes: [Int64] = []
  public var waits = LagList()
  /// From a change at the recipient until its sender sees it, in the time that the sender had the
  /// app open (TBM-008).
  public var visibleDownloads = LagList()
  public var visibleViews = LagList()
  /// From an opening of the app until the last video that waited then is there (OQ-03).
  public var drains = LagList()
  /// Openings with HTTP that lasted long enough to be checked, and those whose screen was wrong
  /// then (TBM-007).
  public var openings = 0
  public var wrongOpenings = 0
  /// Videos that the service knew of; of those, ones that were neither replaced nor delivered.
  public var known = 0
  public var undelivered = 0
  /// Videos that were viewed; that were gone when they were asked for; whose download was asked for
  /// again.
  public var viewed = 0
  public var gone = 0
  public var repeatedDownloads = 0
  /// Videos in the store at the end that the service does not track.
  public var orphans = 0
  /// Time in which the service was busy with the bytes of uploads.
  public var busyTime = TimeSpan.zero
  /// The largest push, bytes.
  public var largestPush = 0
  /// Video-seconds in the object store.
  public var storedTime = TimeSpan.zero

  public init() {}

  /// All requests.
  public var requestCount: Int { requests.reduce(0, +) }
}

/// Lags, and those that the end of the run has cut. Nanoseconds.
public struct LagList: Sendable, Equatable {
  public var ended: [Int64] = []
  public var cut: [Int64] = []

  public init() {}
}

/// What of the measures is under way.
struct MessagingMeter {
  static let radioTail = TimeSpan.seconds(10)

  var measures = MessagingMeasures()
  var openSince: [Instant?]
  var radioUntil: [Instant]
  /// Time with the app open, without what is under way.
  var openTotal: [TimeSpan]

  init(clients: Int) {
    openSince = [Instant?](repeating: .zero, count: clients)
    radioUntil = [Instant](repeating: .zero, count: clients)
    openTotal = [TimeSpan](repeating: .zero, count: clients)
  }

  mutating func useRadio(_ client: UInt32, at now: Instant) {
    let old = radioUntil[Int(client)]
    let until = now + MessagingMeter.radioTail
    measures.radioTime += until - (old > now ? old : now)
    radioUntil[Int(client)] = until
  }

  mutating func open(_ client: UInt32, _ isOpen: Bool, at now: Instant) {
    if let since = openSince[Int(client)] {
      measures.openTime += now - since
      openTotal[Int(client)] += now - since
    }
    openSince[Int(client)] = isOpen ? now : nil
  }

  /// How long a client has had the app open so far.
  func openClock(_ client: UInt32, at now: Instant) -> TimeSpan {
    openTotal[Int(client)] + (openSince[Int(client)].map { now - $0 } ?? .zero)
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

  /// The service knows of a video now.
  mutating func noteKnown(_ index: Int, at now: Instant) {
    let video = videos[index]
    videos[index].isKnown = true
    videos[index].knownAt = now
    videos[index].clocks.known = meter.openClock(video.recipient, at: now)
    meter.measures.known += 1
    meter.measures.uploadTimes.append((now - video.composedAt).nanoseconds)
  }

  /// The recipient has a video now.
  mutating func noteOffered(_ index: Int, at now: Instant) {
    let video = videos[index]
    videos[index].offeredAt = now
    videos[index].clocks.offered = meter.openClock(video.sender, at: now)
    endWait(index, at: now, isHere: true)
    if !video.isKnown { return }
    meter.measures.deliveryTimes.append((now - video.knownAt).nanoseconds)
    meter.measures.waits.ended.append(
      (meter.openClock(video.recipient, at: now) - video.clocks.known).nanoseconds)
  }

  /// A video that waited at an opening is there now, or has been replaced.
  mutating func endWait(_ index: Int, at now: Instant, isHere: Bool) {
    if !videos[index].isWaiting { return }
    videos[index].isWaiting = false
    let client = Int(videos[index].recipient)
    clients[client].waiting -= 1
    if clients[client].waiting == 0 && isHere {
      meter.measures.drains.ended.append((now - clients[client].openedAt).nanoseconds)
    }
  }

  /// What waits for a client that opens the app.
  mutating func beginWaits(_ client: UInt32, at now: Instant) {
    clients[Int(client)].openedAt = now
    clients[Int(client)].waiting = 0
    for index in 0..<videos.count where videos[index].recipient == client {
      let video = videos[index]
      videos[index].isWaiting = video.isKnown && !video.isReplaced && !video.isOffered
      if videos[index].isWaiting { clients[Int(client)].waiting += 1 }
    }
  }

  /// A client leaves the app: what still waits was cut.
  mutating func cutWaits(_ client: UInt32, at now: Instant) {
    if clients[Int(client)].waiting == 0 { return }
    meter.measures.drains.cut.append((now - clients[Int(client)].openedAt).nanoseconds)
    clients[Int(client)].waiting = 0
    for index in 0..<videos.count where videos[index].recipient == client {
      videos[index].isWaiting = false
    }
  }

  /// The sender sees the download or the view of a video now.
  mutating func noteSeen(_ index: Int, _ status: DeliveryStatus, at now: Instant) {
    let video = videos[index]
    let clock = meter.openClock(video.sender, at: now)
    if status == .viewed {
      meter.measures.viewLags.append((now - video.viewedAt).nanoseconds)
      meter.measures.visibleViews.ended.append((clock - video.clocks.viewed).nanoseconds)
    } else {
      meter.measures.downloadLags.append((now - video.offeredAt).nanoseconds)
      meter.measures.visibleDownloads.ended.append((clock - video.clocks.offered).nanoseconds)
    }
  }

  /// A client with a connection has opened the app: what the service has is due on its screen.
  mutating func noteOpening(_ client: UInt32, _ context: inout Context<MessagingEvent>) {
    clients[Int(client)].openings += 1
    if configuration.openGrace == .zero || !isConnected(client) { return }
    for index in 0..<videos.count where videos[index].sender == client {
      videos[index].due = videos[index].served
    }
    context.schedule(
      .checkOpen(client: client, opening: clients[Int(client)].openings),
      at: context.now + configuration.openGrace, for: MessagingWorld.firstClient + client)
  }

  /// Whether what was due at an opening is on the screen, and nothing that is not true.
  mutating func checkOpening(_ client: UInt32, _ opening: UInt32) {
    let state = clients[Int(client)]
    guard state.openings == opening, state.isOpen, isConnected(client) else { return }
    meter.measures.openings += 1
    for video in videos where video.sender == client && !video.isReplaced && !video.isFailed {
      let shown = video.shown ?? .pending
      if shown < video.due || shown == .viewed && !video.isViewed {
        meter.measures.wrongOpenings += 1
        return
      }
    }
  }

  /// Ends what is under way.
  mutating func closeMeasures(at now: Instant) {
    closeVideos(at: now)
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

  private mutating func closeVideos(at now: Instant) {
    for video in videos {
      if video.isViewed { meter.measures.viewed += 1 }
      meter.measures.repeatedDownloads += max(0, video.downloads - 1)
      if !video.isKnown || video.isReplaced { continue }
      if !video.isOffered {
        meter.measures.undelivered += 1
        let wait = meter.openClock(video.recipient, at: now) - video.clocks.known
        meter.measures.waits.cut.append(wait.nanoseconds)
        continue
      }
      let clock = meter.openClock(video.sender, at: now)
      let shown = video.shown ?? .pending
      if video.isViewed && shown != .viewed {
        meter.measures.visibleViews.cut.append((clock - video.clocks.viewed).nanoseconds)
      }
      // Where the view is shown the download was skipped over and is no lag of its own.
      if shown < .downloaded {
        meter.measures.visibleDownloads.cut.append((clock - video.clocks.offered).nanoseconds)
      }
    }
    for object in objects where server.status(of: object.video) == nil {
      meter.measures.orphans += 1
    }
  }
}
