import Scenario
import Statistics

/// What one changed key did to one metric.
public struct Cause: Sendable, Equatable {
  public var change: ConfigurationChange
  /// Its part of the metric's change, from the Shapley value: 1 for all of it, below 0 for a key
  /// that held against it. The shares of all keys add up to 1.
  public var share: Double
  /// 95 %, two-sided; nil with fewer than three replications.
  public var interval: Interval?
  /// The metric's change with this key alone, and what is taken back by setting it alone back, in
  /// the metric's unit.
  public var alone: Double
  public var undone: Double
}

/// Why one metric changed.
public struct MetricCauses: Sendable, Equatable {
  public var metric: MetricReference
  /// Candidate minus baseline, over the replications that the causes were measured with.
  public var change: Double
  public var replications: Int
  /// The greatest share first.
  public var causes: [Cause]
  /// What the keys do together and none of them alone, as a share of the change; nil for one key,
  /// or where it is not told from nothing.
  public var together: Double?
  public var togetherInterval: Interval?
}

/// Finds the causes of changed metrics among the changed keys.
///
/// Up to five keys every combination is run, old and new values mixed, with the same random
/// numbers, and each key's share is its Shapley value: the mean of what it adds over all orders in
/// which the keys could have been changed. With more keys a sample of orders is taken, forwards and
/// backwards. Sources: L. Shapley, "A value for n-person games", Contributions to the Theory of
/// Games II, 1953; orders by sampling: J. Castro, D. Gómez, J. Tejada 2009, DOI
/// 10.1016/j.cor.2008.04.004.
struct CauseStudy {
  /// Keys of which every combination is run, and most keys that are told apart.
  static let exhaustive = 5
  static let mostKeys = 12
  /// Pairs of orders, one the other backwards.
  static let orderPairs = 3
  /// Least replications of each combination.
  static let leastReplications = 8

  let metrics: [MetricReference]
  private let scenario: StudyScenario
  private let seed: UInt64
  private let threads: Int
  private let pilots: Pilots
  private let shards: ShardStore?
  /// By bit of a combination: set where the key has its new value.
  private let keys: [ConfigurationChange]
  /// Keys that cannot be set back alone, or are too many to be told apart.
  let untold: [ConfigurationChange]

  init(
    _ metrics: [MetricReference], changes: [ConfigurationChange], scenario: StudyScenario,
    seed: UInt64, threads: Int, pilots: Pilots, shards: ShardStore? = nil
  ) {
    self.pilots = pilots
    self.shards = shards
    self.metrics = metrics
    self.scenario = scenario
    self.seed = seed
    self.threads = threads
    var keys: [ConfigurationChange] = []
    var untold: [ConfigurationChange] = []
    for change in changes {
      if keys.count < CauseStudy.mostKeys, CauseStudy.reverted(scenario, [change], seed) != nil {
        keys.append(change)
      } else {
        untold.append(change)
      }
    }
    self.keys = keys
    self.untold = untold
  }

  /// Whether there is anything to tell apart.
  var isEmpty: Bool { keys.isEmpty || metrics.isEmpty }

  private static func reverted(
    _ scenario: StudyScenario, _ changes: [ConfigurationChange], _ seed: UInt64
  ) -> StudyScenario? {
    var overrides: [Override] = []
    for change in changes {
      guard let before = change.before, change.after != nil else { return nil }
      overrides.append(Override(option: "baseline", keyPath: change.key, value: before))
    }
    guard var built = try? StudyScenario.rebuilt(scenario, overrides: overrides) else { return nil }
    built.seed = seed
    return built
  }

  /// Orders of the keys; both ends of every order are known combinations.
  private var orders: [[Int]] {
    if keys.count <= CauseStudy.exhaustive { return [] }
    // The draws are those of a small generator, so that the same keys give the same orders.
    var state = UInt64(keys.count) &* 0x9E37_79B9_7F4A_7C15
    func draw(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(count))
    }
    return (0..<CauseStudy.orderPairs).flatMap { _ in
      var order = Array(keys.indices)
      for place in order.indices.dropLast() {
        order.swapAt(place, place + draw(order.count - place))
      }
      return [order, order.reversed()]
    }
  }

  /// The combinations to run, each a set of bits.
  private var combinations: [Int] {
    let all = (1 << keys.count) - 1
    if keys.count <= CauseStudy.exhaustive { return Array(0...all) }
    var found: Set<Int> = [0, all]
    for key in keys.indices {
      found.insert(1 << key)
      found.insert(all & ~(1 << key))
    }
    for order in orders {
      var set = 0
      for key in order {
        set |= 1 << key
        found.insert(set)
      }
    }
    return found.sorted()
  }

  /// Runs the combinations.
  ///
  /// - Throws: ``StudyStopped``; ``SimulationError``.
  func run(_ replications: Int, stop: StopRequest) async throws -> [MetricCauses] {
    var sets: [Int] = []
    var variants: [Variant] = []
    for set in combinations {
      let old = keys.indices.filter { set & (1 << $0) == 0 }.map { keys[$0] }
      guard let built = CauseStudy.reverted(scenario, old, seed) else { continue }
      sets.append(set)
      variants.append(Variant(label: "\(set)", settings: [], scenario: built))
    }
    // A combination that is no scenario leaves nothing to average over.
    guard sets.count == combinations.count else { return [] }
    let study = VariantStudy(
      variants, metrics: metrics, threads: threads, store: shards, pilots: pilots)
    let records = try await study.run(0..<replications, stop: stop)
    return metrics.indices.compactMap { index in
      var values: [Int: [Double]] = [:]
      for (place, set) in sets.enumerated() {
        guard
          let series = MetricSeries.of(metrics[index], records[place].map { $0.samples[index] })
        else { return nil }
        values[set] = series.parts
      }
      return causes(of: metrics[index], values)
    }
  }

  /// The causes of one metric from its values in every combination, by replication.
  private func causes(of metric: MetricReference, _ values: [Int: [Double]]) -> MetricCauses? {
    let all = (1 << keys.count) - 1
    guard let first = values[0], let last = values[all] else { return nil }
    func step(_ key: Int, to set: Int) -> [Double] {
      let (after, before) = (values[set | 1 << key] ?? [], values[set & ~(1 << key)] ?? [])
      return zip(after, before).map { $0 - $1 }
    }
    let total = zip(last, first).map { $0 - $1 }
    let change = CauseStudy.mean(total)
    var found = MetricCauses(
      metric: metric, change: change, replications: total.count, causes: [], together: nil,
      togetherInterval: nil)
    var rest = total
    for key in keys.indices {
      let value = shapley(key, replications: total.count, step)
      let alone = step(key, to: 0)
      for index in rest.indices { rest[index] -= alone[index] }
      found.causes.append(
        Cause(
          change: keys[key], share: change == 0 ? 0 : CauseStudy.mean(value) / change,
          interval: CauseStudy.shareInterval(value, of: total),
          alone: CauseStudy.mean(alone), undone: CauseStudy.mean(step(key, to: all))))
    }
    found.causes = found.causes.enumerated().sorted { a, b in
      a.element.share != b.element.share
        ? a.element.share > b.element.share : a.offset < b.offset
    }.map(\.element)
    if keys.count > 1, change != 0, let interval = CauseStudy.shareInterval(rest, of: total),
      !interval.contains(0)
    {
      found.together = CauseStudy.mean(rest) / change
      found.togetherInterval = interval
    }
    return found
  }

  /// A key's Shapley value in every replication.
  private func shapley(
    _ key: Int, replications: Int, _ step: (Int, Int) -> [Double]
  ) -> [Double] {
    var sum = [Double](repeating: 0, count: replications)
    func add(_ steps: [Double], _ weight: Double) {
      for index in sum.indices { sum[index] += weight * steps[index] }
    }
    let sampled = orders
    if sampled.isEmpty {
      // Every set of the other keys, weighted by the orders that come by it.
      for set in 0..<(1 << keys.count) where set & (1 << key) == 0 {
        let size = set.nonzeroBitCount
        let weight = 1 / (Double(keys.count) * CauseStudy.choose(keys.count - 1, size))
        add(step(key, set), weight)
      }
      return sum
    }
    for order in sampled {
      let before = order.prefix { $0 != key }.reduce(0) { $0 | 1 << $1 }
      add(step(key, before), 1 / Double(sampled.count))
    }
    return sum
  }

  private static func choose(_ n: Int, _ k: Int) -> Double {
    (0..<k).reduce(1) { $0 * Double(n - $1) / Double($1 + 1) }
  }

  private static func mean(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
  }

  /// The 95 % interval of mean(values) / mean(total), by the delta method on pairs.
  private static func shareInterval(_ values: [Double], of total: [Double]) -> Interval? {
    let whole = mean(total)
    if whole == 0 || values.count < 3 { return nil }
    let share = mean(values) / whole
    let rest = zip(values, total).map { ($0 - share * $1) / whole }
    guard let found = try? Estimates.mean(of: rest) else { return nil }
    return Interval(
      lower: share + found.interval.lower, upper: share + found.interval.upper,
      level: found.interval.level)
  }
}
