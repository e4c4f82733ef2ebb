import Scenario
import Studies

/// An audit of budgets on the terminal.
public enum AuditReport {
  private static let indent = "  "

  /// The report of one audit.
  ///
  /// - Parameters:
  ///   - minimum: the least score, from 0 to 1; nil for any.
  ///   - width: lines are broken to it where they can be.
  public static func text(
    _ audit: AuditResult, minimum: Double?, width: Int, color: Bool
  ) -> String {
    var lines = [heading(audit, color: color), ""]
    lines += section("BASE", color: color) + base(audit, width: width, color: color)
    if !audit.rows.isEmpty {
      lines += [""] + section("MUTANTS", color: color) + mutants(audit, width: width, color: color)
      lines += [""] + section("BUDGETS", color: color) + budgets(audit, width: width, color: color)
      lines += suggestions(audit, width: width, color: color)
    }
    lines += [""] + verdict(audit, minimum: minimum, color: color)
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Parts

  private static func heading(_ audit: AuditResult, color: Bool) -> String {
    let title = TextStyle.bold.applied(
      to: "AUDIT of \(audit.base.scenario.name)", color: color)
    return "\(title)  \(audit.world.rawValue), seed \(audit.base.seed), "
      + "\(audit.replications) replications each"
  }

  private static func section(_ name: String, color: Bool) -> [String] {
    [TextStyle.bold.applied(to: name, color: color)]
  }

  private static func base(_ audit: AuditResult, width: Int, color: Bool) -> [String] {
    let open = audit.base.budgets.filter { $0.verdict != .pass }
    let passed = audit.base.budgets.count - open.count
    var lines = [
      "\(indent)\(passed) of \(audit.base.budgets.count) budgets pass in the scenario as it is"
    ]
    for row in open {
      let style: TextStyle = row.budget.level == .hard ? .red : .yellow
      let word = style.applied(to: row.verdict.rawValue, color: color)
      lines += TextWrap.lines(
        "\(word) (\(row.budget.level.rawValue))  \(AuditText.name(row.budget)), got "
          + row.metric.valueText, first: indent, rest: indent + indent, width: width)
    }
    if !audit.unseen.isEmpty {
      lines += TextWrap.lines(
        "so many views are left that these are not reached, and no mutant counts by them: "
          + audit.unseen.map(\.shortName).joined(separator: ", "),
        first: indent, rest: indent + indent, width: width)
    }
    return lines
  }

  private static func mutants(_ audit: AuditResult, width: Int, color: Bool) -> [String] {
    let column = (audit.rows.map(\.name.count).max() ?? 0) + 2
    var lines: [String] = []
    for status in AuditStatus.allCases {
      for row in audit.rows where row.status == status {
        let name = row.name.padded(to: column)
        let word = AuditText.word(status)
        let styled = AuditText.style(status).applied(to: word, color: color)
        lines.append(indent + name + styled)
        for detail in details(row) {
          lines += TextWrap.lines(
            detail, first: indent + indent, rest: indent + indent + indent, width: width)
        }
      }
    }
    return lines
  }

  private static func details(_ row: AuditRow) -> [String] {
    if let reason = row.notApplicable { return [reason] }
    var lines: [String] = []
    for level in [Budget.Level.hard, .soft] {
      let names = row.noticing(level).map { AuditText.notice(row, $0) }
      if names.isEmpty { continue }
      let who = level == .hard ? "noticed by" : "soft budgets that notice"
      lines.append("\(who): " + names.joined(separator: "; "))
    }
    if row.status == .irrelevant {
      let texts = row.differences.filter { ($0.difference ?? 0) != 0 }
        .map { AuditText.difference($0) }
      return lines + ["no headline metric moved" + (texts.isEmpty ? "; all are the same" : ":")]
        + (texts.isEmpty ? [] : [texts.joined(separator: "; ")])
    }
    for (word, rows) in [
      ("moved", row.moved.filter { $0.outcome != .notSure }),
      ("not sure", row.moved.filter { $0.outcome == .notSure }),
    ] where !rows.isEmpty {
      lines.append("\(word): " + rows.map { AuditText.difference($0) }.joined(separator: "; "))
    }
    return lines
  }

  private static func budgets(_ audit: AuditResult, width: Int, color: Bool) -> [String] {
    let silent = Set(audit.silent)
    return audit.base.budgets.enumerated().flatMap { index, row in
      let names = audit.noticed(by: index).map(\.name)
      let passes = row.verdict == .pass
      let text =
        !silent.contains(index)
        ? "notices \(names.joined(separator: ", "))"
        : TextStyle.yellow.applied(
          to: passes
            ? "notices nothing: it cannot fail here" : "does not pass, so it cannot notice",
          color: color)
      return TextWrap.lines(
        "\(row.budget.level.rawValue)  \(AuditText.name(row.budget))", first: indent,
        rest: indent, width: width)
        + TextWrap.lines(
          text, first: indent + indent, rest: indent + indent + indent, width: width)
    }
  }

  private static func suggestions(
    _ audit: AuditResult, width: Int, color: Bool
  ) -> [String] {
    let named = Set(audit.suggestions.flatMap(\.mutants))
    let left = audit.rows.filter { $0.status == .survived && !named.contains($0.name) }
    if audit.suggestions.isEmpty && left.isEmpty { return [] }
    var lines = [""] + section("LIMITS THAT WOULD HAVE NOTICED", color: color)
    if !audit.suggestions.isEmpty {
      lines += ["\(indent)budgets:"]
      for suggestion in audit.suggestions {
        lines += TextWrap.lines(
          "# " + AuditText.about(suggestion), first: indent + indent,
          rest: indent + indent + "# ", width: width)
        lines.append(indent + indent + AuditText.yaml(suggestion))
      }
    }
    if !left.isEmpty {
      let names = left.map(\.name).joined(separator: ", ")
      lines += TextWrap.lines(
        "no limit found for \(names): nothing got surely worse by enough", first: indent,
        rest: indent + indent, width: width)
    }
    return lines
  }

  private static func verdict(
    _ audit: AuditResult, minimum: Double?, color: Bool
  ) -> [String] {
    let code = audit.exitCode(minimum: minimum)
    func shown(_ word: String, _ style: TextStyle) -> String {
      TextStyle.bold.applied(to: style.applied(to: word, color: color), color: color)
    }
    if audit.base.exitCode != 0 {
      return [
        shown("NOT AUDITED", .red) + "  the scenario itself does not pass its hard budgets: "
          + "\(audit.base.verdict.rawValue) (exit code \(code))"
      ]
    }
    let aside = audit.rows.count { $0.status == .irrelevant && $0.isNoticed }
    let counted =
      "\(audit.count(.noticed)) of \(audit.relevant) relevant mutants noticed; "
      + "\(audit.count(.irrelevant)) irrelevant"
      + (aside > 0 ? " (\(aside) noticed all the same)" : "")
      + ", \(audit.count(.notApplicable)) not applicable"
    let limit = minimum.map { ", at least \(Figures.percent($0)) asked for" } ?? ""
    let score = audit.score.map { Figures.percent($0, decimals: 0) } ?? "none"
    return [
      shown("SCORE \(score)", code == 0 ? .green : .red) + limit + " (exit code \(code))",
      indent + counted,
    ]
  }
}

extension String {
  /// The text with blanks after it up to `width` characters.
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
