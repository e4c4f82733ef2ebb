import Scenario
import Studies

extension ReportWriter {
  // MARK: Worlds other than the feed

  /// One row for each time, one column for each stat.
  func worldTimes() -> [String] {
    var table = TextTable(
      [.left] + [TextTable.Alignment](repeating: .right, count: WorldMetric.timeStats.count + 1))
    table.heading(["time"] + WorldMetric.timeStats + ["n"])
    var meanings: [String] = []
    for (name, row) in WorldRows.times(result.metrics, name: \.reference) {
      table.add(
        [TextCell(name)]
          + row.map { TextCell($0?.shortText ?? "–") }
          + [TextCell(Figures.count(row.compactMap(\.self).first?.samples ?? 0))])
      if let metric = row.compactMap(\.self).first {
        meanings.append("\(name): \(WorldMetric.of(metric.reference)?.summary ?? "").")
      }
    }
    return table.lines(color: color) + meanings.flatMap { note($0) }
      + note(WorldRows.note)
  }

  func worldNumbers() -> [String] {
    var table = TextTable([.left, .right, .left, .right, .left])
    table.heading(["metric", "value", "95 % interval", "n", "meaning"])
    for metric in result.metrics {
      guard let known = WorldMetric.of(metric.reference), known.kind != .time else { continue }
      table.add([
        TextCell(metric.reference.shortName), TextCell(metric.valueText),
        TextCell(metric.intervalText), TextCell(Figures.count(metric.samples)),
        TextCell(known.summary),
      ])
    }
    return table.lines(color: color)
  }
}

/// Metrics of a world in rows.
enum WorldRows {
  /// What the stats of times are over replications.
  static let note =
    "Percentiles are those of all replications' times together and count times that the end of the "
    + "run cut as censored (Kaplan-Meier); mean and max are means of the replications'."

  /// Times by metric and labels in the order of their first stat, with a place for each stat.
  static func times<Element>(
    _ metrics: [Element], name: (Element) -> MetricReference
  ) -> [(name: String, row: [Element?])] {
    var rows: [(name: String, row: [Element?])] = []
    for metric in metrics {
      let reference = name(metric)
      guard reference.unit == .milliseconds,
        let place = WorldMetric.timeStats.firstIndex(of: reference.stat)
      else { continue }
      let text = String(reference.description.dropLast(reference.stat.count + 1))
      if rows.last?.name != text {
        rows.append((text, [Element?](repeating: nil, count: WorldMetric.timeStats.count)))
      }
      rows[rows.count - 1].row[place] = metric
    }
    return rows
  }
}
