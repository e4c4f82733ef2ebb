/// What a policy is built from.
struct EvictionSetup {
  /// Bytes that fit.
  var capacity: Int64
  /// All handles are below this number.
  var objects: Int
  /// For each request of the trace the number of the object's next one, or ``never``; empty unless
  /// the policy is clairvoyant.
  var nextUse: [UInt32] = []
  /// What hashes are made of, for each handle; empty: the handle.
  var identities: [UInt64] = []

  static var never: UInt32 { .max }

  /// The whole bytes of a share of the capacity.
  func share(_ fraction: Double) -> Int64 { EvictionSetup.share(fraction, of: capacity) }

  static func share(_ fraction: Double, of capacity: Int64) -> Int64 {
    Int64(Double(capacity) * fraction)
  }
}

/// Which object leaves: the part of a cache that differs from kind to kind.
///
/// ``EvictionCache`` finds objects, counts, checks ages and sizes and calls the policy: `hit`, or
/// `missed` and, for an object that may enter, `evict` until there is room, then `place`. A policy
/// calls ``ResidentObjects/evict(_:)`` for whom it sends away, in whichever of these calls.
protocol EvictionPolicy {
  /// No object above this size enters.
  var largestObject: Int64 { get }
  /// A resident object was asked for.
  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects)
  /// An absent object was asked for, whether it may enter or not. Ghost lists are read here.
  mutating func missed(_ request: CacheRequest, _ residents: inout ResidentObjects)
  /// A step toward room for an object; called again while there is none, and never when nothing is
  /// resident. A finite number of steps frees something.
  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects)
  /// Takes an object in, which then becomes resident; false refuses it.
  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool
  /// Forgets a resident object that leaves for another reason than want of room.
  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects)
  /// All handles are below this number from now on; it does not fall.
  mutating func grow(to objects: Int)
}

extension EvictionPolicy {
  var largestObject: Int64 { .max }
  @inline(__always)
  mutating func missed(_ request: CacheRequest, _ residents: inout ResidentObjects) {}
}
