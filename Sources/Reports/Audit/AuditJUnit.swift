import Scenario
import Studies

/// Audits as JUnit XML: a suite for each scenario with the base, the score, a case for each mutant
/// and a case for each budget.
///
/// What fails is what the exit code says: the base, or the score below what was asked for, with
/// the mutants that survived then. Otherwise survivors and budgets that notice nothing are skipped
/// with their message, as are mutants that do not count. There is no time in the file: it is a
/// function of the result.
public enum AuditJUnit {
  private struct Case {
    enum Kind: String { case base, score, mutant, budget }
    enum Outcome { case passed, failed, skipped }
    var kind: Kind
    var name: String
    var outcome: Outcome
    var type = ""
    var message: String
  }

  /// The text of the file.
  ///
  /// - Parameter minimum: the least score, from 0 to 1; nil for any.
  public static func text(_ audits: [AuditResult], minimum: Double?) -> String {
    let suites = audits.map { cases($0, minimum: minimum) }
    let all = suites.flatMap(\.self)
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    lines.append("<testsuites name=\"firstframe audit\" \(counts(all))>")
    for (index, (audit, cases)) in zip(audits, suites).enumerated() {
      let name = JUnit.escaped(audit.base.scenario.name)
      lines.append(
        "  <testsuite name=\"\(name)\" \(counts(cases)) "
          + "skipped=\"\(cases.count { $0.outcome == .skipped })\" hostname=\"firstframe\" "
          + "id=\"\(index)\">")
      lines += cases.flatMap { element($0, suite: name) }
      lines.append("  </testsuite>")
    }
    return lines.joined(separator: "\n") + "\n</testsuites>\n"
  }

  private static func cases(_ audit: AuditResult, minimum: Double?) -> [Case] {
    let passes = audit.base.exitCode == 0
    var all = [
      Case(
        kind: .base, name: "hard budgets of the scenario as it is",
        outcome: passes ? .passed : .failed, type: audit.base.verdict.rawValue,
        message: "\(audit.base.verdict.rawValue) after \(audit.replications) replications")
    ]
    if !passes { return all }
    let isLow = audit.exitCode(minimum: minimum) != 0
    let score = audit.score.map { Figures.percent($0, decimals: 0) } ?? "none"
    all.append(
      Case(
        kind: .score, name: "share of the relevant mutants that are noticed",
        outcome: isLow ? .failed : .passed, type: "score",
        message: "\(score): \(audit.count(.noticed)) of \(audit.relevant)"
          + (minimum.map { ", at least \(Figures.percent($0)) asked for" } ?? "")))
    all += audit.rows.map { mutant($0, isLow: isLow) }
    let silent = Set(audit.silent)
    all += audit.base.budgets.enumerated().map { index, row in
      let names = audit.noticed(by: index).map(\.name).joined(separator: ", ")
      return Case(
        kind: .budget, name: AuditText.name(row.budget),
        outcome: silent.contains(index) ? .skipped : .passed,
        message: silent.contains(index) ? "notices no mutant" : "notices \(names)")
    }
    return all
  }

  private static func mutant(_ row: AuditRow, isLow: Bool) -> Case {
    let moved = row.moved.map {
      AuditText.difference($0) + ($0.outcome == .notSure ? " (not sure)" : "")
    }.joined(separator: "; ")
    switch row.status {
    case .noticed:
      let names = row.noticing(.hard).map { AuditText.notice(row, $0) }
      return Case(
        kind: .mutant, name: row.name, outcome: .passed,
        message: "noticed by " + names.joined(separator: "; "))
    case .survived:
      return Case(
        kind: .mutant, name: row.name, outcome: isLow ? .failed : .skipped, type: "survived",
        message: "survived: no hard budget notices; \(moved)")
    case .irrelevant:
      return Case(
        kind: .mutant, name: row.name, outcome: .skipped,
        message: "irrelevant: no headline metric moved")
    case .notApplicable:
      return Case(
        kind: .mutant, name: row.name, outcome: .skipped,
        message: "not applicable: \(row.notApplicable ?? "")")
    }
  }

  private static func counts(_ cases: [Case]) -> String {
    "tests=\"\(cases.count)\" failures=\"\(cases.count { $0.outcome == .failed })\" "
      + "errors=\"0\""
  }

  private static func element(_ item: Case, suite: String) -> [String] {
    let head =
      "    <testcase classname=\"\(suite).\(item.kind.rawValue)\" "
      + "name=\"\(JUnit.escaped(item.name))\">"
    let message = JUnit.escaped(item.message)
    let inner =
      switch item.outcome {
      case .passed: "<system-out>\(message)</system-out>"
      case .skipped: "<skipped message=\"\(message)\"/>"
      case .failed: "<failure type=\"\(item.type)\" message=\"\(message)\">\(message)</failure>"
      }
    return [head, "      " + inner, "    </testcase>"]
  }
}
