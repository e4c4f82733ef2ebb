extension Bootstrap {
  /// Percentile intervals of several statistics of the same rows, from the same resamples.
  ///
  /// - Parameters:
  ///   - rows: how many independent rows there are; whole rows are drawn with replacement.
  ///   - statistics: the values of all statistics for a list of row numbers.
  /// - Throws: `statistics.no-data` under two rows, `statistics.data` when a statistic of the rows
  ///   themselves or of a resample is not finite.
  /// - Complexity: `resamples` evaluations.
  public func percentiles(
    rows: Int, level: Double = 0.95, _ statistics: ([Int]) -> [Double]
  ) throws(StatisticsError) -> [Estimate] {
    try Require.level(level)
    try Estimates.requireReplications(rows)
    let observed = statistics(Array(0..<rows))
    try Require.finite(data: observed)
    var generator = SplitMix64(seed: seed)
    var sample = [Int](repeating: 0, count: rows)
    var replicates = [[Double]](repeating: [], count: observed.count)
    for _ in 0..<resamples {
      for index in sample.indices { sample[index] = generator.next(below: rows) }
      let values = statistics(sample)
      try Require.finite(data: values)
      for (index, value) in values.enumerated() { replicates[index].append(value) }
    }
    var estimates: [Estimate] = []
    for (index, value) in observed.enumerated() {
      let sorted = replicates[index].sorted()
      let interval = Interval(
        lower: try OrderStatistics.quantile(sorted: sorted, (1 - level) / 2),
        upper: try OrderStatistics.quantile(sorted: sorted, (1 + level) / 2), level: level)
      estimates.append(
        Estimate(
          value: value, interval: interval,
          standardError: try Summary(sorted).standardDeviation, n: rows))
    }
    return estimates
  }
}
