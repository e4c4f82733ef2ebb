/// Least frequently used: the object with the fewest hits leaves, of several the one that has had
/// so many for the longest. An object that left begins anew.
///
/// Objects of one frequency form a queue; the queues in use are a list in rising order, so every
/// step costs the same.
struct LFUPolicy: EvictionPolicy {
  private struct Bucket {
    var frequency: UInt32
    var lower: UInt32
    var higher: UInt32
    var oldest: UInt32
    var newest: UInt32
  }
  private struct Entry {
    var bucket: UInt32
    var older: UInt32
    var newer: UInt32
  }

  private static var none: UInt32 { .max }
  /// Bucket 0 is the end of the ring of buckets.
  private var buckets = [Bucket(frequency: 0, lower: 0, higher: 0, oldest: none, newest: none)]
  private var spare: [UInt32] = []
  private var entries: [Entry]

  init(_ setup: EvictionSetup) {
    entries = [Entry](
      repeating: Entry(bucket: 0, older: LFUPolicy.none, newer: LFUPolicy.none),
      count: setup.objects)
  }

  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    let from = entries[Int(request.object)].bucket
    let frequency = buckets[Int(from)].frequency + 1
    // Made before the object leaves, so that its neighbour is still in the ring.
    let to = bucket(frequency, above: from)
    unlink(request.object)
    push(request.object, to)
  }

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    let victim = buckets[Int(buckets[0].higher)].oldest
    unlink(victim)
    residents.evict(victim)
  }

  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    push(request.object, bucket(1, above: 0))
    return true
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) { unlink(object) }

  /// The bucket of a frequency, which is the next above `lower` or made there.
  private mutating func bucket(_ frequency: UInt32, above lower: UInt32) -> UInt32 {
    let higher = buckets[Int(lower)].higher
    if higher != 0 && buckets[Int(higher)].frequency == frequency { return higher }
    let made = Bucket(
      frequency: frequency, lower: lower, higher: higher, oldest: LFUPolicy.none,
      newest: LFUPolicy.none)
    let place: UInt32
    if let free = spare.popLast() {
      place = free
      buckets[Int(free)] = made
    } else {
      place = UInt32(buckets.count)
      buckets.append(made)
    }
    buckets[Int(lower)].higher = place
    buckets[Int(higher)].lower = place
    return place
  }

  private mutating func push(_ object: UInt32, _ bucket: UInt32) {
    let second = buckets[Int(bucket)].newest
    entries[Int(object)] = Entry(bucket: bucket, older: second, newer: LFUPolicy.none)
    buckets[Int(bucket)].newest = object
    if second == LFUPolicy.none {
      buckets[Int(bucket)].oldest = object
    } else {
      entries[Int(second)].newer = object
    }
  }

  private mutating func unlink(_ object: UInt32) {
    let entry = entries[Int(object)]
    let bucket = Int(entry.bucket)
    if entry.older == LFUPolicy.none {
      buckets[bucket].oldest = entry.newer
    } else {
      entries[Int(entry.older)].newer = entry.newer
    }
    if entry.newer == LFUPolicy.none {
      buckets[bucket].newest = entry.older
    } else {
      entries[Int(entry.newer)].older = entry.older
    }
    if buckets[bucket].oldest != LFUPolicy.none { return }
    let empty = buckets[bucket]
    buckets[Int(empty.lower)].higher = empty.higher
    buckets[Int(empty.higher)].lower = empty.lower
    spare.append(entry.bucket)
  }

  mutating func grow(to objects: Int) {
    let blank = Entry(bucket: 0, older: LFUPolicy.none, newer: LFUPolicy.none)
    entries.append(contentsOf: repeatElement(blank, count: objects - entries.count))
  }
}
