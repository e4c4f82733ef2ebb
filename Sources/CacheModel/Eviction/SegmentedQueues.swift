/// LRU lists in a row, each with a share of the bytes: a hit takes an object one list up, and what
/// does not fit a list any more goes one down (Karedla, Love and Wherry, 1994).
struct SegmentedQueues {
  /// The most bytes of each list.
  let limits: [Int64]
  /// The most bytes of all lists, which the rounded limits may not add up to.
  private let capacity: Int64
  private var queues: HandleQueues
  private var segments: [UInt8]

  init(objects: Int, capacity: Int64, limits: [Int64]) {
    precondition(!limits.isEmpty && limits.count <= 64, "1 to 64 segments")
    self.limits = limits
    self.capacity = capacity
    queues = HandleQueues(objects: objects, queues: limits.count)
    segments = [UInt8](repeating: 0, count: objects)
  }

  /// The object that leaves next: the oldest of the lowest list that has any; nil when none has.
  var victim: UInt32? {
    for segment in limits.indices where !queues.isEmpty(segment) {
      return queues.oldest(segment)
    }
    return nil
  }

  /// Bytes in all lists.
  var bytes: Int64 {
    var sum: Int64 = 0
    for segment in limits.indices { sum += queues.bytes[segment] }
    return sum
  }

  @inline(__always)
  mutating func hit(_ object: UInt32, _ residents: inout ResidentObjects) {
    let segment = Int(segments[Int(object)])
    let above = segment + 1
    if above == limits.count {
      queues.renew(object, in: segment)
      return
    }
    let size = residents.size(object)
    queues.unlink(object, from: segment, bytes: size)
    put(object, in: above, size)
    while queues.bytes[above] > limits[above] { demote(above, &residents) }
  }

  /// Puts a new object into the lowest list with room for it, or else into the lowest, where others
  /// leave until all lists together have room.
  mutating func insert(_ object: UInt32, size: Int64, _ residents: inout ResidentObjects) {
    for segment in limits.indices where queues.bytes[segment] + size <= limits[segment] {
      put(object, in: segment, size)
      return
    }
    while bytes > capacity - size && victim != nil { evict(&residents) }
    put(object, in: 0, size)
  }

  mutating func evict(_ residents: inout ResidentObjects) {
    guard let victim else { return }
    remove(victim, residents)
    residents.evict(victim)
  }

  mutating func remove(_ object: UInt32, _ residents: ResidentObjects) {
    queues.unlink(
      object, from: Int(segments[Int(object)]), bytes: residents.size(object))
  }

  mutating func grow(to objects: Int) {
    queues.grow(to: objects)
    segments.append(contentsOf: repeatElement(0, count: objects - segments.count))
  }

  private mutating func put(_ object: UInt32, in segment: Int, _ size: Int64) {
    segments[Int(object)] = UInt8(segment)
    queues.push(object, to: segment, bytes: size)
  }

  /// Takes the oldest of a list one down, and on while that list is over its share; out of the
  /// lowest an object leaves the cache.
  private mutating func demote(_ segment: Int, _ residents: inout ResidentObjects) {
    if segment == 0 {
      evict(&residents)
      return
    }
    let object = queues.oldest(segment)
    let size = residents.size(object)
    queues.unlink(object, from: segment, bytes: size)
    let below = segment - 1
    put(object, in: below, size)
    while queues.bytes[below] > limits[below] { demote(below, &residents) }
  }
}
