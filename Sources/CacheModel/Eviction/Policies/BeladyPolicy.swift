/// Clairvoyant (Belady, 1966): the object whose next request is furthest away leaves.
///
/// Every missed object enters, so this is the fewest misses of all policies that store what they
/// fetch, where objects have one size. With sizes it is only a good bound.
struct BeladyPolicy: EvictionPolicy {
  /// The smallest key is the furthest next use.
  private var heap: HandleHeap<UInt32>
  private let nextUse: [UInt32]

  init(_ setup: EvictionSetup) {
    heap = HandleHeap(objects: setup.objects)
    nextUse = setup.nextUse
  }

  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    heap.change(request.object, key: ~nextUse[Int(request.index)])
  }

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    let victim = heap.first.object
    heap.remove(victim)
    residents.evict(victim)
  }

  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    heap.insert(request.object, key: ~nextUse[Int(request.index)])
    return true
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) {
    heap.remove(object)
  }

  /// For each request of a range the number of the next one of the same key, in one pass backward.
  /// - Parameter keys: the key of each request of the trace, below `count`.
  /// - Returns: one number for each request of the trace; only those of the range are meant.
  static func nextUses(_ keys: [UInt32], count: Int, in range: Range<Int>) -> [UInt32] {
    var next = [UInt32](repeating: EvictionSetup.never, count: keys.count)
    var last = [UInt32](repeating: EvictionSetup.never, count: count)
    for index in range.reversed() {
      let key = Int(keys[index])
      next[index] = last[key]
      last[key] = UInt32(index)
    }
    return next
  }

  mutating func grow(to objects: Int) {
    preconditionFailure("a clairvoyant cache knows its objects from the start")
  }
}
