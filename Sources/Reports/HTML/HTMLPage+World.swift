import Scenario

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
      title.empty("br")
      title.element("small", text: meaning)
    }
    return .markup(title.text)
  }
}
