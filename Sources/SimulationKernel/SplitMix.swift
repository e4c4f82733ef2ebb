/// The finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood 2014, "Fast splittable pseudorandom
/// number generators", DOI 10.1145/2660193.2660195), for hashes. Random numbers of a simulation
/// come from ``RandomStreams``.
public enum SplitMix {
  /// What a state moves on by.
  @inlinable @inline(__always)
  public static var step: UInt64 { 0x9E37_79B9_7F4A_7C15 }

  /// A bijection in which every bit of the state moves every bit of the result.
  @inlinable @inline(__always)
  public static func finalized(_ state: UInt64) -> UInt64 {
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The finaliser after one step: a hash that does not take zero to zero.
  @inlinable @inline(__always)
  public static func hash(_ value: UInt64) -> UInt64 { finalized(value &+ step) }
}
