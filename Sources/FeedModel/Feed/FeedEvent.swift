import MediaUnits
import ModelBasics
import SimulationKernel

/// The events of the feed world. `slot` is a viewer's place in memory.
@frozen
public enum FeedEvent: BitwiseCopyable, Sendable {
  /// The next session begins. Target: the audience.
  case sessionArrived(index: UInt32)
  /// A request has reached an edge. Target: the edge.
  case requestAtEdge(slot: UInt32, request: UInt32, generation: UInt32)
  /// Likewise two that were sent together.
  case pairAtEdge(slot: UInt32, RequestPair)
  /// It is time for what happens to a viewer next; that is counted, and not this. Target: the
  /// session.
  case viewerDue(slot: UInt32, isSettling: Bool)
  /// A viewer who has left makes room. Not counted. Target: the session.
  case sessionEnded(slot: UInt32)
  /// The warm-up is over: what was measured so far does not count. Target: the audience.
  case warmUpEnded
  /// A transfer in a cell passes its mark or ends. Target: the edge that the cell belongs to.
  case cellChanged(cell: UInt32)
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
  /// The next session of a flash crowd begins. Target: the audience.
  case crowdArrived(crowd: UInt32, index: UInt32)
  /// A reported part of the measured time begins or ends. Target: the audience.
  case windowEdge(window: UInt32, isEnd: Bool)
  /// Something was heard from a real server. Target: the audience.
  case heard(number: UInt32)
}

extension FeedEvent {
  var tag: UInt32 {
    let tag: FeedTag =
      switch self {
      case .sessionArrived: .sessionArrived
      case .requestAtEdge: .requestAtEdge
      case .pairAtEdge: .pairAtEdge
      case .viewerDue: .viewerDue
      case .sessionEnded: .sessionEnded
      case .requestAtNode: .requestAtNode
      case .answerAtNode: .answerAtNode
      case .warmUpEnded: .warmUpEnded
      case .cellChanged: .cellChanged
      case .requestAtOrigin: .requestAtOrigin
      case .originDone: .originDone
      case .fetchExpired: .fetchExpired
      case .nodeTimer: .nodeTimer
      case .crowdArrived: .crowdArrived
      case .windowEdge: .windowEdge
      case .heard: .heard
      }
    return tag.rawValue
  }

  /// Whether it is counted, and not a time that was only waited for.
  var isCounted: Bool {
    switch self {
    case .viewerDue, .sessionEnded: false
    default: true
    }
  }
}
