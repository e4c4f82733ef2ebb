import Scenario
import Statistics

/// Keys of a scenario fitted by simulation: its predictions are made the views and requests that
/// were observed, with the policies that the scenario has. So what a policy chose to fetch, and
/// when, is on both sides.
public struct Matching: Sendable, Equatable {
  /// A number that was to be met.
  public struct Row: Sendable, Equatable {
    public var metric: BacktestMetric
    /// `network=wifi`; empty: of all views.
    public var cohort: String
    public var observed, start, found: Double
  }

  public var keys: [MatchedKey]
  public var answer: MomentMatching.Answer
  public var rows: [Row]
  /// Views that were observed.
  public var views: Int

  /// Fits keys.
  ///
  /// - Parameters:
  ///   - keys: with the values that the search begins with.
  ///   - observed: views and requests; noise is that of a backtest.
  ///   - expect: is told beforehand what will be predicted in any case beside what `predict` is
  ///     asked for next.
  ///   - predict: predicts with values of the keys, by the same seeds each time.
  /// - Throws: ``StatisticsError`` where too little was observed for so many keys.
  public static func fit(
    _ keys: [(key: MatchedKey, start: Double)], observed: ObservedViews,
    expect: (_ settings: [[Variant.Setting]]) throws -> Void = { _ in },
    predict: (_ settings: [Variant.Setting]) async throws -> ObservedViews
  ) async throws -> Matching {
    func settings(_ values: [Double]) -> [Variant.Setting] {
      zip(keys, values).map { $0.key.setting($1) }
    }
    let first = try await predict(settings(keys.map(\.start)))
    let search = try MatchedColumns(predicted: first, observed: observed)
    var matching = try MomentMatching(
      search.observed, leastVariances: search.leastVariances,
      parameters: keys.map { .init($0.key.range, start: $0.start) })
    // The search begins where its numbers were chosen.
    try matching.tell(try search.sample(first))
    while let values = matching.asked {
      try expect(matching.askedBeside.map { settings($0) })
      try matching.tell(try search.sample(try await predict(settings(values))))
    }
    let answer = try matching.answer()
    var rows: [Row] = []
    for (place, target) in search.targets.enumerated() {
      rows.append(
        Row(
          metric: target.metric, cohort: target.cohort, observed: search.observed.values[place],
          start: answer.startValues[place], found: answer.values[place]))
    }
    return Matching(
      keys: keys.map(\.key), answer: answer, rows: rows, views: observed.views.count)
  }

  /// Pairs of keys that these data hardly tell apart: their logarithms' errors go together by more
  /// than this.
  public static let tradeOff = 0.9

  public var tradeOffs: [(first: MatchedKey, second: MatchedKey, correlation: Double)] {
    var pairs: [(MatchedKey, MatchedKey, Double)] = []
    for row in keys.indices {
      for column in 0..<row where abs(answer.correlations[row][column]) > Matching.tradeOff {
        pairs.append((keys[column], keys[row], answer.correlations[row][column]))
      }
    }
    return pairs
  }

  /// What the keys are set to.
  public var settings: [Variant.Setting] {
    zip(keys, answer.estimates).map { $0.setting($1.value) }
  }
}

/// The numbers that a matching is held to, of either side.
struct MatchedColumns {
  struct Target {
    var metric: BacktestMetric
    var cohort: String
  }

  /// Whose metrics: all views, or those of a network.
  private struct Group {
    let name: String
    /// By the observed side's cohorts; nil: all.
    let network: String?
    let metrics: [BacktestMetric]
    /// Of ``metrics``, those that are used.
    var used: [Int] = []

    func cohorts(_ views: ObservedViews) -> [Bool] {
      views.cohorts.map { network == nil || $0.network == network }
    }
  }

  private var groups: [Group]
  private(set) var targets: [Target] = []
  private(set) var observed = SampledVector([], covariance: [], clusters: 0)
  private(set) var leastVariances: [Double] = []

  /// The metrics that a wait has; more of them than reports show.
  private static let waits: [BacktestMetric] =
    [0.1, 0.25, 0.5, 0.75, 0.9].map { wait(.cold, $0) }
    + [0.5, 0.75, 0.9, 0.95].map { wait(.swipe, $0) }

  private static func wait(
    _ clock: StartupComparison.Clock, _ share: Double
  ) -> BacktestMetric {
    BacktestMetric(
      .quantile(clock, share),
      "ttff_\(clock.rawValue)_ms.p\(Int((share * 100).rounded()))", .milliseconds,
      BacktestMetric.timeTolerance)
  }

  private static var sums: [BacktestMetric] {
    BacktestMetric.views.filter { if case .quantile = $0.kind { false } else { true } }
  }

  init(predicted: ObservedViews, observed: ObservedViews) throws {
    let sides = BacktestSides(predicted, observed)
    let ours = Set(predicted.cohorts.map(\.network))
    let networks = ours.intersection(observed.cohorts.map(\.network)).filter { !$0.isEmpty }
    let ofViews = MatchedColumns.waits + MatchedColumns.sums
    // Networks that both sides tell apart stand by themselves; else all views together.
    groups =
      networks.count > 1
      ? networks.sorted().map { Group(name: "network=\($0)", network: $0, metrics: ofViews) }
      : [Group(name: "", network: nil, metrics: ofViews)]
    groups.append(
      Group(
        name: "", network: nil, metrics: [.coldStarts] + Array(BacktestMetric.traffic([]))))
    var statistics: [ClusterResampling.Statistic] = []
    var modelVariances: [Double] = []
    for place in groups.indices {
      let group = groups[place]
      let (one, other) = (
        try SuspectColumns(
          group.metrics, of: sides.predicted, in: group.cohorts(predicted)),
        try SuspectColumns(group.metrics, of: sides.observed, in: group.cohorts(observed))
      )
      let draws = try other.statistics()
      let cohorts = group.cohorts(observed)
      for (number, metric) in group.metrics.enumerated() {
        guard let own = one.columns[number], let theirs = other.columns[number],
          let statistic = draws[number], own.values(nil)[0] != nil,
          Backtest.shortage(metric, own, theirs) == nil
        else { continue }
        let titles = sides.observed.titleNoise(metric.kind, in: cohorts, value: statistic.value)
        groups[place].used.append(number)
        targets.append(Target(metric: metric, cohort: group.name))
        statistics.append(statistic.widened(by: titles))
        // A change to nobody is two standard deviations of what a right model may be off by.
        let model = metric.least(of: statistic.value) / 2
        modelVariances.append(model * model)
        // Where hardly anything happened, exact bounds say more than draws do.
        let rare = try metric.rarity.flatMap { try theirs.rareBounds(statistic.value, $0) }
        let z = try StandardNormal.quantile(upperTail: 0.025)
        let noise = (rare?.halfWidth ?? 0) / z
        leastVariances.append(model * model + noise * noise)
      }
    }
    self.observed = try SampledVector(statistics)
    for (place, variance) in modelVariances.enumerated() {
      self.observed.covariance[place][place] += variance
    }
  }

  /// The same numbers of a prediction.
  func sample(_ predicted: ObservedViews) throws -> SampledVector {
    let side = BacktestSide(predicted, isPredicted: true)
    var whole: [Double] = []
    var without: [[Double]] = []
    for group in groups where !group.used.isEmpty {
      let columns = try SuspectColumns(
        group.used.map { group.metrics[$0] }, of: side, in: group.cohorts(predicted))
      let values = columns.values
      if without.isEmpty { without = values.without.map { _ in [] } }
      for (place, column) in columns.columns.enumerated() {
        // So few first frames came that the quantile lies beyond all that was seen.
        let value = values.whole[place] ?? column?.substitute(for: 0) ?? 0
        whole.append(value)
        for cluster in values.without.indices {
          without[cluster].append(values.without[cluster][place] ?? value)
        }
      }
    }
    return try SampledVector(whole, without: without)
  }
}
