import Statistics

/// What one metric of one side is computed from, for any weights of the side's clusters.
enum BacktestColumn {
  /// Times and ascending shares, one number for each.
  case times(ClusteredTimes, shares: [Double])
  /// Times, and the ascending times by which shares of them had come, one number for each.
  case shares(ClusteredTimes, by: [Double])
  /// A quotient of sums by cluster.
  case quotient(Quotient)

  struct Quotient {
    let part, whole: [Double]
    /// Things that stand behind it, and those with which it happened, such as views with a stall.
    let count: Int
    let events: Double
    /// Clusters that have something of it, and groups of things that go together: sessions.
    let clusters, groups: Int
  }

  /// How many numbers it has.
  var width: Int {
    switch self {
    case .times(_, let shares): shares.count
    case .shares(_, let ends): ends.count
    case .quotient: 1
    }
  }

  /// Things that stand behind its values: views, requests.
  var count: Int {
    switch self {
    case .times(let times, _), .shares(let times, _): times.units.count
    case .quotient(let sums): sums.count
    }
  }

  /// Clusters that have something of it.
  var clusters: Int {
    switch self {
    case .times(let times, _), .shares(let times, _): times.usedClusters
    case .quotient(let sums): sums.clusters
    }
  }

  /// Its numbers where each cluster counts as often as its weight says, or once; nil where there is
  /// none.
  func values(_ weights: [Int32]?) -> [Double?] {
    switch self {
    case .times(let times, let shares): return times.quantiles(shares, weights: weights)
    case .shares(let times, let ends): return times.shares(by: ends, weights: weights)
    case .quotient(let sums):
      var (above, below) = (0.0, 0.0)
      for cluster in sums.whole.indices {
        let weight = weights.map { Double($0[cluster]) } ?? 1
        above += weight * sums.part[cluster]
        below += weight * sums.whole[cluster]
      }
      return [below > 0 ? above / below : nil]
    }
  }

  /// What stands for a number that a draw does not have: so few first frames are in it that its
  /// quantile is beyond all that was seen, or nothing is in it at all.
  func substitute(for value: Double) -> Double {
    switch self {
    case .times(let times, _): times.units.last?.time ?? value
    case .shares, .quotient: value
    }
  }

  /// The interval of its number where hardly anything has happened, or hardly anything has not, by
  /// exact bounds: what has not been seen has no noise to be drawn. Nil where enough was seen.
  ///
  /// An event that was never seen is taken for as large as can be: all of a view's time.
  func rareBounds(
    _ value: Double, _ rarity: BacktestMetric.Rarity
  ) throws(StatisticsError) -> Interval? {
    guard case .quotient(let sums) = self, sums.count > 0 else { return nil }
    let samples = Double(sums.count)
    let share = min(1, max(0, sums.events / samples))
    if !Estimates.hasFewEvents(share, samples: samples) { return nil }
    if share > 0.5 && rarity == .nothing { return nil }
    // Views of a session may all do the same.
    let bounds = try Estimates.shareBounds(
      share, samples: samples, designEffect: samples / Double(max(1, sums.groups)))
    if share <= 0.5 {
      let size = share > 0 ? value / share : 1
      return Interval(lower: bounds.lower * size, upper: bounds.upper * size)
    }
    let size = share < 1 ? (1 - value) / (1 - share) : 1
    return Interval(lower: 1 - (1 - bounds.lower) * size, upper: 1 - (1 - bounds.upper) * size)
  }
}

extension BacktestMetric.Rarity {
  /// A column with its value.
  typealias Valued = (column: BacktestColumn, statistic: ClusterResampling.Statistic)

  /// The interval of `first` - `second` by the exact bounds of what hardly happened in either
  /// (``BacktestColumn/rareBounds(_:_:)``), as wide as both can be; nil where enough happened in
  /// both.
  func difference(_ first: Valued, _ second: Valued) throws(StatisticsError) -> Interval? {
    let above = try first.column.rareBounds(first.statistic.value, self)
    let below = try second.column.rareBounds(second.statistic.value, self)
    if above == nil && below == nil { return nil }
    let left = if let above { above } else { try ClusterResampling.interval(first.statistic) }
    let right = if let below { below } else { try ClusterResampling.interval(second.statistic) }
    return Interval(lower: left.lower - right.upper, upper: left.upper - right.lower)
  }
}

/// Adds a quotient up by cluster.
struct QuotientSums {
  private var part: [Double]
  private var whole: [Double]
  private var isUsed, isGroupUsed: [Bool]
  private var count = 0
  private var events = 0.0

  /// - Parameter groups: of things that go together; nothing: each thing stands alone.
  init(clusters: Int, groups: Int = 0) {
    part = [Double](repeating: 0, count: clusters)
    whole = part
    isUsed = [Bool](repeating: false, count: clusters)
    isGroupUsed = [Bool](repeating: false, count: groups)
  }

  /// Adds one thing of a group.
  mutating func add(_ part: Double, of whole: Double, cluster: Int, group: Int) {
    add(part, of: whole, count: 1, events: part > 0 ? 1 : 0, cluster: cluster)
    isGroupUsed[group] = true
  }

  mutating func add(
    _ part: Double, of whole: Double, count: Int, events: Double, cluster: Int
  ) {
    self.part[cluster] += part
    self.whole[cluster] += whole
    isUsed[cluster] = true
    self.count += count
    self.events += events
  }

  /// Nil where nothing was added.
  var column: BacktestColumn? {
    if count == 0 { return nil }
    let groups = isGroupUsed.count { $0 }
    return .quotient(
      BacktestColumn.Quotient(
        part: part, whole: whole, count: count, events: events, clusters: isUsed.count { $0 },
        groups: groups > 0 ? groups : count))
  }
}
