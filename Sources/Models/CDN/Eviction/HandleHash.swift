/// Several hash places of one handle by double hashing (Kirsch and Mitzenmacher, 2006).
struct HandleHash {
  private let first: UInt64
  private let step: UInt64

  init(_ object: UInt32, seed: UInt64) {
    first = HandleHash.mix(seed ^ UInt64(object) &* 0x9E37_79B9_7F4A_7C15)
    step = HandleHash.mix(first) | 1
  }

  /// The place of hash `number` among `count`.
  @inline(__always)
  func place(_ number: UInt64, of count: Int) -> Int {
    Int((first &+ number &* step).multipliedFullWidth(by: UInt64(count)).high)
  }

  /// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014), one step.
  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
