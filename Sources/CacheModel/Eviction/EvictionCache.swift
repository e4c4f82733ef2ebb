/// A cache: who is resident, until when, who may enter, and a policy that chooses who leaves.
///
/// A request is a ``lookup(_:)`` and, when that misses, a ``fill(_:goodUntil:)`` before the next
/// lookup. No metadata is weighed, and nothing is allocated after the start.
struct EvictionCache<Policy: EvictionPolicy> {
  private(set) var residents: ResidentObjects
  private var policy: Policy
  private var admission: AdmissionFilter
  /// The time from which a resident copy is too old; empty when lifetimes are ignored.
  private var deadlines: [Int64]

  init(
    _ policy: Policy, capacity: Int64, objects: Int, admission: AdmissionFilter, expires: Bool
  ) {
    self.policy = policy
    self.admission = admission
    residents = ResidentObjects(capacity: capacity, objects: objects)
    deadlines = expires ? [Int64](repeating: .max, count: objects) : []
  }

  /// Whether the object is here and good; one that is too old is removed.
  @inline(__always)
  mutating func lookup(_ request: CacheRequest) -> Bool {
    if residents.contains(request.object) {
      if deadlines.isEmpty || request.time < deadlines[Int(request.object)] {
        policy.hit(request, &residents)
        return true
      }
      policy.remove(request.object, &residents)
      residents.evict(request.object)
    }
    policy.missed(request, &residents)
    return false
  }

  /// Stores a missed object, if it may enter.
  /// - Parameter deadline: the time from which it is too old.
  @inline(__always)
  mutating func fill(_ request: CacheRequest, goodUntil deadline: Int64) {
    if request.size > residents.capacity || request.size > policy.largestObject { return }
    if !admission.admits(request) { return }
    while residents.lacksRoom(for: request.size) { policy.evict(for: request, &residents) }
    if !policy.place(request, &residents) { return }
    residents.add(request.object, size: request.size)
    if !deadlines.isEmpty { deadlines[Int(request.object)] = deadline }
  }

  // MARK: For a cache that is not told beforehand which objects there are

  /// A resident copy is used; false: nobody left on that account.
  mutating func use(_ request: CacheRequest) -> Bool {
    policy.hit(request, &residents)
    return residents.hasEvicted
  }

  /// Stores an absent object, if it fits; whether it is resident now.
  mutating func insert(_ request: CacheRequest) -> Bool {
    policy.missed(request, &residents)
    fill(request, goodUntil: .max)
    return residents.contains(request.object)
  }

  /// Removes a resident copy.
  mutating func remove(_ object: UInt32) {
    policy.remove(object, &residents)
    residents.evict(object)
    // Who removes it knows: a notice that stayed would speak of the next copy.
    _ = residents.takeEvicted()
  }

  /// One of those who have left since they were last asked for; nil when all have been told.
  mutating func takeEvicted() -> UInt32? { residents.takeEvicted() }

  /// Remembers who leaves, for ``takeEvicted()``.
  mutating func keepEvicted() { residents.keepsEvicted = true }

  /// All handles are below this number from now on.
  mutating func grow(to objects: Int) {
    residents.grow(to: objects)
    policy.grow(to: objects)
  }

  /// The time from which a resident copy is too old.
  func deadline(_ object: UInt32) -> Int64 {
    deadlines.isEmpty ? .max : deadlines[Int(object)]
  }
}
