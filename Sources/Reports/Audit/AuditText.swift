import Scenario
import Studies

/// The words of an audit that its reports share.
enum AuditText {
  /// The status as a reader reads it.
  static func word(_ status: AuditStatus) -> String {
    switch status {
    case .noticed: "noticed"
    case .survived: "SURVIVED"
    case .irrelevant: "irrelevant"
    case .notApplicable: "not applicable"
    }
  }

  static func style(_ status: AuditStatus) -> TextStyle {
    switch status {
    case .noticed: .green
    case .survived: .red
    case .irrelevant, .notApplicable: .faint
    }
  }

  /// A budget with its limit.
  static func name(_ budget: Budget) -> String {
    "\(budget.metric.shortName) \(budget.limitText)"
  }

  /// A budget that notices a mutant, with the mutant's value.
  static func notice(_ row: AuditRow, _ index: Int) -> String {
    let found = row.budgets[index]
    let mark = row.notices[index] == .fails ? "" : " (\(row.notices[index].rawValue))"
    return "\(name(found.budget)), got \(found.metric.valueText)\(mark)"
  }

  /// A metric's difference with its interval.
  static func difference(_ row: AuditDifference) -> String {
    let name = row.metric.shortName
    guard let difference = row.difference, let half = row.half else {
      return "\(name) \(row.metric.text(row.base)) to \(row.metric.text(row.mutant))"
    }
    let text = Figures.difference(difference, half: half, unit: row.metric.unit)
    return "\(name) \(text)"
  }

  /// What a suggested limit notices and how often it would be wrong.
  static func about(_ suggestion: AuditSuggestion) -> String {
    "notices \(suggestion.mutants.joined(separator: ", ")); \(alarm(suggestion))"
  }

  /// The risk of a false alarm and what it rests on.
  static func alarm(_ suggestion: AuditSuggestion) -> String {
    "base \(suggestion.metric.text(suggestion.base)), false alarms "
      + "\(share(suggestion.falseAlarm)) of runs of \(suggestion.gateReplications) replications "
      + "(n = \(suggestion.replications))"
  }

  private static func share(_ risk: Double) -> String {
    risk < 0.0001 ? "below 0.01 %" : Figures.percent(risk)
  }

  /// The suggested budget as a line of a scenario.
  static func yaml(_ suggestion: AuditSuggestion) -> String {
    let samples = suggestion.minimumSamples.map { ", minimumSamples: \($0)" } ?? ""
    return "- {metric: \"\(suggestion.metric.shortName)\", limit: \"\(suggestion.limitText)\""
      + "\(samples)}"
  }
}
