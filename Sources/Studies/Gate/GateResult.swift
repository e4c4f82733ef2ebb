import Models
import Scenario

/// How a part of the startup time changed: means over started views, in nanoseconds.
public struct PartChange: Sendable, Equatable {
  public var part: StartupPart
  public var before: Double
  public var after: Double
  public var change: Double { after - before }

  public init(part: StartupPart, before: Double, after: Double) {
    self.part = part
    self.before = before
    self.after = after
  }
}

/// A run against its baseline.
public struct BaselineComparison: Sendable {
  /// Where the baseline lies, as given, and what it says of itself.
  public var path: String
  public var digest: String
  public var seed: UInt64
  /// Headline and budgeted metrics.
  public var comparison: Comparison
  /// Metrics that may be not sure without a word in the exit code: of soft budgets only.
  public var optional: [MetricReference]
  /// Networks and devices, each by itself; for reading, not for the verdict.
  public var cohorts: Comparison
  public var changes: [ConfigurationChange]
  /// Keys that differ and say what is judged, not what is simulated: budgets and thresholds.
  public var rules: [ConfigurationChange] = []
  /// Of every metric that is worse, or moved to where a hard budget fails, in their order; empty
  /// without one or without a changed key.
  public var causes: [MetricCauses] = []
  /// Changed keys that no cause was measured for: they cannot be set back alone.
  public var untold: [ConfigurationChange] = []
  public var parts: [PartChange]

  /// The part of the startup time that grew most; nil when none grew.
  public var mostGrown: PartChange? {
    let grown = parts.max { $0.change < $1.change }
    return grown.flatMap { $0.change > 0 ? $0 : nil }
  }

  /// The causes of a metric; nil where they were not looked for.
  public func causes(of metric: MetricReference) -> MetricCauses? {
    causes.first { $0.metric == metric }
  }

  /// Metrics that keep the gate from saying anything: not sure, or no data on one side.
  public var open: [ComparisonRow] {
    comparison.rows.filter { row in
      guard !optional.contains(row.metric) else { return false }
      return row.outcome == .notSure || (row.outcome == .noData && row.isLowerBound)
    }
  }
}

/// What a gate found.
public struct GateResult: Sendable {
  public var study: StudyResult
  public var baseline: BaselineComparison?
  /// The run is to be a baseline: nothing is compared with it.
  public var isUpdate = false

  public init(study: StudyResult, baseline: BaselineComparison?) {
    self.study = study
    self.baseline = baseline
  }

  /// Whether there is anything to tell: a verdict other than pass, another configuration or other
  /// rules than the baseline's, or a metric that is not equivalent to its own.
  public var differs: Bool {
    if verdict != .pass || study.isPartial { return true }
    guard let baseline else { return false }
    return !baseline.changes.isEmpty || !baseline.rules.isEmpty
      || baseline.comparison.rows.contains { [.worse, .better, .notSure].contains($0.outcome) }
  }

  public var hasRegression: Bool { !(baseline?.comparison.regressions.isEmpty ?? true) }

  /// Some metric that counts is not told from its baseline, nor shown to be equivalent.
  public var isOpen: Bool { !(baseline?.open.isEmpty ?? true) }

  /// A metric that the baseline has and this run has not, or nothing at all to compare: no data is
  /// never a pass.
  public var lacksData: Bool {
    guard let rows = baseline?.comparison.rows else { return false }
    return rows.allSatisfy { $0.outcome == .noData } || rows.contains { $0.lacksData }
  }

  /// Nothing was looked at that could have failed: no hard budget and no baseline.
  public var judgesNothing: Bool {
    baseline == nil && !isUpdate && !study.budgets.contains { $0.budget.level == .hard }
  }

  /// The verdict in the words of contract.md section 2; a regression is a failure.
  public var verdict: Verdict {
    if study.verdict == .invalid || lacksData || judgesNothing { return .invalid }
    if study.verdict == .fail { return study.verdict }
    if hasRegression { return .fail }
    if isOpen { return .inconclusive }
    return baseline != nil && study.verdict == .notRun ? .pass : study.verdict
  }

  /// The exit code of contract.md section 2: 13, 10, 11, 12, 0 in that order; when a signal or the
  /// time limit cut the run, 10 for a failed budget and otherwise 14.
  public var exitCode: Int32 {
    if study.isPartial { return study.exitCode }
    if study.verdict == .invalid || lacksData || judgesNothing { return 13 }
    if study.verdict == .fail { return 10 }
    if hasRegression { return 11 }
    if isOpen { return 12 }
    return study.exitCode
  }
}
