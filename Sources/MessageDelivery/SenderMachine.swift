import MediaUnits

/// Sends the videos of one client and shows how far they have come: its list of uploads in transit
/// (TBM-035).
///
/// Models: the requests of an upload in the order of its ``UploadSequence``, their repetition, what
/// an ``InfoPacket`` says of each upload, and when an upload leaves the list. Leaves out: the bytes
/// of the video (the host carries them) and when to poll (``PollMachine``).
///
/// The shown status only rises: what is shown is the join of all that was heard (TBM-063). Packets,
/// answers and timers may be late, doubled or in any order; what changes nothing is counted.
///
/// The machine is a value: the host keeps a copy whenever ``Command/save`` is given, and makes one
/// anew from it after a restart with ``restarted``.
public struct SenderMachine: PolicyMachine, OutboxHost {
  public struct Configuration: Sendable, Equatable {
    /// Requests of an upload. Default direct (TBM-026).
    public var sequence: UploadSequence
    /// What it means that a packet leaves an upload out. Default ``MissingRule/viewedIfNewer``.
    public var missing: MissingRule
    /// Whether the sender tells the server that it has learnt of a view, so that the server can
    /// forget the video: for ``CleanupRule/onAcknowledgement``. Default false.
    public var acknowledges: Bool
    /// Whether the sender has the previous video to the same recipient deleted once the next one is
    /// registered: for ``CleanupRule/bySender`` (TBM-058). Default false.
    public var deletesPrevious: Bool
    /// Whether a new video to a recipient takes the place of the one before (TBM-034). Default
    /// true.
    public var replaces: Bool
    /// How requests are repeated.
    public var retry: RepeatRule

    public init(
      sequence: UploadSequence = .direct, missing: MissingRule = .viewedIfNewer,
      acknowledges: Bool = false, deletesPrevious: Bool = false, replaces: Bool = true,
      retry: RepeatRule = RepeatRule()
    ) {
      self.sequence = sequence
      self.missing = missing
      self.acknowledges = acknowledges
      self.deletesPrevious = deletesPrevious
      self.replaces = replaces
      self.retry = retry
    }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// The user sends a video, whose name the host has drawn.
    case composed(VideoID, to: ClientID)
    /// There is a connection now, or none any more.
    case connected(Bool)
    case answered(Errand, attempt: UInt32, RequestOutcome)
    case timerFired(Errand, attempt: UInt32)
    /// By push or in answer to a poll.
    case packet(InfoPacket)
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable, OutboxCommand {
    /// Make the request; `to` is the recipient, `order` counts the sender's videos.
    case send(Errand, to: ClientID, order: UInt64, attempt: UInt32)
    /// Report ``Event/timerFired(_:attempt:)`` then, or up to `jitter` later.
    case setTimer(Errand, attempt: UInt32, at: Instant, jitter: TimeSpan)
    /// The user sees this status.
    case show(VideoID, DeliveryStatus)
    /// The user sees that the video could not be sent.
    case showFailure(VideoID)
    /// The video is of no interest any more, because another took its place.
    case forget(VideoID)
    /// Keep the machine, so that a restart finds it as it is now.
    case save
  }

  /// What an upload is doing.
  enum Stage: Sendable, Equatable {
    /// The request is in the outbox. Can transition to: sending (the next request), tracked.
    case sending(RequestKind)
    /// All requests are done. Can transition to: gone from the list.
    case tracked
  }

  struct Upload: Sendable, Equatable {
    var video: VideoID
    var recipient: ClientID
    var order: UInt64
    var stage: Stage
    var status = DeliveryStatus.pending
    /// Whether the video is in the store.
    var isStored = false
    /// The server's table had the video from this version on.
    var version: UInt64?
  }

  /// The last video that was sent to a recipient.
  struct Previous: Sendable, Equatable {
    var recipient: ClientID
    var video: VideoID
  }

  public let configuration: Configuration
  var uploads: [Upload] = []
  var previous: [Previous] = []
  var outbox: Outbox
  var lastOrder: UInt64 = 0

  /// Packets that named an upload which is not in the list.
  public private(set) var unknownUploads = 0
  /// Events that changed nothing.
  public internal(set) var ignored = 0
  /// Uploads that were taken as viewed because a packet left them out.
  public private(set) var assumedViewed = 0

  public init(_ configuration: Configuration) {
    self.configuration = configuration
    outbox = Outbox(configuration.retry)
  }

  /// The machine as it goes on after the process was ended: without a connection and without
  /// timers.
  public var restarted: SenderMachine {
    var copy = self
    copy.outbox = outbox.restored
    return copy
  }

  /// Uploads in transit.
  public var inTransit: Int { uploads.count }
  /// Requests that are not done.
  public var pendingRequests: Int { outbox.count }

  /// The status of an upload in transit; nil when it is not in the list.
  public func status(of video: VideoID) -> DeliveryStatus? {
    place(of: video).map { uploads[$0].status }
  }

  /// - Complexity: O(uploads · uploads named by a packet).
  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .composed(let video, let recipient):
      compose(video, recipient, at: now, into: &commands)
    case .connected(let isOnline): connect(isOnline, at: now, into: &commands)
    case .answered(let errand, let attempt, let outcome):
      answer(errand, attempt, outcome, at: now, into: &commands)
    case .timerFired(let errand, let attempt): fire(errand, attempt, at: now, into: &commands)
    case .packet(let packet): read(packet, at: now, into: &commands)
    }
  }

  func place(of video: VideoID) -> Int? {
    for index in 0..<uploads.count where uploads[index].video == video { return index }
    return nil
  }

  private mutating func compose(
    _ video: VideoID, _ recipient: ClientID, at now: Instant, into commands: inout [Command]
  ) {
    if place(of: video) != nil {
      ignored += 1
      return
    }
    if configuration.replaces {
      for index in (0..<uploads.count).reversed() where uploads[index].recipient == recipient {
        let old = uploads.remove(at: index)
        outbox.remove(video: old.video)
        commands.append(.forget(old.video))
      }
    }
    lastOrder += 1
    let kind = configuration.sequence.first
    uploads.append(
      Upload(video: video, recipient: recipient, order: lastOrder, stage: .sending(kind)))
    commands.append(.show(video, .pending))
    run(Errand(kind, video), at: now, into: &commands)
    commands.append(.save)
  }

  func send(_ errand: Errand, attempt: UInt32) -> Command {
    let place = place(of: errand.video)
    return .send(
      errand, to: place.map { uploads[$0].recipient } ?? ClientID(.max),
      order: place.map { uploads[$0].order } ?? 0, attempt: attempt)
  }

  /// A request is over: the next one of the upload follows, or the upload is given up.
  mutating func finish(
    _ errand: Errand, _ outcome: RequestOutcome, at now: Instant, into commands: inout [Command]
  ) {
    if errand.kind == .acknowledge || errand.kind == .delete { return }
    guard let place = place(of: errand.video), uploads[place].stage == .sending(errand.kind) else {
      ignored += 1
      return
    }
    switch outcome {
    case .done(let version, let status):
      if errand.kind == .store || errand.kind == .submit { uploads[place].isStored = true }
      if errand.kind != .store { uploads[place].version = version }
      advance(place, from: errand.kind, server: status, at: now, into: &commands)
    case .refused where errand.kind == .store && configuration.sequence.first == .intent:
      // The permission to store has expired: ask for another.
      uploads[place].stage = .sending(.intent)
      run(Errand(.intent, errand.video), at: now, into: &commands)
    case .refused, .gone, .busy, .lost:
      uploads.remove(at: place)
      commands.append(.showFailure(errand.video))
    }
  }

  private mutating func advance(
    _ place: Int, from kind: RequestKind, server status: DeliveryStatus, at now: Instant,
    into commands: inout [Command]
  ) {
    let video = uploads[place].video
    if let next = configuration.sequence.next(after: kind) {
      uploads[place].stage = .sending(next)
      run(Errand(next, video), at: now, into: &commands)
      return
    }
    uploads[place].stage = .tracked
    let recipient = uploads[place].recipient
    raise(place, to: status.joined(with: .uploaded), at: now, into: &commands)
    replacePrevious(of: recipient, by: video, at: now, into: &commands)
  }

  private mutating func replacePrevious(
    of recipient: ClientID, by video: VideoID, at now: Instant, into commands: inout [Command]
  ) {
    for index in 0..<previous.count where previous[index].recipient == recipient {
      let old = previous[index].video
      previous[index].video = video
      if configuration.deletesPrevious && old != video {
        run(Errand(.delete, old), at: now, into: &commands)
      }
      return
    }
    previous.append(Previous(recipient: recipient, video: video))
  }

  /// Joins a status into an upload, which leaves the list once it is viewed and all is sent.
  private mutating func raise(
    _ place: Int, to status: DeliveryStatus, at now: Instant, into commands: inout [Command]
  ) {
    if uploads[place].status < status {
      uploads[place].status = status
      commands.append(.show(uploads[place].video, status))
    }
    if uploads[place].status == .viewed && uploads[place].stage == .tracked {
      uploads.remove(at: place)
    }
  }

  // MARK: Packets

  private mutating func read(
    _ packet: InfoPacket, at now: Instant, into commands: inout [Command]
  ) {
    let before = commands.count
    for entry in packet.uploads {
      if let place = place(of: entry.video) {
        raise(place, to: entry.status, at: now, into: &commands)
      } else {
        unknownUploads += 1
      }
      if entry.status == .viewed && configuration.acknowledges {
        run(Errand(.acknowledge, entry.video), at: now, into: &commands)
      }
    }
    if packet.hasAllUploads { readMissing(packet, at: now, into: &commands) }
    if commands.count == before { ignored += 1 } else { commands.append(.save) }
  }

  private mutating func readMissing(
    _ packet: InfoPacket, at now: Instant, into commands: inout [Command]
  ) {
    for index in (0..<uploads.count).reversed() {
      let upload = uploads[index]
      if !isViewed(upload, whenMissingIn: packet) { continue }
      if packet.uploads.contains(where: { $0.video == upload.video }) { continue }
      if upload.status == .viewed { continue }
      assumedViewed += 1
      raise(index, to: .viewed, at: now, into: &commands)
    }
  }

  private func isViewed(_ upload: Upload, whenMissingIn packet: InfoPacket) -> Bool {
    switch configuration.missing {
    case .nothing: return false
    case .viewed: return upload.isStored
    case .viewedIfNewer:
      guard let version = upload.version, upload.stage == .tracked else { return false }
      return packet.version >= version
    }
  }
}
