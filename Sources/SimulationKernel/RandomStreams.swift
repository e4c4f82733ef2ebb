/// What a random number is for. The raw value is part of every stream key, so a number once given
/// in a world is never given to another purpose there. Who has which stands in the registry of the
/// models, `StreamRow`.
public struct StreamName: RawRepresentable, Equatable, Sendable {
  public let rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// All random numbers of one replication, as a pure function of (stream name, entity, draw).
///
/// Key: the seed. Counter: draw / 2, the entity's two halves, and stream name and replication in
/// one word (docs/decisions/0004). A block holds two uniforms, for an even draw and the odd one
/// after it. Nothing here has state: adding a device or a draw elsewhere never shifts another
/// stream.
@frozen
public struct RandomStreams: Sendable {
  public let seed: UInt64
  public let replication: UInt16

  @inlinable
  public init(seed: UInt64, replication: UInt16) {
    self.seed = seed
    self.replication = replication
  }

  @inlinable
  func block(_ stream: StreamName, _ entity: UInt64, _ pair: UInt32) -> Philox.Block {
    Philox.block(
      counter: Philox.Block(
        pair, UInt32(truncatingIfNeeded: entity), UInt32(truncatingIfNeeded: entity >> 32),
        UInt32(stream.rawValue) << 16 | UInt32(replication)),
      key: seed)
  }

  /// 64 random bits.
  @inlinable
  public func bits(_ stream: StreamName, entity: UInt64, draw: UInt32 = 0) -> UInt64 {
    let block = block(stream, entity, draw >> 1)
    return draw & 1 == 0 ? block.first : block.second
  }

  /// A uniform number strictly between 0 and 1, a multiple of 2^-53.
  @inlinable
  public func uniform(_ stream: StreamName, entity: UInt64, draw: UInt32 = 0) -> Double {
    RandomStreams.uniform(bits(stream, entity: entity, draw: draw))
  }

  /// The uniforms of draws 2·`pair` and 2·`pair` + 1, for the cost of one.
  @inlinable
  public func uniformPair(
    _ stream: StreamName, entity: UInt64, pair: UInt32 = 0
  ) -> (Double, Double) {
    let block = block(stream, entity, pair)
    return (RandomStreams.uniform(block.first), RandomStreams.uniform(block.second))
  }

  /// Maps 64 bits to the middle of one of 2^52 cells of (0, 1); 1 - u is exact for every result.
  @inlinable
  public static func uniform(_ bits: UInt64) -> Double {
    (Double(bits >> 12) + 0.5) * 0x1p-52
  }
}
