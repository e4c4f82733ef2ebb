import CachePolicy
import MediaUnits
import SimulationKernel

/// What happens in a ``CacheHierarchy`` by itself, later.
public enum CacheEvent: BitwiseCopyable, Sendable, Equatable {
  /// A request of a cache node has reached the next one. Target: that node.
  case requestAtNode(node: UInt16, from: UInt16, fetch: UInt32)
  /// An answer has reached the node that asked. Target: the node.
  case answerAtNode(node: UInt16, fetch: UInt32)
  /// A request of a cache node has reached the origin. Target: the origin.
  case requestAtOrigin(from: UInt16, fetch: UInt32)
  /// The origin is done with a request. Target: the origin.
  case originDone(from: UInt16, fetch: UInt32)
}

/// A time that a ``CacheHierarchy`` sets, and may take back; each has one at most.
public enum CacheTimer: BitwiseCopyable, Sendable, Equatable {
  /// A fetch was not answered in time. Target: the node.
  case fetchExpired(node: UInt16, fetch: UInt32)
  /// A machine asked to be woken. Target: the node.
  case machine(node: UInt16, machine: UInt32)
}

/// What a ``CacheHierarchy`` wants done; in the order in which it says it.
public enum CacheCommand {
  /// Tell it of an event at a time, in that phase.
  case schedule(CacheEvent, at: Instant, target: UInt32, phase: Phase)
  /// Tell it when a time has come; the timer's earlier time is void.
  case set(CacheTimer, at: Instant, target: UInt32)
  /// A timer's time is void.
  case cancel(CacheTimer)
  /// An edge answers a viewer who waits.
  case answer(EdgeAnswer)
  /// A request or an answer goes to a node that another part of the run has. Indirect: it is large
  /// and rare, and a command is copied often.
  indirect case send(CacheMessage)
}

extension [CacheCommand] {
  mutating func schedule(
    _ event: CacheEvent, at time: Instant, for target: UInt32, phase: Phase = .normal
  ) {
    append(.schedule(event, at: time, target: target, phase: phase))
  }

  mutating func set(_ timer: CacheTimer, at time: Instant, for target: UInt32) {
    append(.set(timer, at: time, target: target))
  }

  mutating func cancel(_ timer: CacheTimer) { append(.cancel(timer)) }
}

/// A viewer's request that is at its edge.
public struct EdgeRequest: Sendable {
  public var at: Instant
  /// What the edge knows the object by: the object, and the value of its key above 32 bits.
  public var key: UInt64
  /// Of the whole object.
  public var bytes: Int64
  /// The edge's node: of a first provider its number.
  public var edge: UInt32
  public var asset: AssetClass

  public init(at: Instant, key: UInt64, asset: AssetClass, bytes: Int64, edge: UInt32) {
    self.at = at
    self.key = key
    self.asset = asset
    self.bytes = bytes
    self.edge = edge
  }
}

/// Who asks: returned with the answer, and of no meaning to the caches.
public struct EdgeAsker: Sendable, Equatable {
  /// The viewer's place, and the request's place there.
  public var slot, request: UInt32

  public init(slot: UInt32, request: UInt32) {
    self.slot = slot
    self.request = request
  }
}

/// What an edge says of a request at once.
public enum EdgeReply: Sendable, Equatable {
  /// Every object is at every edge.
  case everything(stated: TimeSpan)
  /// A fresh copy of an age, and the lifetime that the origin stated of it.
  case fresh(age: TimeSpan, stated: TimeSpan)
  /// The request waits, or is answered by a command of this call.
  ///
  /// - number: by which it can be given up.
  /// - reason: why it is not served at once, as it looks on arrival.
  case waits(number: UInt32, reason: MissReason)
}

/// An edge's answer to a request that waited, or that it answers on arrival without a fresh copy.
public struct EdgeAnswer: Sendable {
  public var asker: EdgeAsker
  public var answer: NodeAnswer
  /// Why it was not in the edge; nil: what was said on arrival holds.
  public var reason: MissReason?
  /// What the edge takes before the answer leaves.
  public var delay: TimeSpan
  /// It does so without having waited.
  public var isArrival: Bool

  public init(
    asker: EdgeAsker, answer: NodeAnswer, reason: MissReason?, delay: TimeSpan, isArrival: Bool
  ) {
    self.asker = asker
    self.answer = answer
    self.reason = reason
    self.delay = delay
    self.isArrival = isArrival
  }
}

/// A request between cache nodes of two parts of a run, or its answer.
public struct CacheMessage: Sendable {
  enum Kind: Sendable {
    case request(NodeFetch)
    case answer(NodeAnswer)
  }
  var kind: Kind
  /// The node that it goes to, and the edge whose fetch it is about.
  var node, edge: UInt16
  /// The number of that edge's part: its place among its provider's edges.
  var part: UInt16
  var fetch: UInt32
  public var arrivesAt: Instant

  /// The part that it goes to.
  public var domain: FeedDomain {
    switch kind {
    case .request: .behind
    case .answer: .edge(UInt32(part))
    }
  }

  /// What happens when it arrives.
  public var event: CacheEvent {
    switch kind {
    case .request: .requestAtNode(node: node, from: edge, fetch: fetch)
    case .answer: .answerAtNode(node: edge, fetch: fetch)
    }
  }
}
