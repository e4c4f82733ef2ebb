import Scenario
import Statistics

/// A change of configuration, predicted and observed: two periods, or two arms of an experiment.
/// Does the predicted difference have the right sign and the right size?
///
/// Both predictions are of the same seeds, so that their difference is drawn by pairs of
/// replications; the observed arms have other viewers, and are drawn apart. A metric *agrees* when
/// the whole interval of predicted minus observed is within half of what was observed, or within
/// what is no change to anybody (``BacktestMetric/least(of:)``): an effect that is larger than that
/// is never agreed with by predicting none, nor by one of the same sign and another size. It
/// *disagrees* when the error is larger than that and told from zero, or when both differences are
/// told from zero and have opposite signs. Anything else is too little data, also what one arm has
/// and the other lacks. What is told from zero is told as all metrics together need it: of paired
/// predictions hardly a difference is none, so that at 95 % one of twenty changes that did nothing
/// would have the wrong sign.
public struct ChangeBacktest: Sendable {
  public enum Sign: String, Sendable {
    case same, opposite
    /// A side is not told from zero.
    case open
  }

  /// After minus before of one side; its interval at 95 %.
  public struct Effect: Sendable, Equatable {
    public var value: Double
    public var interval: Interval
  }

  public struct Row: Sendable, Equatable {
    public var metric: BacktestMetric
    /// Nil where an arm does not have it.
    public var predicted, observed: Effect?
    /// Of predicted minus observed; nil where a side has no noise to judge by.
    public var interval: Interval?
    /// The largest error that is agreement.
    public var tolerance: Double
    public var sign: Sign
    public var verdict: Backtest.Verdict
    /// Why there is too little data; else empty.
    public var reason = ""
  }

  /// Those with numbers, then those without, each in the order of metrics.
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

  /// The share of an observed change that a prediction of it may be off by.
  public static let sizeTolerance = 0.5

  /// - Parameters:
  ///   - predicted: of the same seed and the same number of replications.
  ///   - sharesTitles: both arms were shown the same titles, as those of an experiment are; two
  ///     periods were not, and which titles there were is noise of both.
  /// - Throws: ``StatisticsError`` where an interval cannot be computed.
  public init(
    predicted: Pair, observed: Pair, sharesTitles: Bool = true,
    options: Backtest.Options = Backtest.Options()
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
    var numbers = [
      try plans[0].evaluate(before, options),
      try plans[1].evaluate(after, options, observedSeed: options.seed &+ 0x5EED),
    ]
    if !sharesTitles {
      numbers = [plans[0].withTitles(before, numbers[0]), plans[1].withTitles(after, numbers[1])]
    }
    let first = Arm(before, plans[0], numbers[0])
    let second = Arm(after, plans[1], numbers[1])
    var found: [Change] = []
    var lacking: [Row] = []
    for metric in first.metrics + second.metrics.filter({ !first.metrics.contains($0) }) {
      // A change may take a class of object away: that is so on both sides, or not known of one.
      if first.isWithout(metric) || second.isWithout(metric) { continue }
      guard let before = first.find(metric), let after = second.find(metric) else {
        let arm = first.find(metric) == nil ? "before" : "after"
        lacking.append(Row(lacking: metric, reason: "not known of the arm \(arm) the change"))
        continue
      }
      guard let change = Change(metric, before, after) else {
        lacking.append(Row(lacking: metric, reason: "so many left that an arm does not reach it"))
        continue
      }
      found.append(change)
    }
    rows = []
    for change in found { rows.append(try change.row(family: found.count)) }
    rows += lacking
  }

  /// One arm: what was evaluated of it.
  private struct Arm {
    private let sides: BacktestSides
    private let plan: BacktestPlan
    private let numbers: [BacktestPlan.Numbers]

    init(_ sides: BacktestSides, _ plan: BacktestPlan, _ numbers: [BacktestPlan.Numbers]) {
      self.sides = sides
      self.plan = plan
      self.numbers = numbers
    }

    var metrics: [BacktestMetric] { plan.entries.flatMap(\.metrics) }

    /// Whether neither side was asked for objects of its class.
    func isWithout(_ metric: BacktestMetric) -> Bool {
      guard case .hits(let asset?, _) = metric.kind else { return false }
      return !sides.predicted.assets.contains(asset) && !sides.observed.assets.contains(asset)
    }

    struct Found {
      let entry: BacktestPlan.Entry
      let predicted, observed: ClusterResampling.Statistic?
    }

    /// Nil where a side lacks it.
    func find(_ metric: BacktestMetric) -> Found? {
      for (place, entry) in plan.entries.enumerated() {
        guard let number = entry.metrics.firstIndex(of: metric) else { continue }
        return Found(
          entry: entry, predicted: numbers[place].predicted[number],
          observed: numbers[place].observed[number])
      }
      return nil
    }
  }

  /// One side of a metric in both arms.
  private struct Side {
    let before, after: ClusterResampling.Statistic
    let columns: (before: BacktestColumn, after: BacktestColumn)

    /// After minus before, draw by draw.
    var difference: ClusterResampling.Statistic {
      ClusterResampling.Statistic(
        after.value - before.value, draws: zip(after.draws, before.draws).map { $0 - $1 },
        clusters: min(after.clusters, before.clusters))
    }

    /// By exact bounds, where an arm has so few events that what was not seen has no noise; nil:
    /// both have enough.
    func exact(_ rarity: BacktestMetric.Rarity?) throws(StatisticsError) -> Interval? {
      try rarity?.difference((columns.after, after), (columns.before, before))
    }
  }

  /// A metric that both sides have of both arms.
  private struct Change {
    private let metric: BacktestMetric
    private let ours, theirs: Side
    /// Why there is too little, whatever it says; nil: there is enough.
    private let shortage: String?

    /// Nil where a quantile is beyond what a side has seen.
    init?(_ metric: BacktestMetric, _ before: Arm.Found, _ after: Arm.Found) {
      guard let p0 = before.predicted, let o0 = before.observed, let p1 = after.predicted,
        let o1 = after.observed
      else { return nil }
      self.metric = metric
      ours = Side(
        before: p0, after: p1, columns: (before.entry.predicted, after.entry.predicted))
      theirs = Side(
        before: o0, after: o1, columns: (before.entry.observed, after.entry.observed))
      shortage =
        Backtest.shortage(metric, before.entry.predicted, before.entry.observed)
        ?? Backtest.shortage(metric, after.entry.predicted, after.entry.observed)
    }

    func row(family: Int) throws(StatisticsError) -> Row {
      let (predicted, observed) = (ours.difference, theirs.difference)
      let error = predicted.value - observed.value
      let tolerance = max(
        metric.least(of: theirs.before.value), ChangeBacktest.sizeTolerance * abs(observed.value))
      if min(predicted.clusters, observed.clusters) < 2 {
        return Row(lacking: metric, reason: shortage ?? "fewer than 2 replications")
      }
      var intervals = (
        ours: try ClusterResampling.interval(predicted),
        theirs: try ClusterResampling.interval(observed),
        error: try ClusterResampling.difference(predicted, observed)
      )
      var wide = (
        ours: try ClusterResampling.interval(predicted, family: family),
        theirs: try ClusterResampling.interval(observed, family: family),
        error: try ClusterResampling.difference(predicted, observed, family: family)
      )
      let (left, right) = (try ours.exact(metric.rarity), try theirs.exact(metric.rarity))
      if left != nil || right != nil {
        func widened(_ interval: Interval, _ value: Double) throws(StatisticsError) -> Interval {
          try ClusterResampling.widened(interval, around: value, family: family)
        }
        intervals.ours = intervals.ours.covering(left ?? intervals.ours)
        intervals.theirs = intervals.theirs.covering(right ?? intervals.theirs)
        intervals.error = intervals.error.covering(
          Interval(
            lower: intervals.ours.lower - intervals.theirs.upper,
            upper: intervals.ours.upper - intervals.theirs.lower))
        wide.ours = wide.ours.covering(try widened(intervals.ours, predicted.value))
        wide.theirs = wide.theirs.covering(try widened(intervals.theirs, observed.value))
        wide.error = wide.error.covering(try widened(intervals.error, error))
      }
      func isTold(_ interval: Interval) -> Bool { interval.lower > 0 || interval.upper < 0 }
      let areTold = isTold(wide.ours) && isTold(wide.theirs)
      let sign: Sign =
        !areTold ? .open : predicted.value * observed.value > 0 ? .same : .opposite
      var verdict = Backtest.verdict(
        error, intervals.error, widened: wide.error, tolerance: tolerance)
      if sign == .opposite { verdict = .disagrees }
      var reason = verdict == .tooLittleData ? "the interval is too wide" : ""
      if let shortage { (verdict, reason) = (.tooLittleData, shortage) }
      return Row(
        metric: metric, predicted: Effect(value: predicted.value, interval: intervals.ours),
        observed: Effect(value: observed.value, interval: intervals.theirs),
        interval: intervals.error, tolerance: tolerance, sign: sign, verdict: verdict,
        reason: reason)
    }
  }
}

extension ChangeBacktest.Row {
  /// Of a metric without numbers to judge by.
  fileprivate init(lacking metric: BacktestMetric, reason: String) {
    self.init(
      metric: metric, predicted: nil, observed: nil, interval: nil, tolerance: 0, sign: .open,
      verdict: .tooLittleData, reason: reason)
  }
}
