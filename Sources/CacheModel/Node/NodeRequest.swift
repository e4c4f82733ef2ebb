import CachePolicy
import MediaUnits
import SimulationKernel

/// A request at a cache node that has not been answered.
public struct NodeRequest {
  /// The child node that asks, or -1: a viewer, or ``nobody`` who is simulated.
  public var child: Int32
  /// A ``child`` that stands for nobody: no one waits for the answer.
  public static let nobody: Int32 = -2
  /// The viewer's place; nothing for a child.
  public var slot: UInt32
  /// The viewer's request, or the child's fetch.
  public var index: UInt32
  public var asset: AssetClass
  /// Whether its own fetch is under way, and whether that is conditional.
  public var isFetching = false
  public var isFetchConditional = false
  /// Bytes of the whole object.
  public var bytes: Int64
  /// What the node takes to answer, or to ask the next tier.
  public var service: TimeSpan

  public init(
    child: Int32, slot: UInt32, index: UInt32, asset: AssetClass, bytes: Int64, service: TimeSpan
  ) {
    self.child = child
    self.slot = slot
    self.index = index
    self.asset = asset
    self.bytes = bytes
    self.service = service
  }
}

/// An answer on its way to a node.
public struct NodeAnswer: Sendable {
  /// What came back.
  public enum Kind: UInt8, Sendable { case content, notModified, failed }
  public var kind = Kind.failed
  /// Of a failed fetch.
  public var failure = OriginFailure.serverError
  /// Who answered.
  public var tier = AnsweringTier.none
  /// `Age`, and the lifetime that the origin stated.
  public var age = TimeSpan.zero
  public var stated = TimeSpan.zero
  /// Bytes of the answer.
  public var bytes: Int64 = 0

  public init(
    kind: Kind = .failed, failure: OriginFailure = .serverError,
    tier: AnsweringTier = .none, age: TimeSpan = .zero,
    stated: TimeSpan = .zero, bytes: Int64 = 0
  ) {
    self.kind = kind
    self.failure = failure
    self.tier = tier
    self.age = age
    self.stated = stated
    self.bytes = bytes
  }
}

/// One request of a cache node to the next tier.
public struct NodeFetch: Sendable {
  /// Where it is.
  public enum State: UInt8, Sendable {
    /// On its way. Can become: waiting, lost.
    case up
    /// At the next tier. Can become: down.
    case waiting
    /// Answered.
    case down
    /// Nobody will answer it.
    case lost
  }

  /// The object, with what else the cache key has.
  public let key: UInt64
  /// By which the object's machine knows it.
  public var number: FetchNumber
  /// The machine that began it.
  public var machine: Int32
  /// Of the object at the node that asks.
  public var handle: UInt32
  public var asset: AssetClass
  public var state = State.up
  public var isConditional: Bool
  public var isBackground: Bool
  public var isActive = true
  /// Somebody who is not simulated began it.
  public var isOthers = false
  /// It was given up; its answer will be thrown away.
  public var isAbandoned = false
  /// The answer may not be stored.
  public var isUncacheable = false
  /// The object had been asked for and was absent before this fetch began.
  public var wasMissed = false
  /// Number of tries before this one.
  public var attempt: UInt8 = 0
  public var bytes: Int64
  /// When the copy that a conditional fetch asks about was made.
  public var copyMadeAt = Instant.zero
  /// Since when the node that asks knows the object's version, where the audience is not simulated
  /// as a whole.
  public var version = VersionArrival()
  /// Which of the object's fetches it is: a draw's number.
  public var draw: UInt32
  /// When the present try was sent, and its round trip.
  public var sentAt = Instant.zero
  public var roundTrip = TimeSpan.zero
  public var answer = NodeAnswer()

  public init(
    key: UInt64, number: FetchNumber, machine: Int32, handle: UInt32, asset: AssetClass,
    isConditional: Bool, isBackground: Bool, bytes: Int64, draw: UInt32
  ) {
    self.key = key
    self.number = number
    self.machine = machine
    self.handle = handle
    self.asset = asset
    self.isConditional = isConditional
    self.isBackground = isBackground
    self.bytes = bytes
    self.draw = draw
  }

  /// The object without the rest of the key.
  public var object: UInt32 { UInt32(truncatingIfNeeded: key) }
}
