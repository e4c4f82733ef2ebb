import Scenario
import Studies

/// Metrics in the OpenMetrics text format (version 1.0.0), which Prometheus and GitLab's metrics
/// reports read.
public enum OpenMetrics {
  private struct Family {
    var name: String
    var help: String
    var unit: String
    var lines: [String] = []
  }

  /// The text of the file.
  public static func text(_ gates: [GateResult]) -> String {
    var families: [Family] = []
    func add(_ name: String, unit: String, _ help: String, _ line: String) {
      if let index = families.firstIndex(where: { $0.name == name }) {
        if !families[index].lines.contains(line) { families[index].lines.append(line) }
      } else {
        families.append(Family(name: name, help: help, unit: unit, lines: [line]))
      }
    }
    for gate in gates {
      let study = gate.study
      for result in study.budgets.map(\.metric) + study.metrics {
        guard let value = result.value else { continue }
        let isRatio = result.reference.unit == .ratio
        let isNumber = result.reference.unit == .number
        let unit = isRatio ? "ratio" : isNumber ? "" : "seconds"
        let name = "firstframe_" + base(result.reference) + (isNumber ? "" : "_\(unit)")
        let scale = isRatio || isNumber ? 1 : 1e-3
        var bounds = [("value", value)]
        if let interval = result.interval {
          bounds += [("lower", interval.lower), ("upper", interval.upper)]
        }
        for (bound, number) in bounds {
          add(
            name, unit: unit,
            "\(result.reference.metric) with the ends of its 95 % interval",
            "\(name){\(labels(result.reference, study, bound))} \(text(number * scale))")
        }
      }
      for row in strictest(study.budgets) {
        for (name, unit, help, line) in budgetLines(row, study) {
          add(name, unit: unit, help, line)
        }
      }
      for item in GateCase.all(gate) {
        let name = "firstframe_verdict"
        add(
          name, unit: "", "1 for the verdict that a budget or a comparison has",
          "\(name){scenario=\"\(escaped(item.scenario))\",kind=\"\(item.kind.rawValue)\","
            + "case=\"\(escaped(item.name))\",cohort=\"\(escaped(item.cohort))\","
            + "level=\"\(item.level.rawValue)\",verdict=\"\(item.verdict.rawValue)\"} 1")
      }
    }
    var lines: [String] = []
    for family in families {
      lines.append("# TYPE \(family.name) gauge")
      if !family.unit.isEmpty { lines.append("# UNIT \(family.name) \(family.unit)") }
      lines.append("# HELP \(family.name) \(escaped(family.help))")
      lines += family.lines
    }
    return (lines + ["# EOF"]).joined(separator: "\n") + "\n"
  }

  /// Of budgets of one metric, level and side, the strictest: series have one value.
  private static func strictest(_ budgets: [BudgetResult]) -> [BudgetResult] {
    budgets.enumerated().filter { index, row in
      !budgets.enumerated().contains { other, rival in
        let isSame =
          rival.budget.metric == row.budget.metric && rival.budget.level == row.budget.level
          && rival.budget.limit.isUpper == row.budget.limit.isUpper
        let (mine, its) = (row.budget.limit.value, rival.budget.limit.value)
        let isStricter = row.budget.limit.isUpper ? its < mine : its > mine
        return isSame && (isStricter || (its == mine && other < index))
      }
    }.map(\.element)
  }

  /// The limit of a budget in the unit of its metric, and the margin: the distance to the limit as
  /// a share of it, positive on the good side, with the ends of its 95 % interval.
  private static func budgetLines(
    _ row: BudgetResult, _ study: StudyResult
  ) -> [(name: String, unit: String, help: String, line: String)] {
    let budget = row.budget
    let unit =
      switch budget.metric.unit {
      case .ratio: "ratio"
      case .number: ""
      case .milliseconds: "seconds"
      }
    var pairs = [
      ("scenario", study.scenario.name), ("metric", budget.metric.metric),
      ("stat", budget.metric.stat), ("level", budget.level.rawValue),
      ("side", budget.limit.isUpper ? "upper" : "lower"),
    ]
    pairs += budget.metric.labels.map { ($0.name, $0.value) }
    let name = "firstframe_limit" + (unit.isEmpty ? "" : "_\(unit)")
    let scale = budget.metric.unit == .milliseconds ? 1e-3 : 1
    var lines = [
      (
        name, unit, "the limit of a budget: side upper to stay below, lower to stay above",
        "\(name){\(joined(pairs))} \(text(budget.limit.value * scale))"
      )
    ]
    guard let margin = row.margin, budget.limit.value != 0 else { return lines }
    var bounds = [("value", margin)]
    if let interval = row.metric.interval {
      let sign = budget.limit.isUpper ? -1.0 : 1.0
      let ends = [interval.lower, interval.upper].map { sign * ($0 / budget.limit.value - 1) }
      bounds += [("lower", min(ends[0], ends[1])), ("upper", max(ends[0], ends[1]))]
    }
    for (bound, number) in bounds where number.isFinite {
      lines.append(
        (
          "firstframe_margin_ratio", "ratio",
          "the distance of a budget to its limit as a share of it, positive on the good side",
          "firstframe_margin_ratio{\(joined(pairs + [("bound", bound)]))} \(text(number))"
        ))
    }
    return lines
  }

  private static func joined(_ pairs: [(String, String)]) -> String {
    pairs.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
  }

  /// The metric's name without its unit.
  private static func base(_ reference: MetricReference) -> String {
    let name = reference.metric
    for suffix in ["_ms", "_ratio"] where name.hasSuffix(suffix) {
      return String(name.dropLast(suffix.count))
    }
    return name
  }

  private static func labels(
    _ reference: MetricReference, _ study: StudyResult, _ bound: String
  ) -> String {
    var pairs = [("scenario", study.scenario.name), ("stat", reference.stat), ("bound", bound)]
    pairs += reference.labels.map { ($0.name, $0.value) }
    return joined(pairs)
  }

  private static func text(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }

  private static func escaped(_ text: String) -> String {
    VisibleText.escaped(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n")
  }
}
