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
    var curve = ProductLimit(atRisk: count(weights))
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

  /// Product-limit shares of units whose event had come by times, where each cluster counts as
  /// often as its weight says; nil where all weights are nothing.
  ///
  /// - Parameter times: ascending.
  public func shares(by times: [Double], weights: [Int32]? = nil) -> [Double?] {
    let count = count(weights)
    if count == 0 { return [Double?](repeating: nil, count: times.count) }
    var found: [Double?] = []
    var curve = ProductLimit(atRisk: count)
    for unit in units {
      while found.count < times.count && unit.time > times[found.count] {
        found.append(1 - curve.survival)
      }
      if found.count == times.count { return found }
      let weight = weights.map { Double($0[Int(unit.cluster)]) } ?? 1
      if weight == 0 { continue }
      if unit.hasEvent { curve.fall(by: weight) } else { curve.censor(weight) }
    }
    while found.count < times.count { found.append(1 - curve.survival) }
    return found
  }

  /// Units, where each cluster counts as often as its weight says.
  private func count(_ weights: [Int32]?) -> Double {
    guard let weights else { return Double(units.count) }
    return sizes.indices.reduce(0) { $0 + Double(sizes[$1]) * Double(weights[$1]) }
  }
}
