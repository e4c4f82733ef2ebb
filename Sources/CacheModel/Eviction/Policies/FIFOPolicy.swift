/// First in, first out: a hit changes nothing, the oldest leaves.
struct FIFOPolicy: EvictionPolicy {
  private var queue: HandleQueues

  init(_ setup: EvictionSetup) { queue = HandleQueues(objects: setup.objects, queues: 1) }

  @inline(__always)
  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {}

  @inline(__always)
  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    let victim = queue.oldest(0)
    queue.unlink(victim)
    residents.evict(victim)
  }

  @inline(__always)
  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    queue.push(request.object, to: 0)
    return true
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) {
    queue.unlink(object)
  }

  mutating func grow(to objects: Int) {
    queue.grow(to: objects)
  }
}
