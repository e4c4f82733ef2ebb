import Scenario
import Statistics

extension Backtest {
  /// Holds a prediction against what was observed.
  ///
  /// - Throws: ``StatisticsError`` where an interval cannot be computed.
  public init(
    predicted: ObservedViews, observed: ObservedViews, options: Options = Options()
  ) throws(StatisticsError) {
    let sides = BacktestSides(predicted, observed)
    let groups = BacktestGroup.all(predicted, observed, by: options.keys)
    var plan = BacktestPlan()
    try plan.addMetrics(sides, groups)
    try plan.addParts(sides)
    let numbers = plan.withTitles(sides, try plan.evaluate(sides, options))
    rows = []
    parts = []
    curves = []
    notObserved = plan.notObserved
    views = (predicted.views.count, observed.views.count)
    let isTrafficAlone = observed.views.isEmpty && !observed.traffic.isEmpty
    noise = (isTrafficAlone ? sides.observed.trafficNoise : sides.observed.noise).rawValue
    let family = plan.entries.reduce(0) { $0 + $1.metrics.count }
    for (place, entry) in plan.entries.enumerated() {
      for (number, metric) in entry.metrics.enumerated() {
        var row = try Backtest.row(
          metric, entry, numbers[place].predicted[number], numbers[place].observed[number],
          family: family)
        try row.weighShares(entry, sides, options)
        rows.append(row)
      }
    }
    for (place, entry) in plan.partEntries.enumerated() {
      let found = numbers[plan.entries.count + place]
      try add(entry, found)
    }
    curves = try Backtest.curves(sides, groups, seed: options.seed)
    // All views before cohorts, metrics in their order.
    let order = Dictionary(
      uniqueKeysWithValues: groups.enumerated().map { ($1.name, $0) })
    rows = rows.enumerated().sorted { a, b in
      let (left, right) = (order[a.element.cohort] ?? 0, order[b.element.cohort] ?? 0)
      return left != right ? left < right : a.offset < b.offset
    }.map(\.element)
  }

  // MARK: Rows

  private static func row(
    _ metric: BacktestMetric, _ entry: BacktestPlan.Entry,
    _ predicted: ClusterResampling.Statistic?, _ observed: ClusterResampling.Statistic?,
    family: Int
  ) throws(StatisticsError) -> Row {
    let tolerance = metric.tolerance.amount(of: observed?.value ?? 0)
    var row = Row(
      metric: metric, cohort: entry.group, predicted: predicted?.value, observed: observed?.value,
      interval: nil, tolerance: tolerance,
      samples: (entry.predicted.count, entry.observed.count), verdict: .tooLittleData)
    guard let predicted, let observed else {
      row.reason = "so many left that a side does not reach it"
      return row
    }
    if let shortage = shortage(metric, entry.predicted, entry.observed) {
      row.reason = shortage
      if min(predicted.clusters, observed.clusters) < 2 { return row }
    }
    let error = predicted.value - observed.value
    var interval = try ClusterResampling.difference(predicted, observed)
    var widened = try ClusterResampling.difference(predicted, observed, family: family)
    if let exact = try metric.rarity?.difference(
      (entry.predicted, predicted), (entry.observed, observed))
    {
      interval = interval.covering(exact)
      widened = widened.covering(
        try ClusterResampling.widened(interval, around: error, family: family))
    }
    row.interval = interval
    if !row.reason.isEmpty { return row }
    row.verdict = verdict(error, interval, widened: widened, tolerance: tolerance)
    if row.verdict == .tooLittleData { row.reason = Row.tooWide }
    return row
  }

  // MARK: Parts

  private mutating func add(
    _ entry: BacktestPlan.PartEntry, _ found: BacktestPlan.Numbers
  ) throws(StatisticsError) {
    guard let predicted = found.predicted[0], let observed = found.observed[0] else { return }
    let isKnown = min(predicted.clusters, observed.clusters) >= 2
    let part = Parts.Part(
      name: entry.name, predicted: predicted.value, observed: observed.value,
      interval: isKnown ? try ClusterResampling.difference(predicted, observed) : nil)
    if entry.isWhole {
      parts.append(Parts(clock: entry.clock, whole: part, parts: []))
    } else if part.predicted != 0 || part.observed != 0, let last = parts.indices.last,
      parts[last].clock == entry.clock
    {
      parts[last].parts.append(part)
    }
  }

  // MARK: Curves

  private static func curves(
    _ sides: BacktestSides, _ groups: [BacktestGroup], seed: UInt64
  ) throws(StatisticsError) -> [Curve] {
    var found:
      [(
        clock: StartupComparison.Clock, group: BacktestGroup, ClusteredTimes, ClusteredTimes
      )] = []
    // Sessions are exchanged between the sides: one of theirs is as one of ours. Days are no
    // replications, so that where days are the noise each side's are drawn anew.
    let isBySession = sides.observed.noise == .sessions
    for group in groups {
      for clock in StartupComparison.Clock.allCases {
        let kind: BacktestSide.Noise? = isBySession ? .sessions : nil
        guard
          let ours = try sides.predicted.times(
            clock, in: group.predicted, by: kind, withCut: false),
          let theirs = try sides.observed.times(
            clock, in: group.observed, by: kind, withCut: false)
        else { continue }
        found.append((clock, group, ours, theirs))
      }
    }
    // One alarm in a hundred for all curves together, and as many draws as can show it.
    let limit = 0.01 / Double(max(1, found.count))
    let draws = max(isBySession ? 199 : 399, 100 * found.count - 1)
    var curves: [Curve] = []
    for (clock, group, ours, theirs) in found {
      let clusters = min(ours.usedClusters, theirs.usedClusters)
      let slack = BacktestMetric.leastTime
      let noise = titleNoise(clock, theirs, sides.observed, group)
      let distance =
        if isBySession || clusters < 2 {
          try ClusteredDistance(
            ours, theirs, slack: slack, noise: noise, permutations: draws, seed: seed)
        } else {
          try ClusteredDistance(
            resampling: ours, theirs, slack: slack, noise: noise, level: 1 - limit, draws: draws,
            seed: seed)
        }
      // A few sessions may all be those of one odd viewer, however far away.
      let isTooFew =
        clusters < fewestClusters || min(ours.units.count, theirs.units.count) < fewestSamples
      curves.append(
        Curve(
          clock: clock, cohort: group.name, predicted: points(ours), observed: points(theirs),
          distance: distance,
          verdict: isTooFew ? .tooLittleData : verdict(distance, limit: limit)))
    }
    return curves
  }

  /// How much more noise a curve has because views of one title are alike: the most of that at its
  /// quartiles.
  private static func titleNoise(
    _ clock: StartupComparison.Clock, _ times: ClusteredTimes, _ side: BacktestSide,
    _ group: BacktestGroup
  ) -> Double {
    let shares = [0.25, 0.5, 0.75]
    return zip(shares, times.quantiles(shares)).reduce(1) { most, quantile in
      guard let value = quantile.1 else { return most }
      let noise = side.titleNoise(.quantile(clock, quantile.0), in: group.observed, value: value)
      return max(most, noise?.factor ?? 1)
    }
  }

  /// At most two hundred points of a curve, its last among them.
  private static func points(_ times: ClusteredTimes) -> [Curve.Point] {
    let events = times.units.filter(\.hasEvent)
    let steps = min(200, events.count)
    if steps == 0 { return [] }
    return (1...steps).map { step in
      let place = events.count * step / steps - 1
      return Curve.Point(
        time: events[place].time, share: Double(place + 1) / Double(times.units.count))
    }
  }
}

extension Backtest.Row {
  /// The interval reaches beyond the tolerance.
  fileprivate static let tooWide = "the interval is too wide"

  /// Asks the shares of starts where the time of a percentile does not agree: it may lie where
  /// hardly any view does (``BacktestShares``).
  fileprivate mutating func weighShares(
    _ entry: BacktestPlan.Entry, _ sides: BacktestSides, _ options: Backtest.Options
  ) throws(StatisticsError) {
    // Of too few samples nothing is said, whatever they are.
    guard verdict == .disagrees || reason == Self.tooWide, let observed,
      let shares = try BacktestShares(metric, entry, by: observed, sides, options)
    else { return }
    if shares.areEqual {
      (verdict, reason) = (.agrees, BacktestShares.words)
    } else if !shares.areApart {
      (verdict, reason) = (.tooLittleData, Self.tooWide)
    }
  }
}
