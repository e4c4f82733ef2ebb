/// How far two samples of clustered times are apart, and how often samples of one law are as far.
public struct ClusteredDistance: Sendable, Equatable {
  /// The largest distance of the shares of units that had had their event: Kolmogorov's and
  /// Smirnov's, and where nothing is censored theirs exactly. A unit that never has its event
  /// counts as one that has it later than all others. With a slack it is what is left when either
  /// side may be so much later: clocks that count whole milliseconds are not another law.
  public let distance: Double
  /// How often samples of one law are as far apart or farther.
  public let pValue: Double
  /// What 5 of 100 samples of one law exceed: samples of these sizes cannot tell less apart.
  public let critical: Double

  /// What the laws themselves are at most apart, in 95 of 100 cases: their distance differs from
  /// that of the samples by no more than the samples' noise.
  public var upper: Double { distance + critical }

  /// By exchanging whole clusters between the samples, where a cluster of one is what a cluster of
  /// the other is: the share of exchanges that bring them as far apart or farther, the samples as
  /// they are counted as one (permutation test; B. Phipson, G. Smyth 2010,
  /// DOI 10.2202/1544-6115.1585).
  ///
  /// - Parameters:
  ///   - slack: how much later events of either side may be without a distance.
  ///   - factor: how much larger the noise is than clusters show (``TwoWayClusters``).
  /// - Throws: `statistics.no-data` where a sample is empty.
  /// - Complexity: `permutations` passes over all events.
  public init(
    _ first: ClusteredTimes, _ second: ClusteredTimes, slack: Double = 0, noise factor: Double = 1,
    permutations: Int = 199, seed: UInt64
  ) throws(StatisticsError) {
    if permutations < 19 { throw .parameter("at least 19 permutations", got: "\(permutations)") }
    let both = try PooledClusters(first, second, slack: slack)
    var order = Array(both.sizes.indices)
    var isFirst = both.isFirst
    let count = first.usedClusters
    let seen = both.distance(isFirst)
    var generator = SplitMix64(seed: seed)
    var exchanged: [Double] = []
    for _ in 0..<permutations {
      for place in 0..<min(count, order.count - 1) {
        order.swapAt(place, place + generator.next(below: order.count - place))
      }
      for place in order.indices { isFirst[order[place]] = place < count }
      exchanged.append(factor * both.distance(isFirst))
    }
    exchanged.sort()
    distance = seen
    pValue = ClusteredDistance.share(of: exchanged, asFarAs: seen)
    critical = try OrderStatistics.quantile(sorted: exchanged, 0.95)
  }

  /// Those with what was seen itself; equal up to rounding is as far.
  private static func share(of distances: [Double], asFarAs seen: Double) -> Double {
    Double(distances.count { $0 >= seen - 1e-12 } + 1) / Double(distances.count + 1)
  }
}

/// Two samples as one, whose clusters can be of either.
private struct PooledClusters {
  private let events: [(time: Double, cluster: Int32)]
  /// Units by cluster; those of the first sample in front, clusters without a unit left out.
  let sizes: [Int32]
  /// By cluster, as the samples are.
  let isFirst: [Bool]
  private let slack: Double

  init(
    _ first: ClusteredTimes, _ second: ClusteredTimes, slack: Double
  ) throws(StatisticsError) {
    if !(slack >= 0 && slack.isFinite) { throw .parameter("a slack of at least 0", got: slack) }
    if first.units.isEmpty || second.units.isEmpty {
      throw .noData("at least 1 time in each sample", got: 0)
    }
    var sizes: [Int32] = []
    var events: [(time: Double, cluster: Int32)] = []
    for sample in [first, second] {
      let places = sample.sizes.map { size -> Int32 in
        if size == 0 { return -1 }
        sizes.append(size)
        return Int32(sizes.count - 1)
      }
      for unit in sample.units where unit.hasEvent {
        events.append((unit.time, places[Int(unit.cluster)]))
      }
    }
    events.sort { $0.time != $1.time ? $0.time < $1.time : $0.cluster < $1.cluster }
    let count = first.usedClusters
    self.events = events
    self.sizes = sizes
    isFirst = sizes.indices.map { $0 < count }
    self.slack = slack
  }

  /// How far the samples are apart where so many clusters are of the first.
  func distance(_ isFirst: [Bool]) -> Double {
    var (first, second) = (0.0, 0.0)
    for cluster in sizes.indices {
      let size = Double(sizes[cluster])
      if isFirst[cluster] { first += size } else { second += size }
    }
    var (a, b, most) = (0.0, 0.0, 0.0)
    // The same counts a slack later.
    var (later, laterA, laterB) = (0, 0.0, 0.0)
    for (place, event) in events.enumerated() {
      if isFirst[Int(event.cluster)] { a += 1 } else { b += 1 }
      if place + 1 < events.count && events[place + 1].time == event.time { continue }
      while later < events.count && events[later].time <= event.time + slack {
        if isFirst[Int(events[later].cluster)] { laterA += 1 } else { laterB += 1 }
        later += 1
      }
      most = max(most, a / first - laterB / second, b / second - laterA / first)
    }
    return most
  }
}

extension ClusteredDistance {
  /// By drawing the clusters of each sample anew, where those of one are not what those of the
  /// other are, such as days and replications: the share of draws in which the samples are farther
  /// from themselves than they are from each other. Deviations of few clusters are widened as
  /// ``ClusterResampling`` does, for `pValue` as `level` needs it, for `critical` as 95 % do.
  ///
  /// - Parameters:
  ///   - slack: how much later events of either side may be without a distance.
  ///   - factor: how much larger the noise of `second` is than clusters show.
  ///   - level: one minus the p-value that decides.
  /// - Throws: `statistics.no-data` where a sample is empty or has fewer than two clusters.
  /// - Complexity: `draws` passes over clusters times ``gridSize``.
  public init(
    resampling first: ClusteredTimes, _ second: ClusteredTimes, slack: Double = 0,
    noise factor: Double = 1, level: Double = 0.95, draws: Int = 400, seed: UInt64
  ) throws(StatisticsError) {
    try Require.level(level)
    try Estimates.requireReplications(min(first.usedClusters, second.usedClusters))
    let both = try PooledClusters(first, second, slack: slack)
    distance = both.distance(both.isFirst)
    let times = ClusteredDistance.grid(first, second)
    let sides = [first, second].map { ClusterIncidence($0, at: times) }
    let deviations = try sides.enumerated().map { number, side throws(StatisticsError) in
      try side.deviations(
        ClusterResampling(draws: draws, seed: seed &* 2 &+ UInt64(number)))
    }
    func noise(_ level: Double) throws(StatisticsError) -> [Double] {
      let a = try ClusterResampling.widening(level, clusters: first.usedClusters)
      let b = try factor * ClusterResampling.widening(level, clusters: second.usedClusters)
      return (0..<draws).map { draw in
        zip(deviations[0][draw], deviations[1][draw]).reduce(0) {
          max($0, abs(a * $1.0 - b * $1.1))
        }
      }.sorted()
    }
    pValue = ClusteredDistance.share(of: try noise(level), asFarAs: distance)
    critical = try OrderStatistics.quantile(sorted: noise(0.95), 0.95)
  }

  /// Points in time at which noise is looked at, the quantiles of both samples' events.
  static let gridSize = 200

  private static func grid(_ first: ClusteredTimes, _ second: ClusteredTimes) -> [Double] {
    let events = (first.units + second.units).filter(\.hasEvent).map(\.time).sorted()
    let steps = min(gridSize, events.count)
    if steps == 0 { return [] }
    return (1...steps).map { events[events.count * $0 / steps - 1] }
  }
}

/// How many units of each cluster had had their event by each of some times.
private struct ClusterIncidence {
  /// By cluster and time, and by cluster.
  private let counts: [[Double]]
  private let sizes: [Double]
  private let times: Int

  /// - Parameter times: ascending.
  init(_ sample: ClusteredTimes, at times: [Double]) {
    var counts = [[Double]](
      repeating: [Double](repeating: 0, count: times.count), count: sample.clusters)
    var place = 0
    for unit in sample.units where unit.hasEvent {
      while place < times.count && times[place] < unit.time { place += 1 }
      if place == times.count { break }
      counts[Int(unit.cluster)][place] += 1
    }
    for cluster in counts.indices {
      for place in counts[cluster].indices.dropFirst() {
        counts[cluster][place] += counts[cluster][place - 1]
      }
    }
    self.counts = counts
    sizes = sample.sizes.map { Double($0) }
    self.times = times.count
  }

  /// By draw and time, how much larger the share of all units is than in the sample. A draw of
  /// empty clusters alone is as far off as can be.
  func deviations(_ resampling: ClusterResampling) -> [[Double]] {
    let sample = shares([Int32](repeating: 1, count: sizes.count))
    var all: [[Double]] = []
    resampling.forEachDraw(of: sizes.count) { weights in
      let drawn = shares(weights)
      all.append(
        drawn.isEmpty
          ? [Double](repeating: 1, count: times) : zip(drawn, sample).map { $0 - $1 })
    }
    return all
  }

  /// Nothing where no unit has a weight.
  private func shares(_ weights: [Int32]) -> [Double] {
    var sums = [Double](repeating: 0, count: times)
    var whole = 0.0
    for cluster in sizes.indices where weights[cluster] > 0 {
      let weight = Double(weights[cluster])
      whole += weight * sizes[cluster]
      for place in sums.indices { sums[place] += weight * counts[cluster][place] }
    }
    return whole > 0 ? sums.map { $0 / whole } : []
  }
}
