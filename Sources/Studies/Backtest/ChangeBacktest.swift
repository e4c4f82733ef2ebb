import Scenario
import Statistics

/// A change of configuration, predicted and observed: two periods, or two arms of an experiment.
/// Does the predicted difference have the right sign and the right size?
///
/// Both predictions are of the same seeds, so that their difference is drawn by pairs of
/// replications; the observed arms have other viewers, and are drawn apart. A metric *disagrees*
/// when both differences are told from zero and have opposite signs, or when they differ by more
/// than the tolerance and that is told from zero. It *agrees* when their difference is within the
/// tolerance in the whole interval, or when both are told from zero with one sign and by sizes that
/// are not told apart. Anything else is too little data. What is told from zero is told as all
/// metrics together need it: of paired predictions hardly a difference is none, so that at 95 % one
/// of twenty changes that did nothing would have the wrong sign.
public struct ChangeBacktest: Sendable {
  public enum Sign: String, Sendable {
    case same, opposite
    /// A side is not told from zero.
    case open
  }

  public struct Row: Sendable, Equatable {
    public var metric: BacktestMetric
    /// After minus before; 95 %.
    public var predicted, observed: Double
    public var predictedInterval, observedInterval: Interval
    /// Of predicted minus observed.
    public var interval: Interval
    public var tolerance: Double
    public var sign: Sign
    public var verdict: Backtest.Verdict
  }

  public var rows: [Row]

  public var verdict: Backtest.Verdict {
    let all = rows.map(\.verdict)
    for verdict in [Backtest.Verdict.disagrees, .tooLittleData] where all.contains(verdict) {
      return verdict
    }
    return rows.isEmpty ? .tooLittleData : .agrees
  }

  /// What is known of the same thing before and after a change.
  public struct Pair: Sendable {
    public var before, after: ObservedViews

    public init(before: ObservedViews, after: ObservedViews) {
      self.before = before
      self.after = after
    }
  }

  /// - Parameter predicted: of the same seed and the same number of replications.
  /// - Throws: ``StatisticsError`` where an interval cannot be computed.
  public init(
    predicted: Pair, observed: Pair, options: Backtest.Options = Backtest.Options()
  ) throws(StatisticsError) {
    let before = BacktestSides(predicted.before, observed.before)
    let after = BacktestSides(predicted.after, observed.after)
    precondition(
      before.predicted.clusterCount == after.predicted.clusterCount,
      "both predictions have the same replications")
    var plans = [BacktestPlan(), BacktestPlan()]
    for (place, sides) in [before, after].enumerated() {
      let groups = BacktestGroup.all(sides.predicted.data, sides.observed.data, by: [])
      try plans[place].addMetrics(sides, groups)
    }
    // Equal seeds and numbers of replications are equal draws: the predictions are paired. The
    // observed arms are not.
    let first = try plans[0].evaluate(before, options)
    let second = try plans[1].evaluate(after, options, observedSeed: options.seed &+ 0x5EED)
    rows = []
    var found: [(BacktestMetric, Difference, Difference, tolerance: Double, Enough)] = []
    for (place, entry) in plans[0].entries.enumerated() {
      for (number, metric) in entry.metrics.enumerated() {
        guard let (otherPlace, other) = ChangeBacktest.entry(metric, in: plans[1]),
          let p0 = first[place].predicted[number], let o0 = first[place].observed[number],
          let p1 = second[otherPlace].predicted[number],
          let o1 = second[otherPlace].observed[number]
        else { continue }
        let tolerance = metric.tolerance.amount(of: o0.value)
        if min(p0.clusters, o0.clusters, p1.clusters, o1.clusters) < 2 { continue }
        var enough = Enough.toJudge
        for (column, value) in [(entry.observed, o0.value), (other.observed, o1.value)] {
          guard let rarity = metric.rarity else { continue }
          if try ChangeBacktest.isTooRare(column, value, rarity, tolerance) {
            enough = .toDisagree
          }
        }
        if Backtest.shortage(metric, entry.predicted, entry.observed) != nil
          || Backtest.shortage(metric, other.predicted, other.observed) != nil
        {
          enough = .forNothing
        }
        found.append((metric, Difference(p1, p0), Difference(o1, o0), tolerance, enough))
      }
    }
    for (metric, ours, theirs, tolerance, enough) in found {
      rows.append(
        try ChangeBacktest.row(
          metric, ours, theirs, tolerance: tolerance, enough, family: found.count))
    }
  }

  /// What the samples suffice for.
  private enum Enough {
    case toJudge
    /// So little has happened that a change beyond the tolerance may have been missed.
    case toDisagree
    case forNothing
  }

  private static func isTooRare(
    _ column: BacktestColumn, _ value: Double, _ rarity: BacktestMetric.Rarity,
    _ tolerance: Double
  ) throws(StatisticsError) -> Bool {
    guard let bounds = try column.rareBounds(value, rarity) else { return false }
    return bounds.upper - bounds.lower > tolerance
  }

  private static func entry(
    _ metric: BacktestMetric, in plan: BacktestPlan
  ) -> (Int, BacktestPlan.Entry)? {
    for (place, entry) in plan.entries.enumerated()
    where entry.group.isEmpty && entry.metrics.contains(metric) {
      return (place, entry)
    }
    return nil
  }

  /// After minus before, draw by draw.
  private struct Difference {
    let statistic: ClusterResampling.Statistic

    init(_ after: ClusterResampling.Statistic, _ before: ClusterResampling.Statistic) {
      statistic = ClusterResampling.Statistic(
        after.value - before.value, draws: zip(after.draws, before.draws).map { $0 - $1 },
        clusters: min(after.clusters, before.clusters))
    }

    /// Of the difference by itself.
    func interval() throws(StatisticsError) -> Interval {
      try ClusterResampling.interval(statistic)
    }
  }

  private static func row(
    _ metric: BacktestMetric, _ ours: Difference, _ theirs: Difference, tolerance: Double,
    _ enough: Enough, family: Int
  ) throws(StatisticsError) -> Row {
    let (predicted, observed) = (ours.statistic.value, theirs.statistic.value)
    let error = predicted - observed
    let interval = try ClusterResampling.difference(ours.statistic, theirs.statistic)
    let widened = try ClusterResampling.widened(interval, around: error, family: family)
    let (left, right) = (try ours.interval(), try theirs.interval())
    func isTold(_ interval: Interval) -> Bool { interval.lower > 0 || interval.upper < 0 }
    let wide = [
      try ClusterResampling.widened(left, around: predicted, family: family),
      try ClusterResampling.widened(right, around: observed, family: family),
    ]
    let areTold = wide.allSatisfy(isTold)
    let sign: Sign = !areTold ? .open : predicted * observed > 0 ? .same : .opposite
    var verdict = Backtest.verdict(error, interval, widened: widened, tolerance: tolerance)
    if verdict != .disagrees && sign == .opposite { verdict = .disagrees }
    if verdict == .tooLittleData && sign == .same && !isTold(interval) { verdict = .agrees }
    switch enough {
    case .toJudge: break
    case .toDisagree: if verdict == .agrees { verdict = .tooLittleData }
    case .forNothing: verdict = .tooLittleData
    }
    return Row(
      metric: metric, predicted: predicted, observed: observed, predictedInterval: left,
      observedInterval: right, interval: interval, tolerance: tolerance, sign: sign,
      verdict: verdict)
  }
}
