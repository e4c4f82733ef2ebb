import MediaUnits

/// A policy that asks a decider of somebody else's. One that names an object which is not stored is
/// not asked again: the object with the least handle leaves, and the run is void.
struct ForeignEvictionPolicy: EvictionPolicy {
  private let decider: any EvictionDecider
  private var objects: Int
  private var isVoid = false

  init(_ setup: EvictionSetup, _ rule: ForeignEviction) {
    decider = rule.deciders.decider(capacity: ByteCount(setup.capacity))
    objects = setup.objects
  }

  private static func instant(_ request: CacheRequest) -> Instant {
    Instant(nanoseconds: request.time)
  }

  func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    if !isVoid { decider.used(request.object, at: ForeignEvictionPolicy.instant(request)) }
  }

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    if !isVoid {
      let victim = decider.victim()
      if Int64(victim) < Int64(objects), residents.contains(victim) {
        residents.evict(victim)
        return
      }
      isVoid = true
      decider.refuse(victim)
    }
    for object in 0..<UInt32(objects) where residents.contains(object) {
      residents.evict(object)
      return
    }
  }

  func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    if !isVoid {
      decider.stored(
        request.object, size: ByteCount(request.size), at: ForeignEvictionPolicy.instant(request))
    }
    return true
  }

  func remove(_ object: UInt32, _ residents: inout ResidentObjects) {
    if !isVoid { decider.removed(object) }
  }

  mutating func grow(to objects: Int) { self.objects = objects }
}
