import SimulationKernel

/// The registry of event tags: an enumeration for each world, a row of which is a case with its
/// number, and the case's name as messages have it. The key is world and number.
///
/// A tag is part of the fingerprint (``Fingerprint``): a number once given in a world is never
/// given to another kind of event there, nor changed. `tidy` takes an event's number from nowhere
/// else.
public protocol EventTag: RawRepresentable, CaseIterable, Sendable where RawValue == UInt32 {
  /// The kind of event in words.
  var name: StaticString { get }
}

extension EventTag {
  /// The name of a number of this world.
  // Only what goes wrong asks for it: out of the way of the loop over events.
  @inlinable @inline(never)
  public static func name(of number: UInt32) -> StaticString {
    Self(rawValue: number)?.name ?? "unknown event"
  }
}

/// The feed: ``FeedEvent``.
public enum FeedTag: UInt32, EventTag {
  case sessionArrived = 1
  case requestAtEdge = 2
  case pairAtEdge = 3
  case linkChanged = 4
  case diskRead = 5
  case playerReady = 6
  case watchEnded = 7
  case patienceEnded = 8
  case settled = 9
  case bufferEnded = 10
  case loadResumed = 11
  case scrubBegan = 12
  case scrubMoved = 13
  case scrubTimer = 14
  case requestAtNode = 15
  case framePresented = 16
  case answerAtNode = 17
  case burstEnded = 18
  case warmUpEnded = 19
  case handOver = 20
  case cellChanged = 21
  case requestAtOrigin = 30
  case originDone = 31
  case fetchExpired = 32
  case nodeTimer = 33
  case requestRetried = 34
  case crowdArrived = 40
  case windowEdge = 41
  case pauseBegan = 50
  case pauseEnded = 51
  case telemetryTimer = 52
  case offlineChanged = 53
  case passEnded = 54
  case passBegan = 55
  case heard = 60
  case viewerDue = 61
  case sessionEnded = 62
  case appLaunched = 63
  case nameFailed = 64
  case unanswered = 65
  case hedgeDue = 66
  case firstByte = 67

  public var name: StaticString {
    switch self {
    case .sessionArrived: "session arrived"
    case .requestAtEdge: "request at edge"
    case .pairAtEdge: "pair at edge"
    case .linkChanged: "link changed"
    case .diskRead: "disk read"
    case .playerReady: "player ready"
    case .watchEnded: "watch ended"
    case .patienceEnded: "patience ended"
    case .settled: "settled"
    case .bufferEnded: "buffer ended"
    case .loadResumed: "load resumed"
    case .scrubBegan: "scrub began"
    case .scrubMoved: "scrub moved"
    case .scrubTimer: "scrub timer"
    case .requestAtNode: "request at node"
    case .framePresented: "frame presented"
    case .answerAtNode: "answer at node"
    case .burstEnded: "burst ended"
    case .warmUpEnded: "warm-up ended"
    case .handOver: "hand-over"
    case .cellChanged: "cell changed"
    case .requestAtOrigin: "request at origin"
    case .originDone: "origin done"
    case .fetchExpired: "fetch expired"
    case .nodeTimer: "node timer"
    case .requestRetried: "request retried"
    case .crowdArrived: "crowd arrived"
    case .windowEdge: "window edge"
    case .pauseBegan: "pause began"
    case .pauseEnded: "pause ended"
    case .telemetryTimer: "telemetry timer"
    case .offlineChanged: "offline changed"
    case .passEnded: "pass ended"
    case .passBegan: "pass began"
    case .heard: "heard from outside"
    case .viewerDue: "viewer due"
    case .sessionEnded: "session ended"
    case .appLaunched: "app launched"
    case .nameFailed: "name look-up failed"
    case .unanswered: "request unanswered"
    case .hedgeDue: "hedge due"
    case .firstByte: "first byte"
    }
  }
}

/// The mixed feed: ``SurfaceEvent``. Its numbers begin above those of the feed.
public enum SurfaceTag: UInt32, EventTag {
  case sessionArrived = 101
  case sessionEnded = 102
  case frame = 103
  case restEnded = 104
  case tapped = 105
  case linkChanged = 106
  case decoderReady = 107
  case frameDecoded = 108
  case mediaChanged = 109
  case visibilityTimer = 110
  case gateTimer = 111
  case pagerTimer = 112
  // 113 was a page's arrival, which is the link's change now.
  case requestAtEdge = 114
  case edgeAnswered = 115
  case cellChanged = 116
  case handOver = 117

  public var name: StaticString {
    switch self {
    case .sessionArrived: "surface session arrived"
    case .sessionEnded: "surface session ended"
    case .frame: "frame"
    case .restEnded: "rest ended"
    case .tapped: "tapped"
    case .linkChanged: "surface link changed"
    case .decoderReady: "decoder ready"
    case .frameDecoded: "frame decoded"
    case .mediaChanged: "media changed"
    case .visibilityTimer: "visibility timer"
    case .gateTimer: "gate timer"
    case .pagerTimer: "pager timer"
    case .requestAtEdge: "surface request at edge"
    case .edgeAnswered: "edge answered"
    case .cellChanged: "surface cell changed"
    case .handOver: "surface hand-over"
    }
  }
}

/// Messages: ``MessagingEvent``.
public enum MessagingTag: UInt32, EventTag {
  case step = 0
  case arrive = 1
  case senderTimer = 2
  case receiverTimer = 3
  case pollTimer = 4
  case serverTimer = 5
  case storeEvent = 6
  case releasePush = 7
  case sleep = 8
  case restartServer = 9
  case catchUp = 10
  case mend = 11
  case useAll = 12
  case judge = 13
  case checkOpen = 14

  public var name: StaticString {
    switch self {
    case .step: "step of the schedule"
    case .arrive: "message arrived"
    case .senderTimer: "sender timer"
    case .receiverTimer: "receiver timer"
    case .pollTimer: "poll timer"
    case .serverTimer: "server timer"
    case .storeEvent: "store event"
    case .releasePush: "push released"
    case .sleep: "app sleeps"
    case .restartServer: "server restarts"
    case .catchUp: "catching up"
    case .mend: "faults mended"
    case .useAll: "all apps used"
    case .judge: "judgement"
    case .checkOpen: "opening checked"
    }
  }
}

/// Calls: ``CallsEvent``.
public enum CallsTag: UInt32, EventTag {
  case step = 0
  case begin = 1
  case opened = 2
  case refusedLine = 3
  case toServer = 4
  case toClient = 5
  case lineClosed = 6
  case closedAtServer = 7
  case clientTimer = 8
  case serverTimer = 9
  case storeAnswer = 10
  case media = 11
  case user = 12
  case restartServer = 13
  case mend = 14
  case lastCalls = 15
  case judge = 16
  case count = 17
  case clockSet = 18
  case qualityTimer = 19

  public var name: StaticString {
    switch self {
    case .step: "step of the schedule"
    case .begin: "begin"
    case .opened: "line opened"
    case .refusedLine: "line refused"
    case .toServer: "message at server"
    case .toClient: "message at client"
    case .lineClosed: "line closed"
    case .closedAtServer: "line closed at server"
    case .clientTimer: "client timer"
    case .serverTimer: "server timer"
    case .storeAnswer: "store answered"
    case .media: "media"
    case .user: "user acts"
    case .restartServer: "server restarts"
    case .mend: "faults mended"
    case .lastCalls: "last calls"
    case .judge: "judgement"
    case .count: "counting begins"
    case .clockSet: "clock set"
    case .qualityTimer: "quality timer"
    }
  }
}

/// Services: ``ServicesEvent``.
public enum ServicesTag: UInt32, EventTag {
  case sessionArrives = 0
  case swipe = 1
  case askAgain = 2
  case pageArrives = 3
  case tokenGiven = 4
  case apiDone = 5
  case metadataRead = 6
  case rankerDone = 7
  case callTimer = 8
  case deadline = 9
  case fallbackRead = 10
  case pageReturns = 11
  case batchTimer = 12
  case postArrives = 13
  case ingested = 14
  case postReturns = 15
  case write = 16
  case publish = 17
  case abuse = 18
  case flush = 19
  case close = 20
  case tableRead = 21

  public var name: StaticString {
    switch self {
    case .sessionArrives: "session arrives"
    case .swipe: "swipe"
    case .askAgain: "page asked for again"
    case .pageArrives: "page request arrives"
    case .tokenGiven: "token given"
    case .apiDone: "API done"
    case .metadataRead: "metadata read"
    case .rankerDone: "ranker done"
    case .callTimer: "call timer"
    case .deadline: "deadline"
    case .fallbackRead: "fallback read"
    case .pageReturns: "page returns"
    case .batchTimer: "batch timer"
    case .postArrives: "post arrives"
    case .ingested: "post ingested"
    case .postReturns: "post returns"
    case .write: "write"
    case .publish: "publication"
    case .abuse: "abuse"
    case .flush: "cache flushed"
    case .close: "window closes"
    case .tableRead: "table read"
    }
  }
}

/// One station alone: ``StationEvent``.
public enum StationTag: UInt32, EventTag {
  case arrive = 0
  case served = 1
  case leave = 2

  public var name: StaticString {
    switch self {
    case .arrive: "job arrives"
    case .served: "job served"
    case .leave: "job leaves"
    }
  }
}

/// The pipeline: ``PipelineEvent``.
public enum PipelineTag: UInt32, EventTag {
  case uploadBegins = 0
  case republish = 1
  case network = 2
  case linkFree = 3
  case requestDone = 4
  case uploadTimer = 5
  case stored = 6
  case stageBegins = 7
  case submitLost = 8
  case jobDone = 9
  case stageTimer = 10
  case written = 11
  case indexed = 12
  case read = 13
  case viewEnds = 14

  public var name: StaticString {
    switch self {
    case .uploadBegins: "upload begins"
    case .republish: "publication again"
    case .network: "network changes"
    case .linkFree: "link free"
    case .requestDone: "request done"
    case .uploadTimer: "upload timer"
    case .stored: "upload stored"
    case .stageBegins: "stage begins"
    case .submitLost: "start lost"
    case .jobDone: "job done"
    case .stageTimer: "stage timer"
    case .written: "written"
    case .indexed: "indexed"
    case .read: "read"
    case .viewEnds: "view ends"
    }
  }
}
