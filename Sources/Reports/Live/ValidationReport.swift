import Foundation
import Scenario
import Statistics
import Studies

/// How well the simulation predicted a live run: on the terminal, as JSON, and as a page with both
/// curves on one plot.
public struct ValidationReport: Sendable {
  /// The version of `validation.json`.
  public static let version: Int64 = 2

  public var validation: Validation
  /// The scenario's name and the digest of its live form.
  public var scenario: String
  public var digest: String
  public var live: LiveFacts
  /// What the two sides have and have not in common, in sentences.
  public var notes: [String]

  public init(
    _ validation: Validation, scenario: String, digest: String, live: LiveFacts,
    notes: [String] = []
  ) {
    self.validation = validation
    self.scenario = scenario
    self.digest = digest
    self.live = live
    self.notes = notes
  }

  /// The exit code: 13 when the generator was unhealthy, else the comparison's.
  public var exitCode: Int32 { live.reasons.isEmpty ? validation.exitCode : 13 }

  var headline: String {
    if !live.reasons.isEmpty { return "INVALID: the generator was not healthy" }
    let count = validation.rows.count { $0.verdict == .agrees }
    return "\(validation.verdict.rawValue.uppercased()): \(count) of \(validation.rows.count) "
      + "metrics agree within their tolerances"
  }

  // MARK: Terminal

  /// The report as text ending in a line feed.
  public func text(color: Bool) -> String {
    let bold = { (text: String) in TextStyle.bold.applied(to: text, color: color) }
    var lines = [
      bold("\(scenario) · digest \(digest) · simulated against live"),
      bold(headline) + " (exit code \(exitCode))",
      "  live: \(live.target), \(live.edge); \(live.link)",
      "  \(Figures.count(live.requests)) requests, \(Figures.count(live.lateStarts)) of "
        + "\(Figures.count(live.starts)) sessions began late",
    ]
    lines += live.reasons.map { "  not to be believed: \($0)" } + [""]
    var table = TextTable([.left, .left, .right, .right, .right, .right, .right])
    table.heading([
      "", "metric", "simulated", "live", "difference ± half of 95 %", "tolerance", "n live",
    ])
    for row in validation.rows {
      let style: TextStyle =
        switch row.verdict {
        case .agrees: .green
        case .differs: .red
        case .undecided: .yellow
        case .noData: .faint
        }
      table.add([
        TextCell(row.verdict.rawValue, style), TextCell(row.name),
        TextCell(Self.value(row.simulated, row)), TextCell(Self.value(row.live, row)),
        TextCell(Self.difference(row)), TextCell(Self.value(row.tolerance, row, isSpan: true)),
        TextCell(Figures.count(row.samples.live)),
      ])
    }
    lines += table.lines(color: color) + [""] + startupLines(color: color)
    for curve in validation.curves {
      lines.append("  \(curve.metric): \(Self.distance(curve))")
    }
    lines += notes.map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private func startupLines(color: Bool) -> [String] {
    var lines: [String] = []
    for startup in validation.startups where !startup.parts.isEmpty {
      var table = TextTable([.left, .right, .right, .right])
      table.heading([
        "part of a \(startup.clock.rawValue) start", "simulated", "live",
        "difference ± half of 95 %",
      ])
      for part in startup.parts { table.add(Self.cells(part).map { TextCell($0) }) }
      if let whole = startup.whole { table.add(Self.cells(whole).map { TextCell($0) }) }
      lines += table.lines(color: color)
      lines += Self.remarks(startup).map { "  \($0)" } + [""]
    }
    return lines
  }

  /// What the means are of, and what explains their difference.
  static func remarks(_ startup: StartupComparison) -> [String] {
    var lines = [
      "Means over \(Figures.count(Int64(startup.pairs))) views of "
        + "\(Figures.count(Int64(startup.sessions))) sessions that started on both sides; "
        + "\(startup.onlySimulated) only simulated, \(startup.onlyLive) only live, "
        + "\(startup.startedOnOneSide) with a first frame on one side alone."
    ]
    if let spread = startup.spread {
      func text(_ value: Double) -> String { Figures.signed(value, decimals: 1) }
      lines.append(
        "View by view live minus simulated: P5 \(text(spread.p5)) ms, P50 \(text(spread.p50)) ms, "
          + "P95 \(text(spread.p95)) ms.")
    }
    if let (part, share) = startup.explanation {
      lines.append(
        "Most of the difference is in \(part.name): "
          + "\(Figures.signed(part.live - part.simulated, decimals: 1)) ms, "
          + "\(Figures.percent(share, decimals: 0)) of it.")
    } else if startup.whole?.interval == nil {
      lines.append("One session: nothing is known of what others differ by.")
    } else {
      lines.append("The means may be equal: their difference's interval has nothing in it.")
    }
    return lines
  }

  /// Name, both means and their difference.
  static func cells(_ part: StartupComparison.Part) -> [String] {
    let half = part.interval.map { " ±" + Figures.decimal($0.halfWidth, 1) } ?? ""
    return [
      part.name, "\(Figures.decimal(part.simulated, 1)) ms",
      "\(Figures.decimal(part.live, 1)) ms",
      Figures.signed(part.live - part.simulated, decimals: 1) + half + " ms",
    ]
  }

  static func distance(_ curve: Validation.Curve) -> String {
    "Kolmogorov-Smirnov distance \(Figures.decimal(curve.distance, 4)) "
      + "(n = \(Figures.count(Int64(curve.simulated.count))) and "
      + "\(Figures.count(Int64(curve.live.count))); independent samples of one law stay below "
      + "\(Figures.decimal(curve.critical, 4)) in 95 of 100 cases)"
  }

  static func value(
    _ value: Double?, _ row: Validation.Row, isSpan: Bool = false
  ) -> String {
    guard let value else { return "no data" }
    switch row.unit {
    case "":
      return isSpan
        ? "\(Figures.decimal(value * 100, 1)) points" : Figures.percent(value, decimals: 2)
    case "bytes": return Figures.bytes(Int64(value))
    case "ms": return "\(Figures.decimal(value, 1)) ms"
    default: return Figures.count(Int64(value.rounded()))
    }
  }

  static func difference(_ row: Validation.Row) -> String {
    guard let simulated = row.simulated, let live = row.live else { return "–" }
    let scale = row.unit.isEmpty ? 100.0 : 1
    let places = row.unit.isEmpty ? 2 : row.unit == "ms" ? 1 : 0
    let half = row.interval.map { " ±" + Figures.decimal($0.halfWidth * scale, places) } ?? ""
    var text = Figures.signed((live - simulated) * scale, decimals: places) + half
    text += row.unit.isEmpty ? " points" : row.unit == "ms" ? " ms" : ""
    if !row.unit.isEmpty && simulated != 0 {
      text += " (\(Figures.signed((live / simulated - 1) * 100, decimals: 1)) %)"
    }
    return text
  }

  // MARK: JSON

  /// `validation.json`.
  public func json() -> String {
    func number(_ value: Double?) -> JSONText { value.map { .number($0) } ?? .null }
    let rows = validation.rows.map { row -> JSONText in
      let bounds: JSONText =
        row.interval.map { [.number($0.lower), .number($0.upper)] } ?? .null
      return .object([
        .init("metric", .string(row.name)), .init("unit", .string(row.unit)),
        .init("simulated", number(row.simulated)), .init("live", number(row.live)),
        .init("differenceInterval", bounds), .init("tolerance", .number(row.tolerance)),
        .init("samplesSimulated", .integer(row.samples.simulated)),
        .init("samplesLive", .integer(row.samples.live)),
        .init("verdict", .string(row.verdict.rawValue)),
      ])
    }
    let curves = validation.curves.map { curve -> JSONText in
      .object([
        .init("metric", .string(curve.metric)), .init("distance", .number(curve.distance)),
        .init("critical", .number(curve.critical)),
        .init("simulatedMilliseconds", .array(Self.quantiles(curve.simulated).map { .number($0) })),
        .init("liveMilliseconds", .array(Self.quantiles(curve.live).map { .number($0) })),
      ])
    }
    return JSONLayout.text(
      .object([
        .init("schema", .integer(Self.version)), .init("kind", "firstframe.validation"),
        .init("scenario", .string(scenario)), .init("digest", .string(digest)),
        .init("verdict", .string(live.reasons.isEmpty ? validation.verdict.rawValue : "invalid")),
        .init("exitCode", .integer(Int64(exitCode))), .init("live", RunRecord.Live(live).json),
        .init("rows", .array(rows)), .init("curves", .array(curves)),
        .init("starts", .array(validation.startups.map { Self.json($0) })),
        .init("notes", .array(notes.map { .string($0) })),
      ]))
  }

  private static func json(_ startup: StartupComparison) -> JSONText {
    func json(_ part: StartupComparison.Part) -> JSONText {
      .object([
        .init("part", .string(part.name)), .init("simulatedMilliseconds", .number(part.simulated)),
        .init("liveMilliseconds", .number(part.live)),
        .init(
          "differenceInterval",
          part.interval.map { [.number($0.lower), .number($0.upper)] } ?? .null),
      ])
    }
    return .object([
      .init("clock", .string(startup.clock.rawValue)),
      .init("pairs", .integer(Int64(startup.pairs))),
      .init("sessions", .integer(Int64(startup.sessions))),
      .init("onlySimulated", .integer(Int64(startup.onlySimulated))),
      .init("onlyLive", .integer(Int64(startup.onlyLive))),
      .init("startedOnOneSide", .integer(Int64(startup.startedOnOneSide))),
      .init("whole", startup.whole.map { json($0) } ?? .null),
      .init("parts", .array(startup.parts.map { json($0) })),
      .init(
        "pairDifferenceMilliseconds",
        startup.spread.map { [.number($0.p5), .number($0.p50), .number($0.p95)] } ?? .null),
      .init("explainedBy", startup.explanation.map { .string($0.part.name) } ?? .null),
      .init("explainedShare", startup.explanation.map { .number($0.share) } ?? .null),
    ])
  }

  /// Every percentile from 0 to 100 of sorted values.
  private static func quantiles(_ sorted: [Double]) -> [Double] {
    if sorted.isEmpty { return [] }
    return (0...100).map { sorted[min(sorted.count - 1, sorted.count * $0 / 100)] }
  }
}
