import Scenario
import Statistics
import Studies

/// What was fitted to telemetry and how well it fits, as text and as JSON.
public enum CalibrationReport {
  /// The report as text ending in a line feed.
  public static func text(_ calibration: Calibration, color: Bool) -> String {
    let reading = calibration.reading
    var lines = [
      TextStyle.bold.applied(
        to: "\(Figures.count(Int64(reading.records))) records "
          + "(\(reading.formats.joined(separator: ", ")))", color: color)
    ]
    lines += counts(reading).map { "  " + $0 }
    if !calibration.allLaws.isEmpty {
      lines += ["", TextStyle.bold.applied(to: "LAWS", color: color)]
      lines += laws(calibration, color: color)
    }
    let others = numbers(calibration)
    if !others.isEmpty {
      lines += ["", TextStyle.bold.applied(to: "NUMBERS", color: color)]
      lines += others.map { "  " + $0 }
    }
    for (title, texts) in sections(calibration) where !texts.isEmpty {
      lines += ["", TextStyle.bold.applied(to: title, color: color)]
      lines += texts.flatMap { wrapped($0) }
    }
    lines += [
      "", "distance: the largest difference to the data's product-limit curve; p: the share of",
      "samples from the fitted law, fitted anew, that are at least as far. A large sample refuses",
      "every law in the end: look at the distance too.",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  /// What was counted while reading.
  static func counts(_ reading: TelemetryReading) -> [String] {
    var lines: [String] = []
    if reading.malformed > 0 {
      lines.append("\(reading.malformed) malformed, left out (named on standard error)")
    }
    if reading.repeated > 0 { lines.append("\(reading.repeated) came again with the same id") }
    if reading.unused > 0 { lines.append("\(reading.unused) of names that nothing is fitted to") }
    return lines + reading.notes
  }

  /// What follows the numbers, by title.
  static func sections(_ calibration: Calibration) -> [(title: String, texts: [String])] {
    let field = calibration.field
    let compared = field.rows.filter { $0.key == nil }.map { words($0) }
    let left = calibration.left.map { "\($0.name): \($0.reason)" }
    return [
      (title: "FOR COMPARISON ONLY", texts: compared), (title: "REFUSED", texts: field.refusals),
      (title: "NOT TOLD BY THESE DATA", texts: field.unknown),
      (title: "WARNINGS", texts: field.warnings), (title: "NO KEY TAKES", texts: left),
    ]
  }

  /// A text of any length in lines of a terminal.
  private static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    var line = "  -"
    for word in text.split(separator: " ") {
      if line.count + 1 + word.count > 96 {
        lines.append(line)
        line = "   "
      }
      line += " " + word
    }
    return lines + [line]
  }

  /// `session rate: median 12.3 Mbps (11.9 to 12.7), sigma 0.8 (0.77 to 0.83); n 400 sessions`.
  static func words(_ row: FieldCalibration.Row) -> String {
    let numbers = row.numbers.map { words($0.name, $0.value, $0.interval, $0.unit) }
    var text = "\(row.name): \(numbers.joined(separator: ", ")); n \(row.count) \(row.of)"
    if let distance = row.distance { text += ", distance \(number(distance))" }
    let others = row.alternatives.map { "\($0.name) \(number($0.aic))" }
    if !others.isEmpty { text += ", AIC above this: \(others.joined(separator: ", "))" }
    return text + (row.key.map { " -> \($0)" } ?? "")
  }

  private static func laws(_ calibration: Calibration, color: Bool) -> [String] {
    var table = TextTable([.left, .right, .right, .left, .right, .right, .left])
    table.heading(["quantity", "n", "censored", "law", "distance", "p", "key"])
    var refusals: [String] = []
    for finding in calibration.allLaws {
      switch finding.outcome {
      case .fitted(let fit):
        table.add([
          TextCell(finding.name), TextCell("\(finding.count)"), TextCell("\(finding.censored)"),
          TextCell(words(finding, fit)), TextCell(number(fit.distance.distance)),
          TextCell(number(fit.distance.pValue)), TextCell(finding.place),
        ])
      case .refused(let reason):
        refusals.append("  \(finding.name): refused: \(reason)")
      }
    }
    return table.lines(color: color) + refusals
  }

  /// `lognormal, median 360 s (350 to 371), sigma 1.01 (0.98 to 1.03)`.
  static func words(_ finding: Calibration.Finding, _ fit: Calibration.Fit) -> String {
    let parameters = fit.best.parameters.enumerated().map { index, parameter in
      words(
        parameter.name, parameter.value, parameter.interval,
        fit.best.family.hasUnit[index] ? finding.unit : .real)
    }
    let zeros =
      finding.zeros > 0
      ? ", and 0 in \(Figures.percent(Double(finding.zeros) / Double(finding.count)))" : ""
    return fit.best.family.rawValue + " " + parameters.joined(separator: ", ") + zeros
  }

  static func numbers(_ calibration: Calibration) -> [String] {
    var lines = calibration.scalars.map { scalar in
      "\(scalar.name): \(words(scalar.estimate)), n \(scalar.estimate.n)"
    }
    switch calibration.popularity {
    case .success(let fit)?:
      lines.append(
        "popularity: Zipf's exponent \(words(fit.exponent)), n \(fit.requests); titles "
          + (calibration.options.titles == nil ? words(fit.titles) : number(fit.titles.value))
          + ", \(fit.seen) of them seen; "
          + (fit.draws == .independent
            ? "every view by itself" : "no session sees a title twice"))
    case .failure(let error)?: lines.append("popularity: refused: \(error.message)")
    case nil: break
    }
    return lines + calibration.field.rows.filter { $0.key != nil }.map { words($0) }
  }

  /// `median 61.2 ms (59.0 to 63.4)`, in the unit that has few digits.
  private static func words(
    _ name: String, _ value: Double, _ interval: Interval?, _ unit: LawUnit
  ) -> String {
    let (scale, suffix) =
      switch unit {
      case .real: (1.0, "")
      case .time: value < 0.1 ? (1e-3, " ms") : (1, " s")
      case .bytes: (1, " B")
      case .bitRate: value < 1e5 ? (1, " bps") : (1e6, " Mbps")
      }
    let bounds = interval.map {
      " (\(number($0.lower / scale)) to \(number($0.upper / scale)))"
    }
    return "\(name) \(number(value / scale))\(suffix)" + (bounds ?? "")
  }

  private static func words(_ estimate: Estimate) -> String {
    "\(number(estimate.value)) (\(number(estimate.interval.lower)) to "
      + "\(number(estimate.interval.upper)))"
  }

  /// Four figures or so.
  static func number(_ value: Double) -> String {
    let size = abs(value)
    return Figures.decimal(value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3)
  }

  // MARK: JSON

  /// The report as JSON; a function of the calibration alone.
  public static func json(_ calibration: Calibration) -> JSONText {
    let reading = calibration.reading
    let field = calibration.field
    let left: [JSONText] = calibration.left.map {
      ["name": .string($0.name), "reason": .string($0.reason)]
    }
    return [
      "schema": 1, "kind": "calibration",
      "seed": .integer(Int64(bitPattern: calibration.options.seed)),
      "read": [
        "records": .integer(Int64(reading.records)),
        "malformed": .integer(Int64(reading.malformed)),
        "repeated": .integer(Int64(reading.repeated)), "unused": .integer(Int64(reading.unused)),
        "formats": .array(reading.formats.map { .string($0) }),
        "digest": .string(String(reading.digest, radix: 16)),
        "notes": .array(reading.notes.map { .string($0) }),
        "problems": .array(reading.problems.map { .string($0.description) }),
      ],
      "laws": .array(calibration.allLaws.map { law($0) }),
      "fits": .array(field.rows.map { fit($0) }), "refused": texts(field.refusals),
      "unknown": texts(field.unknown), "warnings": texts(field.warnings), "left": .array(left),
      "numbers": .array(
        calibration.scalars.map { scalar in
          .object(
            [
              .init("name", .string(scalar.name)),
              .init("key", scalar.key.map { .string($0) } ?? .null),
            ] + members(scalar.estimate))
        }),
      "popularity": popularity(calibration.popularity),
    ]
  }

  private static func texts(_ lines: [String]) -> JSONText { .array(lines.map { .string($0) }) }

  private static func fit(_ row: FieldCalibration.Row) -> JSONText {
    let numbers: [JSONText] = row.numbers.map { number in
      [
        "name": .string(number.name), "value": .number(number.value),
        "unit": .string(number.unit.rawValue),
        "interval": [.number(number.interval.lower), .number(number.interval.upper)],
      ]
    }
    let others: [JSONText] = row.alternatives.map {
      ["name": .string($0.name), "aicAbove": .number($0.aic)]
    }
    return .object([
      .init("name", .string(row.name)), .init("key", row.key.map { .string($0) } ?? .null),
      .init("n", .integer(Int64(row.count))), .init("of", .string(row.of)),
      .init("distance", row.distance.map { .number($0) } ?? .null),
      .init("numbers", .array(numbers)), .init("alternatives", .array(others)),
    ])
  }

  private static func members(_ estimate: Estimate) -> [JSONText.Member] {
    [
      .init("value", .number(estimate.value)),
      .init("interval", [.number(estimate.interval.lower), .number(estimate.interval.upper)]),
      .init("n", .integer(Int64(estimate.n))),
    ]
  }

  private static func popularity(
    _ result: Result<PopularityFit, StatisticsError>?
  ) -> JSONText {
    switch result {
    case .success(let fit)?:
      [
        "exponent": .object(members(fit.exponent)), "titles": .object(members(fit.titles)),
        "seen": .integer(Int64(fit.seen)),
        "draws": fit.draws == .independent ? "independent" : "distinct in a session",
      ]
    case .failure(let error)?: ["refused": .string(error.message)]
    case nil: .null
    }
  }

  private static func law(_ finding: Calibration.Finding) -> JSONText {
    var members: [JSONText.Member] = [
      .init("name", .string(finding.name)), .init("key", finding.key.map { .string($0) } ?? .null),
      .init("result", finding.result.map { .string($0) } ?? .null),
      .init("unit", .string(finding.unit.rawValue)), .init("n", .integer(Int64(finding.count))),
      .init("censored", .integer(Int64(finding.censored))),
      .init("zeros", .integer(Int64(finding.zeros))),
    ]
    switch finding.outcome {
    case .refused(let reason): members.append(.init("refused", .string(reason)))
    case .fitted(let fit):
      members += [
        .init("family", .string(fit.best.family.rawValue)),
        .init(
          "parameters",
          .array(
            fit.best.parameters.map { parameter in
              [
                "name": .string(parameter.name), "value": .number(parameter.value),
                "interval": parameter.interval.map {
                  [.number($0.lower), .number($0.upper)]
                } ?? .null,
              ]
            })),
        .init("distance", .number(fit.distance.distance)),
        .init("pValue", .number(fit.distance.pValue)),
        .init(
          "candidates",
          .array(
            fit.candidates.map { candidate in
              ["family": .string(candidate.family.rawValue), "aic": .number(candidate.aic)]
            })),
      ]
    }
    return .object(members)
  }
}

extension Calibration.Finding {
  /// Where a law goes.
  var place: String { key ?? (result == nil ? "none" : "(a result)") }
}
