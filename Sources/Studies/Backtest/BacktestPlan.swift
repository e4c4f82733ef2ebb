import Scenario
import Statistics

/// What a backtest computes: the columns of both sides, and which rows are read from them. All are
/// evaluated for the same draws, so that drawing is done once.
struct BacktestPlan {
  /// Metrics that are read from one pair of columns, a number each.
  struct Entry {
    let metrics: [BacktestMetric]
    /// ``BacktestGroup/name``.
    let group: String
    let predicted, observed: BacktestColumn
    /// Requests, whose clusters are not those of views.
    var isTraffic = false
    /// By cohort of the observed side, whether it belongs.
    var cohorts: [Bool] = []
  }

  /// A part of the starts of a clock, or all of them.
  struct PartEntry {
    let clock: StartupComparison.Clock
    let name: String
    let isWhole: Bool
    let predicted, observed: BacktestColumn
  }

  /// By number of a column.
  struct Numbers {
    var predicted, observed: [ClusterResampling.Statistic?]
  }

  private(set) var entries: [Entry] = []
  private(set) var partEntries: [PartEntry] = []
  private(set) var notObserved: [String] = []

  // MARK: Columns

  mutating func addMetrics(
    _ sides: BacktestSides, _ groups: [BacktestGroup]
  ) throws(StatisticsError) {
    for group in groups {
      for clock in StartupComparison.Clock.allCases {
        try addTimes(clock, sides, group)
      }
      for metric in BacktestMetric.views {
        if case .quantile = metric.kind { continue }
        add(
          metric, group, sides.predicted.quotient(metric.kind, in: group.predicted),
          sides.observed.quotient(metric.kind, in: group.observed))
      }
    }
    // Logs of requests do not say whose they are.
    let assets = sides.observed.assets.intersection(sides.predicted.assets).sorted()
    for metric in BacktestMetric.traffic(assets) {
      guard case .hits(let asset, let byBytes) = metric.kind else { continue }
      add(
        metric, nil, sides.predicted.hits(asset: asset, byBytes: byBytes),
        sides.observed.hits(asset: asset, byBytes: byBytes), isTraffic: true)
    }
  }

  private mutating func addTimes(
    _ clock: StartupComparison.Clock, _ sides: BacktestSides, _ group: BacktestGroup
  ) throws(StatisticsError) {
    var (metrics, shares): ([BacktestMetric], [Double]) = ([], [])
    for metric in BacktestMetric.views {
      if case .quantile(clock, let share) = metric.kind {
        metrics.append(metric)
        shares.append(share)
      }
    }
    guard let predicted = try sides.predicted.times(clock, in: group.predicted),
      let observed = try sides.observed.times(clock, in: group.observed)
    else {
      if group.name.isEmpty { notObserved += metrics.map(\.name) }
      return
    }
    entries.append(
      Entry(
        metrics: metrics, group: group.name, predicted: .times(predicted, shares: shares),
        observed: .times(observed, shares: shares), cohorts: group.observed))
  }

  private mutating func add(
    _ metric: BacktestMetric, _ group: BacktestGroup?, _ predicted: BacktestColumn?,
    _ observed: BacktestColumn?, isTraffic: Bool = false
  ) {
    let name = group?.name ?? ""
    guard let predicted, let observed else {
      if name.isEmpty { notObserved.append(metric.name) }
      return
    }
    entries.append(
      Entry(
        metrics: [metric], group: name, predicted: predicted, observed: observed,
        isTraffic: isTraffic, cohorts: group?.observed ?? []))
  }

  /// The parts that the source tells apart, each clock's whole before them.
  mutating func addParts(_ sides: BacktestSides) throws(StatisticsError) {
    let names = sides.observed.data.parts
    if names.isEmpty { return }
    precondition(names == sides.predicted.data.parts, "a prediction has the parts of the source")
    let (ours, theirs) = (
      sides.predicted.data.cohorts.map { _ in true }, sides.observed.data.cohorts.map { _ in true }
    )
    for clock in StartupComparison.Clock.allCases {
      guard let predicted = sides.predicted.meanWait(clock, in: ours),
        let observed = sides.observed.meanWait(clock, in: theirs)
      else { continue }
      partEntries.append(
        PartEntry(
          clock: clock, name: "ttff", isWhole: true, predicted: predicted, observed: observed))
      for (number, name) in names.enumerated() {
        guard let predicted = sides.predicted.part(number, clock, in: ours),
          let observed = sides.observed.part(number, clock, in: theirs)
        else { continue }
        partEntries.append(
          PartEntry(
            clock: clock, name: name, isWhole: false, predicted: predicted, observed: observed))
      }
    }
  }

  // MARK: Numbers

  /// The same numbers, where the noise of the observed side is also that of which titles there
  /// were. Two arms at the same time have the same titles, and need none of it.
  func withTitles(_ sides: BacktestSides, _ numbers: [Numbers]) -> [Numbers] {
    var numbers = numbers
    for (place, entry) in entries.enumerated() where !entry.isTraffic {
      for (number, metric) in entry.metrics.enumerated() {
        guard let statistic = numbers[place].observed[number] else { continue }
        numbers[place].observed[number] = statistic.widened(
          by: sides.observed.titleNoise(
            metric.kind, in: entry.cohorts, value: statistic.value))
      }
    }
    return numbers
  }

  /// The numbers of all entries, those of metrics first, with what they are in each draw.
  ///
  /// - Parameter observedSeed: of the observed side's draws; nil: the options'.
  func evaluate(
    _ sides: BacktestSides, _ options: Backtest.Options, observedSeed: UInt64? = nil
  ) throws(StatisticsError) -> [Numbers] {
    let pairs =
      entries.map { Pair(predicted: $0.predicted, observed: $0.observed, isTraffic: $0.isTraffic) }
      + partEntries.map { Pair(predicted: $0.predicted, observed: $0.observed) }
    let views = pairs.filter { !$0.isTraffic }
    let traffic = pairs.filter(\.isTraffic)
    let resampling = Resampling(options, observedSeed: observedSeed)
    let ofViews = zip(
      BacktestPlan.statistics(
        views.map(\.predicted), sides.predicted.clusterCount, try resampling.predicted),
      BacktestPlan.statistics(
        views.map(\.observed), sides.observed.clusterCount, try resampling.observed)
    ).map { Numbers(predicted: $0, observed: $1) }
    let ofTraffic = zip(
      BacktestPlan.statistics(
        traffic.map(\.predicted), sides.predicted.trafficClusterCount,
        try resampling.predictedTraffic),
      BacktestPlan.statistics(
        traffic.map(\.observed), sides.observed.trafficClusterCount, try resampling.observedTraffic)
    ).map { Numbers(predicted: $0, observed: $1) }
    var (nextView, nextTraffic) = (0, 0)
    var numbers: [Numbers] = []
    for pair in pairs {
      if pair.isTraffic {
        numbers.append(ofTraffic[nextTraffic])
        nextTraffic += 1
      } else {
        numbers.append(ofViews[nextView])
        nextView += 1
      }
    }
    return numbers
  }

  /// How the clusters of each side are drawn: each kind has draws of its own.
  struct Resampling {
    private let draws: Int
    private let ours, theirs: UInt64

    init(_ options: Backtest.Options, observedSeed: UInt64? = nil) {
      draws = options.draws
      ours = options.seed
      theirs = observedSeed ?? options.seed
    }

    var predicted: ClusterResampling { get throws(StatisticsError) { try of(ours, 0) } }
    var observed: ClusterResampling { get throws(StatisticsError) { try of(theirs, 1) } }
    var predictedTraffic: ClusterResampling { get throws(StatisticsError) { try of(ours, 2) } }
    var observedTraffic: ClusterResampling { get throws(StatisticsError) { try of(theirs, 3) } }

    private func of(_ seed: UInt64, _ kind: UInt64) throws(StatisticsError) -> ClusterResampling {
      try ClusterResampling(draws: draws, seed: seed &* 4 &+ kind)
    }
  }

  /// A column of each side.
  private struct Pair {
    let predicted, observed: BacktestColumn
    var isTraffic = false
  }

  /// The numbers of columns of one side, and in the same draws what they become.
  static func statistics(
    _ columns: [BacktestColumn], _ clusters: Int, _ resampling: ClusterResampling
  ) -> [[ClusterResampling.Statistic?]] {
    if columns.isEmpty { return [] }
    let values = columns.map { $0.values(nil) }
    var draws = columns.map { [[Double]](repeating: [], count: $0.width) }
    var lacking = columns.map { [Int](repeating: 0, count: $0.width) }
    resampling.forEachDraw(of: clusters) { weights in
      for (place, column) in columns.enumerated() {
        for (number, drawn) in column.values(weights).enumerated() {
          let value = values[place][number] ?? 0
          if drawn == nil { lacking[place][number] += 1 }
          draws[place][number].append(drawn ?? column.substitute(for: value))
        }
      }
    }
    return columns.indices.map { place in
      values[place].indices.map { number in
        values[place][number].flatMap { value in
          // Where more draws lack it than an end of an interval may, that end is not known.
          if Double(lacking[place][number]) > 0.025 * Double(draws[place][number].count) {
            return nil
          }
          return ClusterResampling.Statistic(
            value, draws: draws[place][number], clusters: columns[place].clusters)
        }
      }
    }
  }
}
