import Scenario

extension ReportWriter {
  // MARK: Worlds other than the feed

  /// One row for each time, one column for each stat.
  func worldTimes() -> [String] {
    var table = TextTable(
      [.left] + [TextTable.Alignment](repeating: .right, count: WorldMetric.timeStats.count + 1))
    table.heading(["time"] + WorldMetric.timeStats + ["n"])
    var meanings: [String] = []
    for row in record.worldTimes {
      table.add(
        [TextCell(row.name)]
          + row.stats.map { TextCell($0?.estimate.text.shortText ?? "–") }
          + [TextCell(Figures.count(row.samples))])
      meanings.append("\(row.name): \(row.meaning ?? "").")
    }
    return table.lines(color: color) + meanings.flatMap { note($0) }
      + note(WorldTime.note)
  }

  func worldNumbers() -> [String] {
    var table = TextTable([.left, .right, .left, .right, .left])
    table.heading(["metric", "value", "95 % interval", "n", "meaning"])
    for metric in record.worldNumbers {
      guard let meaning = record.meaning(of: metric) else { continue }
      let text = metric.estimate.text
      table.add([
        TextCell(metric.name.shortText), TextCell(text.valueText), TextCell(text.intervalText),
        TextCell(Figures.count(metric.estimate.samples)), TextCell(meaning),
      ])
    }
    return table.lines(color: color)
  }
}
