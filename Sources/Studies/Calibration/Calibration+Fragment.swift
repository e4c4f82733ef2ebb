import Foundation
import Scenario
import Statistics

extension Calibration {
  /// A scenario file with what was fitted and the defaults for the rest; others name it in
  /// `extends`. Remarks say where each number comes from.
  ///
  /// - Parameter base: the scenario that has the rest, as `extends` names it; nil: the defaults.
  public func fragment(name: String, sources: [String], base: String? = nil) -> String {
    var tree = FragmentTree()
    for entry in entries { tree.set(entry.key, entry.value, remark: entry.remark) }
    var lines = [
      "# Fitted by firstframe calibrate to \(reading.records) records of "
        + sources.joined(separator: ", "),
      "# (FNV-1a by words \(String(reading.digest, radix: 16)), seed \(options.seed), "
        + "\(reading.malformed) malformed).",
      "# extends: this file   in a scenario takes these over.",
      "version: 1",
    ]
    // In quotation marks, which a name of a file may need.
    if let base { lines.append("extends: \(JSONText.string(base).text(indent: 0))") }
    lines += ["name: \(name)"] + tree.lines() + tail
    return lines.joined(separator: "\n") + "\n"
  }

  /// The keys that were fitted, with the values that a file has.
  public var settings: [Variant.Setting] {
    entries.map { entry in
      let lines = entry.value.split(separator: "\n").map { $0.drop { $0 == " " } }
      return Variant.Setting(key: entry.key, value: lines.joined(separator: " "))
    }
  }

  private var entries: [(key: String, value: String, remark: String)] {
    var entries: [(key: String, value: String, remark: String)] = []
    for scalar in scalars {
      guard let key = scalar.key else { continue }
      entries.append(
        (
          key, Calibration.number(scalar.estimate.value),
          "95 % \(Calibration.interval(scalar.estimate.interval)), n \(scalar.estimate.n)"
        ))
    }
    if case .success(let fit)? = popularity {
      entries.append(
        (
          Self.popularityKeys.titles, "\(Int(fit.titles.value.rounded()))",
          options.titles == nil
            ? "95 % \(Calibration.interval(fit.titles.interval)), \(fit.seen) seen" : "as stated"
        ))
      entries.append(
        (
          Self.popularityKeys.law,
          "{kind: zipf, exponent: \(Calibration.number(fit.exponent.value))}",
          "95 % \(Calibration.interval(fit.exponent.interval)), n \(fit.requests)"
        ))
    }
    for finding in findings {
      guard let key = finding.key, case .fitted(let fit) = finding.outcome else { continue }
      entries.append((key, Calibration.law(finding, fit), Calibration.remark(finding, fit)))
    }
    for entry in field.entries {
      entries.append((entry.key, entry.value, entry.remarks.joined(separator: "\n")))
    }
    return entries
  }

  /// What has no key, as remarks at the end.
  private var tail: [String] {
    var lines: [String] = []
    for line in comparisons { lines.append("# For comparison only: \(line)") }
    for line in field.warnings { lines.append("# Warning: \(line)") }
    for line in field.unknown { lines.append("# Not told by these data: \(line)") }
    return lines
  }

  static func remark(_ finding: Finding, _ fit: Fit) -> String {
    let intervals = fit.best.parameters.compactMap { parameter in
      parameter.interval.map { "\(parameter.name) \(interval($0))" }
    }
    return "95 % \(intervals.joined(separator: ", ")); n \(finding.count), "
      + "\(finding.censored) censored; distance \(number(fit.distance.distance)), "
      + "p \(number(fit.distance.pValue))"
  }

  static func law(_ finding: Finding, _ fit: Fit) -> String {
    let unit = Calibration.suffix(finding.unit)
    let law = law(
      fit.best.family, fit.best.parameters.map(\.value), finding.unit, largest: fit.largest)
    if finding.zeros == 0 { return law }
    let rest = finding.count - finding.zeros
    return "{kind: mixture, parts: [{weight: \(finding.zeros), law: {kind: constant, value: "
      + "0\(unit)}}, {weight: \(rest), law: \(law)}]}"
  }

  /// A law as a file has it. Beyond the largest value nothing was seen, and a law's tail has no
  /// end.
  static func law(
    _ family: FittedFamily, _ values: [Double], _ measure: LawUnit, largest: Double
  ) -> String {
    let unit = Calibration.suffix(measure)
    let isWhole = measure == .bytes || measure == .bitRate
    let parameters = values.enumerated().map { index, value in
      let whole = isWhole && family.hasUnit[index] ? max(1, value.rounded()) : value
      return "\(family.parameterNames[index]): \(Calibration.number(whole))"
        + (family.hasUnit[index] ? unit : "")
    }
    let most = isWhole ? largest.rounded(.up) : largest
    return "{kind: \(family.rawValue), \(parameters.joined(separator: ", ")), "
      + "clip: {max: \(Calibration.number(most))\(unit)}}"
  }

  static func suffix(_ unit: LawUnit) -> String {
    switch unit {
    case .time: " s"
    case .bytes: " B"
    case .bitRate: " bps"
    case .real: ""
    }
  }

  /// Six figures, as decimals.
  static func number(_ value: Double) -> String {
    if value == 0 { return "0" }
    if !value.isFinite { return "\(value)" }
    let digits = max(0, 5 - Int(log10(abs(value)).rounded(.down)))
    var text = String(format: "%.\(min(digits, 12))f", value)
    if text.contains(".") {
      while text.hasSuffix("0") { text.removeLast() }
      if text.hasSuffix(".") { text.removeLast() }
    }
    return text
  }

  static func interval(_ interval: Interval) -> String {
    "\(number(interval.lower)) to \(number(interval.upper))"
  }
}

/// Keys of a scenario as nested mappings, each with a remark.
private struct FragmentTree {
  private var entries: [(path: [String], value: String, remark: String)] = []

  mutating func set(_ key: String, _ value: String, remark: String) {
    entries.append((key.split(separator: ".").map { String($0) }, value, remark))
  }

  func lines() -> [String] {
    var lines: [String] = []
    var open: [String] = []
    for entry in entries.sorted(by: { $0.path.lexicographicallyPrecedes($1.path) }) {
      let parents = Array(entry.path.dropLast())
      var same = 0
      while same < min(open.count, parents.count) && open[same] == parents[same] { same += 1 }
      for level in same..<parents.count {
        lines.append(String(repeating: "  ", count: level) + parents[level] + ":")
      }
      open = parents
      let indent = String(repeating: "  ", count: parents.count)
      for line in entry.remark.split(separator: "\n") { lines.append(indent + "# \(line)") }
      let value = entry.value.replacing("\n", with: "\n" + indent)
      let blank = value.hasPrefix("\n") ? "" : " "
      lines.append(indent + "\(entry.path[entry.path.count - 1]):\(blank)\(value)")
    }
    return lines
  }
}
