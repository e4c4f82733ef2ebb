import MediaUnits
import ModelBasics
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
    case .sessionArrived: FeedTag.sessionArrived.rawValue
    case .requestAtEdge: FeedTag.requestAtEdge.rawValue
    case .pairAtEdge: FeedTag.pairAtEdge.rawValue
    case .linkChanged: FeedTag.linkChanged.rawValue
    case .diskRead: FeedTag.diskRead.rawValue
    case .playerReady: FeedTag.playerReady.rawValue
    case .framePresented: FeedTag.framePresented.rawValue
    case .watchEnded: FeedTag.watchEnded.rawValue
    case .patienceEnded: FeedTag.patienceEnded.rawValue
    case .settled: FeedTag.settled.rawValue
    case .bufferEnded: FeedTag.bufferEnded.rawValue
    case .loadResumed: FeedTag.loadResumed.rawValue
    case .scrubBegan: FeedTag.scrubBegan.rawValue
    case .scrubMoved: FeedTag.scrubMoved.rawValue
    case .scrubTimer: FeedTag.scrubTimer.rawValue
    case .requestAtNode: FeedTag.requestAtNode.rawValue
    case .answerAtNode: FeedTag.answerAtNode.rawValue
    case .burstEnded: FeedTag.burstEnded.rawValue
    case .warmUpEnded: FeedTag.warmUpEnded.rawValue
    case .handOver: FeedTag.handOver.rawValue
    case .cellChanged: FeedTag.cellChanged.rawValue
    case .requestAtOrigin: FeedTag.requestAtOrigin.rawValue
    case .originDone: FeedTag.originDone.rawValue
    case .fetchExpired: FeedTag.fetchExpired.rawValue
    case .nodeTimer: FeedTag.nodeTimer.rawValue
    case .requestRetried: FeedTag.requestRetried.rawValue
    case .crowdArrived: FeedTag.crowdArrived.rawValue
    case .windowEdge: FeedTag.windowEdge.rawValue
    case .pauseBegan: FeedTag.pauseBegan.rawValue
    case .pauseEnded: FeedTag.pauseEnded.rawValue
    case .telemetryTimer: FeedTag.telemetryTimer.rawValue
    case .offlineChanged: FeedTag.offlineChanged.rawValue
    case .heard: FeedTag.heard.rawValue
    case .passEnded: FeedTag.passEnded.rawValue
    case .passBegan: FeedTag.passBegan.rawValue
    }
  }
}
