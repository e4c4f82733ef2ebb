/// Philox4x32-10, a counter-based generator: a keyed bijection of 128-bit counters.
///
/// The value at a counter does not depend on any other call, which is what lets two variants of a
/// scenario share their random numbers. Source: Salmon, Moraes, Dror, Shaw, "Parallel random
/// numbers: as easy as 1, 2, 3", SC 2011, doi 10.1145/2063384.2063405. Checked against its
/// known-answer vectors.
@frozen
public enum Philox {
  /// Four 32-bit words.
  @frozen
  public struct Block: Equatable, Sendable {
    public var word0, word1, word2, word3: UInt32

    @inlinable
    public init(_ word0: UInt32, _ word1: UInt32, _ word2: UInt32, _ word3: UInt32) {
      self.word0 = word0
      self.word1 = word1
      self.word2 = word2
      self.word3 = word3
    }

    /// Words 0 and 1 as one number.
    @inlinable
    public var first: UInt64 { UInt64(word0) | UInt64(word1) << 32 }
    /// Words 2 and 3 as one number.
    @inlinable
    public var second: UInt64 { UInt64(word2) | UInt64(word3) << 32 }
  }

  /// The block at `counter` under `key` after ten rounds.
  @inlinable
  public static func block(counter: Block, key: UInt64) -> Block {
    var x = counter
    var key0 = UInt32(truncatingIfNeeded: key)
    var key1 = UInt32(truncatingIfNeeded: key >> 32)
    for _ in 0..<10 {
      let product0 = UInt64(x.word0) &* 0xD251_1F53
      let product1 = UInt64(x.word2) &* 0xCD9E_8D57
      x = Block(
        UInt32(truncatingIfNeeded: product1 >> 32) ^ x.word1 ^ key0,
        UInt32(truncatingIfNeeded: product1),
        UInt32(truncatingIfNeeded: product0 >> 32) ^ x.word3 ^ key1,
        UInt32(truncatingIfNeeded: product0))
      key0 = key0 &+ 0x9E37_79B9
      key1 = key1 &+ 0xBB67_AE85
    }
    return x
  }
}
