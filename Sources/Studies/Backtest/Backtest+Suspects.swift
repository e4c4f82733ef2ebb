import Foundation
import Scenario
import Statistics

extension Backtest {
  /// Which law would explain its errors.
  ///
  /// - Parameters:
  ///   - scenario: that predicted.
  ///   - predicted, observed: what the backtest was made of.
  ///   - views: predicts a scaled scenario with the seeds of `predicted`; the name says what is
  ///     scaled, such as `round trips times 1.25 (4 of 18)`.
  public func suspects(
    of scenario: StudyScenario, predicted: ObservedViews, observed: ObservedViews,
    views: (_ scaled: StudyScenario, _ name: String) async throws -> ObservedViews
  ) async throws -> Suspects {
    let search = try SuspectSearch(self, predicted: predicted, observed: observed)
    var (plans, notScaled): ([(law: ScaledLaw, plans: [MutantPlan])], [String]) = ([], [])
    for law in ScaledLaw.all {
      let both = ScaledLaw.factors.map { law.plan($0, of: scenario) }
      if let reason = both.lazy.compactMap(\.notApplicable).first {
        notScaled.append("\(law.name): \(reason)")
      } else {
        plans.append((law, both))
      }
    }
    let runs = plans.count * ScaledLaw.factors.count
    var (moves, run): ([SuspectSearch.Moves], Int) = ([], 0)
    for (law, both) in plans {
      var moved = SuspectSearch.Moves(name: law.name, keys: both[0].settings.map(\.key))
      for (factor, plan) in zip(ScaledLaw.factors, both) {
        guard let scaled = plan.scenario else { continue }
        run += 1
        let found = try await views(scaled, "\(law.name) times \(factor) (\(run) of \(runs))")
        moved.values.append((factor, try search.values(found)))
      }
      moves.append(moved)
    }
    var suspects = try search.suspects(moves)
    suspects.notScaled = notScaled
    suspects.runs = runs
    return suspects
  }
}

/// Holds the errors of a backtest against what scaled laws do to its metrics.
struct SuspectSearch {
  /// A law and the metrics of its predictions.
  struct Moves {
    var name: String
    var keys: [String]
    var values: [(factor: Double, values: Values)] = []
  }

  /// Metrics of a prediction, and what they are without each replication; nil where there is none.
  struct Values {
    var whole: [Double?]
    var without: [[Double?]]
  }

  private let metrics: [BacktestMetric]
  private let predicted: Values
  /// Of each metric: what was observed, with its draws, and the least variance of its error.
  private let observed: [(statistic: ClusterResampling.Statistic, least: Double)]

  /// Metrics that something is known of on both sides.
  init(
    _ backtest: Backtest, predicted: ObservedViews, observed: ObservedViews
  ) throws(StatisticsError) {
    let sides = BacktestSides(predicted, observed)
    let all =
      backtest.rows.filter { $0.cohort.isEmpty && $0.interval != nil }.map(\.metric)
      + [.coldStarts]
    let (ours, theirs) = (
      try SuspectColumns(all, of: sides.predicted), try SuspectColumns(all, of: sides.observed)
    )
    let statistics = try theirs.statistics()
    let values = ours.values
    let z = try StandardNormal.quantile(upperTail: 0.025)
    let cohorts = observed.cohorts.map { _ in true }
    var (places, known): ([Int], [(ClusterResampling.Statistic, Double)]) = ([], [])
    for (place, metric) in all.enumerated() {
      guard let own = ours.columns[place], let other = theirs.columns[place],
        let statistic = statistics[place], values.whole[place] != nil,
        Backtest.shortage(metric, own, other) == nil
      else { continue }
      let row = backtest.rows.first { $0.cohort.isEmpty && $0.metric == metric }
      let deviation = (row?.interval?.halfWidth ?? 0) / z
      let titles = sides.observed.titleNoise(metric.kind, in: cohorts, value: statistic.value)
      places.append(place)
      known.append((statistic.widened(by: titles), deviation * deviation))
    }
    metrics = places.map { all[$0] }
    self.observed = known
    self.predicted = Values(
      whole: places.map { values.whole[$0] },
      without: values.without.map { left in places.map { left[$0] } })
  }

  /// The metrics of a prediction.
  func values(_ views: ObservedViews) throws(StatisticsError) -> Values {
    try SuspectColumns(metrics, of: BacktestSide(views, isPredicted: true)).values
  }

  /// The laws, the likeliest first.
  func suspects(_ moves: [Moves]) throws(StatisticsError) -> Suspects {
    let all = [predicted] + moves.flatMap { $0.values.map(\.values) }
    let replications = predicted.without.count
    // What every prediction has, also without any of its replications, and what has noise.
    let places = metrics.indices.filter { place in
      all.allSatisfy { values in
        values.whole[place] != nil && values.without.count == replications
          && values.without.allSatisfy { $0[place] != nil }
      }
    }
    let own = try sample(predicted, places)
    let theirs = try SampledVector(places.map { observed[$0].statistic })
    let least = places.map { observed[$0].least }
    let used = places.indices.filter {
      max(least[$0], own.covariance[$0][$0] + theirs.covariance[$0][$0]) > 0
    }
    if used.isEmpty || moves.isEmpty { return Suspects(laws: [], leastGain: 0) }
    let search = try CauseSearch(
      used.map { theirs.values[$0] - own.values[$0] },
      samples: [own.picked(used), theirs.picked(used)], leastVariances: used.map { least[$0] },
      most: log(Suspects.reach.upperBound))
    var causes: [[CauseSearch.Move]] = []
    for law in moves {
      var both: [CauseSearch.Move] = []
      for (factor, values) in law.values {
        both.append(
          CauseSearch.Move(
            power: log(factor), try sample(values.minus(predicted), places).picked(used)))
      }
      causes.append(both)
    }
    var found: [CauseSearch.Explanation] = []
    for cause in causes { found.append(try search.explanation(cause)) }
    let misfit = found.max { $0.gain < $1.gain }.map { search.misfit($0) } ?? 1
    var laws: [SuspectedLaw] = []
    for (law, cause) in zip(moves, causes) {
      let one = try search.explanation(cause, scale: misfit)
      laws.append(
        SuspectedLaw(
          law.name, keys: law.keys, factor: exp(one.power),
          interval: Interval(lower: exp(one.interval.lower), upper: exp(one.interval.upper)),
          explained: one.share, gain: one.gain / misfit))
    }
    // Equal ones in the order of the table, so that equal data give equal answers.
    let order = laws.indices.sorted {
      laws[$0].gain != laws[$1].gain ? laws[$0].gain > laws[$1].gain : $0 < $1
    }
    return Suspects(
      laws: order.map { laws[$0] }, leastGain: try search.leastGain(of: laws.count),
      metrics: used.map { metrics[places[$0]].name })
  }

  private func sample(
    _ values: Values, _ places: [Int]
  ) throws(StatisticsError) -> SampledVector {
    try SampledVector(
      places.map { values.whole[$0] ?? 0 },
      without: values.without.map { left in places.map { left[$0] ?? 0 } })
  }
}

extension SuspectSearch.Values {
  /// The differences, by pairs of replications.
  func minus(_ other: Self) -> Self {
    func differences(_ one: [Double?], _ two: [Double?]) -> [Double?] {
      zip(one, two).map { one, two in
        guard let one, let two else { return nil }
        return one - two
      }
    }
    return Self(
      whole: differences(whole, other.whole),
      without: zip(without, other.without).map { differences($0, $1) })
  }
}

/// The columns of some metrics of one side.
struct SuspectColumns {
  private let side: BacktestSide
  /// By metric; nil where the side says nothing of it.
  private(set) var columns: [BacktestColumn?] = []
  private let isTraffic: [Bool]

  /// - Parameter cohorts: whose views; nil: of all.
  init(
    _ metrics: [BacktestMetric], of side: BacktestSide, in cohorts: [Bool]? = nil
  ) throws(StatisticsError) {
    self.side = side
    let all = cohorts ?? side.data.cohorts.map { _ in true }
    var times: [StartupComparison.Clock: ClusteredTimes] = [:]
    for clock in StartupComparison.Clock.allCases {
      times[clock] = try side.times(clock, in: all)
    }
    isTraffic = metrics.map { if case .hits = $0.kind { true } else { false } }
    columns = metrics.map { metric in
      switch metric.kind {
      case .quantile(let clock, let share): times[clock].map { .times($0, shares: [share]) }
      case .hits(let asset, let byBytes): side.hits(asset: asset, byBytes: byBytes)
      default: side.quotient(metric.kind, in: all)
      }
    }
  }

  /// With what they are without each cluster (jackknife).
  var values: SuspectSearch.Values {
    func values(leavingOut cluster: Int?) -> [Double?] {
      columns.enumerated().map { place, column in
        guard let column else { return nil }
        guard let cluster else { return column.values(nil)[0] }
        let count = isTraffic[place] ? side.trafficClusterCount : side.clusterCount
        // Requests of fewer replications than views are of: they are not told from each other.
        if count != side.clusterCount { return nil }
        var weights = [Int32](repeating: 1, count: count)
        weights[cluster] = 0
        return column.values(weights)[0]
      }
    }
    return SuspectSearch.Values(
      whole: values(leavingOut: nil),
      without: (0..<side.clusterCount).map { values(leavingOut: $0) })
  }

  /// With what they are in draws, views and requests in the same ones where their clusters are as
  /// many.
  func statistics() throws(StatisticsError) -> [ClusterResampling.Statistic?] {
    let resampling = try ClusterResampling(draws: 200, seed: 1)
    var found = [ClusterResampling.Statistic?](repeating: nil, count: columns.count)
    for traffic in [false, true] {
      let places = columns.indices.filter { columns[$0] != nil && isTraffic[$0] == traffic }
      let statistics = BacktestPlan.statistics(
        places.compactMap { columns[$0] },
        traffic ? side.trafficClusterCount : side.clusterCount, resampling)
      for (place, statistic) in zip(places, statistics) { found[place] = statistic[0] }
    }
    return found
  }
}
