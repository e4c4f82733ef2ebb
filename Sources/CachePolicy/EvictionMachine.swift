import MediaUnits

/// Chooses which object leaves a full cache: a rule of eviction that an edge can ship.
///
/// The host knows who is stored and how many bytes that is; the machine is told of each use, each
/// object that comes and each that leaves for another reason than want of room, and is asked for a
/// victim while there is no room. It has no clock but `now` and no random numbers, so that the same
/// calls have the same victims.
public protocol EvictionMachine: Sendable {
  associatedtype Configuration: Sendable

  /// A cache that is empty and holds so many bytes.
  init(_ configuration: Configuration, capacity: ByteCount)
  /// A stored object was asked for.
  mutating func used(_ object: UInt32, at now: Instant)
  /// An object was stored, which was not.
  mutating func stored(_ object: UInt32, size: ByteCount, at now: Instant)
  /// The object that leaves, one that is stored; the machine forgets it.
  mutating func victim() -> UInt32
  /// A stored object has left because it is too old or was purged.
  mutating func removed(_ object: UInt32)
}
