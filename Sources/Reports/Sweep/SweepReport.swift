import Scenario
import Statistics
import Studies

/// A sweep on the terminal, as JSON and as a table of values.
public enum SweepReport {
  /// The report as text ending in a line feed.
  public static func text(_ sweep: SweepResult, color: Bool) -> String {
    var lines = [
      TextStyle.bold.applied(
        to: "\(sweep.scenario.name) · \(sweep.design.count) points · \(sweep.replications) "
          + "replications each · seed \(sweep.scenario.seed)", color: color), "",
    ]
    lines += points(sweep, color: color)
    lines += changes(sweep, color: color)
    lines += ["", TextStyle.bold.applied(to: "WHAT EACH KEY DOES", color: color)]
    for (metric, effects) in zip(sweep.metrics, sweep.effects) {
      lines += self.effects(metric, effects, sweep)
    }
    if !sweep.frontPoints.isEmpty {
      let names = sweep.front.map(\.shortName).joined(separator: " against ")
      lines += ["", TextStyle.bold.applied(to: "PARETO FRONT: \(names)", color: color)]
      for point in sweep.frontPoints {
        let sure = sweep.standings[point] == .surelyOnFront ? "surely" : "by the means"
        lines.append("  point \(point) (\(sure)): \(label(sweep, point))")
      }
      lines.append(
        "  \(beaten(sweep)) of \(sweep.design.count) points are surely worse in every way")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// How many points are surely worse than another one in every metric of the front.
  static func beaten(_ sweep: SweepResult) -> Int {
    sweep.standings.count {
      if case .surelyDominated = $0 { return true }
      return false
    }
  }

  /// The spread of elementary effects with its unit.
  static func spread(_ deviation: Double, _ metric: MetricReference) -> String {
    let value = deviation * (metric.unit == .ratio ? 100 : 1)
    let unit = metric.unit == .ratio ? " points" : metric.unit == .number ? "" : " ms"
    return Figures.decimal(value, Figures.decimals(value, spread: nil, atMost: 3)) + unit
  }

  static func label(_ sweep: SweepResult, _ point: Int) -> String {
    let pairs = zip(sweep.design.factors, sweep.design.names(point)).filter { !$1.isEmpty }
    return pairs.isEmpty
      ? "as it is" : pairs.map { "\($0.key)=\($1)" }.joined(separator: " ")
  }

  /// As many metrics as a screen holds; the files have all.
  private static let mostMetrics = 6

  private static func points(_ sweep: SweepResult, color: Bool) -> [String] {
    let factors = sweep.design.factors
    let shown = Array(sweep.metrics.prefix(mostMetrics))
    var table = TextTable(
      [.right] + factors.map { _ in .left } + shown.map { _ in .right } + [.left])
    table.heading(
      ["point"] + factors.map { lastStep($0.key) } + shown.map(\.shortName) + ["front"])
    for point in 0..<sweep.design.count {
      let standing = sweep.standings.isEmpty ? "" : word(sweep.standings[point])
      table.add(
        [TextCell("\(point)")]
          + sweep.design.names(point).map { TextCell($0.isEmpty ? "·" : $0) }
          + shown.indices.map { TextCell(sweep.points[point][$0].shortTextWithUnit) }
          + [TextCell(standing)])
    }
    return table.lines(color: color)
  }

  /// What is worse, better, equivalent or not sure at each point, beside the point it is held
  /// against.
  private static func changes(_ sweep: SweepResult, color: Bool) -> [String] {
    let references = Set(sweep.references)
    if sweep.design.count < 2 || references.isEmpty { return [] }
    let name =
      references.count > 1
      ? "THE FIRST POINT OF EACH GROUP"
      : "POINT \(sweep.references[0]) (\(label(sweep, sweep.references[0])))"
    var lines = ["", TextStyle.bold.applied(to: "AGAINST \(name)", color: color)]
    for (point, comparison) in sweep.comparisons.enumerated()
    where sweep.references[point] != point {
      lines.append("  point \(point): " + words(comparison, color: color))
    }
    return lines
  }

  private static func words(_ comparison: Comparison, color: Bool) -> String {
    ComparisonOutcome.allCases.compactMap { outcome -> String? in
      let rows = comparison.rows.prefix(mostMetrics).filter { $0.outcome == outcome }
      if rows.isEmpty { return nil }
      let names = rows.map { row in
        // What did not change has no figure that anybody would read.
        let figure = outcome == .equivalent || outcome == .noData ? "" : figure(row)
        return row.metric.shortName + figure
      }
      return ComparisonReport.style(outcome).applied(
        to: ComparisonReport.word(outcome), color: color) + " " + names.joined(separator: ", ")
    }.joined(separator: "; ")
  }

  private static func figure(_ row: ComparisonRow) -> String {
    row.difference == nil ? "" : " " + ComparisonReport.difference(row)
  }

  private static func lastStep(_ key: String) -> String {
    key.split(separator: ".").suffix(2).joined(separator: ".")
  }

  static func word(_ standing: ParetoFront.Standing) -> String {
    switch standing {
    case .surelyOnFront: "front"
    case .onFront: "front?"
    case .dominated: "dominated?"
    case .surelyDominated(let by): "dominated by \(by)"
    }
  }

  private static func effects(
    _ metric: MetricReference, _ effects: FactorEffects, _ sweep: SweepResult
  ) -> [String] {
    let factors = sweep.design.factors
    func text(_ estimate: Estimate, scaled: Bool = true) -> String {
      let half = estimate.interval.halfWidth
      return scaled
        ? Figures.difference(estimate.value, half: half, unit: metric.unit)
        : Figures.signed(estimate.value, half: half)
    }
    var lines = ["  \(metric.shortName)"]
    switch effects {
    case .levels(let levels, let explained):
      for (factor, estimates) in zip(factors, levels) where estimates.count > 1 {
        let parts = zip(factor.values, estimates).map { "\(factor.name(of: $0)): \(text($1))" }
        lines.append("    \(factor.key): " + parts.joined(separator: "; "))
      }
      lines.append("    single keys explain \(Figures.percent(explained)) of the variance")
    case .slopes(let slopes, let explained):
      for (factor, estimate) in zip(factors, slopes) {
        lines.append("    \(factor.key): \(text(estimate)) over its range")
      }
      lines.append("    straight lines explain \(Figures.percent(explained)) of the variance")
    case .screening(let sizes, let deviation):
      for (index, factor) in factors.enumerated() {
        lines.append(
          "    \(factor.key): mu* \(text(sizes[index])), sigma \(spread(deviation[index], metric))")
      }
    case .indices(let first, let total):
      for (index, factor) in factors.enumerated() {
        lines.append(
          "    \(factor.key): first order \(text(first[index], scaled: false)), total "
            + text(total[index], scaled: false))
      }
    case .none(let reason): lines.append("    \(reason)")
    }
    return lines
  }

  // MARK: Files

  /// Eight hexadecimal digits for the name of a sweep's folder.
  ///
  /// - Parameters:
  ///   - scenario: the text of `scenario.resolved.yaml`.
  ///   - document: the text of `sweep.json`.
  public static func digest(scenario: String, document: String) -> String {
    Digest.digest8(scenario + document)
  }

  /// `sweep.json`: a function of the result alone.
  public static func json(_ sweep: SweepResult) -> JSONText {
    .object([
      .init("schema", 1), .init("kind", "sweep"), .init("scenario", .string(sweep.scenario.name)),
      .init("seed", .integer(Int64(bitPattern: sweep.scenario.seed))),
      .init("replications", .integer(Int64(sweep.replications))),
      .init("factors", .array(sweep.design.factors.map { .string($0.key) })),
      .init(
        "points",
        .array(
          (0..<sweep.design.count).map { point in
            var members: [JSONText.Member] = [
              .init(
                "values",
                .array(sweep.design.values[point].map { $0.isEmpty ? .null : .string($0) })),
              .init("metrics", .array(sweep.points[point].map { json($0) })),
              .init("reference", .integer(Int64(sweep.references[point]))),
              .init(
                "changes", .array(sweep.comparisons[point].rows.map { ComparisonReport.json($0) })),
            ]
            if !sweep.standings.isEmpty {
              members.append(.init("front", .string(word(sweep.standings[point]))))
            }
            return .object(members)
          })),
      .init(
        "effects",
        .array(
          zip(sweep.metrics, sweep.effects).map { metric, effects in
            [
              "metric": .string(metric.description),
              "factors": json(effects, sweep.design.factors),
            ]
          })),
      .init("front", .array(sweep.front.map { .string($0.description) })),
      .init("frontPoints", .array(sweep.frontPoints.map { .integer(Int64($0)) })),
    ])
  }

  static func json(_ metric: MetricResult) -> JSONText {
    func number(_ value: Double?) -> JSONText { value.map { .number($0) } ?? .null }
    return [
      "metric": .string(metric.reference.description), "value": number(metric.value),
      "lower": number(metric.interval?.lower), "upper": number(metric.interval?.upper),
      "samples": .integer(metric.samples),
      "replications": .integer(Int64(metric.replications)),
      "isLowerBound": .boolean(metric.isLowerBound),
    ]
  }

  private static func json(_ estimate: Estimate) -> JSONText {
    [
      "value": .number(estimate.value), "lower": .number(estimate.interval.lower),
      "upper": .number(estimate.interval.upper),
    ]
  }

  private static func json(_ effects: FactorEffects, _ factors: [SweepFactor]) -> JSONText {
    switch effects {
    case .levels(let levels, _):
      .array(
        zip(factors, levels).map { factor, estimates in
          [
            "key": .string(factor.key),
            "levels": .array(
              zip(factor.values, estimates).map { ["value": .string($0), "effect": json($1)] }),
          ]
        })
    case .slopes(let slopes, _):
      .array(zip(factors, slopes).map { ["key": .string($0.key), "slope": json($1)] })
    case .screening(let sizes, let deviation):
      .array(
        factors.indices.map {
          [
            "key": .string(factors[$0].key), "meanSize": json(sizes[$0]),
            "deviation": .number(deviation[$0]),
          ]
        })
    case .indices(let first, let total):
      .array(
        factors.indices.map {
          [
            "key": .string(factors[$0].key), "first": json(first[$0]), "total": json(total[$0]),
          ]
        })
    case .none(let reason): .string(reason)
    }
  }

  /// `points.csv`: a row for each point, factors first, then each metric with its interval and what
  /// is said of it beside the point's reference.
  public static func csv(_ sweep: SweepResult) -> String {
    let heads = sweep.metrics.flatMap { metric in
      ["", ".lower", ".upper", ".outcome"].map { metric.description + $0 }
    }
    var lines = [
      (["point"] + sweep.design.factors.map(\.key) + heads).map { CSVText.field($0) }
        .joined(separator: ",")
    ]
    for point in 0..<sweep.design.count {
      let changes = sweep.comparisons[point].rows
      let numbers = zip(sweep.points[point], changes).flatMap { metric, change in
        [metric.value, metric.interval?.lower, metric.interval?.upper].map {
          $0.map { "\($0)" } ?? ""
        } + [change.outcome.rawValue]
      }
      lines.append(
        (["\(point)"] + sweep.design.values[point].map { CSVText.field($0) } + numbers)
          .joined(separator: ","))
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
