/// A cache whose kind is known at run time only, for replays with several caches.
///
/// Functions that share one ``EvictionCache``: unlike the methods of a generic class they are
/// compiled for the kind, which makes a replay three times as fast.
struct ReplayCache {
  /// See ``EvictionCache/lookup(_:)``.
  let lookup: (CacheRequest) -> Bool
  /// See ``EvictionCache/fill(_:goodUntil:)``.
  let fill: (_ request: CacheRequest, _ deadline: Int64) -> Void
  /// See ``EvictionCache/deadline(_:)``.
  let deadline: (_ object: UInt32) -> Int64
  private let currentResidents: () -> ResidentObjects

  init<Policy: EvictionPolicy>(_ start: EvictionCache<Policy>) {
    var cache = start
    lookup = { cache.lookup($0) }
    fill = { cache.fill($0, goodUntil: $1) }
    deadline = { cache.deadline($0) }
    currentResidents = { cache.residents }
  }

  var residents: ResidentObjects { currentResidents() }
}

/// Builds a ``ReplayCache`` of whichever kind.
struct ReplayCacheMaker: EvictionVisitor {
  let setup: EvictionSetup
  let admission: AdmissionFilter
  let expires: Bool

  func visit<Policy: EvictionPolicy>(_ policy: Policy) -> ReplayCache {
    ReplayCache(
      EvictionCache(
        policy, capacity: setup.capacity, objects: setup.objects, admission: admission,
        expires: expires))
  }
}
