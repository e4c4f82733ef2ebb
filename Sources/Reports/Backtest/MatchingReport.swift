import Scenario
import Statistics
import Studies

/// What was fitted by simulation, as text, as JSON and as a scenario.
public struct MatchingReport: Sendable {
  /// Of the JSON.
  static let version: Int64 = 1

  public let matching: Matching
  public let scenario: String
  public let replications: Int
  public let notes: [String]

  /// - Parameters:
  ///   - scenario: its name.
  ///   - replications: of each prediction.
  public init(_ matching: Matching, scenario: String, replications: Int, notes: [String]) {
    self.matching = matching
    self.scenario = scenario
    self.replications = replications
    self.notes = notes
  }

  /// Whether every key is told by the data and the search came to an end.
  public var isTold: Bool {
    matching.answer.hasConverged && matching.answer.estimates.allSatisfy(\.isTold)
  }

  // MARK: Text

  /// The report as text ending in a line feed.
  public func text(color: Bool) -> String {
    let answer = matching.answer
    let head =
      "\(matching.keys.count) keys of \(scenario) fitted to "
      + "\(Figures.count(Int64(matching.views))) views in \(answer.runs) predictions of "
      + "\(replications) replications"
    var lines = [TextStyle.bold.applied(to: head, color: color)]
    var keys = TextTable([.left, .right, .right, .left])
    keys.heading(["key", "found", "95 %", ""])
    for (key, estimate) in zip(matching.keys, answer.estimates) {
      keys.add([
        TextCell(key.key), TextCell(Self.rounded(estimate.value, key)),
        TextCell(Self.interval(estimate, key)), TextCell(estimate.isTold ? "" : "not told"),
      ])
    }
    lines += [""] + keys.lines(color: color)
    var rows = TextTable([.left, .left, .right, .right, .right])
    rows.heading(["metric", "", "observed", "with these", "with the middles"])
    for row in matching.rows {
      rows.add([
        TextCell(row.metric.name), TextCell(row.cohort),
        TextCell(BacktestReport.value(row.observed, row.metric)),
        TextCell(BacktestReport.value(row.found, row.metric)),
        TextCell(BacktestReport.value(row.start, row.metric)),
      ])
    }
    lines += [""] + rows.lines(color: color)
    lines += [""] + remarks.map { "  \($0)" } + notes.map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What is to be known of the numbers.
  var remarks: [String] {
    let answer = matching.answer
    var remarks = [
      "squares of errors over their noise: \(Figures.decimal(answer.startSquares, 0)) with the "
        + "middles of the ranges, \(Figures.decimal(answer.squares, 1)) with these, of "
        + "\(matching.rows.count) numbers"
    ]
    if answer.misfit > 1 {
      remarks.append(
        "what is left is \(Figures.decimal(answer.misfit, 1)) times what noise would leave: no "
          + "values of these keys meet all numbers, and intervals are wider by its root")
    }
    if !answer.hasConverged {
      remarks.append(
        "the search ended before its steps came to rest, "
          + "\(Figures.decimal(answer.promisedSquares, 1)) squares from what they promise: take "
          + "these as a direction")
    }
    for (key, estimate) in zip(matching.keys, answer.estimates) where !estimate.isTold {
      remarks.append("not told: \(key.key): its interval goes beyond \(Self.open(estimate, key))")
    }
    for pair in matching.tradeOffs {
      remarks.append(
        "\(pair.first.key) and \(pair.second.key) trade off: their errors go together by "
          + Figures.decimal(pair.correlation, 2))
    }
    return remarks
  }

  static func rounded(_ value: Double, _ key: MatchedKey) -> String {
    let places = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
    let number = Figures.decimal(value, places)
    return key.unit.isEmpty ? number : "\(number) \(key.unit)"
  }

  private static func interval(_ estimate: MomentMatching.Estimate, _ key: MatchedKey) -> String {
    let (low, high) = (estimate.interval.lower, estimate.interval.upper)
    let lower = low <= key.range.lowerBound ? "less" : rounded(low, key)
    let upper = high >= key.range.upperBound ? "more" : rounded(high, key)
    return "\(lower) to \(upper)"
  }

  /// The ends of the range that an interval goes beyond.
  private static func open(_ estimate: MomentMatching.Estimate, _ key: MatchedKey) -> String {
    let (low, high) = (rounded(key.range.lowerBound, key), rounded(key.range.upperBound, key))
    if estimate.interval.lower > key.range.lowerBound { return high }
    return estimate.interval.upper < key.range.upperBound ? low : "\(low) to \(high)"
  }

  // MARK: Scenario

  /// The scenario with what was found, and what it rests on.
  ///
  /// - Parameters:
  ///   - resolved: its text.
  ///   - command: the command line.
  public func fragment(_ resolved: String, command: String) -> String {
    var head = ["Keys fitted by simulation: \(command)"]
    for (key, estimate) in zip(matching.keys, matching.answer.estimates) {
      head.append(
        "\(key.key): \(Self.rounded(estimate.value, key)), 95 % "
          + "\(Self.interval(estimate, key)), \(matching.views) views"
          + (estimate.isTold ? "" : ": not told"))
    }
    return (head + remarks).map { "# \($0)\n" }.joined() + resolved
  }

  // MARK: JSON

  public func json() -> String {
    let answer = matching.answer
    return JSONLayout.text(
      .object([
        .init("schema", .integer(Self.version)), .init("kind", "firstframe.match"),
        .init("scenario", .string(scenario)), .init("views", .integer(Int64(matching.views))),
        .init("replications", .integer(Int64(replications))),
        .init("predictions", .integer(Int64(answer.runs))),
        .init("converged", .boolean(answer.hasConverged)),
        .init("promised", .number(answer.promisedSquares)),
        .init("keys", .array(zip(matching.keys, answer.estimates).map { Self.json($0, $1) })),
        .init(
          "correlations",
          .array(answer.correlations.map { row in .array(row.map { .number($0) }) })),
        .init(
          "squares", [.number(answer.startSquares), .number(answer.squares)]),
        .init("misfit", .number(answer.misfit)),
        .init("rows", .array(matching.rows.map { Self.json($0) })),
        .init("notes", .array((remarks + notes).map { .string($0) })),
      ]))
  }

  private static func json(
    _ key: MatchedKey, _ estimate: MomentMatching.Estimate
  ) -> JSONText {
    .object([
      .init("key", .string(key.key)), .init("unit", .string(key.unit)),
      .init("value", .number(estimate.value)),
      .init(
        "interval", [.number(estimate.interval.lower), .number(estimate.interval.upper)]),
      .init("range", [.number(key.range.lowerBound), .number(key.range.upperBound)]),
      .init("told", .boolean(estimate.isTold)),
    ])
  }

  private static func json(_ row: Matching.Row) -> JSONText {
    .object([
      .init("metric", .string(row.metric.name)), .init("cohort", .string(row.cohort)),
      .init("unit", .string(row.metric.unit.word)), .init("observed", .number(row.observed)),
      .init("start", .number(row.start)), .init("found", .number(row.found)),
    ])
  }
}
