import Scenario
import Statistics

/// One metric of the base and of a mutant.
public struct AuditDifference: Sendable, Equatable {
  public var metric: MetricReference
  /// Values over all replications; nil without data.
  public var base: Double?
  public var mutant: Double?
  /// Mutant minus base, half of its 95 % interval, and its standard error; nil without data.
  public var difference: Double?
  public var half: Double?
  public var standardError: Double?
  public var outcome: ComparisonOutcome
  /// The base itself does not reach it: so many of its views never start that the percentile is
  /// only a lower bound. Then nothing can be said of any mutant.
  public var isUnseen = false

  /// The size of the difference in standard errors; infinite when it never varies.
  public var standardErrors: Double {
    guard let difference, difference != 0 else { return 0 }
    guard let standardError, standardError > 0 else { return .infinity }
    return abs(difference) / standardError
  }

  /// Whether it keeps the mutant from counting as the same: a difference, the lack of an answer, or
  /// a value that is gone.
  public var isMoved: Bool {
    switch outcome {
    case .worse, .better, .notSure: true
    case .equivalent: false
    case .noData: base != nil && !isUnseen
    }
  }
}

/// The one place where an audit depends on how two runs are compared.
enum AuditComparison {
  /// The headline metrics of the mutant against the base's, paired.
  static func differences(base: StudyResult, mutant: StudyResult) -> [AuditDifference] {
    let metrics = base.scenario.plan.headline.filter {
      base.recordMetrics.contains($0) && mutant.recordMetrics.contains($0)
    }
    func records(_ study: StudyResult) -> [ReplicationRecord] {
      study.records.map { $0.selecting(metrics, from: study.recordMetrics.map(\.description)) }
    }
    let before = records(base)
    return Comparison(
      metrics, baseline: before, candidate: records(mutant), isPaired: true,
      thresholds: ChangeThresholds(base.scenario)
    ).rows.enumerated().map { index, row in
      AuditDifference(
        metric: row.metric, base: row.baseline, mutant: row.candidate,
        difference: row.difference?.value, half: row.difference?.interval.halfWidth,
        standardError: row.difference?.standardError, outcome: row.outcome,
        isUnseen: before.contains { $0.samples[index].isLowerBound })
    }
  }
}
