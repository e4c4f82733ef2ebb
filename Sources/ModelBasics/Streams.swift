import SimulationKernel

/// Who draws from one seed together: a world, or a model that runs by itself.
///
/// Real servers beside a simulated client draw with the client's seed, so that they count as of its
/// world: the stand-in origin and the live edge as of the feed, real clients as of messages.
public struct StreamWorlds: OptionSet, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let feed = StreamWorlds(rawValue: 1 << 0)
  public static let mixedFeed = StreamWorlds(rawValue: 1 << 1)
  public static let messages = StreamWorlds(rawValue: 1 << 2)
  public static let calls = StreamWorlds(rawValue: 1 << 3)
  public static let services = StreamWorlds(rawValue: 1 << 4)
  /// One station under an open load, for what a service alone does.
  public static let station = StreamWorlds(rawValue: 1 << 5)
  public static let pipeline = StreamWorlds(rawValue: 1 << 6)
  /// A transfer model alone: `model`, the fidelity suite.
  public static let transfers = StreamWorlds(rawValue: 1 << 7)
  /// A cache that replays a list of requests: `replay cache`.
  public static let cacheReplay = StreamWorlds(rawValue: 1 << 8)

  /// Each by itself.
  public static let each: [StreamWorlds] = [
    .feed, .mixedFeed, .messages, .calls, .services, .station, .pipeline, .transfers, .cacheReplay,
  ]
}

/// A row of the registry of random streams. Its key is world and number: a number stands for one
/// purpose in a world, and is never given to another there (docs/decisions/0004).
public struct StreamRow: Sendable {
  public let stream: StreamName
  public let name: StaticString
  /// All that draw from it.
  public let worlds: StreamWorlds
  /// What it decides, and what entity and draw (or pair of draws) are. Draw 0 where it says none.
  public let meaning: StaticString

  init(
    _ stream: StreamName, _ name: StaticString, in worlds: StreamWorlds, _ meaning: StaticString
  ) {
    self.stream = stream
    self.name = name
    self.worlds = worlds
    self.meaning = meaning
  }
}

// The registry: a number has its name here, and its row in `StreamRow.all` below says what for.
// `tidy` takes a stream from nowhere else, and wants a row for each. To add one, take a number that
// its world has not had. A number that is no longer used keeps its row: what it drew stays its own.
// Computed and inlinable, because a constant of another module is a call that the optimiser knows
// nothing of, in the middle of the loops that draw.

// Of the feed, and of a mixed feed where a row says so.
extension StreamName {
  @inlinable public static var arrival: StreamName { StreamName(rawValue: 1) }
  @inlinable public static var sessionLength: StreamName { StreamName(rawValue: 2) }
  @inlinable public static var sessionChoice: StreamName { StreamName(rawValue: 3) }
  @inlinable public static var linkMean: StreamName { StreamName(rawValue: 4) }
  @inlinable public static var linkSecond: StreamName { StreamName(rawValue: 5) }
  @inlinable public static var roundTrip: StreamName { StreamName(rawValue: 6) }
  @inlinable public static var feedTitle: StreamName { StreamName(rawValue: 7) }
  @inlinable public static var dwell: StreamName { StreamName(rawValue: 8) }
  @inlinable public static var swipe: StreamName { StreamName(rawValue: 9) }
  @inlinable public static var patience: StreamName { StreamName(rawValue: 10) }
  @inlinable public static var request: StreamName { StreamName(rawValue: 11) }
  @inlinable public static var title: StreamName { StreamName(rawValue: 12) }
  @inlinable public static var segment: StreamName { StreamName(rawValue: 13) }
  @inlinable public static var device: StreamName { StreamName(rawValue: 14) }
  @inlinable public static var decoder: StreamName { StreamName(rawValue: 15) }
  @inlinable public static var backhaul: StreamName { StreamName(rawValue: 16) }
  @inlinable public static var origin: StreamName { StreamName(rawValue: 17) }
  @inlinable public static var stationary: StreamName { StreamName(rawValue: 18) }
  @inlinable public static var feedPage: StreamName { StreamName(rawValue: 19) }
  @inlinable public static var scrub: StreamName { StreamName(rawValue: 20) }
  @inlinable public static var burst: StreamName { StreamName(rawValue: 21) }
  @inlinable public static var packetLoss: StreamName { StreamName(rawValue: 22) }
  @inlinable public static var gainCycle: StreamName { StreamName(rawValue: 23) }
  @inlinable public static var admission: StreamName { StreamName(rawValue: 24) }
  @inlinable public static var nodeService: StreamName { StreamName(rawValue: 25) }
  @inlinable public static var lifetime: StreamName { StreamName(rawValue: 26) }
  @inlinable public static var others: StreamName { StreamName(rawValue: 27) }
  @inlinable public static var cacheKey: StreamName { StreamName(rawValue: 28) }
  @inlinable public static var extraArrival: StreamName { StreamName(rawValue: 30) }
  @inlinable public static var glimpse: StreamName { StreamName(rawValue: 31) }
  @inlinable public static var crowdArrival: StreamName { StreamName(rawValue: 40) }
  @inlinable public static var crowdTitle: StreamName { StreamName(rawValue: 41) }
  @inlinable public static var newTitle: StreamName { StreamName(rawValue: 42) }
  @inlinable public static var pause: StreamName { StreamName(rawValue: 50) }
  @inlinable public static var pauseLength: StreamName { StreamName(rawValue: 51) }
  @inlinable public static var snapRetry: StreamName { StreamName(rawValue: 52) }
  @inlinable public static var ranker: StreamName { StreamName(rawValue: 53) }
  @inlinable public static var exploration: StreamName { StreamName(rawValue: 54) }
  @inlinable public static var ingest: StreamName { StreamName(rawValue: 55) }
  @inlinable public static var segmentError: StreamName { StreamName(rawValue: 56) }
  @inlinable public static var retryJitter: StreamName { StreamName(rawValue: 57) }
  @inlinable public static var loopGap: StreamName { StreamName(rawValue: 58) }
  @inlinable public static var presentation: StreamName { StreamName(rawValue: 70) }
  @inlinable public static var mainThread: StreamName { StreamName(rawValue: 71) }
  @inlinable public static var standInFault: StreamName { StreamName(rawValue: 72) }
  @inlinable public static var standInRequest: StreamName { StreamName(rawValue: 73) }
  @inlinable public static var appLaunch: StreamName { StreamName(rawValue: 74) }
  @inlinable public static var nameFailure: StreamName { StreamName(rawValue: 75) }
  @inlinable public static var exit: StreamName { StreamName(rawValue: 76) }
  @inlinable public static var provider: StreamName { StreamName(rawValue: 77) }
  @inlinable public static var titleSample: StreamName { StreamName(rawValue: 90) }
  @inlinable public static var othersView: StreamName { StreamName(rawValue: 91) }
}

// Of a mixed feed alone.
extension StreamName {
  @inlinable public static var surfaceGesture: StreamName { StreamName(rawValue: 60) }
  @inlinable public static var surfaceTremble: StreamName { StreamName(rawValue: 61) }
  @inlinable public static var surfaceWidget: StreamName { StreamName(rawValue: 62) }
  @inlinable public static var surfaceTitle: StreamName { StreamName(rawValue: 63) }
  @inlinable public static var surfaceEdge: StreamName { StreamName(rawValue: 64) }
  @inlinable public static var surfacePlayer: StreamName { StreamName(rawValue: 65) }
  @inlinable public static var surfaceRest: StreamName { StreamName(rawValue: 66) }
  @inlinable public static var surfaceScreen: StreamName { StreamName(rawValue: 67) }
  @inlinable public static var surfacePage: StreamName { StreamName(rawValue: 68) }
}

// Of messages, simulated and over real sockets.
extension StreamName {
  @inlinable public static var messageDelay: StreamName { StreamName(rawValue: 80) }
  @inlinable public static var messageTimer: StreamName { StreamName(rawValue: 81) }
  @inlinable public static var messagePush: StreamName { StreamName(rawValue: 82) }
  @inlinable public static var messageIgnored: StreamName { StreamName(rawValue: 83) }
  @inlinable public static var messageUser: StreamName { StreamName(rawValue: 84) }
  @inlinable public static var faultSchedule: StreamName { StreamName(rawValue: 85) }
  @inlinable public static var messageLoss: StreamName { StreamName(rawValue: 86) }
  @inlinable public static var livePush: StreamName { StreamName(rawValue: 87) }
  @inlinable public static var liveTimer: StreamName { StreamName(rawValue: 88) }
}

// Of calls.
extension StreamName {
  @inlinable public static var callDelay: StreamName { StreamName(rawValue: 90) }
  @inlinable public static var callUser: StreamName { StreamName(rawValue: 91) }
  @inlinable public static var callName: StreamName { StreamName(rawValue: 92) }
  @inlinable public static var callHabit: StreamName { StreamName(rawValue: 93) }
  @inlinable public static var callQuality: StreamName { StreamName(rawValue: 94) }
}

// Of services, and of a station alone.
extension StreamName {
  @inlinable public static var stationJob: StreamName { StreamName(rawValue: 100) }
  @inlinable public static var serviceArrival: StreamName { StreamName(rawValue: 101) }
  @inlinable public static var serviceSession: StreamName { StreamName(rawValue: 102) }
  @inlinable public static var serviceDwell: StreamName { StreamName(rawValue: 103) }
  @inlinable public static var servicePage: StreamName { StreamName(rawValue: 104) }
  @inlinable public static var serviceRanker: StreamName { StreamName(rawValue: 105) }
  @inlinable public static var serviceTitle: StreamName { StreamName(rawValue: 106) }
  @inlinable public static var servicePost: StreamName { StreamName(rawValue: 107) }
  @inlinable public static var serviceList: StreamName { StreamName(rawValue: 108) }
  @inlinable public static var serviceWrite: StreamName { StreamName(rawValue: 109) }
  @inlinable public static var serviceAbuse: StreamName { StreamName(rawValue: 110) }
  @inlinable public static var serviceStationary: StreamName { StreamName(rawValue: 111) }
  @inlinable public static var serviceTable: StreamName { StreamName(rawValue: 112) }
}

// Of the pipeline.
extension StreamName {
  @inlinable public static var uploadArrival: StreamName { StreamName(rawValue: 120) }
  @inlinable public static var uploadFacts: StreamName { StreamName(rawValue: 121) }
  @inlinable public static var uploadRequest: StreamName { StreamName(rawValue: 122) }
  @inlinable public static var uploadBus: StreamName { StreamName(rawValue: 123) }
  @inlinable public static var pipelineJob: StreamName { StreamName(rawValue: 124) }
  @inlinable public static var pipelineWrite: StreamName { StreamName(rawValue: 125) }
  @inlinable public static var pipelineRead: StreamName { StreamName(rawValue: 126) }
}

extension StreamRow {
  /// Every stream, by world and number. An entity of two things has the first in its upper bits. A
  /// view is session and item; a pair is two draws.
  public static var all: [StreamRow] {
    feed + mixedFeed + messages + calls + services + pipeline
  }

  private static let feed: [StreamRow] = [
    StreamRow(
      .arrival, "arrival", in: [.feed, .mixedFeed],
      "gap before a session: entity its number"),
    StreamRow(
      .sessionLength, "sessionLength", in: [.feed, .mixedFeed],
      "how long a session lasts: entity the session"),
    StreamRow(
      .sessionChoice, "sessionChoice", in: [.feed, .mixedFeed],
      "network, device class, persona, a resumable connection: entity the session, draw which"),
    StreamRow(
      .linkMean, "linkMean", in: [.feed, .mixedFeed],
      "a link's mean rate, and where its trace begins (draw 1): entity the session"),
    StreamRow(
      .linkSecond, "linkSecond", in: [.feed, .mixedFeed],
      "a link's rate and outage in a second: entity the session, pair the second"),
    StreamRow(
      .roundTrip, "roundTrip", in: [.feed, .mixedFeed],
      "round trip of a session's network: entity the session"),
    StreamRow(
      .feedTitle, "feedTitle", in: .feed,
      "title by popularity: entity session and item, draw the attempt"),
    StreamRow(
      .dwell, "dwell", in: .feed,
      "completed and for how long (pair 0), loops and scrub (pair 1): entity the view"),
    StreamRow(
      .swipe, "swipe", in: .feed,
      "direction of a swipe and its time: entity the view"),
    StreamRow(
      .patience, "patience", in: .feed,
      "how long a viewer waits: entity the view, draw the number of its stall"),
    StreamRow(
      .request, "request", in: .feed,
      "the edge's time for a request: entity session and item, draw twice its offset"),
    StreamRow(
      .title, "title", in: [.feed, .mixedFeed],
      "a title's length, size and segments: entity the title, pairs 0 and 1"),
    StreamRow(
      .segment, "segment", in: [.feed, .mixedFeed],
      "sizes of a title's segments: entity the title, pair half the segment's number"),
    StreamRow(
      .device, "device", in: .feed,
      "time to create a player: entity session and player"),
    StreamRow(
      .decoder, "decoder", in: .feed,
      "decoder's setup (draw 0), first decode (draw 1): entity session and item"),
    StreamRow(
      .backhaul, "backhaul", in: .feed,
      "a fetch's round trip: entity node and object, draw fetch and attempt"),
    StreamRow(
      .origin, "origin", in: .feed,
      "the origin's time to its first byte: entity node and object, draw fetch and attempt"),
    StreamRow(
      .stationary, "stationary", in: .feed,
      "a copy's age at time zero: entity node and low half of the key, pairs by the high half"),
    StreamRow(
      .feedPage, "feedPage", in: .feed,
      "the feed API's time for a page: entity session and first item"),
    StreamRow(
      .scrub, "scrub", in: .feed,
      "where a scrub ends: entity the view"),
    StreamRow(
      .burst, "burst", in: .feed,
      "whether a burst of swipes begins, and its length: entity the view"),
    StreamRow(
      .packetLoss, "packetLoss", in: [.feed, .transfers],
      "gap between packets that a connection loses: entity the connection, draw the gap"),
    StreamRow(
      .gainCycle, "gainCycle", in: .transfers,
      "phase of BBR's gain cycle: entity the connection, draw the cycle"),
    StreamRow(
      .admission, "admission", in: [.feed, .cacheReplay],
      "whether a cache takes an object: entity request, or node and object; draw fetch or tier"),
    StreamRow(
      .nodeService, "nodeService", in: .feed,
      "a shared tier's time to answer: entity node and object, draw child and fetch"),
    StreamRow(
      .lifetime, "lifetime", in: .feed,
      "jitter of a lifetime: entity node and object, draw the fetch"),
    StreamRow(
      .others, "others", in: .feed,
      "gap between requests of edges that are not simulated: entity node and object, draw counts"),
    StreamRow(
      .cacheKey, "cacheKey", in: .feed,
      "value of the cache key's query: entity the session"),
    StreamRow(
      .crowdArrival, "crowdArrival", in: .feed,
      "gap before a crowd's session: entity crowd and the session's number"),
    StreamRow(
      .crowdTitle, "crowdTitle", in: .feed,
      "whether an item is a crowd's new title: entity session and item, draw the crowd"),
    StreamRow(
      .newTitle, "newTitle", in: .feed,
      "whether an item is a new title (draw 0), how old: entity session and item, draw attempt"),
    StreamRow(
      .pause, "pause", in: .feed,
      "whether a view is paused, and where: entity the view, pair the kind of pause"),
    StreamRow(
      .pauseLength, "pauseLength", in: .feed,
      "a pause's length, whether the app dies, a message is sent: entity the view, draw which"),
    StreamRow(
      .snapRetry, "snapRetry", in: .feed,
      "from a snap back to the next swipe: entity the view, draw the session's snaps"),
    StreamRow(
      .ranker, "ranker", in: .feed,
      "the ranker's time, and whether it is slow: entity session and page"),
    StreamRow(
      .exploration, "exploration", in: .feed,
      "title of an exploration item: entity session and item"),
    StreamRow(
      .ingest, "ingest", in: .feed,
      "the ingest's time and answers: entity the session, draw three times the post's number"),
    StreamRow(
      .segmentError, "segmentError", in: .feed,
      "whether a segment's answer is an error: entity session and item, draw offset and try"),
    StreamRow(
      .retryJitter, "retryJitter", in: .feed,
      "jitter of a retry, or time to a tap: entity session and item, draw offset and try"),
    StreamRow(
      .loopGap, "loopGap", in: .feed,
      "gap of a loop: entity the view, draw the pass"),
    StreamRow(
      .presentation, "presentation", in: [.feed, .mixedFeed],
      "attachment and refresh of a frame: entity the view, or session and card, pair its mount"),
    StreamRow(
      .mainThread, "mainThread", in: .feed,
      "work for an item's player: entity session and item, draw what it is"),
    StreamRow(
      .standInFault, "standInFault", in: .feed,
      "whether a request of the stand-in meets a fault: entity the request, draw the fault"),
    StreamRow(
      .standInRequest, "standInRequest", in: .feed,
      "the stand-in's latency and jitter of a lifetime: entity the request, draw which"),
    StreamRow(
      .appLaunch, "appLaunch", in: .feed, "how long a session's app launch takes: entity session"),
    StreamRow(
      .nameFailure, "nameFailure", in: .feed,
      "what becomes of a name's look-up: entity session and look-up, draw its try"),
    StreamRow(
      .exit, "exit", in: .feed,
      "whether a viewer closes the app after waiting: entity the view"),
    StreamRow(
      .provider, "provider", in: .feed,
      "which of several CDN providers a session begins with: entity session"),
    StreamRow(
      .titleSample, "titleSample", in: .feed,
      "which title of a group of the tail is simulated: entity the group's first title"),
    StreamRow(
      .othersView, "othersView", in: .feed,
      "view by somebody who is not simulated: entity place and title, pair the number of the view"),
    StreamRow(
      .extraArrival, "extraArrival", in: .feed,
      "when an extra cold start comes: entity the session"),
    StreamRow(
      .glimpse, "glimpse", in: .feed,
      "times behind the edge of an extra cold start: entity session and request, draw tier, which"),
  ]

  private static let mixedFeed: [StreamRow] = [
    StreamRow(
      .surfaceGesture, "surfaceGesture", in: .mixedFeed,
      "a gesture: entity session and gesture, draw which part"),
    StreamRow(
      .surfaceTremble, "surfaceTremble", in: .mixedFeed,
      "trembling: entity session and gesture, draw the tenth of a second"),
    StreamRow(
      .surfaceWidget, "surfaceWidget", in: .mixedFeed,
      "the next widget's kind: entity session and widget"),
    StreamRow(
      .surfaceTitle, "surfaceTitle", in: .mixedFeed,
      "the title on a card: entity session and item"),
    StreamRow(
      .surfaceEdge, "surfaceEdge", in: .mixedFeed,
      "whether the edge hits, and what a miss costs: entity session and request, draw which"),
    StreamRow(
      .surfacePlayer, "surfacePlayer", in: .mixedFeed,
      "what a player and its first frame cost: entity session and player, draw which"),
    StreamRow(
      .surfaceRest, "surfaceRest", in: .mixedFeed,
      "what a viewer does at a rest: entity session and rest, draw which"),
    StreamRow(
      .surfaceScreen, "surfaceScreen", in: .mixedFeed,
      "screen (draw 0), platform (draw 1): entity the session"),
    StreamRow(
      .surfacePage, "surfacePage", in: .mixedFeed,
      "a page's latency: entity session and request"),
  ]

  private static let messages: [StreamRow] = [
    StreamRow(
      .messageDelay, "messageDelay", in: .messages,
      "delay of a request or an answer: entity the client, draw counts its messages"),
    StreamRow(
      .messageTimer, "messageTimer", in: .messages,
      "jitter of a timer: entity the client, draw counts its timers"),
    StreamRow(
      .messagePush, "messagePush", in: .messages,
      "delay and loss of a push: entity the client, pair counts its messages"),
    StreamRow(
      .messageIgnored, "messageIgnored", in: .messages,
      "whether a video is never viewed: entity its number"),
    StreamRow(
      .messageUser, "messageUser", in: .messages,
      "what users do, seed of a group's delays: entity group, client, purpose, draw counts"),
    StreamRow(
      .faultSchedule, "faultSchedule", in: [.messages, .calls],
      "schedules that fuzz tries: entity 0, draw counts"),
    StreamRow(
      .messageLoss, "messageLoss", in: .messages,
      "whether a request or an answer is lost: entity the client, draw counts its messages"),
    StreamRow(
      .livePush, "livePush", in: .messages,
      "whether a real push is dropped: entity the client, draw counts pushes"),
    StreamRow(
      .liveTimer, "liveTimer", in: .messages,
      "jitter of a real client's timers: entity the client, draw counts them"),
  ]

  private static let calls: [StreamRow] = [
    StreamRow(
      .callDelay, "callDelay", in: .calls,
      "delay of a message: entity the client, draw counts its messages"),
    StreamRow(
      .callUser, "callUser", in: .calls,
      "what users do, what translators they have: entity the client, draw counts"),
    StreamRow(
      .callName, "callName", in: .calls,
      "names of calls and tokens, and the store's time (draw 2): entity counts messages"),
    StreamRow(
      .callHabit, "callHabit", in: .calls,
      "wishes and what befalls clients: entity client and purpose, draw counts"),
    StreamRow(
      .callQuality, "callQuality", in: .calls,
      "who calls, whose device is slow, a call's quality: entity the client, draw counts"),
  ]

  private static let services: [StreamRow] = [
    StreamRow(
      .stationJob, "stationJob", in: .station,
      "a job's gap (draw 0), service (1), priority (2): entity the job"),
    StreamRow(
      .serviceArrival, "serviceArrival", in: .services,
      "gap before a session: entity its number"),
    StreamRow(
      .serviceSession, "serviceSession", in: .services,
      "user, items, round trip, token, end; jitter of its posts: entity the session, draw which"),
    StreamRow(
      .serviceDwell, "serviceDwell", in: .services,
      "how long an item is watched: entity the session, draw the item"),
    StreamRow(
      .servicePage, "servicePage", in: .services,
      "times of a page's steps, jitter of asking again: entity the page's number, draw which"),
    StreamRow(
      .serviceRanker, "serviceRanker", in: .services,
      "the ranker's service, slow or not, jitter: entity the page's number, draw by attempt"),
    StreamRow(
      .serviceTitle, "serviceTitle", in: .services,
      "title of a page's item: entity the page's number and the item"),
    StreamRow(
      .servicePost, "servicePost", in: .services,
      "whether a post is refused or lost, its service: entity the post's number, draw which"),
    StreamRow(
      .serviceList, "serviceList", in: .services,
      "gap of an entry, lag of its index, short-lived or not: entity number or key, draw which"),
    StreamRow(
      .serviceWrite, "serviceWrite", in: .services,
      "shard of a write (draw 0), jitter of its attempts: entity the write, draw by attempt"),
    StreamRow(
      .serviceAbuse, "serviceAbuse", in: .services,
      "gap and service of an abuser's requests: entity the client, draw counts"),
    StreamRow(
      .serviceStationary, "serviceStationary", in: .services,
      "age of a title's cached copy at time zero: entity the title"),
    StreamRow(
      .serviceTable, "serviceTable", in: .services,
      "jitter of a read of the table: entity the page's number, draw the attempt"),
  ]

  private static let pipeline: [StreamRow] = [
    StreamRow(
      .uploadArrival, "uploadArrival", in: .pipeline,
      "gap before an upload: entity its number"),
    StreamRow(
      .uploadFacts, "uploadFacts", in: .pipeline,
      "length, rate, format, place, uplink, outage: entity video and version, draw which"),
    StreamRow(
      .uploadRequest, "uploadRequest", in: .pipeline,
      "the service's time, lost answers, jitter of retries: entity upload and request, draw which"),
    StreamRow(
      .uploadBus, "uploadBus", in: .pipeline,
      "delay on the bus, a second delivery and its delay: entity the upload, draw which"),
    StreamRow(
      .pipelineJob, "pipelineJob", in: .pipeline,
      "transition, lost start, service, failure, jitter: entity execution, stage, attempt"),
    StreamRow(
      .pipelineWrite, "pipelineWrite", in: .pipeline,
      "time of a write (draw by write), lag of the index (draw 8): entity the execution"),
    StreamRow(
      .pipelineRead, "pipelineRead", in: .pipeline,
      "republished (draw 0), gaps of reads (from 2), flagged: entity the execution or the video"),
  ]
}
