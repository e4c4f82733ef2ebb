import CachePolicy
import MediaUnits
import PolicyTesting
import Testing

/// The same cache as a plain list, most recently used first.
private struct SlowLRU {
  let capacity: Int64
  var list: [(key: UInt32, size: Int64)] = []

  var used: Int64 { list.reduce(0) { $0 + $1.size } }

  mutating func touch(_ key: UInt32) -> Bool {
    guard let index = list.firstIndex(where: { $0.key == key }) else { return false }
    list.insert(list.remove(at: index), at: 0)
    return true
  }

  mutating func insert(_ key: UInt32, _ size: Int64) -> [UInt32]? {
    if size > capacity { return nil }
    list.removeAll { $0.key == key }
    var evicted: [UInt32] = []
    while used + size > capacity { evicted.append(list.removeLast().key) }
    list.insert((key, size), at: 0)
    return evicted
  }
}

struct `Byte LRU` {
  private func insert(_ key: UInt32, _ size: Int64, into cache: inout ByteLRU)
    -> (place: Int?, evicted: [UInt32])
  {
    var evicted: [UInt32] = []
    let place = cache.insert(key, size: ByteCount(size)) { key, _ in evicted.append(key) }
    return (place, evicted)
  }

  @Test func `it evicts from the tail until the newcomer fits`() {
    var cache = ByteLRU(capacity: ByteCount(10))
    #expect(insert(1, 4, into: &cache) == (0, []))
    #expect(insert(2, 4, into: &cache) == (1, []))
    #expect(cache.touch(1) == 0)
    #expect(cache.leastRecent == 2)
    #expect(insert(3, 3, into: &cache) == (1, [2]))
    #expect(insert(4, 10, into: &cache) == (1, [1, 3]))
    #expect(cache.usedBytes == ByteCount(10))
    #expect(cache.count == 1)
    cache.checkInvariants()
  }

  @Test func `an object larger than the cache changes nothing`() {
    var cache = ByteLRU(capacity: ByteCount(10))
    _ = insert(1, 10, into: &cache)
    #expect(insert(2, 11, into: &cache) == (nil, []))
    #expect(insert(1, 11, into: &cache) == (nil, []))
    #expect(cache.place(of: 1) == 0)
    #expect(cache.size(at: 0) == ByteCount(10))
    var empty = ByteLRU(capacity: .zero)
    #expect(insert(1, 1, into: &empty) == (nil, []))
    #expect(insert(2, 0, into: &empty) == (0, []))
  }

  @Test func `inserting a resident object replaces its size and evicts others only`() {
    var cache = ByteLRU(capacity: ByteCount(10))
    for key in [1, 2, 3] as [UInt32] { _ = insert(key, 3, into: &cache) }
    #expect(insert(1, 7, into: &cache) == (0, [2]))
    #expect(cache.usedBytes == ByteCount(10))
    #expect(insert(1, 1, into: &cache) == (0, []))
    #expect(cache.usedBytes == ByteCount(4))
    #expect(cache.leastRecent == 3)
    #expect(cache.mostRecent == 1)
    cache.checkInvariants()
  }

  @Test func `an unlimited cache does not overflow`() {
    var cache = ByteLRU(capacity: .unlimited)
    #expect(insert(1, .max, into: &cache) == (0, []))
    #expect(insert(2, .max, into: &cache) == (0, [1]))
    #expect(insert(2, .max, into: &cache) == (0, []))
    #expect(insert(3, 5, into: &cache) == (0, [2]))
    cache.checkInvariants()
  }

  @Test func `places are stable while resident and are used again`() {
    var cache = ByteLRU(capacity: ByteCount(3), reserve: 3)
    for key in [10, 11, 12] as [UInt32] { _ = insert(key, 1, into: &cache) }
    _ = cache.touch(10)
    #expect(cache.remove(11) == 1)
    #expect(cache.remove(11) == nil)
    #expect(cache.key(at: 1) == nil)
    #expect(insert(13, 1, into: &cache).place == 1)
    #expect(cache.place(of: 10) == 0)
    #expect(cache.key(at: 1) == 13)
    #expect(cache.placeLimit == 3)
    let last = cache.evictLast()
    #expect(last?.key == 12)
    #expect(last?.place == 2)
    cache.removeAll()
    #expect(cache.evictLast() == nil)
    #expect(cache.leastRecent == nil)
    #expect(cache.touch(10) == nil)
    #expect(cache.usedBytes == .zero)
    cache.checkInvariants()
  }

  // VF-020
  @Test(arguments: Array(0..<24 as Range<UInt64>))
  func `it agrees with a plain list`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    let capacity = Int64([0, 1, 7, 100, 1_000, 5_000][Int(seed % 6)])
    var cache = ByteLRU(capacity: ByteCount(capacity), reserve: seed % 2 == 0 ? 0 : 200)
    var slow = SlowLRU(capacity: capacity)
    var places: [UInt32: Int] = [:]
    for step in 0..<3_000 {
      let key = UInt32(generator.below(120)) &* 0x0101_0101
      switch generator.below(20) {
      case 0..<9:
        #expect((cache.touch(key) != nil) == slow.touch(key), "seed \(seed) step \(step)")
      case 9..<18:
        let size = Int64(generator.below(150))
        var evicted: [UInt32] = []
        let place = cache.insert(key, size: ByteCount(size)) { key, place in
          evicted.append(key)
          #expect(places.removeValue(forKey: key) == place, "seed \(seed) step \(step)")
        }
        let expected = slow.insert(key, size)
        #expect((place == nil) == (expected == nil), "seed \(seed) step \(step)")
        #expect(evicted == expected ?? [], "seed \(seed) step \(step)")
        if let place {
          #expect(places[key] ?? place == place, "seed \(seed) step \(step): the place moved")
          places[key] = place
        }
      case 18:
        let place = cache.remove(key)
        #expect(place == places.removeValue(forKey: key), "seed \(seed) step \(step)")
        slow.list.removeAll { $0.key == key }
      default:
        let victim = cache.evictLast()
        #expect(victim?.key == slow.list.popLast()?.key, "seed \(seed) step \(step)")
        if let victim { places[victim.key] = nil }
      }
      #expect(cache.usedBytes.bytes == slow.used, "seed \(seed) step \(step)")
      #expect(cache.count == slow.list.count, "seed \(seed) step \(step)")
      #expect(cache.leastRecent == slow.list.last?.key, "seed \(seed) step \(step)")
      if step % 100 == 0 { cache.checkInvariants() }
    }
    cache.checkInvariants()
    #expect(Set(places.values).count == places.count, "seed \(seed): two objects at one place")
    #expect(places.count == cache.count)
  }
}
