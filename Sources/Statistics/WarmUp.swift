/// How much of the start of a series to leave out as warm-up: the MSER-5 rule.
///
/// The series is averaged in batches of five, Z_1…Z_k; the cut is the d ≤ k/2 that minimises
/// Σ_{i>d}(Z_i - mean_{>d})² / (k-d)², the least such d on ties. A minimum at the last admissible d
/// means that the series has not settled. Source: K. P. White 1997, DOI 10.1177/003754979706900601;
/// K. P. White, M. Cobb, S. Spratt, "A comparison of five steady-state truncation heuristics for
/// simulation", Winter Simulation Conference 2000.
public struct WarmUp: Sendable, Equatable {
  /// The number of observations to leave out, a multiple of five.
  public let truncation: Int
  /// The mean of the observations kept, up to the last whole batch.
  public let mean: Double
  /// The number of whole batches of five; observations after the last of them are not used.
  public let batches: Int
  /// The least value of the criterion.
  public let criterion: Double
  /// Whether the minimum is at the end of the admissible range: the run is too short to judge.
  public let isTooShort: Bool

  public static let batchSize = 5

  /// - Throws: `statistics.no-data` under 20 observations, which make fewer than four batches.
  /// - Complexity: O(n).
  public static func mser5(_ series: [Double]) throws(StatisticsError) -> WarmUp {
    if series.count < 4 * batchSize {
      throw .noData("at least \(4 * batchSize) observations", got: series.count)
    }
    try Require.finite(data: series)
    let batches = series.count / batchSize
    var means: [Double] = []
    means.reserveCapacity(batches)
    for batch in 0..<batches {
      var sum = 0.0
      for index in (batch * batchSize)..<((batch + 1) * batchSize) { sum += series[index] }
      means.append(sum / Double(batchSize))
    }
    let limit = batches / 2
    var best = (cut: limit, criterion: Double.infinity, mean: 0.0)
    // From the end, by Welford's update, so that every suffix costs one step.
    var mean = 0.0
    var squares = 0.0
    for cut in stride(from: batches - 1, through: 0, by: -1) {
      let size = Double(batches - cut)
      let delta = means[cut] - mean
      mean += delta / size
      squares += delta * (means[cut] - mean)
      let criterion = squares / (size * size)
      if cut <= limit && criterion <= best.criterion { best = (cut, criterion, mean) }
    }
    return WarmUp(
      truncation: best.cut * batchSize, mean: best.mean, batches: batches,
      criterion: best.criterion, isTooShort: best.cut == limit)
  }
}
