/// Which objects are in a cache and how many bytes they take.
///
/// Policies choose who leaves; only this type says who is here. It remembers the size of an
/// object's last copy, which is what a ghost list weighs it with.
struct ResidentObjects {
  /// Bytes that fit; at most ``largestCapacity``, so that twice of it is a number.
  let capacity: Int64
  private(set) var bytes: Int64 = 0
  private(set) var count = 0
  /// Whom the policy has sent away since the last ``takeEvicted()``; only with ``keepsEvicted``.
  private var evicted: [UInt32] = []
  /// Whether those who leave are remembered.
  var keepsEvicted = false
  /// The bytes of a resident object; the complement of the last copy's bytes for an absent one.
  private var sizes: [Int64]

  static var largestCapacity: Int64 { 1 << 61 }

  init(capacity: Int64, objects: Int) {
    precondition(capacity >= 0, "a capacity is not negative")
    self.capacity = min(capacity, ResidentObjects.largestCapacity)
    sizes = [Int64](repeating: -1, count: objects)
  }

  @inline(__always)
  func contains(_ object: UInt32) -> Bool { sizes[Int(object)] >= 0 }

  /// The bytes of an object's copy, or of the last copy it had; 0 when it never had one.
  @inline(__always)
  func size(_ object: UInt32) -> Int64 {
    let size = sizes[Int(object)]
    return size ^ (size >> 63)
  }

  /// Whether so many bytes more do not fit.
  @inline(__always)
  func lacksRoom(for size: Int64) -> Bool { bytes > capacity - size }

  @inline(__always)
  mutating func add(_ object: UInt32, size: Int64) {
    sizes[Int(object)] = size
    bytes += size
    count += 1
  }

  @inline(__always)
  mutating func evict(_ object: UInt32) {
    let size = sizes[Int(object)]
    precondition(size >= 0, "an absent object cannot leave")
    sizes[Int(object)] = ~size
    bytes -= size
    count -= 1
    if keepsEvicted { evicted.append(object) }
  }

  /// Whether somebody waits in ``takeEvicted()``.
  var hasEvicted: Bool { !evicted.isEmpty }

  /// One of those who have left; nil when all have been told.
  mutating func takeEvicted() -> UInt32? { evicted.popLast() }

  /// Makes room for more objects.
  mutating func grow(to objects: Int) {
    sizes.append(contentsOf: repeatElement(-1, count: objects - sizes.count))
  }

  /// Stops the program unless the counters are those of the objects. For tests.
  /// - Complexity: O(objects).
  func checkInvariants() {
    var sum: Int64 = 0
    var resident = 0
    for size in sizes where size >= 0 {
      sum += size
      resident += 1
    }
    precondition(sum == bytes && resident == count, "the counters are not those of the objects")
    precondition(bytes >= 0 && bytes <= capacity, "more bytes than fit")
  }
}
