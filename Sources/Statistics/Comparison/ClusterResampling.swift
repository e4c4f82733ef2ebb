/// The noise of a statistic whose values go together in clusters, such as views of one session:
/// whole clusters are drawn anew, with replacement.
///
/// Source: A. Davison, D. Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8.
public struct ClusterResampling: Sendable, Equatable {
  /// How often all clusters are drawn.
  public let draws: Int
  public let seed: UInt64

  /// - Parameter draws: default 400; a standard error takes 200 (Efron and Tibshirani, "An
  ///   Introduction to the Bootstrap", 1993, section 6.4).
  public init(draws: Int = 400, seed: UInt64) throws(StatisticsError) {
    if draws < 100 { throw .parameter("at least 100 draws", got: "\(draws)") }
    self.draws = draws
    self.seed = seed
  }

  /// Calls `body` for each draw, in order, with how often each cluster is in it. Equal seeds and
  /// numbers of clusters give equal draws.
  public func forEachDraw(of clusters: Int, _ body: (_ weights: [Int32]) -> Void) {
    var generator = SplitMix64(seed: seed)
    var weights = [Int32](repeating: 0, count: clusters)
    for _ in 0..<draws {
      for cluster in weights.indices { weights[cluster] = 0 }
      for _ in 0..<clusters { weights[generator.next(below: clusters)] += 1 }
      body(weights)
    }
  }

  /// A statistic and what it was in each draw.
  public struct Statistic: Sendable, Equatable {
    public var value: Double
    public var draws: [Double]
    /// Clusters that it rests on.
    public var clusters: Int

    public init(_ value: Double, draws: [Double], clusters: Int) {
      self.value = value
      self.draws = draws
      self.clusters = clusters
    }

    /// Zero in each draw.
    fileprivate var nothing: Statistic {
      Statistic(0, draws: [Double](repeating: 0, count: draws.count), clusters: clusters)
    }

    fileprivate func widening(_ level: Double) throws(StatisticsError) -> Double {
      try ClusterResampling.widening(level, clusters: clusters)
    }
  }

  /// What a deviation of draws of so few clusters is widened by: a percentile interval takes a
  /// normal law for Student's, and the variance with divisor n for that with n - 1.
  ///
  /// Source: T. Hesterberg 2015, DOI 10.1080/00031305.2015.1089789, section 4.
  static func widening(_ level: Double, clusters: Int) throws(StatisticsError) -> Double {
    let n = Double(clusters)
    let t = try StudentT.quantile(upperTail: (1 - level) / 2, degreesOfFreedom: n - 1)
    let z = try StandardNormal.quantile(upperTail: (1 - level) / 2)
    return t / z * (n / (n - 1)).squareRoot()
  }

  /// The interval of the difference `first` - `second` of statistics of independent samples.
  ///
  /// - Throws: `statistics.no-data` where a side has fewer than two clusters, `statistics.data` for
  ///   draws not finite or of different number.
  public static func difference(
    _ first: Statistic, _ second: Statistic, level: Double = 0.95
  ) throws(StatisticsError) -> Interval {
    try Require.level(level)
    try Estimates.requireReplications(min(first.clusters, second.clusters))
    try Estimates.requireEqualCounts(first.draws, second.draws)
    try Require.finite(data: first.draws)
    try Require.finite(data: second.draws)
    return try difference(first, second, level: level, widenedFor: level)
  }

  /// The interval of the draws at a level, each side's deviations widened as another level needs
  /// it.
  private static func difference(
    _ first: Statistic, _ second: Statistic, level: Double, widenedFor other: Double
  ) throws(StatisticsError) -> Interval {
    let (a, b) = (try first.widening(other), try second.widening(other))
    let value = first.value - second.value
    var differences = first.draws.indices.map { draw in
      value + a * (first.draws[draw] - first.value) - b * (second.draws[draw] - second.value)
    }
    differences.sort()
    return Interval(
      lower: try OrderStatistics.quantile(sorted: differences, (1 - level) / 2),
      upper: try OrderStatistics.quantile(sorted: differences, (1 + level) / 2), level: level)
  }

  /// The interval of a difference as `count` of them need it to be wrong together in one case of
  /// twenty (Bonferroni). So far out there are too few draws: it is the interval at 95 %, with the
  /// widths of Student's law that far out for each side's clusters, times the ratio of a normal
  /// law's.
  ///
  /// - Throws: as ``difference(_:_:level:)``.
  public static func difference(
    _ first: Statistic, _ second: Statistic, family count: Int
  ) throws(StatisticsError) -> Interval {
    let near = try difference(first, second)
    if count <= 1 { return near }
    let far = 1 - (1 - near.level) / Double(count)
    return try widened(
      difference(first, second, level: near.level, widenedFor: far),
      around: first.value - second.value, family: count)
  }

  /// The interval of one statistic.
  ///
  /// - Throws: as ``difference(_:_:level:)``.
  public static func interval(
    _ statistic: Statistic, level: Double = 0.95
  ) throws(StatisticsError) -> Interval {
    try difference(statistic, statistic.nothing, level: level)
  }

  /// The interval of one statistic as ``difference(_:_:family:)`` has it.
  public static func interval(
    _ statistic: Statistic, family count: Int
  ) throws(StatisticsError) -> Interval {
    try difference(statistic, statistic.nothing, family: count)
  }

  /// An interval at the level that `count` of them together need to be wrong in one case of twenty
  /// (Bonferroni), by the widths of a normal law: for bounds that are not of few clusters.
  public static func widened(
    _ interval: Interval, around value: Double, family count: Int
  ) throws(StatisticsError) -> Interval {
    if count <= 1 { return interval }
    let tail = (1 - interval.level) / 2
    let factor =
      try StandardNormal.quantile(upperTail: tail / Double(count))
      / StandardNormal.quantile(upperTail: tail)
    return Interval(
      lower: value - (value - interval.lower) * factor,
      upper: value + (interval.upper - value) * factor,
      level: 1 - (1 - interval.level) / Double(count))
  }
}
