import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels

/// What happened in one session, step by step, for a reader who wants to see how a view came about.
///
/// Times are those of the run. The lists are in the order in which things ended or changed. What
/// is written down changes nothing in the simulation.
public struct SessionRecording: Sendable {
  /// The session number that no session has.
  static let nobody = UInt32.max

  /// A view and when it was over.
  public struct View: Sendable {
    public var record: ViewRecord
    public var endedAt: Instant
    /// Length of the title; zero when the feed page never came.
    public var duration: TimeSpan
  }

  /// A connection that was opened; the steps may lie after the end of the session.
  public struct Connection: Sendable {
    /// Its number in the session, from 0.
    public var serial: UInt32
    /// To the feed API instead of the edge.
    public var isFeed: Bool
    /// Its place at the host; what is opened at the same place follows.
    public var place: Int
    public var openedAt, nameAt, connectedAt, readyAt: Instant
  }

  /// The session's number.
  public let session: UInt32
  /// Places of the session's network and device in the configuration, and its edge.
  public internal(set) var network = 0
  public internal(set) var device = 0
  public internal(set) var edge: UInt32 = 0
  public internal(set) var roundTrip = TimeSpan.zero
  /// When the session began and ended; nil for a session that never came.
  public internal(set) var beganAt: Instant?
  public internal(set) var endedAt: Instant?
  /// The run ended before the session did.
  public internal(set) var isCut = false
  public internal(set) var views: [View] = []
  public internal(set) var requests: [RequestRecord] = []
  public internal(set) var connections: [Connection] = []
  public internal(set) var changes: [SessionChange] = []
  /// By the place of a request: when it got its connection, and when that was ready.
  var dispatches: [(at: Instant, readyAt: Instant)] = []
  var linkRate = -1.0

  init(session: UInt32) { self.session = session }
}

/// One request of a session from its beginning to its end, or one try of it.
public struct RequestRecord: Sendable {
  /// How it ended.
  public enum Outcome: UInt8, CaseIterable, Sendable {
    case completed
    /// The answer was an error; the app asks again after a while.
    case failed
    /// Its server's name did not resolve; likewise.
    case unresolved
    /// Nobody wanted it any more.
    case cancelled
    /// Its connection was lost in a hand-over; it is sent again.
    case repeated
  }

  public var asset: AssetClass
  /// The item that it is for; nil for a page of the feed.
  public var item: UInt32?
  /// Of media and media playlists; nil for the rest.
  public var rung: UInt8?
  /// Of media: the number of the segment.
  public var segment: UInt32?
  /// Bytes of the whole object.
  public var bytes: Int64
  public var outcome: Outcome
  /// Sent before its item was the current one.
  public var isPrefetch: Bool
  public var isFromDisk: Bool
  /// Asked whether the copy on the device is still valid.
  public var isConditional: Bool
  /// How often it had been sent before because of errors.
  public var retries: UInt8
  public var sentAt: Instant
  /// When it had a connection, when that was ready, when the request was at the edge, and when the
  /// answer's first byte arrived; nil for what did not happen, or not in this try.
  public var dispatchedAt: Instant?
  public var readyAt: Instant?
  public var edgeAt: Instant?
  public var firstByteAt: Instant?
  /// When the body used the link, after slow start and recovery.
  public var joinedAt: Instant?
  public var endedAt: Instant
  /// From ``edgeAt`` on: what the edge waited for others; zero when it answered at once.
  public var upstreamWait: TimeSpan
  public var tier: AnsweringTier
  public var reason: MissReason
}

/// A change of a session's state.
public struct SessionChange: Sendable {
  public enum Kind: Sendable {
    /// Of the screen, in the present view: its item plays, stalls, is scrubbed, is paused.
    case playing, stalled, scrubbing, paused
    /// A player got an item; it can be used from a time on, later than now when it is created.
    case assigned(player: UInt32, usableAt: Instant, isCreated: Bool)
    /// A player's decoder is being set up between two times.
    case decoder(player: UInt32, from: Instant, until: Instant, isReused: Bool)
    /// A player can show its item.
    case ready(player: UInt32)
    /// A player was destroyed; with `lostDecoder` because another one needed its decoder.
    case released(player: UInt32, lostDecoder: Bool)
    /// The prefetch policy wants so much of an item, wants no more, has what it wanted.
    case prefetchStarted(TimeSpan)
    case prefetchCancelled
    case prefetchReached
    /// Media ahead of the playhead of the current item.
    case buffer(TimeSpan)
    /// The access link's rate, bits per second.
    case linkRate(Double)
    /// The access network changed.
    case handOver
  }

  public var at: Instant
  /// The item that it is about; nil for none.
  public var item: UInt32?
  public var kind: Kind
}
