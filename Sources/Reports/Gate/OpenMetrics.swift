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
    return pairs.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
  }

  private static func text(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
