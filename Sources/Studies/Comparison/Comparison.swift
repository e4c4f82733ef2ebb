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
      let change = pair.change(
        isSure: sure[index], isSameRun: isSameRun, family: family, level: level,
        together: together, threshold: thresholds.threshold(of: metrics[index]))
      return ComparisonRow(metrics[index], change, pair.paired)
    }
  }
}

extension MetricPair<GSLQuantiles> {
  fileprivate init(
    _ metric: MetricReference, _ baseline: [MetricSample], _ candidate: [MetricSample],
    effects: (Double, Double), isPaired: Bool
  ) {
    self.init(
      metric.traits, isWorseWhenHigher: metric.isWorseWhenHigher, baseline, candidate,
      effects: effects, isPaired: isPaired, quantiles: GSLQuantiles())
  }
}

extension ComparisonRow {
  fileprivate init(
    _ metric: MetricReference, _ change: MetricChange,
    _ paired: (candidate: MetricSeries, baseline: MetricSeries)?
  ) {
    self.init(
      metric: metric, baseline: change.baseline, candidate: change.candidate,
      difference: change.difference, relativeChange: change.relativeChange,
      replications: change.replications, smallestDetectable: change.smallestDetectable,
      varianceReduction: paired.flatMap {
        ReplicationDifference.varianceReduction($0.candidate, $0.baseline)
      },
      isLowerBound: change.isLowerBound, leastThatMatters: change.leastThatMatters,
      replicationsNeeded: change.replicationsNeeded, outcome: ComparisonOutcome(change.outcome))
  }
}
