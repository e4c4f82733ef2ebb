import Scenario
import Studies

/// The one comment that a gate keeps on a pull or merge request, in Markdown.
///
/// Its first line is not shown to readers. An updater finds the comment by the line's beginning,
/// learns from `changed="false"` that there is nothing to tell where no comment stands yet, and
/// from an equal `digest` that the comment is up to date:
///
///     <!-- firstframe-gate name="gate" verdict="fail" changed="true" digest="0123abcd" -->
public enum PullRequestComment {
  /// Characters of a comment that GitHub takes, less room for what an updater adds.
  static let limit = 60_000
  /// Metrics, keys and lines of a cause that are told; the page has all.
  private static let mostRows = 30
  private static let mostKeys = 10

  /// The text of the comment, which depends on what was found alone.
  ///
  /// - Parameters:
  ///   - name: of the gate, where a request has several: letters, digits, `-`, `_` and `.`.
  ///   - notRun: scenarios that a signal kept from being run.
  public static func text(
    _ gates: [GateResult], name: String = "gate", notRun: [StudyScenario] = []
  ) -> String {
    let verdict = verdict(gates, notRun)
    let isChanged = verdict != .pass || gates.contains { $0.differs }
    var lines = ["### \(GitHubReport.mark(verdict)) FirstFrame gate: \(verdict.rawValue)"]
    let silent = gates.filter { !$0.differs }
    for gate in gates where gate.differs { lines += section(gate) }
    for scenario in notRun {
      lines += ["", "**\(plain(scenario.name))** was not run: stopped by a signal."]
    }
    if !silent.isEmpty {
      let names = silent.map { code($0.study.scenario.name) }.joined(separator: ", ")
      // Without a baseline nobody knows what changed.
      if silent.contains(where: { $0.baseline == nil }) {
        lines += ["", "Nothing was compared in \(names): all hard budgets hold."]
      } else {
        let start = isChanged ? "Nothing to tell of" : "Nothing changed in"
        lines += ["", "\(start) \(names): the same configuration, all metrics as in the baseline."]
      }
    }
    let body = cut(lines)
    return head(name, verdict, isChanged, Digest.digest8(body)) + "\n" + body
  }

  private static func head(
    _ name: String, _ verdict: Verdict, _ isChanged: Bool, _ digest: String
  ) -> String {
    "<!-- firstframe-gate name=\"\(name)\" verdict=\"\(verdict.rawValue)\" "
      + "changed=\"\(isChanged)\" digest=\"\(digest)\" -->"
  }

  /// The gravest verdict.
  private static func verdict(_ gates: [GateResult], _ notRun: [StudyScenario]) -> Verdict {
    let all = gates.map(\.verdict)
    for verdict in [Verdict.invalid, .fail, .inconclusive] where all.contains(verdict) {
      return verdict
    }
    let isWhole = notRun.isEmpty && !gates.contains { $0.study.isPartial }
    return isWhole && all.contains(.pass) ? .pass : .notRun
  }

  /// The lines, as many as a comment takes.
  private static func cut(_ lines: [String]) -> String {
    var body = ""
    for line in lines {
      if body.count + line.count > limit {
        // A table or a list that is open ends with the blank line; a fold has to be closed.
        let isOpen =
          body.components(separatedBy: "<details>").count
          > body.components(separatedBy: "</details>").count
        return body + (isOpen ? "\n</details>\n" : "")
          + "\nThe rest is left out, because a comment takes no more; the page has all.\n"
      }
      body += line + "\n"
    }
    return body
  }

  // MARK: One scenario

  private static func section(_ gate: GateResult) -> [String] {
    let study = gate.study
    let name = plain(study.scenario.name)
    var lines = ["", "#### \(GitHubReport.mark(gate.verdict)) \(name): \(sentence(gate))"]
    if study.isPartial {
      lines += ["", "Stopped after \(study.replications) of \(study.cap) replications."]
    }
    if let baseline = gate.baseline { lines += changes(baseline) + metrics(baseline) }
    lines += failing(gate)
    if let baseline = gate.baseline { lines += why(baseline, gate) }
    lines += budgets(study)
    return lines + ["", "<sub>\(code(TerminalReport.identityLine(study)))</sub>"]
  }

  private static func sentence(_ gate: GateResult) -> String {
    let study = gate.study
    func budgets(_ verdict: Verdict) -> Int {
      study.budgets.count { $0.verdict == verdict && $0.budget.level == .hard }
    }
    func several(_ count: Int, _ one: String, _ many: String) -> String? {
      count == 0 ? nil : count == 1 ? "1 \(one)" : "\(count) \(many)"
    }
    let rows = gate.baseline?.comparison.rows ?? []
    let better = rows.count { $0.outcome == .better }
    let parts = [
      several(budgets(.fail), "hard budget fails", "hard budgets fail"),
      several(budgets(.invalid), "budget cannot be judged", "budgets cannot be judged"),
      several(budgets(.inconclusive), "budget is undecided", "budgets are undecided"),
      several(
        gate.baseline?.comparison.regressions.count ?? 0, "metric is worse", "metrics are worse"),
      several(gate.baseline?.open.count ?? 0, "metric is not sure", "metrics are not sure"),
      several(better, "metric is better", "metrics are better"),
    ].compactMap { $0 }
    if !parts.isEmpty { return parts.joined(separator: ", ") }
    if gate.judgesNothing { return "nothing was judged" }
    if gate.lacksData { return "the baseline has data that this run lacks" }
    return "no metric is worse"
  }

  /// What differs from the baseline's configuration.
  private static func changes(_ baseline: BaselineComparison) -> [String] {
    func text(_ change: ConfigurationChange) -> String {
      "\(code(change.key)): \(value(change.before)) → \(value(change.after))"
    }
    func list(_ title: String, _ all: [ConfigurationChange]) -> [String] {
      if all.isEmpty { return [] }
      if all.count == 1 { return ["", "**\(title)** \(text(all[0]))"] }
      let more = all.count - mostKeys
      return ["", "**\(title)**", ""] + all.prefix(mostKeys).map { "- \(text($0))" }
        + (more > 0 ? ["- and \(more) more"] : [])
    }
    let unchanged =
      baseline.changes.isEmpty && !baseline.comparison.regressions.isEmpty
      ? ["", "**What changed:** no key of the scenario; the code did."] : []
    return unchanged + list("What changed:", baseline.changes)
      + list("What is judged changed, too:", baseline.rules)
  }

  /// What moved, by how much and by which key.
  private static func metrics(_ baseline: BaselineComparison) -> [String] {
    let rows = baseline.comparison.rows
    let order: [ComparisonOutcome] = [.worse, .notSure, .better]
    let moved =
      order.flatMap { outcome in rows.filter { $0.outcome == outcome } }
      + rows.filter(\.lacksData)
    let same = rows.count { $0.outcome == .equivalent }
    if moved.isEmpty {
      return ["", "No metric moved: \(same) of \(rows.count) compared ones are equivalent."]
    }
    var lines = [
      "", "| | metric | baseline | now | difference (95 %) | change | cause |",
      "|---|---|---:|---:|---:|---:|---|",
    ]
    for row in moved.prefix(mostRows) {
      let change = row.relativeChange.map { ComparisonReport.signedPercent($0) } ?? "–"
      let cause = baseline.causes(of: row.metric)?.causes.first.map {
        "\(code($0.change.key)) \(CauseLines.share($0.share, $0.interval))"
      }
      lines.append(
        "| \(sign(row.outcome)) \(ComparisonReport.word(row.outcome)) "
          + "| \(code(row.metric.shortName)) | \(row.metric.text(row.baseline)) "
          + "| \(row.metric.text(row.candidate)) | \(ComparisonReport.difference(row)) "
          + "| \(change) | \(cause ?? "–") |")
    }
    let more = moved.count - mostRows
    let left = more > 0 ? "\(more) more moved; " : ""
    return lines + ["", "\(left)\(same) of \(rows.count) compared metrics are equivalent."]
  }

  /// Hard budgets that do not hold, with where their time goes.
  private static func failing(_ gate: GateResult) -> [String] {
    let cases = GateCase.all(gate).filter { $0.kind == .budget && $0.isBlocking }
    return cases.prefix(mostRows).flatMap { item in
      ["", "**\(code(item.name))** \(plain(item.message))", ""]
        + item.details.map { "- \(detail($0))" }
    }
  }

  /// Where a difference comes from: keys together, the part of the start that grew, the worst
  /// cohorts, viewers to look at.
  private static func why(_ baseline: BaselineComparison, _ gate: GateResult) -> [String] {
    let told = GateCase.all(gate).first { $0.kind == .baseline && $0.isBlocking }
    guard let worst = baseline.comparison.worstRegression,
      let item = GateCase.all(gate).first(where: {
        $0.kind == .baseline && $0.name.hasPrefix(worst.metric.shortName + " ")
      }) ?? told, !item.details.isEmpty
    else { return [] }
    return ["", "**Why**, of \(code(worst.metric.shortName)):", ""]
      + item.details.map { "- \(detail($0))" }
  }

  private static func budgets(_ study: StudyResult) -> [String] {
    if study.budgets.isEmpty { return [] }
    let hold = study.budgets.count { $0.verdict == .pass }
    let title = "Budgets: \(hold) of \(study.budgets.count) hold"
    var lines = [
      "", "<details><summary>\(title)</summary>", "",
      "| | budget | limit | value | 95 % interval | n | margin |",
      "|---|---|---|---:|---|---:|---:|",
    ]
    for row in study.budgets {
      let soft = row.budget.level == .soft ? " (soft)" : ""
      lines.append(
        "| \(GitHubReport.mark(row.verdict)) \(row.verdict.rawValue)\(soft) "
          + "| \(code(row.budget.metric.shortName)) | \(plain(row.budget.limitText)) "
          + "| \(row.metric.valueText) | \(row.metric.intervalText) "
          + "| \(Figures.count(row.metric.samples)) "
          + "| \(row.margin.map { ComparisonReport.signedPercent($0) } ?? "–") |")
    }
    return lines + ["", "</details>"]
  }

  // MARK: Markdown

  private static func sign(_ outcome: ComparisonOutcome) -> String {
    switch outcome {
    case .worse: "❌"
    case .better: "💚"
    case .equivalent: "✅"
    case .notSure: "❔"
    case .noData: "⛔"
    }
  }

  private static func plain(_ text: String) -> String { MarkdownText.plain(text) }

  private static func value(_ text: String?) -> String {
    text.map { _ in code(ComparisonReport.value(text)) } ?? "absent"
  }

  /// A line of an explanation; a command stands as one.
  private static func detail(_ line: String) -> String {
    for title in ["look at: ", "reproduce: ", "turn first: "] where line.hasPrefix(title) {
      return title + code(String(line.dropFirst(title.count)))
    }
    return plain(line)
  }

  private static func code(_ text: String) -> String { MarkdownText.code(text) }
}
