import Testing

@testable import CacheModel

@Suite struct FrequencySketchTests {
  @Test func `XXH64 of eight bytes equals the values of another implementation`() {
    #expect(XXH64.hash(0, seed: 0) == 0x34C9_6ACD_CADB_1BBB)
    #expect(XXH64.hash(1, seed: 0x1234_5678) == 0x071B_9484_A237_4097)
    #expect(XXH64.hash(0x0123_4567_89AB_CDEF, seed: 0x1234_4321) == 0xB999_8AD8_2042_D74B)
    #expect(XXH64.hash(.max, seed: .max) == 0x1A15_8C94_ABF6_A8B1)
  }

  @Test func `an estimate is never too low, and exact while there are few objects`() {
    var sketch = FrequencySketch(entries: 1000)
    var numbers = EvictionParts.Numbers(seed: 1)
    var counts = [UInt32](repeating: 0, count: 20_000)
    for round in 0..<50_000 {
      let object = numbers.below(round < 5000 ? 500 : 20_000)
      counts[object] += 1
      sketch.count(UInt64(object))
      if round == 4999 {
        // Half full: 0.1 % of false positives at full, so none is to be expected among 500.
        let wrong = (0..<500).filter { sketch.estimate(UInt64($0)) != counts[$0] }
        #expect(wrong.count <= 1)
      }
    }
    let low = (0..<20_000).filter { sketch.estimate(UInt64($0)) < counts[$0] }
    #expect(low.isEmpty)
  }

  @Test func `halving halves every estimate, rounded down`() {
    var sketch = FrequencySketch(entries: 100)
    for object in 0..<7 as Range<UInt64> {
      for _ in 0..<object { sketch.count(object) }
    }
    sketch.halve()
    for object in 0..<7 as Range<UInt64> {
      #expect(sketch.estimate(object) == UInt32(object / 2))
    }
  }

  @Test func `a heap gives its handles in the order of their keys`() {
    var heap = HandleHeap<UInt32>(objects: 500)
    var keys = [UInt32?](repeating: nil, count: 500)
    var numbers = EvictionParts.Numbers(seed: 2)
    for _ in 0..<20_000 {
      let object = UInt32(numbers.below(500))
      let key = UInt32(numbers.below(1000))
      if keys[Int(object)] == nil {
        heap.insert(object, key: key)
        keys[Int(object)] = key
      } else if numbers.below(2) == 0 {
        heap.change(object, key: key)
        keys[Int(object)] = key
      } else {
        heap.remove(object)
        keys[Int(object)] = nil
      }
      if let least = keys.compactMap(\.self).min() {
        #expect(heap.first.key == least && keys[Int(heap.first.object)] == least)
      }
    }
  }
}
