import Scenario

extension ReportSection {
  static let worldTimes = ReportSection(
    .times, of: .world, title: "TIMES, ms (± half of the 95 % interval)",
    lines: { $0.worldTimes() }, page: { $0.writeWorldTimes(to: &$1) })

  static let worldNumbers = ReportSection(
    .numbers, of: .world, title: "TRUTH AND COST", lines: { $0.worldNumbers() },
    page: { $0.writeWorldNumbers(to: &$1) })
}

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

/// The sections of a world other than the feed.
extension HTMLPage {
  func writeWorldTimes(to body: inout Markup) {
    guard let world = record.world else { return noData("the feed was simulated", to: &body) }
    paragraph(world.summary + ".", to: &body)
    let rows = record.worldTimes
    if rows.isEmpty { return noData("the result holds no time", to: &body) }
    var table = HTMLTable(
      "Milliseconds, with 95 % intervals over \(record.replications.run) replications",
      [.text("Time")] + WorldMetric.timeStats.map { .number($0) } + [.number("n")])
    for row in rows {
      table.add(
        [HTMLPage.title(row.name, row.meaning)]
          + row.stats.map { .text($0?.estimate.text.shortText ?? "–") }
          + [.text(HTMLPage.count(row.samples))])
    }
    table.write(to: &body)
    paragraph(WorldTime.note, faint: true, to: &body)
  }

  func writeWorldNumbers(to body: inout Markup) {
    var table = HTMLTable(
      "Everything that is no time, as result.json names it",
      [.text("Metric"), .number("Value"), .number("95 % interval"), .number("n")])
    for metric in record.worldNumbers {
      let text = metric.estimate.text
      table.add([
        HTMLPage.title(metric.name.shortText, record.meaning(of: metric)), .text(text.valueText),
        .text(text.interval == nil ? "–" : text.intervalText + text.suffix),
        .text(HTMLPage.count(metric.estimate.samples)),
      ])
    }
    table.write(to: &body)
  }

  /// A name as code, and under it what it means.
  private static func title(_ name: String, _ meaning: String?) -> HTMLTable.Cell {
    var title = Markup()
    title.element("code", text: name)
    if let meaning {
      title.small(meaning)
    }
    return .markup(title.text)
  }
}
