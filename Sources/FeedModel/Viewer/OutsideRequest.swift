import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits

/// Where the servers of a feed world are, and what carries its requests to them.
public enum FeedServers: UInt8, Sendable, Equatable {
  /// Modelled: caches, origin and links, all in simulated time.
  case modelled
  /// Real servers behind the world's own links: a request leaves the world when it reaches the
  /// edge, and its answer's body crosses the viewer's modelled link.
  case realBehindModelledLinks
  /// Real servers over real links: connections, round trips and bytes are what they are.
  case real
}

/// Where the players of a feed world are.
public enum FeedPlayers: UInt8, Sendable, Equatable {
  /// Modelled: what they cost and when they are ready is drawn.
  case modelled
  /// Real: the world says what they are to do and is told what became of it.
  case real
}

/// What a real player is to do; players are counted from 0.
public enum OutsidePlayerCommand: Sendable, Equatable {
  /// Hold another item, as far as its media are there, and say when a frame can be shown.
  case prepare(player: UInt32, item: UInt32, generation: UInt32)
  /// Be the one on the screen, and play.
  case play(player: UInt32, item: UInt32)
  /// Stop playing and keep the item.
  case pause(player: UInt32)
  /// Give the item and everything else back.
  case release(player: UInt32)
}

/// What became of a real player.
public enum OutsidePlayerNews: Sendable, Equatable {
  /// It can show its item's first frame.
  case ready(player: UInt32, generation: UInt32)
  /// It cannot play its item.
  case failed(player: UInt32, generation: UInt32)
  /// The first frame of the item that it was told to play is on the display.
  case presented(item: UInt32)
  /// The item on the screen has stopped for want of media, or goes on.
  case stalled(item: UInt32), resumed(item: UInt32)
}

/// Names one request of a viewer, also after its place in memory has been used again.
public struct OutsideToken: Sendable, Hashable, BitwiseCopyable {
  public var slot: UInt32
  public var index: UInt32
  public var generation: UInt32
  public var session: UInt32

  public init(slot: UInt32, index: UInt32, generation: UInt32, session: UInt32) {
    self.slot = slot
    self.index = index
    self.generation = generation
    self.session = session
  }
}

/// How a player stands when it asks for an object of its item: what players tell servers of
/// themselves (Common Media Client Data, CTA-5004).
public struct OutsidePlayback: Sendable, Equatable {
  public enum State: UInt8, Sendable {
    /// Nobody looks at the item: its objects are asked for ahead of the viewer.
    case preloading
    /// It is the current one, and no frame is on the screen yet.
    case starting
    case playing
    /// Playback stands still for want of media.
    case stalled
    /// The viewer or the app holds it.
    case paused
    /// The player goes back to the beginning for another pass.
    case seeking
  }

  public var state = State.preloading
  /// Media held ahead of the playhead; of an item that is preloaded, from its beginning.
  public var ahead = TimeSpan.zero
  /// Media ahead at which loading stops.
  public var target = TimeSpan.zero
  /// Where the playhead is in the item.
  public var position = TimeSpan.zero
  /// The player's estimate of its throughput; nil before it has measured any.
  public var throughput: BitRate?
  /// How often the view has stalled so far.
  public var stalls: UInt32 = 0
  /// From the call of play to the view's first frame; nil before there is one.
  public var startDelay: TimeSpan?
  /// Media time of the segment that is asked for; nil for any other object.
  public var length: TimeSpan?

  public init() {}
}

/// A request that leaves a world for a real server.
public struct OutsideRequest: Sendable {
  public enum Service: UInt8, Sendable {
    /// An object of a title, from the edge.
    case media
    /// A page of the feed, and a batch of events: from the feed's host.
    case feed, events
  }

  public var token: OutsideToken
  public var service: Service
  /// The item of the feed that it is for; 0 where it is for none.
  public var item: UInt32 = 0
  public var asset: AssetClass
  /// Number of the connection among the viewer's with that host, from 0.
  public var connection: Int
  /// The title's rank, and the number under which its present version's objects stand.
  public var title: UInt32
  public var number: UInt32
  /// Rung of a media playlist, an init segment or a segment.
  public var rung: Int
  /// Index of a segment or a sprite.
  public var segment: Int
  /// It is for audio of its own.
  public var isAudio: Bool
  /// The viewer holds a copy: the server may answer 304.
  public var isConditional: Bool
  /// Size of the body as the catalogue has it, bytes.
  public var bytes: Int64
  /// Bytes that the request carries.
  public var bodyBytes: Int64
  /// Body bytes with which the first frame can be shown; -1: the request has no such mark.
  public var startMark: Int64
  /// Of a feed page: items known before.
  public var feedCount: UInt32
  /// When it was due, world time.
  public var dueAt: Instant
  /// Of an object of a title: how its player stands.
  public var playback = OutsidePlayback()
  /// Of a batch of events: its number in the session, the same in every attempt, and what it
  /// carries.
  public var batch: UInt32 = 0
  public var events: [OutsideEvent] = []
}

/// An event on its way to a real server.
public struct OutsideEvent: Sendable, Equatable {
  /// Its number in the session, the same in every attempt: what a server tells repetitions by.
  public var sequence: UInt64
  public var event: TelemetryEvent
  /// The title of its item; nil when the session has forgotten the item.
  public var title: UInt32?

  public init(sequence: UInt64, event: TelemetryEvent, title: UInt32?) {
    self.sequence = sequence
    self.event = event
    self.title = title
  }
}

/// What a world wants of the outside.
public enum OutsideCommand: Sendable {
  /// A session begins at a time.
  case begin(slot: UInt32, session: UInt32, at: Instant)
  case request(OutsideRequest)
  /// Nobody waits for an answer any more; over HTTP/1.1 its connection is closed with it.
  case cancel(OutsideToken)
  /// The viewer's connections are lost.
  case close(session: UInt32)
  /// What a machine of a session was told and answered, as lines of its ``PolicyLog``; only where
  /// logs are wanted.
  case told(session: UInt32, machine: StaticString, lines: [UInt8])
  /// A player of a session's pool is to do something, since `at`; only where players are real.
  case player(slot: UInt32, session: UInt32, at: Instant, OutsidePlayerCommand)
  /// The session is over.
  case end(slot: UInt32, session: UInt32)
}

/// What a real server answered.
public struct OutsideHead: Sendable {
  /// What the cache in front did.
  public var outcome: CacheOutcome
  public var isError: Bool
  /// The copy that the viewer holds is confirmed.
  public var isNotModified: Bool
  public var age: TimeSpan
  /// How long the answer may be used; nil: it does not say.
  public var lifetime: TimeSpan?
  /// Size of the body; nil: not stated.
  public var bytes: Int64?

  public init(
    outcome: CacheOutcome, isError: Bool = false, isNotModified: Bool = false,
    age: TimeSpan = .zero, lifetime: TimeSpan? = nil, bytes: Int64? = nil
  ) {
    self.outcome = outcome
    self.isError = isError
    self.isNotModified = isNotModified
    self.age = age
    self.lifetime = lifetime
    self.bytes = bytes
  }
}

/// News from the outside about one request, or about one of the viewer's players.
public struct OutsideAnswer: Sendable {
  public enum Kind: Sendable {
    /// The head of the answer is here.
    case headed(OutsideHead)
    /// The bytes that the first frame needs are here.
    case marked
    /// Titles of the page that is about to end, in order.
    case listed([UInt32])
    /// The whole answer is here.
    case ended(bytes: Int64)
    /// There will be no answer, or no more of it.
    case failed(bytes: Int64)
    /// Of a player, and of no request: of the token its place and its session count.
    case player(OutsidePlayerNews)
  }

  public var token: OutsideToken
  public var kind: Kind
  /// The body is media: bytes of it that nobody waits for any more are wasted.
  public var isMedia: Bool

  public init(_ token: OutsideToken, _ kind: Kind, isMedia: Bool = false) {
    self.token = token
    self.kind = kind
    self.isMedia = isMedia
  }
}

/// How far a request's real answer is.
enum OutsideState: UInt8 {
  /// The request has not left the world. Can transition to: asked.
  case inside
  /// Can transition to: headed, whole.
  case asked
  /// The head has come. Can transition to: whole.
  case headed
  /// All of it has come, or nothing more will.
  case whole
}
