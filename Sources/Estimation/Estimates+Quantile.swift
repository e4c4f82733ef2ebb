extension Estimates {
  /// A quantile of all replications' values together, with an interval by sectioning.
  ///
  /// The value is the type 7 quantile of the pooled sample. Each replication is a section: with its
  /// own quantile q_i and the pooled q, the standard error is √(Σ(q_i - q)² / (n(n-1))) and the
  /// interval q ± t. The mean of the q_i has their bias, which does not shrink with the number of
  /// replications (P95 of 200 exponential values: 64 replications cover 75 %); the pooled quantile
  /// has 1/n of it. Replications of different length weigh as their values.
  /// Source: S. Asmussen, P. Glynn, "Stochastic Simulation", 2007, section III.5a.
  /// - Parameter replications: by replication, its values in ascending order.
  /// - Throws: `statistics.no-data` under two replications or where one is empty;
  ///   `statistics.probability` unless `p` is strictly between 0 and 1; `statistics.data` for
  ///   values not finite or not sorted.
  /// - Complexity: O(N log N) for N values in all.
  public static func pooledQuantile<Source: Quantiles>(
    sorted replications: [[Double]], _ p: Double, level: Double = 0.95, quantiles: Source
  ) throws(StatisticsError) -> Estimate {
    try Require.open(p)
    try requireReplications(replications.count)
    var pool: [Double] = []
    var sections: [Double] = []
    for values in replications {
      try Require.sorted(values)
      sections.append(try OrderStatistics.quantile(sorted: values, p))
      pool += values
    }
    pool.sort()
    return try sectioned(
      try OrderStatistics.quantile(sorted: pool, p), sections: sections, level: level,
      quantiles: quantiles)
  }

  /// The interval of a pooled estimate from the same estimate in each replication.
  ///
  /// For quantiles that are not taken from lists: of histograms, of Kaplan-Meier curves.
  /// - Throws: `statistics.no-data` under two replications; `statistics.data` for values not
  ///   finite.
  public static func sectioned<Source: Quantiles>(
    _ pooled: Double, sections: [Double], level: Double = 0.95, quantiles: Source
  ) throws(StatisticsError) -> Estimate {
    try Require.level(level)
    try requireReplications(sections.count)
    try Require.finite(data: [pooled])
    try Require.finite(data: sections)
    var squares = CompensatedSum()
    for section in sections { squares.add((section - pooled) * (section - pooled)) }
    let n = Double(sections.count)
    let error = (squares.value / (n * (n - 1))).squareRoot()
    return try estimate(
      pooled, error: error, n: sections.count, level: level, quantiles: quantiles)
  }
}
