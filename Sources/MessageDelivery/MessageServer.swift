import MediaUnits

/// One request that reached the server.
public struct ServerRequest: Sendable, Equatable {
  public var kind: RequestKind
  /// Who asks.
  public var client: ClientID
  public var video: VideoID
  /// The recipient of an upload; the sender of what is reported.
  public var peer: ClientID
  /// The sender's count of its videos; 0 where it does not matter.
  public var order: UInt64
  /// What a report says.
  public var status: DeliveryStatus

  public init(
    _ kind: RequestKind, client: ClientID, video: VideoID = VideoID(high: 0, low: 0),
    peer: ClientID = ClientID(0), order: UInt64 = 0, status: DeliveryStatus = .pending
  ) {
    self.kind = kind
    self.client = client
    self.video = video
    self.peer = peer
    self.order = order
    self.status = status
  }
}

/// A video that was found in the object store (TBM-049): what its name says.
public struct StoredVideo: Sendable, Equatable {
  public var video: VideoID
  public var sender: ClientID
  public var recipient: ClientID
  public var order: UInt64
  /// When it was put there.
  public var since: Instant

  public init(
    video: VideoID, sender: ClientID, recipient: ClientID, order: UInt64, since: Instant
  ) {
    self.video = video
    self.sender = sender
    self.recipient = recipient
    self.order = order
    self.since = since
  }
}

/// Keeps which videos are in transit between whom, and tells the clients (TBM-036 to TBM-038).
///
/// Models: the table of videos in transit, registration once (TBM-054), statuses that only rise,
/// pushes at changes, packets, replacement of the last video between two clients (TBM-034), cleanup
/// and a sweep for videos that nobody registered (TBM-049). Leaves out: the object store and the
/// replicas of the table (the host has them), accounts, push services.
///
/// Every request is answered, whatever it says and however often it comes. The machine is a value;
/// its table is what a service keeps on disk, so a restart goes on from a copy with
/// ``Event/started``.
public struct MessageServer: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// States that are kept apart. Default four (TBM-003).
    public var lattice: StatusLattice
    /// Default ``CleanupRule/onReplacement`` (TBM-033).
    public var cleanup: CleanupRule
    /// Default ``PushPayload/full`` (TBM-029).
    public var payload: PushPayload
    /// Default names: they fit into a push (TBM-015).
    public var addresses: AddressKind
    /// Videos in one packet; 0 for all of them (TBM-019). Default 0.
    public var downloadsPerPacket: Int
    /// Whether a new video between two clients takes the place of the one before. Default true.
    public var replaces: Bool
    /// What reports are about. Default the video that they name.
    public var identity: StatusIdentity
    /// Whether packets are kept ready and not computed for each poll (TBM-042). Default false.
    public var keepsPackets: Bool
    /// Between two sweeps; zero for none. Default 1 h (assumed).
    public var sweepPeriod: TimeSpan
    /// A video in the store that nobody registered for so long is registered by the sweep. Default
    /// 10 min (assumed: ten time-outs of a transfer).
    public var strayAge: TimeSpan

    /// - Precondition: no count or span is negative.
    public init(
      lattice: StatusLattice = .four, cleanup: CleanupRule = .onReplacement,
      payload: PushPayload = .full, addresses: AddressKind = .names, downloadsPerPacket: Int = 0,
      replaces: Bool = true, identity: StatusIdentity = .video, keepsPackets: Bool = false,
      sweepPeriod: TimeSpan = .hours(1), strayAge: TimeSpan = .minutes(10)
    ) {
      precondition(downloadsPerPacket >= 0, "downloadsPerPacket is not negative")
      precondition(sweepPeriod >= .zero && strayAge >= .zero, "spans are not negative")
      self.lattice = lattice
      self.cleanup = cleanup
      self.payload = payload
      self.addresses = addresses
      self.downloadsPerPacket = downloadsPerPacket
      self.replaces = replaces
      self.identity = identity
      self.keepsPackets = keepsPackets
      self.sweepPeriod = sweepPeriod
      self.strayAge = strayAge
    }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// The process runs, from the start or again.
    case started
    /// A request that is answered by ``Command/answer(_:_:)`` or ``Command/packet(_:_:)``.
    case request(ServerRequest, token: UInt32)
    /// The object store says that a video was put there, perhaps not for the first time.
    case stored(StoredVideo)
    /// The videos that a sweep found in the store.
    case swept([StoredVideo])
    case timerFired
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable {
    case answer(UInt32, RequestOutcome)
    /// The answer to a poll.
    case packet(UInt32, InfoPacket)
    case push(ClientID, InfoPacket)
    /// Delete the video from the object store.
    case deleteVideo(VideoID)
    /// List the object store and report ``Event/swept(_:)``.
    case sweep
    case setTimer(at: Instant)
  }

  /// One video of the table.
  struct Entry: Sendable, Equatable {
    var video: VideoID
    var sender: ClientID
    var recipient: ClientID
    var order: UInt64
    var status: DeliveryStatus
    /// The version of the table that had the video first.
    var version: UInt64
    var since: Instant
  }

  /// What became of the last video from one client to another: so that a late registration brings
  /// back neither that one nor an older one.
  struct Pair: Sendable, Equatable {
    var recipient: ClientID
    var order: UInt64
    var video: VideoID
    /// nil while it is in the table.
    var final: DeliveryStatus?
  }

  struct Row: Sendable, Equatable {
    var outgoing: [UInt32] = []
    var incoming: [UInt32] = []
    var pairs: [Pair] = []
    /// Names of videos that were forgotten, the oldest first, where a pair has several or they were
    /// never stored.
    var finished: [VideoID] = []
  }

  /// Finished names remembered for each sender where a pair may have several videos: eight times
  /// the most videos in transit (TBM-041).
  static let memory = 64

  public let configuration: Configuration
  var slab: [Entry] = []
  var free: [UInt32] = []
  /// Places of the slab in the order of names.
  var byName: [UInt32] = []
  /// By number of the client.
  var rows: [Row] = []
  /// Changes of the table so far.
  public internal(set) var version: UInt64 = 0

  /// Reports about videos that are not tracked (TBM-053).
  public internal(set) var droppedUnknown = 0
  /// Registrations of what is or was tracked (TBM-054).
  public internal(set) var droppedUploads = 0
  /// Reports that said nothing new.
  public internal(set) var repeats = 0
  /// Requests by somebody who has no right to them.
  public internal(set) var refusals = 0
  /// Videos that a sweep registered.
  public internal(set) var strays = 0
  /// Pushes, their bytes, and pushes that were sent empty because they were too long.
  public internal(set) var pushes = 0
  public internal(set) var pushBytes = 0
  public internal(set) var oversized = 0
  public internal(set) var polls = 0
  public internal(set) var pollBytes = 0
  /// Rows read and written, as a key-value store counts them (TBM-009, TBM-022, TBM-042).
  public internal(set) var reads = 0
  public internal(set) var writes = 0

  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// Videos that are tracked.
  public var count: Int { byName.count }

  /// The status of a video; nil when it is not tracked.
  public func status(of video: VideoID) -> DeliveryStatus? {
    find(video).map { slab[$0].status }
  }

  /// - Complexity: a request looks a video up in O(log videos), an insertion moves 4 bytes for each
  ///   later name; a packet is O(videos of the client).
  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .started: setTimer(at: now, into: &commands)
    case .request(let request, let token): take(request, token, at: now, into: &commands)
    case .stored(let stored):
      reads += 1
      if register(stored, into: &commands) == nil { droppedUploads += 1 }
    case .swept(let found): sweep(found, at: now, into: &commands)
    case .timerFired:
      expire(at: now, into: &commands)
      commands.append(.sweep)
      setTimer(at: now, into: &commands)
    }
  }

  private func setTimer(at now: Instant, into commands: inout [Command]) {
    if configuration.sweepPeriod == .zero { return }
    commands.append(.setTimer(at: now.advanced(saturatingBy: configuration.sweepPeriod)))
  }

  // MARK: Table

  /// The place in `byName` where the name is or belongs.
  private func rank(of video: VideoID) -> Int {
    var low = 0
    var high = byName.count
    while low < high {
      let middle = (low + high) / 2
      if slab[Int(byName[middle])].video < video { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func find(_ video: VideoID) -> Int? {
    let rank = rank(of: video)
    guard rank < byName.count else { return nil }
    let place = Int(byName[rank])
    return slab[place].video == video ? place : nil
  }

  mutating func insert(_ entry: Entry) {
    let place: UInt32
    if let last = free.popLast() {
      place = last
      slab[Int(place)] = entry
    } else {
      place = UInt32(slab.count)
      slab.append(entry)
    }
    byName.insert(place, at: rank(of: entry.video))
    let needed = Int(Swift.max(entry.sender.index, entry.recipient.index)) + 1
    while rows.count < needed { rows.append(Row()) }
    rows[Int(entry.sender.index)].outgoing.append(place)
    rows[Int(entry.recipient.index)].incoming.append(place)
    version += 1
    writes += configuration.keepsPackets ? 3 : 1
  }

  /// Forgets a video; with its object, if that is to go too.
  mutating func remove(_ place: Int, deletes: Bool, into commands: inout [Command]) {
    let entry = slab[place]
    byName.remove(at: rank(of: entry.video))
    rows[Int(entry.sender.index)].outgoing.removeAll { Int($0) == place }
    rows[Int(entry.recipient.index)].incoming.removeAll { Int($0) == place }
    free.append(UInt32(place))
    version += 1
    writes += configuration.keepsPackets ? 3 : 1
    close(entry)
    if deletes { commands.append(.deleteVideo(entry.video)) }
  }

  /// Remembers that a video is over.
  private mutating func close(_ entry: Entry) {
    let row = Int(entry.sender.index)
    if !configuration.replaces || entry.status == .pending {
      if rows[row].finished.count == MessageServer.memory { rows[row].finished.removeFirst() }
      rows[row].finished.append(entry.video)
    }
    for index in 0..<rows[row].pairs.count where rows[row].pairs[index].video == entry.video {
      rows[row].pairs[index].final = entry.status
    }
  }

  func pairPlace(_ sender: ClientID, _ recipient: ClientID) -> Int? {
    guard Int(sender.index) < rows.count else { return nil }
    let pairs = rows[Int(sender.index)].pairs
    for index in 0..<pairs.count where pairs[index].recipient == recipient { return index }
    return nil
  }
}
