import MediaUnits
import SimulationKernel

/// Two requests of one viewer that reach the edge together: their places, and the low halves of
/// their generations.
public struct RequestPair: BitwiseCopyable, Sendable {
  var first, second: UInt16
  var firstGeneration, secondGeneration: UInt16
}

/// The events of the feed world. `slot` is a viewer's place in memory; the target is the session.
@frozen
public enum FeedEvent: BitwiseCopyable, Sendable {
  /// The next session begins. Target: the audience.
  case sessionArrived(index: UInt32)
  /// A request has reached an edge. Target: the edge.
  case requestAtEdge(slot: UInt32, request: UInt32, generation: UInt32)
  /// Likewise two that were sent together.
  case pairAtEdge(slot: UInt32, RequestPair)
  /// A transfer joined or ended, or a second of the link is over.
  case linkChanged(slot: UInt32)
  /// Something was read from the disk cache.
  case diskRead(slot: UInt32, request: UInt32, generation: UInt32)
  /// A player can show its item's first frame.
  case playerReady(slot: UInt32, player: UInt32, generation: UInt32)
  /// The viewer has seen enough.
  case watchEnded(slot: UInt32)
  /// The viewer waited too long for a frame.
  case patienceEnded(slot: UInt32)
  /// The next item has settled.
  case settled(slot: UInt32)
  /// The playhead may have reached the end of the buffer.
  case bufferEnded(slot: UInt32)
  /// The current item may load on.
  case loadResumed(slot: UInt32)
  /// A long press begins, moves, ends; a scrub timer fires.
  case scrubBegan(slot: UInt32)
  case scrubMoved(slot: UInt32)
  case scrubTimer(slot: UInt32)
  /// The warm-up is over: what was measured so far does not count. Target: the audience.
  case warmUpEnded
  /// A viewer in a burst of swipes goes on.
  case burstEnded(slot: UInt32)
  /// A transfer in a cell passes its mark or ends. Target: the edge that the cell belongs to.
  case cellChanged(cell: UInt32)
  /// The access network changes.
  case handOver(slot: UInt32, index: UInt32)
  /// A request of a cache node has reached the next one. Target: that node.
  case requestAtNode(node: UInt16, from: UInt16, fetch: UInt32)
  /// An answer has reached the node that asked. Target: the node.
  case answerAtNode(node: UInt16, fetch: UInt32)
  /// A request of a cache node has reached the origin; its first byte leaves. Target: the origin.
  case requestAtOrigin(from: UInt16, fetch: UInt32)
  case originDone(from: UInt16, fetch: UInt32)
  /// A fetch was not answered in time; requests that wait for a lock look again. Target: the node.
  case fetchExpired(node: UInt16, fetch: UInt32)
  case nodeTimer(node: UInt16, machine: UInt32)
  /// A viewer asks again after an error.
  case requestRetried(slot: UInt32, request: UInt32, generation: UInt32)
  /// The next session of a flash crowd begins. Target: the audience.
  case crowdArrived(crowd: UInt32, index: UInt32)
  /// A reported part of the measured time begins or ends. Target: the audience.
  case windowEdge(window: UInt32, isEnd: Bool)
  /// Something pauses the view, or ends it; the pause is over.
  case pauseBegan(slot: UInt32)
  case pauseEnded(slot: UInt32)
  /// A timer of the telemetry: for a flush, or for a post that is sent again.
  case telemetryTimer(slot: UInt32, isRetry: Bool)
  /// Something was heard from a real server. Target: the audience.
  case heard(number: UInt32)
  /// The access network is lost, or back.
  case offlineChanged(slot: UInt32, isOffline: Bool)
  /// A pass of an item that loops is over; the next one begins.
  case passEnded(slot: UInt32)
  case passBegan(slot: UInt32)
  /// The current item's first frame is on the display.
  case framePresented(slot: UInt32)
}

extension FeedEvent {
  var tag: UInt32 {
    switch self {
    case .sessionArrived: 1
    case .requestAtEdge: 2
    case .pairAtEdge: 3
    case .linkChanged: 4
    case .diskRead: 5
    case .playerReady: 6
    case .framePresented: 16
    case .watchEnded: 7
    case .patienceEnded: 8
    case .settled: 9
    case .bufferEnded: 10
    case .loadResumed: 11
    case .scrubBegan: 12
    case .scrubMoved: 13
    case .scrubTimer: 14
    case .requestAtNode: 15
    case .answerAtNode: 17
    case .burstEnded: 18
    case .warmUpEnded: 19
    case .handOver: 20
    case .cellChanged: 21
    case .requestAtOrigin: 30
    case .originDone: 31
    case .fetchExpired: 32
    case .nodeTimer: 33
    case .requestRetried: 34
    case .crowdArrived: 40
    case .windowEdge: 41
    case .pauseBegan: 50
    case .pauseEnded: 51
    case .telemetryTimer: 52
    case .offlineChanged: 53
    case .heard: 60
    case .passEnded: 54
    case .passBegan: 55
    }
  }

  /// The name of a kind of event, for messages.
  public static func name(ofTag tag: UInt32) -> StaticString {
    switch tag {
    case 1: "session arrived"
    case 2: "request at edge"
    case 3: "pair at edge"
    case 4: "link changed"
    case 5: "disk read"
    case 6: "player ready"
    case 7: "watch ended"
    case 8: "patience ended"
    case 9: "settled"
    case 10: "buffer ended"
    case 11: "load resumed"
    case 12: "scrub began"
    case 13: "scrub moved"
    case 14: "scrub timer"
    case 15: "request at node"
    case 16: "frame presented"
    case 17: "answer at node"
    case 18: "burst ended"
    case 19: "warm-up ended"
    case 20: "hand-over"
    case 21: "cell changed"
    case 30: "request at origin"
    case 31: "origin done"
    case 32: "fetch expired"
    case 33: "node timer"
    case 34: "request retried"
    case 40: "crowd arrived"
    case 41: "window edge"
    case 50: "pause began"
    case 51: "pause ended"
    case 52: "telemetry timer"
    case 53: "offline changed"
    case 60: "heard from outside"
    case 54: "pass ended"
    case 55: "pass began"
    default: SurfaceEvent.name(ofTag: tag) ?? "unknown event"
    }
  }
}
