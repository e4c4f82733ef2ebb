import Foundation
import Scenario
import Statistics

extension PlayerCalibration {
  /// A scenario file with what was fitted and the defaults for the rest; others name it in
  /// `extends`. Remarks say where each number comes from.
  public func fragment(name: String, sources: [String]) -> String {
    let head = heads[0]
    var lines = [
      "# Fitted by firstframe calibrate --from-live to \(uses) uses of players in \(sessions) "
        + "sessions of",
      "# \(sources.joined(separator: ", ")): \(head.browser), \(head.processors) processors, "
        + "\(head.viewers) viewers at once at most.",
      "# extends: this file   in a scenario takes these over.",
      "version: 1", "name: \(name)", "devices:",
      "  - kind: \(head.feeding.deviceKind)",
    ]
    var open: String?
    for quantity in quantities where quantity.refusal == nil {
      let path = quantity.key.split(separator: ".").map { String($0) }
      let isNested = path.count > 1
      if isNested && open != path[0] {
        lines.append("    \(path[0]):")
        if path[0] == "presentation" {
          lines += ["      # The wait for a refresh is in what follows.", "      refresh: 0 ms"]
          lines.append("      composition: 0")
        }
      }
      open = isNested ? path[0] : nil
      let indent = isNested ? "      " : "    "
      lines.append("\(indent)# \(quantity.name): \(Self.remark(quantity))")
      lines += Self.law(quantity, indent: indent, key: path[path.count - 1])
    }
    lines.append("    stress:")
    for number in stress {
      lines.append("      # \(number.name): " + Self.remark(number))
      let key = number.key.split(separator: ".")[1]
      lines.append("      \(key): \(number.estimate.map { Calibration.number($0.value) } ?? "0")")
    }
    lines += ["      # a page does not know what is a burst", "      swipe: 0"]
    lines += ["policy:", "  player:"]
    lines.append("    kind: \(head.feeding.playerKind)")
    lines.append("    # \(threshold.name): \(Self.remark(threshold))")
    if let need = threshold.estimate {
      lines.append("    startThreshold: \(Calibration.number(need.value * 1000)) ms")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func remark(_ quantity: Quantity) -> String {
    let parts = [("P50", quantity.median), ("P95", quantity.p95)].compactMap { name, estimate in
      estimate.map { "\(name) \(milliseconds($0))" }
    }
    return "\(parts.joined(separator: ", ")); n \(quantity.count)"
  }

  private static func remark(_ number: Number) -> String {
    if let refusal = number.refusal { return "not told: \(refusal)" }
    guard let estimate = number.estimate else { return number.evidence }
    return "95 % \(Calibration.interval(estimate.interval)); \(number.evidence)"
  }

  /// `12.3 ms (11.9 to 13)`.
  static func milliseconds(_ estimate: Estimate) -> String {
    func text(_ seconds: Double) -> String { Calibration.number((seconds * 1e5).rounded() / 100) }
    return "\(text(estimate.value)) ms (\(text(estimate.interval.lower)) to "
      + "\(text(estimate.interval.upper)))"
  }

  private static func law(_ quantity: Quantity, indent: String, key: String) -> [String] {
    let values = quantity.values.map { "\(Calibration.number(($0 * 1e5).rounded() / 100)) ms" }
    var lines = ["\(indent)\(key):", "\(indent)  kind: empirical", "\(indent)  values:"]
    for begin in stride(from: 0, to: values.count, by: 7) {
      let part = values[begin..<min(begin + 7, values.count)].joined(separator: ", ")
      let isLast = begin + 7 >= values.count
      lines.append("\(indent)    \(begin == 0 ? "[" : " ")\(part)\(isLast ? "]" : ",")")
    }
    return lines
  }
}
