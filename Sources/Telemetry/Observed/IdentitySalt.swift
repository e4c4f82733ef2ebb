/// Turns identifiers into hashes that nobody outside this run can turn back.
///
/// SipHash-2-4 (Aumasson and Bernstein 2012, doi:10.1007/978-3-642-34931-7_28) under a key of 128
/// bits that is drawn for the run and never written. Whoever has hashes but not the key cannot try
/// names. Nothing that a run writes depends on the key: hashes are compared for equality only.
public struct IdentitySalt: Sendable {
  private let k0: UInt64
  private let k1: UInt64

  /// A key of its own, as a test has it.
  public init(_ k0: UInt64, _ k1: UInt64) { (self.k0, self.k1) = (k0, k1) }

  /// A new key from the machine's random numbers.
  public static func drawn() -> IdentitySalt {
    var source = SystemRandomNumberGenerator()
    return IdentitySalt(source.next(), source.next())
  }

  /// The hash of a name; never 0.
  func hash(_ name: TextSpan) -> UInt64 {
    var v0 = k0 ^ 0x736F_6D65_7073_6575
    var v1 = k1 ^ 0x646F_7261_6E64_6F6D
    var v2 = k0 ^ 0x6C79_6765_6E65_7261
    var v3 = k1 ^ 0x7465_6462_7974_6573
    @inline(__always)
    func round() {
      v0 = v0 &+ v1
      v1 = IdentitySalt.rotated(v1, 13) ^ v0
      v0 = IdentitySalt.rotated(v0, 32)
      v2 = v2 &+ v3
      v3 = IdentitySalt.rotated(v3, 16) ^ v2
      v0 = v0 &+ v3
      v3 = IdentitySalt.rotated(v3, 21) ^ v0
      v2 = v2 &+ v1
      v1 = IdentitySalt.rotated(v1, 17) ^ v2
      v2 = IdentitySalt.rotated(v2, 32)
    }
    let raw = UnsafeRawPointer(name.base)
    var index = 0
    while index + 8 <= name.count {
      let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      v3 ^= word
      round()
      round()
      v0 ^= word
      index += 8
    }
    var last = UInt64(truncatingIfNeeded: name.count) << 56
    var shift: UInt64 = 0
    while index < name.count {
      last |= UInt64(name.base[index]) << shift
      shift += 8
      index += 1
    }
    v3 ^= last
    round()
    round()
    v0 ^= last
    v2 ^= 0xFF
    round()
    round()
    round()
    round()
    let hash = v0 ^ v1 ^ v2 ^ v3
    return hash == 0 ? 1 : hash
  }

  /// One name of two.
  func joined(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = (a ^ k0).multipliedFullWidth(by: b | 1)
    let hash = (product.high ^ product.low) &+ a &* 0x9E37_79B9_7F4A_7C15
    return hash == 0 ? 1 : hash
  }

  @inline(__always)
  private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value << count | value >> (64 - count)
  }
}
