/// Second chance: a queue in order of arrival and a counter that a hit raises.
///
/// The oldest object leaves if its counter is 0; else the counter falls by one and the object
/// becomes the newest.
struct ClockPolicy: EvictionPolicy {
  private var queue: HandleQueues
  private var counters: [UInt8]
  private let most: UInt8

  /// - Parameter bits: of the counter, 1 to 8.
  init(_ setup: EvictionSetup, bits: Int) {
    precondition(bits >= 1 && bits <= 8, "a clock has 1 to 8 bits")
    queue = HandleQueues(objects: setup.objects, queues: 1)
    counters = [UInt8](repeating: 0, count: setup.objects)
    most = UInt8(1 << bits - 1)
  }

  @inline(__always)
  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    if counters[Int(request.object)] < most { counters[Int(request.object)] += 1 }
  }

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    var victim = queue.oldest(0)
    while counters[Int(victim)] > 0 {
      counters[Int(victim)] -= 1
      queue.renew(victim, in: 0)
      victim = queue.oldest(0)
    }
    queue.unlink(victim)
    residents.evict(victim)
  }

  @inline(__always)
  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    counters[Int(request.object)] = 0
    queue.push(request.object, to: 0)
    return true
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) {
    queue.unlink(object)
  }

  mutating func grow(to objects: Int) {
    queue.grow(to: objects)
    counters.append(contentsOf: repeatElement(0, count: objects - counters.count))
  }
}
