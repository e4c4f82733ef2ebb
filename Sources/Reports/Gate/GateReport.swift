import Scenario
import Studies

/// A gate on the terminal and as JSON.
public enum GateReport {
  /// The report of one gate: the run's own, then the comparison with the baseline and why.
  public static func text(_ gate: GateResult, width: Int, color: Bool) -> String {
    var lines = [TerminalReport.text(gate.study, width: width, color: color)]
    guard let baseline = gate.baseline else { return lines[0] }
    let title = "AGAINST THE BASELINE \(baseline.path) (digest \(baseline.digest))"
    lines.append(TextStyle.bold.applied(to: title, color: color))
    let report = ComparisonReport(
      baseline.comparison, baseline: "baseline", candidate: "now", changes: baseline.changes,
      parts: baseline.parts, causes: baseline)
    lines += report.lines(width: width, color: color)
    let explained = GateCase.all(gate).first { $0.kind == .baseline && !$0.details.isEmpty }
    if let explained { lines += [""] + explained.details.map { "  " + $0 } }
    lines += ["", verdict(gate, color: color)]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func verdict(_ gate: GateResult, color: Bool) -> String {
    let worse = gate.baseline?.comparison.regressions.count ?? 0
    let open = gate.baseline?.open.count ?? 0
    let (word, style): (String, TextStyle) =
      worse > 0
      ? ("REGRESSION", .red) : open > 0 ? ("NOT SURE", .yellow) : ("NO REGRESSION", .green)
    let shown = TextStyle.bold.applied(
      to: style.applied(to: word, color: color), color: color)
    var text =
      worse == 0
      ? "no metric is surely worse"
      : worse == 1 ? "1 metric is worse" : "\(worse) metrics are worse"
    text +=
      open == 0
      ? (worse == 0 ? ", and none is open" : "")
      : open == 1 ? ", 1 metric is not sure" : ", \(open) metrics are not sure"
    return "\(shown)  \(text) (exit code \(gate.exitCode))"
  }

  /// The gates as one JSON document.
  public static func json(_ gates: [GateResult]) -> JSONText {
    .object([
      .init("schema", 1), .init("kind", "gate"),
      .init("gates", .array(gates.map { json($0) })),
    ])
  }

  private static func json(_ gate: GateResult) -> JSONText {
    let comparison = gate.baseline.map { baseline in
      ComparisonReport(
        baseline.comparison, baseline: baseline.path, candidate: gate.study.scenario.name,
        changes: baseline.changes, parts: baseline.parts, causes: baseline
      ).json
    }
    return .object([
      .init("scenario", .string(gate.study.scenario.name)),
      .init("verdict", .string(gate.verdict.rawValue)),
      .init("regression", .boolean(gate.hasRegression)),
      .init("changed", .boolean(gate.differs)),
      .init("exitCode", .integer(Int64(gate.exitCode))),
      .init(
        "cases",
        .array(
          GateCase.all(gate).map { item in
            [
              "kind": .string(item.kind.rawValue), "name": .string(item.name),
              "cohort": .string(item.cohort), "level": .string(item.level.rawValue),
              "verdict": .string(item.verdict.rawValue), "message": .string(item.message),
              "details": .array(item.details.map { .string($0) }),
              "file": .string(ResultDocument.place(item.file)), "line": .integer(Int64(item.line)),
            ]
          })),
      .init("baseline", comparison ?? .null),
      .init("result", ResultDocument.json(gate.study)),
    ])
  }
}
