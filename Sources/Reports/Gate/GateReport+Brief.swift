import Scenario
import Studies

extension GateReport {
  /// The report of one gate for people in a hurry: the run's own, with what the comparison with
  /// the baseline says and why in its place (``BriefReport``).
  ///
  /// - Parameters:
  ///   - folder: where the results are.
  ///   - trust: lines under the verdict (``TrustLines``).
  ///   - width: columns of the terminal.
  ///   - color: whether to write ANSI escape codes.
  /// - Throws: ``HTMLReport/ReadError`` when the result makes no document.
  public static func brief(
    _ gate: GateResult, folder: String, trust: [String] = [],
    width: Int = BriefReport.mostColumns, color: Bool = false
  ) throws(HTMLReport.ReadError) -> String {
    let columns = max(60, min(width, BriefReport.mostColumns))
    var record = RunRecord(gate.study)
    let meaning = record.verdictMeaning
    let isOwn = record.verdict == gate.verdict.rawValue && record.exitCode == gate.exitCode
    record.verdict = gate.verdict.rawValue
    record.exitCode = Int(gate.exitCode)
    return BriefReport.text(
      record, folder: folder, commands: RunCommands(gate.study),
      meaning: isOwn ? nil : "\(meaning); \(GateReport.meaning(gate))",
      causes: causes(gate, text: BriefText(width: columns, color: color)), trust: trust,
      width: width, color: color)
  }

  /// Why the gate says something else than its run.
  private static func meaning(_ gate: GateResult) -> String {
    if gate.judgesNothing { return "without a baseline nothing was judged" }
    if gate.lacksData { return "the baseline has data that this run lacks" }
    if gate.hasRegression { return "worse than the baseline" }
    if gate.isOpen { return "not sure against the baseline" }
    return "as the baseline"
  }

  /// Metrics that are told with their causes, and open ones.
  private static let mostWorse = 6
  private static let mostOpen = 4

  /// Whether a metric is worse than the baseline's, which are, what has made the difference, and
  /// what is not sure.
  private static func causes(_ gate: GateResult, text: BriefText) -> [String] {
    guard let baseline = gate.baseline else { return [] }
    let rows = baseline.comparison.rows
    let worse = baseline.comparison.regressions
    var lines: [String] = []
    if worse.isEmpty {
      let same = rows.count { $0.outcome == .equivalent }
      lines += text.wrapped(
        "against the baseline \(baseline.path): no metric is worse; \(same) of \(rows.count) are "
          + "equivalent", indent: "  ")
    } else {
      let count = worse.count == 1 ? "1 metric is" : "\(worse.count) metrics are"
      lines += text.wrapped(
        "REGRESSION: \(count) worse than the baseline \(baseline.path) (exit code "
          + "\(gate.exitCode))", indent: "  ", style: .red)
    }
    let told =
      worse
      + rows.filter { row in
        row.outcome == .better && baseline.causes(of: row.metric) != nil
      }
    for row in told.prefix(mostWorse) {
      let change = row.relativeChange.map { " (\(ComparisonReport.signedPercent($0)))" } ?? ""
      let cause = baseline.causes(of: row.metric)?.causes.first.map {
        ", by \($0.change.key) \(CauseLines.share($0.share, $0.interval))"
      }
      lines += text.wrapped(
        "\(row.metric.shortName): \(row.metric.text(row.baseline)) to "
          + "\(row.metric.text(row.candidate))\(change)\(cause ?? "")", indent: "  ", most: 2)
    }
    if told.count > mostWorse { lines.append("  and \(told.count - mostWorse) more") }
    if !worse.isEmpty && baseline.changes.isEmpty {
      lines.append("  no key of the scenario differs from the baseline's: the code changed")
    }
    for row in baseline.open.prefix(mostOpen) {
      lines += text.wrapped(
        "NOT SURE: " + ComparisonReport.question(row), indent: "  ", style: .yellow, most: 3)
    }
    if baseline.open.count > mostOpen {
      lines.append("  and \(baseline.open.count - mostOpen) more are not sure")
    }
    return lines
  }
}
