import Scenario
import Studies

/// One thing that a gate judged: a budget, or a metric against the baseline. What JUnit, GitHub and
/// the terminal show is made from these.
public struct GateCase: Sendable, Equatable {
  public enum Kind: String, Sendable { case budget, baseline }

  public var scenario: String
  public var kind: Kind
  /// The metric with its labels.
  public var name: String
  /// `network=wifi-good`, or `all`.
  public var cohort: String
  public var verdict: Verdict
  public var level: Budget.Level
  /// One sentence: value, interval, limit, samples.
  public var message: String
  /// More lines: the cause, where to look, how to reproduce.
  public var details: [String]
  /// File and line to point at; empty without one.
  public var file: String
  public var line: Int

  /// Whether the case keeps the gate from passing.
  public var isBlocking: Bool { level == .hard && verdict != .pass && verdict != .notRun }

  /// The cases of a gate, budgets first, in the order of the scenario.
  public static func all(_ gate: GateResult) -> [GateCase] {
    let study = gate.study
    let budgets = study.budgets.map { GateCase($0, gate) }
    guard let baseline = gate.baseline else { return budgets }
    return budgets
      + baseline.comparison.rows.map { row in
        GateCase(row, baseline, gate)
      }
  }

  /// The budgets of a scenario that was not run.
  public static func notRun(_ scenario: StudyScenario) -> [GateCase] {
    scenario.budgets.map { budget in
      let (file, line) = place(budget, in: scenario)
      return GateCase(
        scenario: scenario.name, kind: .budget,
        name: "\(budget.metric.shortName) \(budget.limitText)", cohort: cohort(budget.metric),
        verdict: .notRun, level: budget.level,
        message: "not-run: stopped by a signal before this scenario", details: [], file: file,
        line: line)
    }
  }

  private init(
    scenario: String, kind: Kind, name: String, cohort: String, verdict: Verdict,
    level: Budget.Level, message: String, details: [String], file: String, line: Int
  ) {
    self.scenario = scenario
    self.kind = kind
    self.name = name
    self.cohort = cohort
    self.verdict = verdict
    self.level = level
    self.message = message
    self.details = details
    self.file = file
    self.line = line
  }

  /// File and line of a budget, as its place says `file:line:column`; the file's own name may hold
  /// colons.
  private static func place(_ budget: Budget, in scenario: StudyScenario) -> (String, Int) {
    let parts = budget.place.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.reversed().prefix { Int($0) != nil }.reversed().compactMap { Int($0) }
    let file = parts.dropLast(numbers.count).joined(separator: ":")
    if file.isEmpty || numbers.isEmpty { return (scenario.file.path, 1) }
    return (file, numbers[0])
  }

  private init(_ row: BudgetResult, _ gate: GateResult) {
    let study = gate.study
    scenario = study.scenario.name
    kind = .budget
    name = "\(row.budget.metric.shortName) \(row.budget.limitText)"
    cohort = GateCase.cohort(row.budget.metric)
    verdict = row.verdict
    level = row.budget.level
    let samples = "n = \(Figures.count(row.metric.samples)) \(row.metric.reference.sampleNoun)"
    message =
      "\(row.verdict.rawValue): \(row.budget.metric.shortName) is \(row.metric.valueText) "
      + "\(row.metric.intervalText), limit \(row.budget.limitText), \(samples), "
      + "\(row.metric.replications) replications"
      + (row.reason.isEmpty ? "" : ": \(row.reason)")
    details =
      row.verdict == .fail || row.verdict == .inconclusive
      ? GateExplanation.lines(row, gate) : []
    (file, line) = GateCase.place(row.budget, in: study.scenario)
  }

  private init(_ row: ComparisonRow, _ baseline: BaselineComparison, _ gate: GateResult) {
    let study = gate.study
    scenario = study.scenario.name
    kind = .baseline
    name = "\(row.metric.shortName) against the baseline"
    cohort = GateCase.cohort(row.metric)
    verdict =
      switch row.outcome {
      case .worse: .fail
      case .notSure: .inconclusive
      case .noData: row.lacksData ? .invalid : row.isLowerBound ? .inconclusive : .notRun
      case .better, .equivalent: .pass
      }
    level = baseline.optional.contains(row.metric) && row.outcome != .worse ? .soft : .hard
    let change = row.relativeChange.map { " (\(ComparisonReport.signedPercent($0)))" } ?? ""
    message =
      "\(ComparisonReport.word(row.outcome)): \(row.metric.shortName) went from "
      + "\(row.metric.text(row.baseline)) to \(row.metric.text(row.candidate)), "
      + "\(ComparisonReport.difference(row))\(change)"
      + (row.outcome == .notSure ? ": " + ComparisonReport.needed(row) : "")
    details = row.outcome == .worse ? GateExplanation.lines(row, baseline, gate) : []
    file = study.scenario.file.path
    line = 1
  }

  private static func cohort(_ metric: MetricReference) -> String {
    metric.labels.isEmpty
      ? "all" : metric.labels.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
  }
}
