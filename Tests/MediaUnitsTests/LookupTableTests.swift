import MediaUnits
import Testing

struct `Lookup table` {
  @Test(arguments: 0..<24 as Range<UInt64>)
  func `it agrees with a dictionary`(seed: UInt64) {
    var state = seed &+ 1
    func draw() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
    // Few keys, many keys, keys that differ in their high bits only.
    let shift = [0, 0, 50][Int(seed % 3)]
    let keys = [20, 700, 300][Int(seed % 3)] as UInt64
    var table = LookupTable(capacity: Int(seed) * 10)
    var model: [UInt64: UInt32] = [:]
    for step in 0..<6_000 {
      let key = (draw() % keys) << shift
      switch draw() % 8 {
      case 0..<4:
        let value = UInt32(truncatingIfNeeded: draw()) & 0x7FFF_FFFF
        table.set(key, to: value)
        model[key] = value
      case 4..<7:
        #expect(table.remove(key) == model.removeValue(forKey: key), "seed \(seed) step \(step)")
      default:
        if draw() % 200 == 0 {
          table.removeAll()
          model.removeAll()
        }
      }
      #expect(table[key] == model[key], "seed \(seed) step \(step)")
      #expect(table.count == model.count, "seed \(seed) step \(step)")
    }
    for key in 0..<keys { #expect(table[key << shift] == model[key << shift], "seed \(seed)") }
  }

  @Test func `the ends of the key range are keys like any other`() {
    var table = LookupTable()
    #expect(table[0] == nil)
    #expect(table.remove(.max) == nil)
    table.set(0, to: 1)
    table.set(.max, to: 0)
    #expect(table[0] == 1)
    #expect(table[.max] == 0)
    table.set(0, to: LookupTable.none - 1)
    #expect(table[0] == LookupTable.none - 1)
    #expect(table.count == 2)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a key is looked for from its address on`(key: UInt64) throws {
    var table = LookupTable(capacity: 100)
    table.set(key &* 0x9E37_79B9_7F4A_7C15, to: 7)
    let place = try #require(table.address(of: key &* 0x9E37_79B9_7F4A_7C15))
    withExtendedLifetime(table) {
      #expect(place.load(as: UInt64.self) == key &* 0x9E37_79B9_7F4A_7C15)
      #expect(place.load(fromByteOffset: 8, as: UInt32.self) == 7)
    }
  }
}
