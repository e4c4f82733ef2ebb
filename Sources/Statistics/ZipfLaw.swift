internal import CGSL

/// Zipf's law over ranks 0..<count: the probability of rank i is proportional to (i+1)^-exponent.
///
/// Exponent 0 makes all ranks equal. The powers come from the C library's `exp` and `log`, so the
/// last bits may differ between platforms; the sums are compensated and run in a fixed order, from
/// the least probable rank to the most probable.
public struct ZipfLaw: Sendable, Equatable {
  public let count: Int
  public let exponent: Double
  /// By rank, most probable first; they sum to 1 within 1e-15 times a small factor.
  public let probabilities: [Double]

  /// - Throws: `statistics.parameter` unless `count` is in 1...2^31 and `exponent` is finite and ≥
  ///   0.
  public init(count: Int, exponent: Double) throws(StatisticsError) {
    if !(count >= 1 && count <= 1 << 31) {
      throw .parameter("a count in 1...2147483648", got: "\(count)")
    }
    if !(exponent >= 0 && exponent.isFinite) {
      throw .parameter("a finite exponent of at least 0", got: exponent)
    }
    var powers = [Double](repeating: 0, count: count)
    var sum = CompensatedSum()
    for rank in stride(from: count - 1, through: 0, by: -1) {
      let power = exp(-exponent * log(Double(rank + 1)))
      powers[rank] = power
      sum.add(power)
    }
    let total = sum.value
    for rank in powers.indices { powers[rank] /= total }
    self.count = count
    self.exponent = exponent
    probabilities = powers
  }
}

/// A table that draws from a discrete law with one column and one comparison (``AliasColumns``).
///
/// **Error.** Each threshold is rounded to 2^-32 of a column, so the probability of an outcome is
/// reproduced to 2^-31 at worst (measured far less); an outcome of weight 0 is never drawn.
public struct AliasTable: Sendable, Equatable {
  /// Per column: the bits below this keep the column. A full column is its own alias.
  public let thresholds: [UInt32]
  /// Per column: the outcome for the other bits.
  public let aliases: [UInt32]

  /// - Throws: `statistics.no-data` without weights; `statistics.data` unless all weights are
  ///   finite and at least 0 and one is above 0; `statistics.parameter` above 2^31 weights.
  /// - Complexity: O(n).
  public init(weights: [Double]) throws(StatisticsError) {
    let columns = try AliasColumns(weights: weights)
    thresholds = columns.thresholds
    aliases = columns.aliases
  }

  public var count: Int { thresholds.count }

  /// The outcome of a column, which is equally likely in 0..<``count``, and 32 random bits.
  public func outcome(column: Int, bits: UInt32) -> Int {
    bits < thresholds[column] ? column : Int(aliases[column])
  }

  /// The probability with which each outcome is drawn, exactly as the table holds it.
  public func reproducedProbabilities() -> [Double] {
    var shares = [Double](repeating: 0, count: count)
    for column in thresholds.indices {
      let kept = Double(thresholds[column]) / 4_294_967_296
      shares[column] += kept
      shares[Int(aliases[column])] += 1 - kept
    }
    return shares.map { $0 / Double(count) }
  }
}
