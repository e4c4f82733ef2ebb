import Scenario
import Statistics

/// What can be said of a metric under two configurations (docs/decisions/0023).
public enum ComparisonOutcome: String, Sendable, Equatable, CaseIterable {
  /// Worse, surely, and by more than the practical threshold.
  case worse
  /// Better, surely, and by more than the practical threshold.
  case better
  /// The interval of the change lies inside the practical threshold.
  case equivalent
  /// Neither: these replications do not say.
  case notSure = "not-sure"
  /// No value on one side, or only a lower bound that says nothing.
  case noData = "no-data"

  /// What the rule says.
  init(_ outcome: RegressionRule.Outcome) {
    self =
      switch outcome {
      case .worse: .worse
      case .better: .better
      case .equivalent: .equivalent
      case .notSure: .notSure
      }
  }

  /// The same; nil where there were no data.
  init(_ outcome: RegressionRule.Outcome?) {
    self = outcome.map { ComparisonOutcome($0) } ?? .noData
  }
}

/// One metric under two configurations: how much it differs and how sure that is.
public struct ComparisonRow: Sendable, Equatable {
  public var metric: MetricReference
  /// Values over all replications; nil without data.
  public var baseline: Double?
  public var candidate: Double?
  /// Candidate minus baseline, with its 95 % interval; nil with fewer than two replications.
  public var difference: Estimate?
  /// The difference over the baseline; nil when that is zero.
  public var relativeChange: Double?
  /// Replications with data on both sides.
  public var replications: Int
  /// The least difference that would have been seen in four runs of five.
  public var smallestDetectable: Double?
  /// Variance of the difference had the replications been independent over the paired one; nil for
  /// independent seeds, or without any variance.
  public var varianceReduction: Double?
  /// One side's value is only a lower bound: so many views never started.
  public var isLowerBound: Bool
  /// The least change that matters, in the metric's unit.
  public var leastThatMatters: Double?
  /// How many replications would decide, when it is not decided; nil where nobody can say.
  public var replicationsNeeded: Int?
  public var outcome: ComparisonOutcome

  /// The size of the difference in standard errors; infinite when it is the same in all
  /// replications.
  var standardErrors: Double {
    guard let difference, difference.value != 0 else { return 0 }
    let error = difference.standardError ?? 0
    return error > 0 ? abs(difference.value) / error : .infinity
  }

  /// The baseline has a value and the candidate none.
  public var lacksData: Bool { baseline != nil && candidate == nil }
}
