import Scenario
import Statistics
import Studies

extension BacktestReport {
  /// `backtest.json`.
  public func json() -> String {
    JSONLayout.text(
      .object([
        .init("schema", .integer(Self.version)), .init("kind", "firstframe.backtest"),
        .init("scenario", .string(scenario)), .init("digest", .string(digest)),
        .init("dataDigest", .string(dataDigest)),
        .init("replications", .integer(Int64(replications))),
        .init("verdict", .string(verdict.rawValue)),
        .init("exitCode", .integer(Int64(exitCode))),
        .init("rows", .array(backtest.rows.map { Self.json($0) })),
        .init("curves", .array(backtest.curves.map { Self.json($0) })),
        .init("starts", .array(backtest.parts.map { Self.json($0) })),
        .init("changes", .array((change?.rows ?? []).map { Self.json($0) })),
        .init("suspects", suspects.map { Self.json($0) } ?? .null),
        .init("notObserved", .array(backtest.notObserved.map { .string($0) })),
        .init("notes", .array(notes.map { .string($0) })),
      ]))
  }

  private static func number(_ value: Double?) -> JSONText { value.map { .number($0) } ?? .null }

  private static func ends(_ interval: Interval?) -> JSONText {
    interval.map { [.number($0.lower), .number($0.upper)] } ?? .null
  }

  private static func json(_ row: Backtest.Row) -> JSONText {
    .object([
      .init("metric", .string(row.metric.name)), .init("cohort", .string(row.cohort)),
      .init("unit", .string(row.metric.unit.word)), .init("predicted", number(row.predicted)),
      .init("observed", number(row.observed)), .init("error", number(row.error)),
      .init("errorInterval", ends(row.interval)), .init("tolerance", .number(row.tolerance)),
      .init("samplesPredicted", .integer(Int64(row.samples.predicted))),
      .init("samplesObserved", .integer(Int64(row.samples.observed))),
      .init("verdict", .string(row.verdict.rawValue)), .init("reason", .string(row.reason)),
    ])
  }

  private static func json(_ curve: Backtest.Curve) -> JSONText {
    /// Times and shares by turns.
    func points(_ points: [Backtest.Curve.Point]) -> JSONText {
      var numbers: [JSONText] = []
      for point in points { numbers += [.number(point.time), .number(point.share)] }
      return .array(numbers)
    }
    return .object([
      .init("metric", .string("ttff_\(curve.clock.rawValue)_ms")),
      .init("cohort", .string(curve.cohort)),
      .init("distance", .number(curve.distance.distance)),
      .init("p", .number(curve.distance.pValue)),
      .init("critical", .number(curve.distance.critical)),
      .init("verdict", .string(curve.verdict.rawValue)),
      .init("predicted", points(curve.predicted)), .init("observed", points(curve.observed)),
    ])
  }

  private static func json(_ parts: Backtest.Parts) -> JSONText {
    func part(_ part: Backtest.Parts.Part) -> JSONText {
      .object([
        .init("part", .string(part.name)), .init("predicted", .number(part.predicted)),
        .init("observed", .number(part.observed)), .init("errorInterval", ends(part.interval)),
      ])
    }
    return .object([
      .init("clock", .string(parts.clock.rawValue)), .init("whole", part(parts.whole)),
      .init("parts", .array(parts.parts.map { part($0) })),
      .init("explainedBy", parts.explanation.map { .string($0.part.name) } ?? .null),
      .init("explainedShare", number(parts.explanation?.share)),
    ])
  }

  private static func json(_ suspects: Suspects) -> JSONText {
    func words(_ words: [String]) -> JSONText { .array(words.map { .string($0) }) }
    return .object([
      .init("outcome", .string(suspects.outcome.rawValue)),
      .init("candidates", words(suspects.candidates.map(\.name))),
      .init(
        "laws",
        .array(
          suspects.laws.map { law in
            .object([
              .init("law", .string(law.name)), .init("keys", words(law.keys)),
              .init("factor", .number(law.factor)), .init("factorInterval", ends(law.interval)),
              .init("explained", .number(law.explained)), .init("gain", .number(law.gain)),
            ])
          })),
      .init("leastGain", .number(suspects.leastGain)),
      .init("notScaled", words(suspects.notScaled)), .init("metrics", words(suspects.metrics)),
      .init("runs", .integer(Int64(suspects.runs))),
    ])
  }

  private static func json(_ row: ChangeBacktest.Row) -> JSONText {
    .object([
      .init("metric", .string(row.metric.name)), .init("unit", .string(row.metric.unit.word)),
      .init("predicted", number(row.predicted?.value)),
      .init("predictedInterval", ends(row.predicted?.interval)),
      .init("observed", number(row.observed?.value)),
      .init("observedInterval", ends(row.observed?.interval)),
      .init("errorInterval", ends(row.interval)), .init("tolerance", .number(row.tolerance)),
      .init("sign", .string(row.sign.rawValue)), .init("verdict", .string(row.verdict.rawValue)),
      .init("reason", .string(row.reason)),
    ])
  }
}
