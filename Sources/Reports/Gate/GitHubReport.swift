import Scenario
import Studies

/// What GitHub Actions shows: a step summary and annotations on the scenario's own lines.
public enum GitHubReport {
  /// Annotations of each kind that a step may have; GitHub drops further ones in silence.
  static let annotationLimit = 10
  /// Bytes of a step summary (GitHub's limit is 1 MiB).
  static let summaryLimit = 1_000_000

  /// Workflow commands, one on a line, for standard output.
  public static func annotations(_ gates: [GateResult]) -> [String] {
    let cases = gates.flatMap { GateCase.all($0) }.filter { $0.verdict != .pass }
      .filter { $0.verdict != .notRun }
    let errors = cases.filter(\.isBlocking)
    let warnings = cases.filter { !$0.isBlocking }
    return commands("error", errors) + commands("warning", warnings)
  }

  private static func commands(_ word: String, _ cases: [GateCase]) -> [String] {
    // One place for the line that says what was left out.
    let room = cases.count > annotationLimit ? annotationLimit - 1 : cases.count
    var lines = cases.prefix(room).map { item in
      let text = ([item.message] + item.details).joined(separator: "\n")
      return "::\(word) file=\(property(item.file)),line=\(item.line),"
        + "title=\(property("\(item.scenario): \(item.name)"))::\(data(text))"
    }
    if cases.count > room, let next = cases.dropFirst(room).first {
      lines.append(
        "::\(word) file=\(property(next.file)),line=\(next.line),title=firstframe::"
          + data(
            "\(cases.count - room) more are not annotated, because GitHub shows at most "
              + "\(annotationLimit); the step summary has all of them"))
    }
    return lines
  }

  /// Markdown for the file that GITHUB_STEP_SUMMARY names.
  public static func summary(_ gates: [GateResult]) -> String {
    var text = ""
    for (index, gate) in gates.enumerated() {
      let section = self.section(gate)
      if text.utf8.count + section.utf8.count > summaryLimit {
        text +=
          "\n\(gates.count - index) more scenarios are left out: the summary would exceed "
          + "GitHub's limit.\n"
        break
      }
      text += section
    }
    return text
  }

  private static func section(_ gate: GateResult) -> String {
    let study = gate.study
    let word = gate.hasRegression && study.verdict != .fail ? "regression" : gate.verdict.rawValue
    var lines = [
      "### \(mark(gate.verdict)) \(cell(study.scenario.name)): \(word)", "",
      "| | budget | value | 95 % interval | limit | margin | n |",
      "|---|---|---:|---|---|---:|---:|",
    ]
    for row in study.budgets {
      let margin = row.margin.map { ComparisonReport.signedPercent($0) } ?? "–"
      let soft = row.budget.level == .soft ? " (soft)" : ""
      lines.append(
        "| \(mark(row.verdict)) \(row.verdict.rawValue)\(soft) "
          + "| \(MarkdownText.code(row.budget.metric.shortName)) | \(row.metric.valueText) "
          + "| \(row.metric.intervalText) | \(cell(row.budget.limitText)) | \(margin) "
          + "| \(Figures.count(row.metric.samples)) |")
    }
    if study.budgets.isEmpty { lines.append("| – | no budget | – | – | – | – | – |") }
    if let baseline = gate.baseline { lines += comparison(baseline) }
    for item in GateCase.all(gate) where item.isBlocking {
      lines += ["", "**\(cell(item.name))** \(cell(item.message))", ""]
      lines += item.details.map { "- \(cell($0))" }
    }
    lines += ["", MarkdownText.code(TerminalReport.identityLine(study)), ""]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func comparison(_ baseline: BaselineComparison) -> [String] {
    var lines = [
      "", "Against the baseline \(MarkdownText.code(baseline.path)) (digest \(baseline.digest)):",
      "",
      "| | metric | baseline | now | difference | change |", "|---|---|---:|---:|---:|---:|",
    ]
    for row in baseline.comparison.rows {
      lines.append(
        "| \(ComparisonReport.word(row.outcome)) | \(MarkdownText.code(row.metric.shortName)) "
          + "| \(row.metric.text(row.baseline)) | \(row.metric.text(row.candidate)) "
          + "| \(ComparisonReport.difference(row)) "
          + "| \(row.relativeChange.map { ComparisonReport.signedPercent($0) } ?? "–") |")
    }
    let causes = CauseLines.rows(baseline)
    if causes.isEmpty { return lines }
    lines += [
      "", "| metric that is worse | key | change | explains (95 %) | alone | set back alone |",
      "|---|---|---|---:|---:|---:|",
    ]
    for row in causes {
      lines.append(
        "| \(MarkdownText.code(row.metric)) | \(MarkdownText.code(row.key)) "
          + "| \(cell(row.values)) | \(row.share) "
          + "| \(row.alone) | \(row.undone) |")
    }
    return lines
  }

  /// A sign beside the word, never instead of it.
  static func mark(_ verdict: Verdict) -> String {
    switch verdict {
    case .pass: "✅"
    case .fail: "❌"
    case .inconclusive: "❔"
    case .invalid: "⛔"
    case .notRun: "⚪"
    }
  }

  private static func cell(_ text: String) -> String { MarkdownText.plain(text) }

  /// Workflow commands escape the percent sign and line ends; properties also colon and comma.
  static func data(_ text: String) -> String {
    VisibleText.escaped(text).replacing("%", with: "%25").replacing("\n", with: "%0A")
  }

  static func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}
