/// Which points are not beaten in all of several metrics at once.
///
/// A point dominates another when it is at least as good in every metric and better in one. Equal
/// points do not dominate each other: ties stay.
public enum ParetoFront {
  /// The front each point belongs to: 0 is dominated by none, 1 by points of front 0 only, and so
  /// on.
  ///
  /// - Parameter points: by point, one value for each goal.
  /// - Throws: `statistics.data` for points of another width or values not finite;
  ///   `statistics.no-data` without goals.
  /// - Complexity: O(goals · points²). Source: K. Deb et al. 2002, DOI 10.1109/4235.996017.
  public static func ranks(
    of points: [[Double]], goals: [Goal]
  ) throws(StatisticsError) -> [Int] {
    try require(points, goals)
    var dominators = [Int](repeating: 0, count: points.count)
    var dominated = [[Int]](repeating: [], count: points.count)
    for one in points.indices {
      for other in points.indices where dominates(points[one], points[other], goals) {
        dominated[one].append(other)
        dominators[other] += 1
      }
    }
    var ranks = [Int](repeating: 0, count: points.count)
    var front = points.indices.filter { dominators[$0] == 0 }
    var rank = 0
    while !front.isEmpty {
      var next: [Int] = []
      for point in front {
        ranks[point] = rank
        for other in dominated[point] {
          dominators[other] -= 1
          if dominators[other] == 0 { next.append(other) }
        }
      }
      front = next
      rank += 1
    }
    return ranks
  }

  /// The points that none dominates, from the best in the first metric on.
  ///
  /// Equal values are ordered by the next metric, and equal points by their index.
  /// - Throws: as ``ranks(of:goals:)``.
  public static func front(
    of points: [[Double]], goals: [Goal]
  ) throws(StatisticsError) -> [Int] {
    let ranks = try ranks(of: points, goals: goals)
    return points.indices.filter { ranks[$0] == 0 }.sorted { one, other in
      for (metric, goal) in goals.enumerated() {
        let (a, b) = (goal.sign * points[one][metric], goal.sign * points[other][metric])
        if a != b { return a < b }
      }
      return one < other
    }
  }

  private static func dominates(_ one: [Double], _ other: [Double], _ goals: [Goal]) -> Bool {
    var isBetter = false
    for (metric, goal) in goals.enumerated() {
      let (a, b) = (goal.sign * one[metric], goal.sign * other[metric])
      if a > b { return false }
      if a < b { isBetter = true }
    }
    return isBetter
  }

  private static func require(
    _ points: [[Double]], _ goals: [Goal]
  ) throws(StatisticsError) {
    if goals.isEmpty { throw .noData("at least 1 goal", got: 0) }
    for point in points {
      if point.count != goals.count {
        throw .data("\(goals.count) values for each point", got: "\(point.count)")
      }
      try Require.finite(data: point)
    }
  }
}

extension ParetoFront {
  /// What replications say about a point's place.
  public enum Standing: Sendable, Equatable {
    /// Each other point is surely worse in some metric, or equal to this one in all: the point
    /// belongs to the front.
    case surelyOnFront
    /// On the front by its means, though some point might dominate it.
    case onFront
    /// Dominated by the means, though not surely.
    case dominated
    /// Point `by` is surely not worse in any metric and surely better in one.
    case surelyDominated(by: Int)
  }

  /// The standing of each point, from replications that share their seeds between points.
  ///
  /// Each two points are compared in each metric by their paired differences. That one dominates
  /// takes all metrics at once, each at the full level, which needs no correction (R. Berger 1982,
  /// DOI 10.2307/1267823); the points are many, so the level is divided by the number of pairs of
  /// points. With probability `level` no point is called surely dominated wrongly.
  /// - Parameter series: by point, one series for each goal, all of equal length.
  /// - Throws: `statistics.data` for series that do not fit together, `statistics.no-data` under
  ///   two replications.
  public static func standings(
    of series: [[MetricSeries]], goals: [Goal], level: Double = 0.95
  ) throws(StatisticsError) -> [Standing] {
    try Require.level(level)
    let ranks = try ranks(of: series.map { $0.map(\.value) }, goals: goals)
    let count = series.count
    let pairs = max(1, count * (count - 1) / 2)
    let corrected = 1 - (1 - level) / Double(pairs)
    var standings = ranks.map { $0 == 0 ? Standing.surelyOnFront : .dominated }
    // The dominator with the lowest index is named, so each is set once.
    var isDecided = [Bool](repeating: false, count: count)
    for one in 0..<count {
      for other in (one + 1)..<max(count, one + 1) {
        let relation = try Relation(series[one], series[other], goals, level: corrected)
        if relation.isFirstDominant && !isDecided[other] {
          standings[other] = .surelyDominated(by: one)
          isDecided[other] = true
        }
        if relation.isSecondDominant && !isDecided[one] {
          standings[one] = .surelyDominated(by: other)
          isDecided[one] = true
        }
        if !relation.isSecondRefuted && standings[one] == .surelyOnFront {
          standings[one] = .onFront
        }
        if !relation.isFirstRefuted && standings[other] == .surelyOnFront {
          standings[other] = .onFront
        }
      }
    }
    return standings
  }

  /// What the paired intervals of two points say.
  private struct Relation {
    /// Surely not worse in any metric, and better in one.
    private(set) var isFirstDominant = false
    private(set) var isSecondDominant = false
    /// Surely worse in some metric, or equal in all: cannot dominate.
    private(set) var isFirstRefuted = false
    private(set) var isSecondRefuted = false

    init(
      _ first: [MetricSeries], _ second: [MetricSeries], _ goals: [Goal], level: Double
    ) throws(StatisticsError) {
      var (notWorse, notBetter, better, worse) = (true, true, false, false)
      for (metric, goal) in goals.enumerated() {
        let interval = try PairedComparison(
          candidate: first[metric], baseline: second[metric], level: level
        ).difference.interval
        let (low, high) =
          goal == .minimise ? (interval.lower, interval.upper) : (-interval.upper, -interval.lower)
        if high > 0 { notWorse = false }
        if low < 0 { notBetter = false }
        if high < 0 { better = true }
        if low > 0 { worse = true }
      }
      isFirstDominant = notWorse && better
      isSecondDominant = notBetter && worse
      let isEqual = notWorse && notBetter
      isFirstRefuted = worse || isEqual
      isSecondRefuted = better || isEqual
    }
  }
}
