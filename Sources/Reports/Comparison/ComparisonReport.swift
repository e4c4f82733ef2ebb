import Models
import Scenario
import Statistics
import Studies

/// Two configurations side by side, on the terminal and as JSON.
public struct ComparisonReport: Sendable {
  public var comparison: Comparison
  /// What the sides are called.
  public var baseline: String
  public var candidate: String
  public var changes: [ConfigurationChange]
  public var parts: [PartChange]
  /// What the changed keys did, of a gate; nil where nobody looked.
  public var causes: BaselineComparison?

  public init(
    _ comparison: Comparison, baseline: String, candidate: String,
    changes: [ConfigurationChange], parts: [PartChange], causes: BaselineComparison? = nil
  ) {
    self.comparison = comparison
    self.baseline = baseline
    self.candidate = candidate
    self.changes = changes
    self.parts = parts
    self.causes = causes
  }

  /// The report as lines.
  public func lines(width: Int, color: Bool) -> [String] {
    var lines = changeLines(color: color)
    lines += [""] + table(color: color)
    lines += [""] + wrapped(summary, width: width)
    let moved = partLines(color: color)
    if !moved.isEmpty { lines += ["", "  startup time of started views, mean"] + moved }
    let told = causes.map { CauseLines.summary($0) } ?? []
    if !told.isEmpty { lines += ["", "  cause"] + told.map { "    " + $0 } }
    return lines
  }

  private func changeLines(color: Bool) -> [String] {
    if changes.isEmpty { return ["  configuration: no key differs"] }
    var table = TextTable([.left, .left, .left])
    table.heading(["key", baseline, candidate])
    for change in changes {
      table.add([
        TextCell(change.key), TextCell(ComparisonReport.value(change.before)),
        TextCell(ComparisonReport.value(change.after)),
      ])
    }
    return table.lines(color: color)
  }

  private func table(color: Bool) -> [String] {
    var table = TextTable([.left, .left, .right, .right, .right, .right, .right])
    table.heading([
      "", "metric", baseline, candidate, "difference ± half of 95 %", "change", "seen from",
    ])
    for row in comparison.rows {
      table.add([
        TextCell(ComparisonReport.word(row.outcome), ComparisonReport.style(row.outcome)),
        TextCell(row.metric.shortName),
        TextCell(row.metric.text(row.baseline)), TextCell(row.metric.text(row.candidate)),
        TextCell(ComparisonReport.difference(row)),
        TextCell(row.relativeChange.map { ComparisonReport.signedPercent($0) } ?? "–"),
        TextCell(row.smallestDetectable.map { row.metric.text($0) } ?? "–"),
      ])
    }
    return table.lines(color: color)
  }

  /// What the table says in a few sentences.
  public var summary: String {
    var text: [String] = []
    let (worse, better) = (comparison.regressions, comparison.improvements)
    let same = comparison.rows.filter { $0.outcome == .equivalent }
    if !comparison.rows.isEmpty && same.count == comparison.rows.count {
      text.append("Equivalent in every metric: each change lies inside what matters in practice.")
    } else if !same.isEmpty {
      text.append("Equivalent: \(same.count) of \(comparison.rows.count) metrics.")
    }
    if !worse.isEmpty {
      text.append(
        "Worse: " + worse.map { ComparisonReport.phrase($0) }.joined(separator: "; ") + ".")
    }
    if !better.isEmpty {
      text.append(
        "Better: " + better.map { ComparisonReport.phrase($0) }.joined(separator: "; ") + ".")
    }
    if !comparison.undecided.isEmpty {
      text.append(
        "Not sure: "
          + comparison.undecided.map { ComparisonReport.question($0) }
          .joined(separator: "; ") + ".")
    }
    text.append(
      comparison.isPaired
        ? "Paired over \(comparison.replications) replications with common random numbers"
          + reductionText + "."
        : "Independent random numbers on the two sides (Welch's interval): not paired.")
    return text.joined(separator: " ")
  }

  private var reductionText: String {
    guard
      let row = comparison.rows.first(where: { $0.metric.description == "ttff_ms.mean" }),
      let factor = row.varianceReduction
    else { return "" }
    let shown = Figures.decimal(factor, Figures.decimals(factor, spread: nil, atMost: 1))
    return ", which divided the variance of the difference of \(row.metric.shortName) by \(shown)"
  }

  /// What is not decided, and what would decide it.
  static func question(_ row: ComparisonRow) -> String {
    "\(row.metric.shortName) \(difference(row)) (\(needed(row)))"
  }

  /// What would matter, what could have been seen, and what would decide.
  static func needed(_ row: ComparisonRow) -> String {
    var parts: [String] = []
    if let least = row.leastThatMatters { parts.append("\(row.metric.text(least)) would matter") }
    if let seen = row.smallestDetectable {
      parts.append("could have seen \(row.metric.text(seen))")
    }
    parts.append(
      row.replicationsNeeded.map {
        "about \(Figures.count(Int64($0))) replications would decide"
      } ?? "more replications alone may not decide")
    return parts.joined(separator: ", ")
  }

  private static func phrase(_ row: ComparisonRow) -> String {
    let change = row.relativeChange.map { " (\(signedPercent($0)))" } ?? ""
    return "\(row.metric.shortName) \(difference(row))\(change)"
  }

  private func partLines(color: Bool) -> [String] {
    let total = parts.reduce(0) { $0 + abs($1.change) }
    let shown = parts.filter { abs($0.change) > total / 100 }
      .sorted { abs($0.change) > abs($1.change) }
    var table = TextTable([.left, .right, .right, .right])
    table.heading(["part", baseline, candidate, "difference"])
    for part in shown.prefix(6) {
      table.add([
        TextCell(part.part.label), TextCell(ComparisonReport.ms(part.before)),
        TextCell(ComparisonReport.ms(part.after)),
        TextCell(ComparisonReport.ms(part.change, signed: true)),
      ])
    }
    return shown.isEmpty ? [] : table.lines(color: color).map { "  " + $0 }
  }

  /// A value of a key; of a long one, such as a whole tier, its beginning.
  static func value(_ text: String?) -> String {
    guard let text else { return "absent" }
    return text.count <= 60 ? text : text.prefix(59) + "…"
  }

  static func ms(_ nanoseconds: Double, signed: Bool = false) -> String {
    let value = nanoseconds / 1e6
    let text = Figures.decimal(value, Figures.decimals(value, spread: nil, atMost: 3)) + " ms"
    return signed && value > 0 ? "+" + text : text
  }

  static func difference(_ row: ComparisonRow) -> String {
    guard let difference = row.difference else { return "–" }
    return Figures.difference(
      difference.value, half: difference.interval.halfWidth, unit: row.metric.unit)
  }

  static func signedPercent(_ share: Double) -> String {
    let percent = share * 100
    let text = Figures.decimal(percent, Figures.decimals(percent, spread: nil, atMost: 1))
    return (percent > 0 ? "+" : "") + text + " %"
  }

  static func word(_ outcome: ComparisonOutcome) -> String {
    switch outcome {
    case .worse: "worse"
    case .better: "better"
    case .equivalent: "equivalent"
    case .notSure: "not sure"
    case .noData: "no data"
    }
  }

  static func style(_ outcome: ComparisonOutcome) -> TextStyle {
    switch outcome {
    case .worse: .red
    case .better: .green
    case .equivalent: .faint
    case .notSure: .yellow
    case .noData: .magenta
    }
  }

  private func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty && 3 + line.count + word.count > width {
        lines.append("  " + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line.isEmpty ? "" : "  " + line]
  }

  /// The same as JSON.
  public var json: JSONText {
    .object([
      .init("schema", 1), .init("kind", "comparison"), .init("baseline", .string(baseline)),
      .init("candidate", .string(candidate)), .init("paired", .boolean(comparison.isPaired)),
      .init("replications", .integer(Int64(comparison.replications))),
      .init("threshold", .number(comparison.thresholds.relative)),
      .init("changes", .array(changes.map { ComparisonReport.json($0) })),
      .init("metrics", .array(comparison.rows.map { ComparisonReport.json($0) })),
      .init(
        "startup",
        .array(
          parts.map { part in
            [
              "part": .string("\(part.part.name)"), "baselineMs": .number(part.before / 1e6),
              "candidateMs": .number(part.after / 1e6),
            ]
          })),
      .init(
        "causes", .array((causes?.causes ?? []).map { RunRecord.Causes($0).json })),
    ])
  }

  static func json(_ change: ConfigurationChange) -> JSONText {
    [
      "key": .string(change.key), "baseline": change.before.map { .string($0) } ?? .null,
      "candidate": change.after.map { .string($0) } ?? .null,
    ]
  }

  static func json(_ row: ComparisonRow) -> JSONText {
    func number(_ value: Double?) -> JSONText { value.map { .number($0) } ?? .null }
    return [
      "metric": .string(row.metric.description), "baseline": number(row.baseline),
      "candidate": number(row.candidate), "difference": number(row.difference?.value),
      "lower": number(row.difference?.interval.lower),
      "upper": number(row.difference?.interval.upper),
      "relativeChange": number(row.relativeChange),
      "smallestDetectable": number(row.smallestDetectable),
      "leastThatMatters": number(row.leastThatMatters),
      "replicationsNeeded": row.replicationsNeeded.map { .integer(Int64($0)) } ?? .null,
      "varianceReduction": number(row.varianceReduction),
      "replications": .integer(Int64(row.replications)),
      "outcome": .string(row.outcome.rawValue),
    ]
  }
}

extension MetricReference {
  /// As a budget is usually written: a ratio has only one stat.
  var shortName: String {
    let text = description
    return text.hasSuffix(".ratio") ? String(text.dropLast(6)) : text
  }

  /// A value with its unit.
  func text(_ value: Double?) -> String {
    guard let value else { return "no data" }
    if unit == .ratio { return Figures.percent(value) }
    let number = Figures.decimal(value, Figures.decimals(value, spread: nil, atMost: 2))
    return unit == .milliseconds ? number + " ms" : number
  }
}
