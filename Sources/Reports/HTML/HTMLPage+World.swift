import Scenario

/// The sections of a world other than the feed.
extension HTMLPage {
  func writeWorldTimes(to body: inout Markup) {
    guard let world = record.world else { return noData("the feed was simulated", to: &body) }
    paragraph(world.summary + ".", to: &body)
    let rows = WorldRows.times(record.metrics) { metric in
      let name = metric.name
      return MetricReference(name.metric, labels: name.labels, stat: name.stat)
    }
    if rows.isEmpty { return noData("the result holds no time", to: &body) }
    var table = HTMLTable(
      "Milliseconds, with 95 % intervals over \(record.replications.run) replications",
      [.text("Time")] + WorldMetric.timeStats.map { .number($0) } + [.number("n")])
    for (name, row) in rows {
      var title = Markup()
      title.element("code", text: name)
      if let meaning = meaning(of: row.compactMap(\.self).first) {
        title.empty("br")
        title.element("small", text: meaning)
      }
      let samples = row.compactMap(\.self).first?.estimate.samples ?? 0
      table.add(
        [.markup(title.text)] + row.map { .text($0?.estimate.text.shortText ?? "–") }
          + [.text(HTMLPage.count(samples))])
    }
    table.write(to: &body)
    paragraph(WorldRows.note, faint: true, to: &body)
  }

  func writeWorldNumbers(to body: inout Markup) {
    var table = HTMLTable(
      "Everything that is no time, as result.json names it",
      [.text("Metric"), .number("Value"), .number("95 % interval"), .number("n")])
    for metric in record.metrics where metric.estimate.text.unit != .milliseconds {
      let text = metric.estimate.text
      var title = Markup()
      title.element("code", text: metric.name.shortText)
      if let meaning = meaning(of: metric) {
        title.empty("br")
        title.element("small", text: meaning)
      }
      table.add([
        .markup(title.text), .text(text.valueText),
        .text(text.interval == nil ? "–" : text.intervalText + text.suffix),
        .text(HTMLPage.count(metric.estimate.samples)),
      ])
    }
    table.write(to: &body)
  }

  private func meaning(of metric: RunRecord.Metric?) -> String? {
    record.world?.metrics.first { $0.metric == metric?.name.text }?.meaning
  }
}
