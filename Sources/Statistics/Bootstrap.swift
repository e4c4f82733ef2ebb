/// Bootstrap intervals of any statistic of one list; the same seed gives the same interval.
///
/// Source: B. Efron, R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 13 and 14.
public struct Bootstrap: Sendable, Equatable {
  /// How many samples are drawn with replacement.
  public let resamples: Int
  public let seed: UInt64

  /// - Parameter resamples: default 2000, enough for 95 % ends (Efron and Tibshirani, section 14.3:
  ///   at least 1000).
  public init(resamples: Int = 2000, seed: UInt64) throws(StatisticsError) {
    if resamples < 100 { throw .parameter("at least 100 resamples", got: "\(resamples)") }
    self.resamples = resamples
    self.seed = seed
  }

  /// The interval between two percentiles of the resampled statistic.
  ///
  /// - Throws: `statistics.no-data` under two values, `statistics.data` when the statistic of a
  ///   resample is not finite.
  /// - Complexity: `resamples` evaluations of the statistic.
  public func percentile(
    of values: [Double], level: Double = 0.95, _ statistic: ([Double]) -> Double
  ) throws(StatisticsError) -> Estimate {
    try Require.level(level)
    let replicates = try replicates(of: values, statistic)
    return try estimate(
      values, replicates, (1 - level) / 2, (1 + level) / 2, level: level, statistic)
  }

  /// The interval corrected for bias and acceleration (BCa); the acceleration is the jackknife's.
  ///
  /// - Throws: as ``percentile(of:level:_:)``, and `statistics.numeric` when all resamples fall on
  ///   one side of the estimate, where the correction does not exist.
  public func biasCorrectedAccelerated(
    of values: [Double], level: Double = 0.95, _ statistic: ([Double]) -> Double
  ) throws(StatisticsError) -> Estimate {
    try Require.level(level)
    let replicates = try replicates(of: values, statistic)
    let observed = statistic(values)
    var under = 0.0
    for replicate in replicates {
      if replicate < observed { under += 1 } else if replicate == observed { under += 0.5 }
    }
    let share = under / Double(resamples)
    if share == 0 || share == 1 {
      throw .numeric("resamples on both sides of the estimate", got: "all on one side")
    }
    let bias = try StandardNormal.quantile(share)
    let acceleration = try acceleration(values, statistic)
    func corrected(_ p: Double) throws(StatisticsError) -> Double {
      let shifted = bias + (try StandardNormal.quantile(p))
      let stretched = 1 - acceleration * shifted
      if !(stretched > 0) {
        throw .numeric("an acceleration that leaves the ends in order", got: format(acceleration))
      }
      return StandardNormal.cdf(bias + shifted / stretched)
    }
    let low = try corrected((1 - level) / 2)
    let high = try corrected((1 + level) / 2)
    return try estimate(values, replicates, low, high, level: level, statistic)
  }

  private func estimate(
    _ values: [Double], _ replicates: [Double], _ low: Double, _ high: Double, level: Double,
    _ statistic: ([Double]) -> Double
  ) throws(StatisticsError) -> Estimate {
    let interval = Interval(
      lower: try OrderStatistics.quantile(sorted: replicates, low),
      upper: try OrderStatistics.quantile(sorted: replicates, high), level: level)
    return Estimate(
      value: statistic(values), interval: interval,
      standardError: try Summary(replicates).standardDeviation, n: values.count)
  }

  /// The statistic of each resample, ascending.
  private func replicates(
    of values: [Double], _ statistic: ([Double]) -> Double
  ) throws(StatisticsError) -> [Double] {
    try Estimates.requireReplications(values.count)
    try Require.finite(data: values)
    var generator = SplitMix64(seed: seed)
    var sample = values
    var results: [Double] = []
    results.reserveCapacity(resamples)
    for _ in 0..<resamples {
      for index in sample.indices { sample[index] = values[generator.next(below: values.count)] }
      results.append(statistic(sample))
    }
    try Require.finite(data: results)
    results.sort()
    return results
  }

  private func acceleration(
    _ values: [Double], _ statistic: ([Double]) -> Double
  ) throws(StatisticsError) -> Double {
    var left: [Double] = []
    for index in values.indices {
      var rest = values
      rest.remove(at: index)
      left.append(statistic(rest))
    }
    let mean = try Summary(left).mean
    var squares = CompensatedSum()
    var cubes = CompensatedSum()
    for value in left {
      let deviation = mean - value
      squares.add(deviation * deviation)
      cubes.add(deviation * deviation * deviation)
    }
    if squares.value == 0 { return 0 }
    return cubes.value / (6 * squares.value * squares.value.squareRoot())
  }
}
