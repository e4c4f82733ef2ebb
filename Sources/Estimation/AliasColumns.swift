/// The columns of a table that draws from a discrete law with one column and one comparison.
///
/// A draw takes a column, equally likely, and 32 random bits: the bits below the column's threshold
/// give the column itself, the others its alias. A. Walker 1977 (DOI 10.1145/355744.355749), built
/// in linear time by the method of M. Vose 1991 (DOI 10.1109/32.92917), always in the same order.
public struct AliasColumns: Sendable {
  /// The bits below this keep the column. A full column is its own alias.
  public let thresholds: [UInt32]
  /// The outcome for the other bits.
  public let aliases: [UInt32]

  /// - Throws: `statistics.no-data` without weights; `statistics.data` unless all weights are
  ///   finite and at least 0 and one is above 0; `statistics.parameter` above 2^31 weights.
  /// - Complexity: O(n).
  public init(weights: [Double]) throws(StatisticsError) {
    let count = weights.count
    if count == 0 { throw .noData("at least 1 weight", got: 0) }
    if UInt64(count) > 1 << 31 {
      throw .parameter("at most 2147483648 weights", got: Double(count))
    }
    for index in weights.indices where !(weights[index] >= 0 && weights[index].isFinite) {
      throw .data("finite weights of at least 0", got: weights[index], at: index)
    }
    let total = CompensatedSum.of(weights)
    if !(total > 0 && total.isFinite) {
      throw .data("weights with a finite sum above 0", got: total)
    }
    var filled = weights.map { $0 / total * Double(count) }
    var small: [Int] = []
    var large: [Int] = []
    for index in filled.indices {
      if filled[index] < 1 { small.append(index) } else { large.append(index) }
    }
    var thresholds = [UInt32](repeating: .max, count: count)
    var aliases = (0..<count).map { UInt32($0) }
    while let short = small.popLast(), let long = large.last {
      let kept = filled[short]
      thresholds[short] = AliasColumns.threshold(kept)
      aliases[short] = UInt32(long)
      filled[long] = (filled[long] - 1) + kept
      if filled[long] < 1 {
        large.removeLast()
        small.append(long)
      }
    }
    // What is left over is full but for rounding: those columns keep themselves.
    self.thresholds = thresholds
    self.aliases = aliases
  }

  private static func threshold(_ kept: Double) -> UInt32 {
    UInt32(min(4_294_967_295, (kept * 4_294_967_296).rounded(.toNearestOrEven)))
  }
}
