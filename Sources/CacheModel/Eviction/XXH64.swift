/// The hash XXH64 of eight bytes (Collet, "XXH64 algorithm description", version 0.2, 2021).
enum XXH64 {
  private static var prime1: UInt64 { 0x9E37_79B1_85EB_CA87 }
  private static var prime2: UInt64 { 0xC2B2_AE3D_27D4_EB4F }
  private static var prime3: UInt64 { 0x1656_67B1_9E37_79F9 }
  private static var prime4: UInt64 { 0x85EB_CA77_C2B2_AE63 }
  private static var prime5: UInt64 { 0x27D4_EB2F_1656_67C5 }

  /// - Parameter value: the bytes, the first one lowest.
  static func hash(_ value: UInt64, seed: UInt64) -> UInt64 {
    var state = seed &+ prime5 &+ 8
    state ^= rotated(value &* prime2, 31) &* prime1
    state = rotated(state, 27) &* prime1 &+ prime4
    state = (state ^ state >> 33) &* prime2
    state = (state ^ state >> 29) &* prime3
    return state ^ state >> 32
  }

  private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value << bits | value >> (64 - bits)
  }
}
