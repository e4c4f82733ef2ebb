import Scenario
import Statistics

/// Two configurations side by side.
public struct Comparison: Sendable, Equatable {
  public var rows: [ComparisonRow]
  /// Both ran with the same random numbers.
  public var isPaired: Bool
  public var thresholds: ChangeThresholds
  public var replications: Int

  public var regressions: [ComparisonRow] { rows.filter { $0.outcome == .worse } }
  public var improvements: [ComparisonRow] { rows.filter { $0.outcome == .better } }
  public var undecided: [ComparisonRow] { rows.filter { $0.outcome == .notSure } }

  /// Compares the metrics of two lists of records by ``RegressionRule``.
  ///
  /// "Worse" and "better" allow for the number of metrics (Holm's rule), so that a gate over many
  /// of them raises a false alarm in at most one run of twenty. "Equivalent" needs no such
  /// allowance: a gate says it only when every metric is. Shares with hardly an event have exact
  /// bounds. The intervals shown are 95 % ones.
  ///
  /// - Parameters:
  ///   - isPaired: record i of both has the same random numbers.
  ///   - level: the two-sided error probability of a statement; at a look before the last that of
  ///     the look.
  ///   - together: how many such comparisons are read together, as the points of a sweep are;
  ///     "worse" and "better" allow for all of them.
  public init(
    _ metrics: [MetricReference], baseline: [ReplicationRecord], candidate: [ReplicationRecord],
    isPaired: Bool, thresholds: ChangeThresholds = ChangeThresholds(), level: Double = 0.05,
    together: Int = 1
  ) {
    let together = max(1, together)
    self.isPaired = isPaired
    self.thresholds = thresholds
    replications = min(baseline.count, candidate.count)
    let isSameRun =
      isPaired && replications > 0
      && zip(baseline, candidate).allSatisfy { $0.fingerprint == $1.fingerprint && $0 == $1 }
    let found = metrics.enumerated().map { index, metric in
      MetricPair(
        metric, baseline.map { $0.samples[index] }, candidate.map { $0.samples[index] },
        effects: (SessionSpread.designEffect(baseline), SessionSpread.designEffect(candidate)),
        isPaired: isPaired)
    }
    let differences = found.map(\.difference)
    let sure = ReplicationDifference.sure(
      differences, level: level / Double(together))
    let family =
      max(1, ReplicationDifference.distinct(differences).count) * together
    rows = found.enumerated().map { index, pair in
      pair.row(
        isSure: sure[index], isSameRun: isSameRun, family: family, level: level,
        together: together, threshold: thresholds.threshold(of: metrics[index]))
    }
  }
}

/// The samples of one metric on both sides.
private struct MetricPair {
  let metric: MetricReference
  let difference: ReplicationDifference?
  private let before, after: MetricResult
  private let replications: Int
  /// Candidate minus baseline where hardly an event was seen; nil elsewhere.
  private let exact: (Double) -> Interval?

  init(
    _ metric: MetricReference, _ baseline: [MetricSample], _ candidate: [MetricSample],
    effects: (Double, Double), isPaired: Bool
  ) {
    self.metric = metric
    let (left, right) = MetricPair.sides(metric, baseline, candidate, isPaired: isPaired)
    before = MetricResult(metric, baseline, designEffect: effects.0)
    after = MetricResult(metric, candidate, designEffect: effects.1)
    replications = min(left?.replications ?? 0, right?.replications ?? 0)
    if let left, let right, min(left.replications, right.replications) >= 2 {
      do {
        difference =
          isPaired
          ? try ReplicationDifference(paired: right, left)
          : try ReplicationDifference(independent: right, left)
      } catch {
        preconditionFailure("two values on each side can be compared: \(error)")
      }
    } else {
      difference = nil
    }
    let (own, other) = (RareEvents(after, effects.1), RareEvents(before, effects.0))
    exact = { level in
      guard own.isFew || other.isFew, let mine = own.bounds(level), let its = other.bounds(level)
      else { return nil }
      return Interval(
        lower: mine.lower - its.upper, upper: mine.upper - its.lower, level: level)
    }
  }

  /// Both sides as numbers whose mean is the metric, from the replications with data; of paired
  /// ones only those that have data on both sides. Nil without any.
  private static func sides(
    _ metric: MetricReference, _ baseline: [MetricSample], _ candidate: [MetricSample],
    isPaired: Bool
  ) -> (MetricSeries?, MetricSeries?) {
    // What is at least so bad counts as so bad: the truth is worse still.
    let mayBeBound = metric.isWorseWhenHigher
    func series(_ samples: [MetricSample], mayBeBound: Bool) -> MetricSeries? {
      var present = samples.filter { $0.value != nil }
      if mayBeBound { for index in present.indices { present[index].isLowerBound = false } }
      return MetricSeries.of(metric, present)
    }
    if !isPaired {
      return (series(baseline, mayBeBound: false), series(candidate, mayBeBound: mayBeBound))
    }
    let both = zip(baseline, candidate).filter { $0.0.value != nil && $0.1.value != nil }
    return (
      series(both.map(\.0), mayBeBound: false), series(both.map(\.1), mayBeBound: mayBeBound)
    )
  }

  /// The row with its outcome.
  func row(
    isSure: Bool, isSameRun: Bool, family: Int, level: Double, together: Int,
    threshold: PracticalThreshold
  ) -> ComparisonRow {
    var row = ComparisonRow(
      metric: metric, baseline: before.value, candidate: after.value, difference: nil,
      relativeChange: nil, replications: replications, smallestDetectable: nil,
      varianceReduction: nil, isLowerBound: before.isLowerBound || after.isLowerBound,
      outcome: .noData)
    // The same events in the same order: equal, even where a percentile is not reached.
    if isSameRun, before.value != nil { row.outcome = .equivalent }
    guard let difference, let baseline = before.value else { return row }
    do {
      let least = threshold.least(beside: baseline)
      row.difference = difference.estimate.covering(exact(0.95))
      row.relativeChange = baseline != 0 ? difference.estimate.value / abs(baseline) : nil
      row.varianceReduction = difference.varianceReduction
      row.leastThatMatters = least
      row.smallestDetectable = try difference.smallestDetectable(family: family)
      let intervals = try difference.intervals(error: level)
      let bounds = exact(1 - level)
      let isTold =
        exact(1 - level / Double(together)).map { $0.lower > 0 || $0.upper < 0 } ?? true
      let goal: Goal = metric.isWorseWhenHigher ? .minimise : .maximise
      let decision = RegressionRule(goal: goal, threshold: threshold).decide(
        RegressionRule.Change(
          value: difference.estimate.value,
          interval: bounds.map { intervals.change.covering($0) } ?? intervals.change,
          relative: bounds == nil ? intervals.relative : nil, baseline: baseline,
          isToldFromZero: isSure && isTold, isIdentical: isSameRun))
      row.outcome = ComparisonOutcome(decision.outcome)
      // A lower bound shows that something is worse and nothing else.
      if row.isLowerBound && row.outcome != .worse && !isSameRun { row.outcome = .noData }
      if row.outcome == .notSure {
        row.replicationsNeeded = try difference.replicationsNeeded(
          replications, least: least, family: family)
      }
    } catch {
      preconditionFailure("a difference has an interval: \(error)")
    }
    return row
  }
}
