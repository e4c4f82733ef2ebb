import Foundation
import Scenario
import Studies

/// The tables of a sweep: a row for each point and metric, and for each replication of them.
enum SweepTables {
  static func all(_ sweep: SweepResult) -> [TidyTable] { [points(sweep), replications(sweep)] }

  /// A point.
  private struct Key {
    let scenario: String
    let point: Int

    static var columns: [TidyTable.Column<Key>] {
      [
        .text("scenario", \.scenario), .count("point", \.point),
      ]
    }
  }

  /// A metric at a point.
  private struct Cell {
    let key: Key
    let values: [String]
    let metric: MetricResult
    let change: ComparisonRow
    let reference: Int
    let front: String
  }

  /// A replication's value of it.
  private struct Part {
    let key: Key
    let metric: MetricReference
    let replication: Int
    let value: Double?
  }

  private static func points(_ sweep: SweepResult) -> TidyTable {
    let cells = sweep.points.indices.flatMap { point in
      zip(sweep.points[point], sweep.comparisons[point].rows).map { metric, change in
        Cell(
          key: Key(scenario: sweep.scenario.name, point: point),
          values: sweep.design.values[point].map(plain), metric: metric, change: change,
          reference: sweep.references[point],
          front: sweep.standings.isEmpty ? "" : SweepReport.word(sweep.standings[point]))
      }
    }
    let factors = sweep.design.factors.enumerated().map { index, factor in
      column(factor.key, cells.map { $0.values[index] }) { $0.values[index] }
    }
    return TidyTable("points", Key.columns.map { $0.within(\.key) } + factors + figures, cells)
  }

  /// The values of a key, as numbers where all are; empty where a point leaves it as it is.
  private static func column(
    _ key: String, _ values: [String], _ value: @escaping (Cell) -> String
  ) -> TidyTable.Column<Cell> {
    let given = values.filter { !$0.isEmpty }
    // 18 digits fit into 64 bits.
    if given.allSatisfy({ $0.wholeMatch(of: #/-?(0|[1-9][0-9]{0,17})/#) != nil }) {
      return .count(key) { Int64(value($0)) }
    }
    if given.allSatisfy({ $0.wholeMatch(of: #/-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/#) != nil }) {
      return .number(key) { Double(value($0)) }
    }
    return .text(key, value)
  }

  private static var figures: [TidyTable.Column<Cell>] {
    [
      .text("metric", \.metric.reference.description), .text("unit", \.metric.reference.unit.word),
      .number("value", \.metric.value), .number("lower", \.metric.interval?.lower),
      .number("upper", \.metric.interval?.upper), .count("replications", \.metric.replications),
      .count("samples", \.metric.samples), .flag("is_lower_bound", \.metric.isLowerBound),
      .count("reference", \.reference), .number("difference", \.change.difference?.value),
      .number("difference_lower", \.change.difference?.interval.lower),
      .number("difference_upper", \.change.difference?.interval.upper),
      .text("outcome", \.change.outcome.rawValue), .text("front", \.front),
    ]
  }

  static func replications(_ sweep: SweepResult) -> TidyTable {
    let parts = sweep.points.enumerated().flatMap { point, metrics in
      metrics.flatMap { metric in
        metric.values.enumerated().map { replication, value in
          Part(
            key: Key(scenario: sweep.scenario.name, point: point), metric: metric.reference,
            replication: replication, value: value)
        }
      }
    }
    return TidyTable(
      "replications",
      Key.columns.map { $0.within(\.key) } + [
        .text("metric", \.metric.description), .text("unit", \.metric.unit.word),
        .count("replication", \.replication), .number("value", \.value),
      ], parts)
  }

  /// A value as the scenario writes it, without the quotes of a text.
  private static func plain(_ value: String) -> String {
    guard value.hasPrefix("\"") else { return value }
    return (try? JSONReader.decode(String.self, from: Data(value.utf8))) ?? value
  }
}
