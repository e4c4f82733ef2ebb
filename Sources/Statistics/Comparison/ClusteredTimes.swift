/// Times until something happened to units that go together in clusters; of some it is only known
/// that it had not happened before.
public struct ClusteredTimes: Sendable {
  /// One unit.
  public struct Unit: Sendable {
    public var time: Double
    /// Else it was seen for the last time then.
    public var hasEvent: Bool
    /// Its cluster's place.
    public var cluster: Int32

    public init(_ time: Double, hasEvent: Bool, cluster: Int32) {
      self.time = time
      self.hasEvent = hasEvent
      self.cluster = cluster
    }
  }

  /// In ascending order of time, at equal times events first.
  public let units: [Unit]
  /// Clusters of the whole sample, those without a unit among them.
  public let clusters: Int
  /// Units by cluster.
  let sizes: [Int32]

  /// - Throws: `statistics.data` for a time that is not finite, or a cluster out of range.
  public init(_ units: [Unit], clusters: Int) throws(StatisticsError) {
    var sizes = [Int32](repeating: 0, count: clusters)
    for unit in units {
      if !unit.time.isFinite { throw .data("finite times", got: "\(unit.time)") }
      if unit.cluster < 0 || Int(unit.cluster) >= clusters {
        throw .data("clusters in 0..<\(clusters)", got: "\(unit.cluster)")
      }
      sizes[Int(unit.cluster)] += 1
    }
    self.sizes = sizes
    self.clusters = clusters
    self.units = units.sorted { a, b in
      if a.time != b.time { return a.time < b.time }
      return a.hasEvent != b.hasEvent ? a.hasEvent : a.cluster < b.cluster
    }
  }

  /// Clusters with a unit.
  public var usedClusters: Int { sizes.count { $0 > 0 } }

  public var events: Int { units.count { $0.hasEvent } }

  /// Product-limit quantiles where each cluster counts as often as its weight says; nil where the
  /// curve never falls so far.
  ///
  /// - Parameter shares: ascending.
  public func quantiles(_ shares: [Double], weights: [Int32]? = nil) -> [Double?] {
    var found = [Double?](repeating: nil, count: shares.count)
    var atRisk = 0.0
    if let weights {
      for cluster in sizes.indices { atRisk += Double(sizes[cluster]) * Double(weights[cluster]) }
    } else {
      atRisk = Double(units.count)
    }
    var curve = ProductLimit(atRisk: atRisk)
    var next = 0
    for unit in units {
      let weight = weights.map { Double($0[Int(unit.cluster)]) } ?? 1
      if weight == 0 { continue }
      if unit.hasEvent {
        curve.fall(by: weight)
        while next < shares.count && curve.hasReached(shares[next]) {
          found[next] = unit.time
          next += 1
        }
        if next == shares.count { break }
      } else {
        curve.censor(weight)
      }
    }
    return found
  }

  /// The share of all units that had had their event by each of ascending times.
  public func incidence(at times: [Double]) -> [Double] {
    var (place, seen) = (0, 0)
    return times.map { time in
      while place < units.count && units[place].time <= time {
        if units[place].hasEvent { seen += 1 }
        place += 1
      }
      return units.isEmpty ? 0 : Double(seen) / Double(units.count)
    }
  }
}

/// How far two samples of clustered times are apart, and how often samples of one law are as far.
public struct ClusteredDistance: Sendable, Equatable {
  /// The largest distance of the shares of units that had had their event: Kolmogorov's and
  /// Smirnov's, and where nothing is censored theirs exactly. A unit that never has its event
  /// counts as one that has it later than all others. With a slack it is what is left when either
  /// side may be so much later: clocks that count whole milliseconds are not another law.
  public let distance: Double
  /// The share of exchanges of whole clusters between the samples that bring them as far apart or
  /// farther, the samples as they are counted as one (permutation test; B. Phipson, G. Smyth 2010,
  /// DOI 10.2202/1544-6115.1585).
  public let pValue: Double
  /// What 5 of 100 such exchanges exceed: samples of these sizes cannot tell less apart.
  public let critical: Double

  /// - Parameter slack: how much later events of either side may be without a distance.
  /// - Throws: `statistics.no-data` where a sample is empty.
  /// - Complexity: `permutations` passes over all events.
  public init(
    _ first: ClusteredTimes, _ second: ClusteredTimes, slack: Double = 0,
    permutations: Int = 199, seed: UInt64
  ) throws(StatisticsError) {
    if !(slack >= 0 && slack.isFinite) { throw .parameter("a slack of at least 0", got: slack) }
    if permutations < 19 { throw .parameter("at least 19 permutations", got: "\(permutations)") }
    if first.units.isEmpty || second.units.isEmpty {
      throw .noData("at least 1 time in each sample", got: 0)
    }
    var sizes: [Int32] = []
    let places = [first, second].map { sample in
      sample.sizes.map { size -> Int32 in
        if size == 0 { return -1 }
        sizes.append(size)
        return Int32(sizes.count - 1)
      }
    }
    var events: [(time: Double, cluster: Int32)] = []
    for (sample, places) in zip([first, second], places) {
      for unit in sample.units where unit.hasEvent {
        events.append((unit.time, places[Int(unit.cluster)]))
      }
    }
    events.sort { $0.time != $1.time ? $0.time < $1.time : $0.cluster < $1.cluster }
    let count = first.usedClusters
    var order = Array(sizes.indices)
    var isFirst = sizes.indices.map { $0 < count }
    let seen = ClusteredDistance.distance(events, sizes, isFirst, slack)
    var generator = SplitMix64(seed: seed)
    var exchanged: [Double] = []
    for _ in 0..<permutations {
      for place in 0..<min(count, order.count - 1) {
        order.swapAt(place, place + generator.next(below: order.count - place))
      }
      for place in order.indices { isFirst[order[place]] = place < count }
      exchanged.append(ClusteredDistance.distance(events, sizes, isFirst, slack))
    }
    exchanged.sort()
    distance = seen
    // Equal up to rounding is as far.
    let asFar = exchanged.count { $0 >= seen - 1e-12 }
    pValue = Double(asFar + 1) / Double(permutations + 1)
    critical = try OrderStatistics.quantile(sorted: exchanged, 0.95)
  }

  private static func distance(
    _ events: [(time: Double, cluster: Int32)], _ sizes: [Int32], _ isFirst: [Bool],
    _ slack: Double
  ) -> Double {
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
