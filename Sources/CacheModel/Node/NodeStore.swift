/// The objects that a cache node holds, of whichever eviction kind.
///
/// Functions that share one ``EvictionCache``, as ``ReplayCache`` has them; its arrays double when
/// a handle comes that does not fit. Handles are dense.
struct NodeStore {
  /// A resident copy is used; whether somebody left on that account.
  let use: (CacheRequest) -> Bool
  /// Takes an absent object in; whether it is resident now. Others may have left either way.
  let insert: (CacheRequest) -> Bool
  /// Removes a resident copy.
  let remove: (_ object: UInt32) -> Void
  /// One of those who have left; nil when all have been told.
  let takeEvicted: () -> UInt32?
  let usedBytes: () -> Int64

  private init<Policy: EvictionPolicy>(_ start: EvictionCache<Policy>, objects: Int) {
    var cache = start
    cache.keepEvicted()
    var places = objects
    use = { cache.use($0) }
    insert = { request in
      if Int(request.object) >= places {
        while Int(request.object) >= places { places *= 2 }
        cache.grow(to: places)
      }
      return cache.insert(request)
    }
    remove = { cache.remove($0) }
    takeEvicted = { cache.takeEvicted() }
    usedBytes = { cache.residents.bytes }
  }

  /// - Precondition: the kind is not clairvoyant.
  init(_ kind: EvictionKind, capacity: Int64) {
    var maker = Maker(
      setup: EvictionSetup(capacity: kind.effectiveCapacity(capacity), objects: Maker.objects))
    self = kind.open(maker.setup, &maker)
  }

  /// Builds a store with a policy of whichever kind.
  private struct Maker: EvictionVisitor {
    static var objects: Int { 1024 }
    let setup: EvictionSetup

    func visit<Policy: EvictionPolicy>(_ policy: Policy) -> NodeStore {
      NodeStore(
        EvictionCache(
          policy, capacity: setup.capacity, objects: setup.objects,
          admission: AdmissionFilter(.all, objects: setup.objects, seed: 0, tier: 0),
          expires: false), objects: setup.objects)
    }
  }
}
