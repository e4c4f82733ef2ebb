import Scenario
import Statistics
import Studies

/// A prediction beside what was observed: on the terminal, as JSON, and as a page with both curves
/// on one plot (``BacktestPage``).
public struct BacktestReport: Sendable {
  /// The version of `backtest.json`.
  public static let version: Int64 = 1

  public var backtest: Backtest
  /// The same of a change, where two periods or arms were given.
  public var change: ChangeBacktest?
  /// Which law would explain the errors; nil: nobody asked.
  public var suspects: Suspects?
  /// The scenario's name and digest, and that of the data.
  public var scenario, digest, dataDigest: String
  public var replications: Int
  /// What is to be known of the data, in sentences.
  public var notes: [String]

  public init(
    _ backtest: Backtest, change: ChangeBacktest? = nil, suspects: Suspects? = nil,
    scenario: String, digest: String, dataDigest: String, replications: Int, notes: [String] = []
  ) {
    self.suspects = suspects
    self.backtest = backtest
    self.change = change
    self.scenario = scenario
    self.digest = digest
    self.dataDigest = dataDigest
    self.replications = replications
    self.notes = notes
  }

  /// Of both, the worse: disagrees, then too little data.
  public var verdict: Backtest.Verdict {
    let all = [backtest.verdict] + (change.map { [$0.verdict] } ?? [])
    for verdict in [Backtest.Verdict.disagrees, .tooLittleData] where all.contains(verdict) {
      return verdict
    }
    return .agrees
  }

  public var exitCode: Int32 { verdict.exitCode }

  var headline: String {
    func part(_ verdicts: [Backtest.Verdict]) -> String {
      "\(verdicts.count { $0 == .agrees }) of \(verdicts.count)"
    }
    let metrics = part(backtest.rows.filter(\.cohort.isEmpty).map(\.verdict))
    let changes = change.map { ", \(part($0.rows.map(\.verdict))) changes agree" } ?? ""
    return "\(verdict.rawValue.uppercased()): \(metrics) metrics are predicted within their "
      + "tolerances\(changes)"
  }

  /// How much there is on each side.
  var sizes: String {
    "\(Figures.count(Int64(backtest.views.observed))) views observed (data \(dataDigest)), "
      + "\(Figures.count(Int64(backtest.views.predicted))) predicted in \(replications) "
      + "replications; the observed noise is that of \(backtest.noise)"
  }

  // MARK: Terminal

  /// The report as text ending in a line feed.
  public func text(color: Bool) -> String {
    let bold = { (text: String) in TextStyle.bold.applied(to: text, color: color) }
    var lines = [
      bold("\(scenario) · digest \(digest) · predicted against observed"),
      bold(headline) + " (exit code \(exitCode))", "  \(sizes)",
    ]
    lines += notes.map { "  \($0)" } + [""]
    var table = TextTable([.left, .left, .right, .right, .right, .right, .right, .left])
    table.heading([
      "", "metric", "predicted", "observed", "error ± half of 95 %", "tolerance", "n observed", "",
    ])
    for row in backtest.rows {
      table.add([
        TextCell(row.verdict.rawValue, Self.style(row.verdict)),
        TextCell(Self.name(row.metric, row.cohort)),
        TextCell(Self.value(row.predicted, row.metric)),
        TextCell(Self.value(row.observed, row.metric)), TextCell(Self.error(row)),
        TextCell(Self.span(row.tolerance, row.metric)),
        TextCell(Figures.count(Int64(row.samples.observed))), TextCell(row.reason, .faint),
      ])
    }
    lines += table.lines(color: color) + [""]
    lines += backtest.curves.map { "  \(Self.title($0)): \(Self.distance($0))" }
    for parts in backtest.parts {
      lines += [""] + Self.table(parts).lines(color: color) + ["  \(Self.remark(parts))"]
    }
    if let change { lines += [""] + Self.table(change).lines(color: color) }
    if let suspects {
      lines += [""] + Self.lines(suspects, replications: replications, color: color)
    }
    if !backtest.notObserved.isEmpty {
      lines += ["", "  Not observed: \(backtest.notObserved.joined(separator: ", "))"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func style(_ verdict: Backtest.Verdict) -> TextStyle {
    switch verdict {
    case .agrees: .green
    case .disagrees: .red
    case .tooLittleData: .yellow
    }
  }

  private static func table(_ parts: Backtest.Parts) -> TextTable {
    var table = TextTable([.left, .right, .right, .right])
    table.heading([
      "part of a \(parts.clock.rawValue) start", "predicted", "observed", "error ± half of 95 %",
    ])
    for part in parts.parts + [parts.whole] { table.add(cells(part).map { TextCell($0) }) }
    return table
  }

  private static func table(_ change: ChangeBacktest) -> TextTable {
    var table = TextTable([.left, .left, .right, .right, .right, .left, .left])
    table.heading(["", "change of", "predicted", "observed", "tolerance", "sign", ""])
    for row in change.rows {
      let verdict = TextCell(row.verdict.rawValue, style(row.verdict))
      table.add([verdict] + cells(row).map { TextCell($0) } + [TextCell(row.reason, .faint)])
    }
    return table
  }

  // MARK: Words

  static func name(_ metric: BacktestMetric, _ cohort: String) -> String {
    cohort.isEmpty ? metric.name : "\(metric.name) (\(cohort))"
  }

  static func title(_ curve: Backtest.Curve) -> String {
    "ttff_\(curve.clock.rawValue)_ms" + (curve.cohort.isEmpty ? "" : " (\(curve.cohort))")
  }

  static func distance(_ curve: Backtest.Curve) -> String {
    let found = curve.distance
    return "\(curve.verdict.rawValue), Kolmogorov-Smirnov distance "
      + "\(Figures.decimal(found.distance, 3)), p \(Figures.decimal(found.pValue, 3)) (samples "
      + "like these of one law stay below \(Figures.decimal(found.critical, 3)) in 95 of 100 cases)"
  }

  /// Name, both means and their difference.
  static func cells(_ part: Backtest.Parts.Part) -> [String] {
    let half = part.interval.map { " ±" + Figures.decimal($0.halfWidth, 1) } ?? ""
    return [
      part.name, "\(Figures.decimal(part.predicted, 1)) ms",
      "\(Figures.decimal(part.observed, 1)) ms",
      Figures.signed(part.predicted - part.observed, decimals: 1) + half + " ms",
    ]
  }

  /// Name, both changes with their intervals, how far they may be apart, and what is said of their
  /// sign.
  static func cells(_ row: ChangeBacktest.Row) -> [String] {
    func text(_ effect: ChangeBacktest.Effect?) -> String {
      guard let effect else { return "–" }
      return Figures.difference(
        effect.value, half: effect.interval.halfWidth, unit: row.metric.unit)
    }
    return [
      row.metric.name, text(row.predicted), text(row.observed),
      row.interval == nil ? "–" : span(row.tolerance, row.metric), row.sign.rawValue,
    ]
  }

  static func remark(_ parts: Backtest.Parts) -> String {
    guard let (part, share) = parts.explanation else {
      return "The means may be equal: the interval of their difference holds 0."
    }
    return "Most of the error is in \(part.name): "
      + "\(Figures.signed(part.predicted - part.observed, decimals: 1)) ms, "
      + "\(Figures.percent(share, decimals: 0)) of it."
  }

  static func value(_ value: Double?, _ metric: BacktestMetric) -> String {
    EstimateText(value: value, interval: nil, unit: metric.unit).valueText
  }

  /// A difference that is not a percentage of anything.
  static func span(_ value: Double, _ metric: BacktestMetric) -> String {
    switch metric.unit {
    case .ratio: "\(Figures.decimal(value * 100, 1)) points"
    case .milliseconds: "\(Figures.decimal(value, 0)) ms"
    case .number:
      Figures.decimal(value, Figures.decimals(value, spread: nil, atMost: 3))
    }
  }

  static func error(_ row: Backtest.Row) -> String {
    guard let error = row.error else { return "–" }
    var text =
      row.interval.map {
        Figures.difference(error, half: $0.halfWidth, unit: row.metric.unit)
      } ?? span(error, row.metric)
    if let observed = row.observed, observed != 0, row.metric.unit != .ratio {
      text += " (\(Figures.signed(error / observed * 100, decimals: 1)) %)"
    }
    return text
  }
}
