import MediaUnits

/// Gets the videos for one client and tells the server how far each has come: its list of downloads
/// of which the server does not know the end yet (TBM-035).
///
/// Models: one download for each name (TBM-020), reports that are repeated until the server has
/// heard them (TBM-050), a server that has not heard or has forgotten (TBM-039, TBM-053), videos
/// that are gone (TBM-059, TBM-061). Leaves out: the bytes of the videos.
///
/// Packets, answers and timers may be late, doubled or in any order; what changes nothing is
/// counted. The machine is a value: the host keeps a copy whenever ``Command/save`` is given.
public struct ReceiverMachine: PolicyMachine, OutboxHost {
  public struct Configuration: Sendable, Equatable {
    /// States that are reported.
    public var lattice: StatusLattice
    /// Whether videos are told apart by their names. Default true; false shows what TBM-020 asks
    /// about.
    public var knowsNames: Bool
    /// Whether reports that were not heard are kept over a restart (TBM-051). Default true.
    public var keepsReports: Bool
    /// Whether everything in the list is reported again at a start, heard or not: a full
    /// synchronisation (TBM-052). Default false.
    public var reportsAllAtStart: Bool
    /// Whether the recipient has a viewed video deleted: for ``CleanupRule/byRecipient``. Default
    /// false.
    public var deletesViewed: Bool
    /// Names of finished videos that are remembered, so that an old packet does not bring one back.
    /// Default 64: eight times the most videos in transit (TBM-041).
    public var memory: Int
    /// How requests are repeated.
    public var retry: RepeatRule

    /// - Precondition: `memory` is not negative.
    public init(
      lattice: StatusLattice = .four, knowsNames: Bool = true, keepsReports: Bool = true,
      reportsAllAtStart: Bool = false, deletesViewed: Bool = false, memory: Int = 64,
      retry: RepeatRule = RepeatRule()
    ) {
      precondition(memory >= 0, "memory is not negative, got \(memory)")
      self.lattice = lattice
      self.knowsNames = knowsNames
      self.keepsReports = keepsReports
      self.reportsAllAtStart = reportsAllAtStart
      self.deletesViewed = deletesViewed
      self.memory = memory
      self.retry = retry
    }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// There is a connection now, or none any more.
    case connected(Bool)
    /// By push or in answer to a poll.
    case packet(InfoPacket)
    /// The user has seen the video.
    case viewed(VideoID)
    case answered(Errand, attempt: UInt32, RequestOutcome)
    case timerFired(Errand, attempt: UInt32)
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable, OutboxCommand {
    /// Make the request; `from` is the video's sender, `status` what a report says.
    case send(Errand, from: ClientID, status: DeliveryStatus, attempt: UInt32)
    /// Report ``Event/timerFired(_:attempt:)`` then, or up to `jitter` later.
    case setTimer(Errand, attempt: UInt32, at: Instant, jitter: TimeSpan)
    /// The user can see the video.
    case offer(VideoID, from: ClientID)
    /// The video cannot be had any more.
    case gone(VideoID)
    /// Keep the machine, so that a restart finds it as it is now.
    case save
  }

  /// How far the client itself is with a video.
  enum Stage: Sendable, Equatable {
    /// The download is in the outbox. Can transition to: downloaded, gone from the list.
    case loading
    /// The user can see it. Can transition to: viewed.
    case downloaded
    /// The user has seen it. Can transition to: gone from the list, once the server knows.
    case viewed

    var status: DeliveryStatus {
      switch self {
      case .loading: return .received
      case .downloaded: return .downloaded
      case .viewed: return .viewed
      }
    }
  }

  struct Item: Sendable, Equatable {
    var video: VideoID
    var sender: ClientID
    var stage: Stage
    /// What the server has said that it knows.
    var heard: DeliveryStatus
  }

  public let configuration: Configuration
  var items: [Item] = []
  /// Names of videos that are finished, the oldest first.
  var finished: [VideoID] = []
  var outbox: Outbox

  /// Downloads begun, for the check that each video is got once.
  public private(set) var downloads = 0
  /// Videos of a packet that were known already (TBM-020).
  public private(set) var duplicates = 0
  /// Videos that were gone (TBM-059).
  public private(set) var lost = 0
  /// Events that changed nothing.
  public internal(set) var ignored = 0

  public init(_ configuration: Configuration) {
    self.configuration = configuration
    outbox = Outbox(configuration.retry)
  }

  /// The machine as it goes on after the process was ended: without a connection and without
  /// timers; with its reports only if ``Configuration/keepsReports``.
  public var restarted: ReceiverMachine {
    var copy = self
    copy.outbox = outbox.restored
    if !configuration.keepsReports {
      // The list is on the disk, what was to be said about it is not.
      copy.outbox.entries.removeAll { $0.errand.kind == .report }
      for item in items where item.stage == .viewed { copy.remember(item.video) }
      copy.items.removeAll { $0.stage == .viewed }
      return copy
    }
    if configuration.reportsAllAtStart {
      for index in 0..<copy.items.count {
        copy.items[index].heard = .pending
        _ = copy.outbox.add(Errand(.report, copy.items[index].video), at: .zero)
      }
    }
    return copy
  }

  /// Videos in the list.
  public var inTransit: Int { items.count }
  /// Requests that are not done.
  public var pendingRequests: Int { outbox.count }

  /// Whether the user can see the video or has seen it and the server has not heard.
  public func has(_ video: VideoID) -> Bool {
    guard let place = place(of: video) else { return false }
    return items[place].stage != .loading
  }

  /// How far the client is with a video in its list.
  public func status(of video: VideoID) -> DeliveryStatus? {
    place(of: video).map { items[$0].stage.status }
  }

  /// - Complexity: O(items · items named by a packet).
  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .connected(let isOnline): connect(isOnline, at: now, into: &commands)
    case .packet(let packet): read(packet, at: now, into: &commands)
    case .viewed(let video): view(video, at: now, into: &commands)
    case .answered(let errand, let attempt, let outcome):
      answer(errand, attempt, outcome, at: now, into: &commands)
    case .timerFired(let errand, let attempt): fire(errand, attempt, at: now, into: &commands)
    }
  }

  func place(of video: VideoID) -> Int? {
    for index in 0..<items.count where items[index].video == video { return index }
    return nil
  }

  private mutating func read(
    _ packet: InfoPacket, at now: Instant, into commands: inout [Command]
  ) {
    let before = commands.count
    for entry in packet.downloads {
      if let place = place(of: entry.video), configuration.knowsNames {
        duplicates += 1
        // The server does not know what it had been told: tell it again (TBM-039).
        if configuration.lattice.projected(items[place].stage.status) > .notified {
          items[place].heard = .pending
        }
        report(place, at: now, into: &commands)
      } else if finished.contains(entry.video) && configuration.knowsNames {
        duplicates += 1
      } else {
        begin(entry, at: now, into: &commands)
      }
    }
    if commands.count == before { ignored += 1 } else { commands.append(.save) }
  }

  private mutating func begin(
    _ entry: InfoPacket.Download, at now: Instant, into commands: inout [Command]
  ) {
    downloads += 1
    if place(of: entry.video) == nil {
      items.append(
        Item(video: entry.video, sender: entry.sender, stage: .loading, heard: .pending))
    }
    run(Errand(.download, entry.video), at: now, into: &commands)
    if let place = place(of: entry.video) { report(place, at: now, into: &commands) }
  }

  /// Has the server told, unless it knows or is being told.
  private mutating func report(_ place: Int, at now: Instant, into commands: inout [Command]) {
    let status = items[place].stage.status
    guard configuration.lattice.contains(status), items[place].heard < status else { return }
    run(Errand(.report, items[place].video), at: now, into: &commands)
  }

  private mutating func view(
    _ video: VideoID, at now: Instant, into commands: inout [Command]
  ) {
    guard let place = place(of: video), items[place].stage == .downloaded else {
      ignored += 1
      return
    }
    items[place].stage = .viewed
    settle(place, at: now, into: &commands)
    commands.append(.save)
  }

  /// Closes what is over, and reports what is not.
  private mutating func settle(_ place: Int, at now: Instant, into commands: inout [Command]) {
    if items[place].heard == .viewed && items[place].stage == .viewed {
      close(place, at: now, into: &commands)
    } else {
      report(place, at: now, into: &commands)
    }
  }

  func send(_ errand: Errand, attempt: UInt32) -> Command {
    let item = place(of: errand.video).map { items[$0] }
    return .send(
      errand, from: item?.sender ?? ClientID(.max), status: item?.stage.status ?? .viewed,
      attempt: attempt)
  }

  mutating func finish(
    _ errand: Errand, _ outcome: RequestOutcome, at now: Instant, into commands: inout [Command]
  ) {
    if errand.kind == .delete { return }
    guard let place = place(of: errand.video) else {
      ignored += 1
      return
    }
    if errand.kind == .download {
      endDownload(place, outcome, at: now, into: &commands)
      return
    }
    switch outcome {
    case .done(_, let status):
      items[place].heard = items[place].heard.joined(with: status)
      settle(place, at: now, into: &commands)
    case .gone, .refused, .busy, .lost:
      // The server does not track the video any more: there is nothing left to tell (TBM-053).
      items[place].heard = .viewed
      settle(place, at: now, into: &commands)
    }
  }

  private mutating func endDownload(
    _ place: Int, _ outcome: RequestOutcome, at now: Instant, into commands: inout [Command]
  ) {
    guard items[place].stage == .loading else {
      ignored += 1
      return
    }
    guard case .done = outcome else {
      lost += 1
      let video = items[place].video
      outbox.remove(video: video)
      items.remove(at: place)
      remember(video)
      commands.append(.gone(video))
      return
    }
    items[place].stage = .downloaded
    commands.append(.offer(items[place].video, from: items[place].sender))
    report(place, at: now, into: &commands)
  }

  private mutating func close(_ place: Int, at now: Instant, into commands: inout [Command]) {
    let video = items.remove(at: place).video
    remember(video)
    if configuration.deletesViewed {
      run(Errand(.delete, video), at: now, into: &commands)
    }
  }

  private mutating func remember(_ video: VideoID) {
    if configuration.memory == 0 { return }
    if finished.count == configuration.memory { finished.removeFirst() }
    finished.append(video)
  }
}
