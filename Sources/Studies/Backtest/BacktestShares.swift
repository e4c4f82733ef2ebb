import Statistics

/// The shares of starts that both sides have by a percentile of the observed one.
///
/// Where starts of one kind end and those of another begin, hardly any view lies between them: a
/// tenth of a point more of the first kind moves a percentile there from one end to the other, by
/// hundreds of milliseconds, and with any number of views its error is noise. The shares are not:
/// no side has a point of its starts more than the other by then, or it has.
struct BacktestShares {
  /// A point of a hundred.
  static let tolerance = 0.01

  /// What says that it agrees, beside an interval of the time that does not.
  static let words = "the shares of starts by then are within 1 point"

  /// Predicted minus observed: the shares that started by then, ours by so much later as no viewer
  /// can tell, and those that started before, ours by so much earlier.
  private let late, early: (error: Double, interval: Interval)

  /// Nil for what is no percentile, and where draws lack it.
  ///
  /// - Parameter time: the percentile as observed, milliseconds.
  init?(
    _ metric: BacktestMetric, _ entry: BacktestPlan.Entry, by time: Double,
    _ sides: BacktestSides, _ options: Backtest.Options
  ) throws(StatisticsError) {
    guard case .times(let ours, _) = entry.predicted, case .times(let theirs, _) = entry.observed
    else { return nil }
    let resampling = BacktestPlan.Resampling(options)
    let slack = BacktestMetric.leastTime
    let predicted = BacktestPlan.statistics(
      [.shares(ours, by: [(time - slack).nextDown, time + slack])],
      sides.predicted.clusterCount, try resampling.predicted)
    let observed = BacktestPlan.statistics(
      [.shares(theirs, by: [time.nextDown, time])], sides.observed.clusterCount,
      try resampling.observed)
    guard let ourEarly = predicted[0][0], let ourLate = predicted[0][1],
      let theirEarly = observed[0][0], let theirLate = observed[0][1]
    else { return nil }
    let titles = sides.observed.titleNoise(metric.kind, in: entry.cohorts, value: time)
    func difference(
      _ ours: ClusterResampling.Statistic, _ theirs: ClusterResampling.Statistic
    ) throws(StatisticsError) -> (error: Double, interval: Interval) {
      (
        ours.value - theirs.value,
        try ClusterResampling.difference(ours, theirs.widened(by: titles))
      )
    }
    early = try difference(ourEarly, theirEarly)
    late = try difference(ourLate, theirLate)
  }

  /// No side has more than a point of the starts more, with all that is noise.
  var areEqual: Bool {
    early.interval.upper <= Self.tolerance && late.interval.lower >= -Self.tolerance
  }

  /// One has.
  var areApart: Bool { early.error > Self.tolerance || late.error < -Self.tolerance }
}
