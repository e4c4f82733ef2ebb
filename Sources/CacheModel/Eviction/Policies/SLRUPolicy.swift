/// Segmented LRU with segments of equal size (Karedla, Love and Wherry, 1994).
struct SLRUPolicy: EvictionPolicy {
  private var lists: SegmentedQueues

  init(_ setup: EvictionSetup, segments: Int) {
    precondition(segments >= 1 && segments <= 64, "1 to 64 segments")
    let limit = setup.capacity / Int64(segments)
    lists = SegmentedQueues(
      objects: setup.objects, capacity: setup.capacity,
      limits: [Int64](repeating: limit, count: segments))
  }

  var largestObject: Int64 { lists.limits[0] }

  @inline(__always)
  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    lists.hit(request.object, &residents)
  }

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    lists.evict(&residents)
  }

  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    lists.insert(request.object, size: request.size, &residents)
    return true
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) {
    lists.remove(object, residents)
  }

  mutating func grow(to objects: Int) {
    lists.grow(to: objects)
  }
}
