import CachePolicy
import MediaUnits
import SimulationKernel

/// A request at a cache node that has not been answered.
struct NodeRequest {
  /// The child node that asks, or -1: a viewer, or ``nobody`` who is simulated.
  var child: Int32
  static let nobody: Int32 = -2
  /// The viewer's place; nothing for a child.
  var slot: UInt32
  /// The viewer's request, or the child's fetch.
  var index: UInt32
  var asset: AssetClass
  /// Whether its own fetch is under way, and whether that is conditional.
  var isFetching = false
  var isFetchConditional = false
  /// Bytes of the whole object.
  var bytes: Int64
  /// What the node takes to answer, or to ask the next tier.
  var service: TimeSpan
}

/// An answer on its way to a node.
struct NodeAnswer {
  enum Kind: UInt8 { case content, notModified, failed }
  var kind = Kind.failed
  /// Of a failed fetch.
  var failure = OriginFailure.serverError
  /// Who answered.
  var tier = AnsweringTier.none
  /// `Age`, and the lifetime that the origin stated.
  var age = TimeSpan.zero
  var stated = TimeSpan.zero
  /// Bytes of the answer.
  var bytes: Int64 = 0
}

/// One request of a cache node to the next tier.
struct NodeFetch {
  enum State: UInt8 {
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
  let key: UInt64
  var number: FetchNumber
  /// The machine that began it.
  var machine: Int32
  var handle: UInt32
  var asset: AssetClass
  var state = State.up
  var isConditional: Bool
  var isBackground: Bool
  var isActive = true
  /// Somebody who is not simulated began it.
  var isOthers = false
  /// It was given up; its answer will be thrown away.
  var isAbandoned = false
  /// The answer may not be stored.
  var isUncacheable = false
  /// The object had been asked for and was absent before this fetch began.
  var wasMissed = false
  /// Number of tries before this one.
  var attempt: UInt8 = 0
  var bytes: Int64
  /// When the copy that a conditional fetch asks about was made.
  var copyMadeAt = Instant.zero
  /// Since when the node that asks knows the object's version, where the audience is not simulated
  /// as a whole.
  var version = VersionArrival()
  /// Which of the object's fetches it is: a draw's number.
  var draw: UInt32
  var sentAt = Instant.zero
  var roundTrip = TimeSpan.zero
  var timer = EventHandle.none
  var answer = NodeAnswer()

  var object: UInt32 { UInt32(truncatingIfNeeded: key) }
}
