/// SIEVE (Zhang et al., NSDI 2024): a queue in order of arrival, a bit that a hit sets, and a hand.
///
/// The hand goes from the oldest toward the newest, clears bits and sends away the first object
/// without one; it stays there and begins again at the oldest behind the newest.
struct SievePolicy: EvictionPolicy {
  private var queue: HandleQueues
  private var visited: [Bool]
  /// Where the search begins; an end of the queue: at the oldest.
  private var hand: UInt32

  init(_ setup: EvictionSetup) {
    queue = HandleQueues(objects: setup.objects, queues: 1)
    visited = [Bool](repeating: false, count: setup.objects)
    hand = queue.oldest(0)
  }

  @inline(__always)
  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    visited[Int(request.object)] = true
  }

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    var victim = queue.isEnd(hand) ? queue.oldest(0) : hand
    while visited[Int(victim)] {
      visited[Int(victim)] = false
      victim = queue.newer(than: victim)
      if queue.isEnd(victim) { victim = queue.oldest(0) }
    }
    hand = queue.newer(than: victim)
    queue.unlink(victim)
    residents.evict(victim)
  }

  @inline(__always)
  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    visited[Int(request.object)] = false
    queue.push(request.object, to: 0)
    return true
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) {
    if hand == object { hand = queue.newer(than: object) }
    queue.unlink(object)
  }

  mutating func grow(to objects: Int) {
    let isAtEnd = queue.isEnd(hand)
    queue.grow(to: objects)
    visited.append(contentsOf: repeatElement(false, count: objects - visited.count))
    // An end has moved with the ring that it closes.
    if isAtEnd { hand = queue.end(0) }
  }
}
