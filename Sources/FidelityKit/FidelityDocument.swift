import Scenario

/// The table of all families, for reading and as JSON.
public enum FidelityDocument {
  /// Predictors by family, the limits, and what was not compared, a line each.
  public static func text(_ reports: [FamilyReport], missing: [String] = []) -> String {
    var rows = [["family", "predictor", "n", "median", "p90", "p95", "max", "bias"]]
    for report in reports {
      for (index, line) in report.lines.enumerated() {
        let errors = line.errors
        rows.append([
          index == 0 ? report.family : "", line.predictor, "\(errors.count)",
          percent(errors.median), percent(errors.p90), percent(errors.p95), percent(errors.max),
          percent(errors.bias),
        ])
      }
    }
    var gates = [["", "family", "of our model", "is", "limit"]]
    for report in reports {
      for gate in report.gates {
        gates.append([
          gate.isMet ? "ok" : "MISSED", report.family, gate.name, value(gate, gate.value),
          value(gate, gate.limit),
        ])
      }
    }
    let subjects = reports.map { [$0.family, $0.subject] }
    let lines =
      ["errors against the truth, percent (bias: mean of the signed ones)", ""]
      + AlignedText.lines(rows, left: 2) + [""] + AlignedText.lines(subjects, left: 2) + [""]
      + AlignedText.lines(gates, left: 3) + (missing.isEmpty ? [] : [""] + missing)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func percent(_ value: Double) -> String {
    value == .infinity ? "never" : AlignedText.fixed(value * 100, decimals: 1)
  }

  private static func value(_ gate: FidelityGate, _ value: Double) -> String {
    if value == .infinity { return "never ends" }
    switch gate.unit {
    case .share: return AlignedText.fixed(value * 100, decimals: 2) + " %"
    case .factor: return AlignedText.fixed(value, decimals: 2) + " x"
    case .count: return AlignedText.fixed(value, decimals: 0)
    }
  }

  /// What was missed, one line each; empty when every limit is kept.
  public static func missed(_ reports: [FamilyReport]) -> [String] {
    reports.flatMap { report in
      report.gates.filter { !$0.isMet }.map { gate in
        "\(report.family): \(gate.name): expected at most \(value(gate, gate.limit)), got "
          + value(gate, gate.value)
      }
    }
  }

  /// The same as JSON; errors are shares, not percent.
  public static func json(_ reports: [FamilyReport], missing: [String] = []) -> String {
    let families = reports.map { report -> JSONText in
      [
        "family": .string(report.family), "subject": .string(report.subject),
        "predictors": .array(
          report.lines.map { line in
            [
              "predictor": .string(line.predictor), "n": .integer(Int64(line.errors.count)),
              "median": .number(line.errors.median), "p90": .number(line.errors.p90),
              "p95": .number(line.errors.p95), "max": .number(line.errors.max),
              "bias": .number(line.errors.bias),
            ]
          }),
        "gates": .array(
          report.gates.map { gate in
            [
              "name": .string(gate.name), "value": .number(gate.value),
              "limit": .number(gate.limit), "met": .boolean(gate.isMet),
            ]
          }),
      ]
    }
    let document: JSONText = [
      "schema": 1, "met": .boolean(missed(reports).isEmpty),
      "notCompared": .array(missing.map { .string($0) }), "families": .array(families),
    ]
    return document.text()
  }
}
