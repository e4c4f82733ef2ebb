/// The points at which a response is needed for Sobol's indices of k factors.
///
/// Two samples A and B of n points come from one Sobol sequence in 2k dimensions, and for each
/// factor i a third, A with column i from B: n(k + 2) points. They are ordered by row (A, B, then
/// AB_1…AB_k), so that more rows continue a shorter design. Rows start at point n' of the sequence,
/// n' the least power of two of at least `minimumStart`, which keeps its blocks whole when n is a
/// power of two of at most n'.
/// Source: A. Saltelli et al. 2010, DOI 10.1016/j.cpc.2009.09.018.
public struct SaltelliDesign: Sendable, Equatable {
  public let factors: Int
  /// n, the number of rows.
  public let rows: Int
  /// In 0..<1 for each factor; ``rows`` · (``factors`` + 2) of them.
  public let points: [[Double]]

  /// - Parameters:
  ///   - rows: a power of two makes the most of the sequence.
  ///   - minimumStart: at least the number of rows the design may grow to.
  /// - Throws: `statistics.parameter` outside 1...20 factors or under two rows.
  public init(
    factors: Int, rows: Int, minimumStart: Int = 1 << 16
  ) throws(StatisticsError) {
    let most = SobolSequence.maximumFactors / 2
    if !(factors >= 1 && factors <= most) {
      throw .parameter("1...\(most) factors", got: "\(factors)")
    }
    if rows < 2 { throw .parameter("at least 2 rows", got: "\(rows)") }
    var start = 1
    while start < minimumStart && start < SobolSequence.maximumPoints { start *= 2 }
    let pairs = try SobolSequence.points(rows, factors: 2 * factors, first: start)
    var points: [[Double]] = []
    points.reserveCapacity(rows * (factors + 2))
    for pair in pairs {
      let first = Array(pair[..<factors])
      points.append(first)
      points.append(Array(pair[factors...]))
      for factor in 0..<factors {
        var mixed = first
        mixed[factor] = pair[factors + factor]
        points.append(mixed)
      }
    }
    self.factors = factors
    self.rows = rows
    self.points = points
  }
}

/// How much of a response's variance comes from each factor, when all vary over their ranges.
public struct SobolIndices: Sendable, Equatable {
  /// The share of the variance that the factor makes alone (Saltelli et al. 2010, table 2, b).
  public let first: [Estimate]
  /// The share that it makes alone and together with others (M. Jansen 1999, DOI
  /// 10.1016/S0010-4655(98)00154-4).
  public let total: [Estimate]
  /// The variance of the response over the ranges.
  public let variance: Double

  /// The indices from the responses at the points of a design, with bootstrap intervals over rows.
  ///
  /// The intervals hold the error of the sampled points only, and on an even sequence they are too
  /// wide rather than too narrow. An index may leave 0...1 by its error. A response that is itself
  /// noisy (the mean of few replications) shows its noise in the total indices, unless all points
  /// share their random numbers.
  /// - Parameter responses: one for each of the design's points, in their order.
  /// - Throws: `statistics.data` when the lists do not fit or a response is not finite;
  ///   `statistics.no-data` when the responses do not vary.
  /// - Complexity: resamples · rows · factors.
  public init(
    _ design: SaltelliDesign, responses: [Double], bootstrap: Bootstrap, level: Double = 0.95
  ) throws(StatisticsError) {
    if responses.count != design.points.count {
      throw .data("\(design.points.count) responses", got: "\(responses.count)")
    }
    let summary = try Summary(responses)
    if summary.minimum == summary.maximum {
      throw .noData("responses that differ", got: 1)
    }
    // A common offset does not change the indices, but their error grows with it.
    let centred = responses.map { $0 - summary.mean }
    let (factors, width) = (design.factors, design.factors + 2)
    let estimates = try bootstrap.percentiles(rows: design.rows, level: level) { rows in
      SobolIndices.values(centred, rows, factors: factors, width: width)
    }
    first = Array(estimates[..<factors])
    total = Array(estimates[factors..<(2 * factors)])
    variance = estimates[2 * factors].value
  }

  /// First-order indices, total indices and the variance for a choice of rows.
  private static func values(
    _ responses: [Double], _ rows: [Int], factors: Int, width: Int
  ) -> [Double] {
    let count = Double(rows.count)
    var sum = 0.0
    var squares = 0.0
    var shares = [Double](repeating: 0, count: 2 * factors)
    for row in rows {
      let base = row * width
      let (a, b) = (responses[base], responses[base + 1])
      sum += a + b
      squares += a * a + b * b
      for factor in 0..<factors {
        let change = responses[base + 2 + factor] - a
        shares[factor] += b * change
        shares[factors + factor] += change * change / 2
      }
    }
    let mean = sum / (2 * count)
    let variance = squares / (2 * count) - mean * mean
    return shares.map { $0 / count / variance } + [variance]
  }
}
