import Foundation
import Testing

@testable import Statistics

/// Resampling and exchanging whole clusters.
@Suite struct ClusterResamplingTests {
  private func exponential(_ generator: inout SplitMix64, mean: Double) -> Double {
    -mean * log(generator.nextUniform())
  }

  // MARK: Draws

  @Test func `a draw has as many clusters as there are, and equal seeds draw alike`() throws {
    func draws(_ seed: UInt64) throws -> [[Int32]] {
      var all: [[Int32]] = []
      try ClusterResampling(draws: 100, seed: seed).forEachDraw(of: 7) { all.append($0) }
      return all
    }
    let first = try draws(3)
    #expect(first.count == 100 && first.allSatisfy { $0.reduce(0, +) == 7 })
    #expect(try first == draws(3) && first != draws(4))
    #expect(throws: StatisticsError.self) { try ClusterResampling(draws: 99, seed: 1) }
  }

  /// Statistic of a mean with its draws.
  private func mean(
    _ values: [Double], seed: UInt64
  ) throws -> ClusterResampling.Statistic {
    var draws: [Double] = []
    try ClusterResampling(draws: 2000, seed: seed).forEachDraw(of: values.count) { weights in
      let sum = zip(values, weights).reduce(0) { $0 + $1.0 * Double($1.1) }
      draws.append(sum / Double(values.count))
    }
    let value = values.reduce(0, +) / Double(values.count)
    return ClusterResampling.Statistic(value, draws: draws, clusters: values.count)
  }

  @Test(arguments: [(8, 200), (60, 40)])
  func `an interval of few clusters is as wide as Student's`(_ counts: (Int, Int)) throws {
    var generator = SplitMix64(seed: 11)
    let law = try Law.normal(mean: 5, standardDeviation: 2)
    func sample(_ count: Int) throws -> [Double] {
      try (0..<count).map { _ in try law.quantile(generator.nextUniform()) }
    }
    let (a, b) = (try sample(counts.0), try sample(counts.1))
    let found = try ClusterResampling.difference(mean(a, seed: 1), mean(b, seed: 2))
    let welch = try Estimates.independentDifference(candidate: a, baseline: b)
    #expect(abs(found.halfWidth / welch.interval.halfWidth - 1) < 0.2)
    #expect(found.contains(welch.value))
  }

  /// By hand: five at risk, an event at 1 (0.8 left), one censored at 2, events at 3 (0.8 × 2/3 for
  /// three at risk) and 4 (0.8 × 1/3); the last is censored at 5.
  @Test func `shares by a time are the product limit's, and weights count`() throws {
    let times = try ClusteredTimes(
      [
        .init(3, hasEvent: true, cluster: 1), .init(1, hasEvent: true, cluster: 0),
        .init(2, hasEvent: false, cluster: 0), .init(5, hasEvent: false, cluster: 1),
        .init(4, hasEvent: true, cluster: 1),
      ], clusters: 3)
    let ends = [0.5, 1.0.nextDown, 1, 2.5, 3, 4.5, 9]
    let expected = [0, 0, 0.2, 0.2, 1 - 0.8 * 2 / 3, 1 - 0.8 / 3, 1 - 0.8 / 3]
    for (found, right) in zip(times.shares(by: ends), expected) {
      #expect(abs(try #require(found) - right) < 1e-12)
    }
    // The first cluster twice, the second not at all: two of four have had theirs.
    #expect(times.shares(by: [1.5, 9], weights: [2, 0, 5]) == [0.5, 0.5])
    #expect(times.shares(by: [1.5], weights: [0, 0, 3]) == [nil])
  }

  @Test func `one cluster on a side has no noise to judge by`() throws {
    let many = try mean([1, 2, 3, 4], seed: 1)
    let one = ClusterResampling.Statistic(1, draws: many.draws, clusters: 1)
    #expect(throws: StatisticsError.self) { try ClusterResampling.difference(many, one) }
  }

  @Test func `several intervals together are wider, on both sides of the value`() throws {
    let interval = Interval(lower: -1, upper: 3)
    let same = try ClusterResampling.widened(interval, around: 1, family: 1)
    let wide = try ClusterResampling.widened(interval, around: 1, family: 20)
    #expect(same == interval)
    // Of 1.96 standard deviations 3.02.
    #expect(abs(wide.halfWidth / interval.halfWidth - 3.023 / 1.96) < 0.001)
    #expect(abs(wide.upper + wide.lower - 2) < 1e-12 && abs(wide.level - 0.9975) < 1e-12)
  }

  @Test func `several intervals of few clusters together are as wide as Student's`() throws {
    var generator = SplitMix64(seed: 12)
    let values = (0..<8).map { _ in generator.nextUniform() }
    let found = try mean(values, seed: 1)
    let near = try ClusterResampling.interval(found)
    let far = try ClusterResampling.interval(found, family: 20)
    let ratio =
      try StudentT.quantile(upperTail: 0.025 / 20, degreesOfFreedom: 7)
      / StudentT.quantile(upperTail: 0.025, degreesOfFreedom: 7)
    #expect(abs((far.upper - far.lower) / (near.upper - near.lower) / ratio - 1) < 1e-9)
    // A normal law's would be 1.54 times as wide.
    #expect(ratio > 1.9 && far.contains(found.value))
    #expect(try ClusterResampling.interval(found, family: 1) == near)
  }

  // MARK: Times

  private func times(
    _ count: Int, mean: Double, patience: Double = .infinity, each: Int = 1, seed: UInt64
  ) throws -> ClusteredTimes {
    var generator = SplitMix64(seed: seed)
    var units: [ClusteredTimes.Unit] = []
    for cluster in 0..<count {
      let own = exponential(&generator, mean: mean)
      for _ in 0..<each {
        let time = each > 1 ? own * (0.9 + 0.2 * generator.nextUniform()) : own
        let left = patience.isFinite ? exponential(&generator, mean: patience) : .infinity
        units.append(
          ClusteredTimes.Unit(
            min(time, left), hasEvent: time <= left, cluster: Int32(cluster)))
      }
    }
    return try ClusteredTimes(units, clusters: count)
  }

  @Test func `quantiles are those of the product-limit curve, whatever all clusters weigh`()
    throws
  {
    let sample = try times(400, mean: 300, patience: 500, seed: 5)
    let curve = try KaplanMeier(
      sortedEvents: sample.units.filter(\.hasEvent).map(\.time),
      sortedCensored: sample.units.filter { !$0.hasEvent }.map(\.time))
    let shares = [0.25, 0.5, 0.75]
    let found = sample.quantiles(shares)
    for (share, value) in zip(shares, found) { #expect(try value == curve.quantile(share)) }
    #expect(sample.quantiles(shares, weights: [Int32](repeating: 2, count: 400)) == found)
    // Where everybody leaves early the curve never falls so far.
    let hasty = try times(400, mean: 300, patience: 20, seed: 6)
    #expect(hasty.quantiles([0.95]) == [nil])
    #expect(throws: StatisticsError.self) {
      try ClusteredTimes([ClusteredTimes.Unit(1, hasEvent: true, cluster: 2)], clusters: 2)
    }
  }

  // MARK: Distances

  @Test func `without censoring the distance is Kolmogorov's and Smirnov's`() throws {
    let (a, b) = (try times(120, mean: 300, seed: 7), try times(90, mean: 330, seed: 8))
    let found = try ClusteredDistance(a, b, seed: 1)
    let known = try GoodnessOfFit.kolmogorovSmirnov(a.units.map(\.time), b.units.map(\.time))
    #expect(abs(found.distance - known.statistic) < 1e-12)
    // Clusters of one are independent: both p-values say the same, as far as 200 exchanges can.
    #expect(abs(found.pValue - known.pValue) < 0.15)
    #expect(try found == ClusteredDistance(a, b, seed: 1))
  }

  @Test func `another law is found, and who left is in the distance`() throws {
    let a = try times(300, mean: 300, seed: 9)
    #expect(try ClusteredDistance(a, times(300, mean: 480, seed: 10), seed: 1).pValue <= 0.01)
    let left = try ClusteredDistance(a, times(300, mean: 300, patience: 400, seed: 11), seed: 1)
    #expect(left.pValue <= 0.01 && left.distance > 0.3)
  }

  @Test func `a clock of whole milliseconds is no other law, a shift of more than the slack is`()
    throws
  {
    // Frames of a display: most times are one of a few.
    var generator = SplitMix64(seed: 21)
    let exact = (0..<400).map { cluster in
      ClusteredTimes.Unit(
        16.7 * Double(1 + generator.next(below: 3)), hasEvent: true, cluster: Int32(cluster))
    }
    let a = try ClusteredTimes(exact, clusters: 400)
    func shifted(_ change: (Double) -> Double) throws -> ClusteredTimes {
      try ClusteredTimes(
        exact.map { ClusteredTimes.Unit(change($0.time), hasEvent: true, cluster: $0.cluster) },
        clusters: 400)
    }
    let floored = try shifted { $0.rounded(.down) }
    #expect(try ClusteredDistance(a, floored, seed: 1).distance > 0.2)
    #expect(try ClusteredDistance(a, floored, slack: 10, seed: 1).distance == 0)
    #expect(try ClusteredDistance(a, shifted { $0 + 9 }, slack: 10, seed: 1).distance == 0)
    let late = try ClusteredDistance(a, shifted { $0 + 11 }, slack: 10, seed: 1)
    let early = try ClusteredDistance(a, shifted { $0 - 11 }, slack: 10, seed: 1)
    #expect(late.distance > 0.2 && late.pValue <= 0.01)
    #expect(abs(early.distance - late.distance) < 1e-12)
  }

  @Test func `sessions whose views are alike are not taken for as many views`() throws {
    var small = 0
    for seed in 0..<40 as Range<UInt64> {
      let a = try times(25, mean: 300, each: 40, seed: 100 + 2 * seed)
      let b = try times(25, mean: 300, each: 40, seed: 101 + 2 * seed)
      if try ClusteredDistance(a, b, permutations: 99, seed: seed).pValue <= 0.05 { small += 1 }
      let naive = try GoodnessOfFit.kolmogorovSmirnov(a.units.map(\.time), b.units.map(\.time))
      #expect(naive.pValue < 0.05 || naive.statistic < 0.1)
    }
    // Two of forty are expected; seven have a probability of 0.3 %.
    #expect(small < 7, "\(small) of 40")
  }

  /// Days and replications: other numbers of clusters of other sizes, one law.
  @Test func `clusters that cannot be exchanged are drawn anew on each side`() throws {
    var (small, beyond) = (0, 0)
    for seed in 0..<40 as Range<UInt64> {
      let a = try times(16, mean: 300, each: 200, seed: 300 + 2 * seed)
      let b = try times(10, mean: 300, each: 300, seed: 301 + 2 * seed)
      let found = try ClusteredDistance(resampling: a, b, seed: seed)
      if found.pValue <= 0.05 { small += 1 }
      if found.distance > found.critical { beyond += 1 }
    }
    // As above.
    #expect(small < 7 && beyond < 7, "\(small) and \(beyond) of 40")
    let (a, far) = (
      try times(16, mean: 300, each: 200, seed: 1), try times(10, mean: 3_000, each: 300, seed: 2)
    )
    let found = try ClusteredDistance(resampling: a, far, level: 0.99, seed: 1)
    #expect(found.pValue <= 0.01 && found.upper > found.distance)
    #expect(try found == ClusteredDistance(resampling: a, far, level: 0.99, seed: 1))
    #expect(throws: StatisticsError.self) {
      try ClusteredDistance(resampling: a, times(1, mean: 300, each: 9, seed: 1), seed: 1)
    }
  }

  // MARK: Two ways

  /// The variance of a mean whose units have an effect of their session and one of their title is
  /// known: what clusters of sessions miss of it is added.
  @Test func `what units of one title have in common is in the noise`() throws {
    let law = try Law.normal(mean: 0, standardDeviation: 1)
    let (sessions, titles, each) = (400, 40, 5)
    var (inside, alone, factors) = (0, 0, 0.0)
    for seed in 0..<60 as Range<UInt64> {
      var generator = SplitMix64(seed: 700 + seed)
      func normal() throws -> Double { try law.quantile(generator.nextUniform()) }
      let effects = try (0..<titles).map { _ in try normal() }
      var units: [(value: Double, session: Int, title: Int)] = []
      for session in 0..<sessions {
        let own = try normal()
        for _ in 0..<each {
          let title = generator.next(below: titles)
          units.append((try own + effects[title] + normal(), session, title))
        }
      }
      let mean = units.reduce(0) { $0 + $1.value } / Double(units.count)
      var ways = TwoWayClusters(first: sessions, second: titles, hasLargePairs: false)
      var exact = TwoWayClusters(first: sessions, second: titles, hasLargePairs: true)
      var sums = [Double](repeating: 0, count: sessions)
      for unit in units {
        ways.add(unit.value - mean, first: unit.session, second: unit.title)
        exact.add(unit.value - mean, first: unit.session, second: unit.title)
        sums[unit.session] += unit.value - mean
      }
      let addition = try #require(ways.addition(used: sessions))
      let other = try #require(exact.addition(used: sessions))
      #expect(abs(addition.factor / other.factor - 1) < 0.05)
      factors += addition.factor / 60
      let error = sums.reduce(0) { $0 + $1 * $1 }.squareRoot() / Double(units.count)
      let t = try StudentT.quantile(
        upperTail: 0.025, degreesOfFreedom: Double(addition.clusters - 1))
      if abs(mean) < t * error * addition.factor { inside += 1 }
      if abs(mean) < 1.96 * error { alone += 1 }
    }
    // Of 1/400 + 1/2000 by sessions and units, and 1/40 by titles: three times as wide.
    #expect(abs(factors / (1 + (1 / 40.0) / (1 / 400.0 + 1 / 2_000.0)).squareRoot() - 1) < 0.2)
    // 57 of 60 are expected; fewer than 51 have a probability of 0.1 %.
    #expect(inside >= 51 && alone < 40, "\(inside) and \(alone) of 60")
  }

  @Test func `a second way that adds nothing changes nothing`() throws {
    var ways = TwoWayClusters(first: 4, second: 2, hasLargePairs: false)
    for cluster in 0..<4 { ways.add(Double(cluster) - 1.5, first: cluster, second: nil) }
    let addition = try #require(ways.addition(used: 4))
    #expect(addition.factor == 1 && addition.clusters == 4)
    #expect(TwoWayClusters(first: 4, second: 2, hasLargePairs: true).addition(used: 4) == nil)
    let statistic = try mean([1, 2, 3, 4], seed: 1)
    #expect(statistic.widened(by: nil) == statistic)
    let wide = statistic.widened(by: (factor: 3, clusters: 3))
    #expect(wide.clusters == 3 && wide.value == statistic.value)
    #expect(abs((wide.draws[7] - wide.value) - 3 * (statistic.draws[7] - 2.5)) < 1e-12)
  }
}
