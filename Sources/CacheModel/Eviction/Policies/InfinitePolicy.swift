/// Nothing leaves.
struct InfinitePolicy: EvictionPolicy {
  @inline(__always)
  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {}

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    preconditionFailure("an infinite cache has room for everything")
  }

  @inline(__always)
  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool { true }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) {}

  mutating func grow(to objects: Int) {}
}
