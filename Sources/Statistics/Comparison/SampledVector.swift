/// Several numbers of one sample, with the noise that they have in common.
public struct SampledVector: Sendable, Equatable {
  public var values: [Double]
  /// Of the values, by row.
  public var covariance: [[Double]]
  /// The fewest clusters that a value rests on.
  public var clusters: Int

  /// - Precondition: `covariance` has a row and a column for each value.
  public init(_ values: [Double], covariance: [[Double]], clusters: Int) {
    precondition(covariance.count == values.count, "a row for each value")
    self.values = values
    self.covariance = covariance
    self.clusters = clusters
  }

  /// Of statistics whose draws are the same draws of clusters; each deviation is widened to
  /// Student's, as ``ClusterResampling`` does for intervals.
  ///
  /// - Throws: `statistics.no-data` for fewer than two clusters, `statistics.data` for numbers of
  ///   draws that differ.
  public init(_ statistics: [ClusterResampling.Statistic]) throws(StatisticsError) {
    values = statistics.map(\.value)
    clusters = statistics.map(\.clusters).min() ?? 0
    var deviations: [[Double]] = []
    for statistic in statistics {
      try Estimates.requireReplications(statistic.clusters)
      if let first = statistics.first {
        try Estimates.requireEqualCounts(first.draws, statistic.draws)
      }
      try Require.finite(data: statistic.draws)
      let mean = statistic.draws.reduce(0, +) / Double(max(1, statistic.draws.count))
      let widening = try ClusterResampling.widening(0.95, clusters: statistic.clusters)
      deviations.append(statistic.draws.map { ($0 - mean) * widening })
    }
    covariance = SampledVector.products(
      deviations, over: Double(max(1, (statistics.first?.draws.count ?? 0) - 1)))
  }

  /// Of values and what they are without each cluster (jackknife): a list for each cluster.
  ///
  /// Source: B. Efron, "The Jackknife, the Bootstrap and Other Resampling Plans", 1982, section 3.
  /// The widths are Student's here, too.
  ///
  /// - Throws: `statistics.no-data` for fewer than two clusters, `statistics.data` for values that
  ///   are not finite.
  public init(_ values: [Double], without: [[Double]]) throws(StatisticsError) {
    try Estimates.requireReplications(without.count)
    try Require.finite(data: values)
    self.values = values
    clusters = without.count
    let n = Double(without.count)
    let t = try StudentT.quantile(upperTail: 0.025, degreesOfFreedom: n - 1)
    let z = try StandardNormal.quantile(upperTail: 0.025)
    var deviations: [[Double]] = []
    for place in values.indices {
      let left = without.map { $0[place] }
      try Require.finite(data: left)
      let mean = left.reduce(0, +) / n
      deviations.append(left.map { ($0 - mean) * t / z })
    }
    covariance = SampledVector.products(deviations, over: n / (n - 1))
  }

  private static func products(_ deviations: [[Double]], over divisor: Double) -> [[Double]] {
    deviations.map { one in
      deviations.map { other in
        zip(one, other).reduce(0) { $0 + $1.0 * $1.1 } / divisor
      }
    }
  }
}

extension SampledVector {
  /// Some of its values.
  public func picked(_ places: [Int]) -> SampledVector {
    SampledVector(
      places.map { values[$0] },
      covariance: places.map { row in places.map { covariance[row][$0] } }, clusters: clusters)
  }
}
