import Scenario
import Studies

/// A run's metrics under the names of a dashboard (``IndustryNames``): what they call it, its
/// value, which metric of ours it is, and where the two differ.
public enum IndustryReport {
  /// The table of a run that was just made, ending in a line feed.
  public static func text(
    _ result: StudyResult, names: IndustryNames, color: Bool = false
  ) -> String {
    text(RunRecord(result), names, color: color)
  }

  /// The same of a run folder, from its `result.json`.
  ///
  /// - Throws: ``HTMLReport/ReadError`` naming the file.
  public static func text(
    names: IndustryNames, color: Bool = false, read: (String) -> String?
  ) throws(HTMLReport.ReadError) -> String {
    text(try HTMLReport.record(folder: read), names, color: color)
  }

  static func text(_ record: RunRecord, _ names: IndustryNames, color: Bool) -> String {
    var lines = [
      TextStyle.bold.applied(
        to: "\(record.scenario.name) in the words of \(names.title)", color: color)
    ]
    if let world = record.world {
      lines.append("  \(names.title) has no words for the world \(world.name)")
      return lines.joined(separator: "\n") + "\n"
    }
    var table = TextTable([.left, .left, .left])
    table.heading(["metric", "value ± half of 95 %", "ours"])
    for row in names.rows {
      table.add([TextCell(row.name), TextCell(value(of: row, record)), TextCell(ours(row), .faint)])
    }
    lines += table.lines(color: color) + ["", "  Where they differ:"]
    for row in names.rows where !row.difference.isEmpty {
      lines.append("  \(row.name): \(row.difference)")
    }
    lines.append("  Read: \(names.document)")
    return lines.joined(separator: "\n") + "\n"
  }

  /// What the report says of one of their metrics.
  static func value(of row: IndustryNames.Row, _ record: RunRecord) -> String {
    guard let reference = row.metric else { return "nothing like it here" }
    guard let metric = record.metric(reference.description) else { return "not in this result" }
    return shown(metric.estimate.text, row.unit).shortTextWithUnit
      + (row.unit == .seconds && metric.estimate.value != nil ? " s" : "")
  }

  /// An estimate of ours in their unit.
  private static func shown(_ text: EstimateText, _ unit: IndustryNames.Unit) -> EstimateText {
    switch unit {
    case .same: text
    case .seconds:
      EstimateText(
        value: text.value.map { $0 / 1000 },
        interval: text.interval.map { $0.lowerBound / 1000...$0.upperBound / 1000 }, unit: .number,
        isLowerBound: text.isLowerBound)
    case .rest:
      EstimateText(
        value: text.value.map { 1 - $0 },
        interval: text.interval.map { 1 - $0.upperBound...1 - $0.lowerBound }, unit: text.unit)
    }
  }

  private static func ours(_ row: IndustryNames.Row) -> String {
    guard let metric = row.metric else { return "–" }
    let name = MetricName(metric.description).shortText
    return row.unit == .rest ? "1 - \(name)" : name
  }
}
