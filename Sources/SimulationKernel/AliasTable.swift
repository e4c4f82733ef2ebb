/// A discrete law as an alias table: one uniform in, one index out, in O(1).
///
/// The high bits of the uniform pick a column, the rest decides between the column and its alias.
/// Probabilities are reproduced to 2^-31 each (thresholds hold 32 bits). Source: Walker, ACM TOMS
/// 3(3), 1977, doi 10.1145/355744.355749; the table is built by `Statistics`.
public struct AliasTable: Sendable {
  @usableFromInline let thresholds: [UInt32]
  @usableFromInline let aliases: [UInt32]

  /// - Precondition: as many aliases as thresholds, at least one, each a valid index.
  public init(thresholds: [UInt32], aliases: [UInt32]) {
    precondition(!thresholds.isEmpty && thresholds.count == aliases.count)
    for alias in aliases { precondition(Int(alias) < aliases.count) }
    self.thresholds = thresholds
    self.aliases = aliases
  }

  /// The columns, as ``init(thresholds:aliases:)`` takes them.
  public var columns: (thresholds: [UInt32], aliases: [UInt32]) { (thresholds, aliases) }

  /// How many outcomes there are.
  @inlinable
  public var count: Int { thresholds.count }

  /// The outcome for 64 random bits.
  @inlinable
  public func index(_ bits: UInt64) -> UInt32 {
    let (column, rest) = bits.multipliedFullWidth(by: UInt64(thresholds.count))
    let place = Int(column)
    return UInt32(truncatingIfNeeded: rest >> 32) < thresholds[place]
      ? UInt32(truncatingIfNeeded: place) : aliases[place]
  }
}
