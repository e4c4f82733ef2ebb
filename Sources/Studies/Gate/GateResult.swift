import Models
import Scenario

/// How much of a regression goes away when one changed key is set back.
public struct Attribution: Sendable, Equatable {
  public var change: ConfigurationChange
  /// The metric by which it was measured, and the share of its change that setting the key back
  /// undoes: 1 for all of it. Keys that act together may sum to more or less than 1. Nil when the
  /// key is the only one that changed, or cannot be set back alone.
  public var share: Double?
}

/// How a part of the startup time changed: means over started views, in nanoseconds.
public struct PartChange: Sendable, Equatable {
  public var part: StartupPart
  public var before: Double
  public var after: Double
  public var change: Double { after - before }
}

/// A run against its baseline.
public struct BaselineComparison: Sendable {
  /// Where the baseline lies, as given, and what it says of itself.
  public var path: String
  public var digest: String
  public var seed: UInt64
  public var comparison: Comparison
  /// Networks and devices, each by itself; for reading, not for the verdict.
  public var cohorts: Comparison
  public var changes: [ConfigurationChange]
  /// The changed keys by their part in the first regression, the greatest first; empty without a
  /// regression or without a changed key.
  public var attributions: [Attribution] = []
  public var parts: [PartChange]

  /// The part of the startup time that grew most; nil when none grew.
  public var mostGrown: PartChange? {
    let grown = parts.max { $0.change < $1.change }
    return grown.flatMap { $0.change > 0 ? $0 : nil }
  }
}

/// What a gate found.
public struct GateResult: Sendable {
  public var study: StudyResult
  public var baseline: BaselineComparison?

  public var hasRegression: Bool { !(baseline?.comparison.regressions.isEmpty ?? true) }

  /// A metric that the baseline has and this run has not, or nothing at all to compare: no data is
  /// never a pass.
  public var lacksData: Bool {
    guard let rows = baseline?.comparison.rows else { return false }
    return rows.allSatisfy { $0.outcome == .noData } || rows.contains { $0.lacksData }
  }

  /// The verdict in the words of contract.md section 2; a regression is a failure.
  public var verdict: Verdict {
    if study.verdict == .invalid || lacksData { return .invalid }
    if study.verdict == .fail { return study.verdict }
    if hasRegression { return .fail }
    return baseline != nil && study.verdict == .notRun ? .pass : study.verdict
  }

  /// The exit code of contract.md section 2: 13, 10, 11, 12, 0 in that order; 14 when a signal cut
  /// the run before it could be judged.
  public var exitCode: Int32 {
    if study.isPartial { return study.exitCode }
    if study.verdict == .invalid || lacksData { return 13 }
    if study.verdict == .fail { return 10 }
    if hasRegression { return 11 }
    return study.exitCode
  }
}
