import Foundation

extension ReportSection {
  static let byNetwork = ReportSection(
    title: "BY NETWORK", lines: { $0.byLabel("network", \.network) })

  static let byDevice = ReportSection(
    title: "BY DEVICE", lines: { $0.byLabel("device", \.device) })

  /// On the page: every label in one section.
  static let cohorts = ReportSection(.cohorts, page: { $0.writeCohorts(to: &$1) })
}

extension ReportWriter {
  func byLabel(_ label: String, _ value: (RunRecord.Cohort) -> String) -> [String] {
    let values = RunRecord.ordered(record.cohorts, by: value)
    if values.count < 2 { return [] }
    var table = TextTable([
      .left, .right, .right, .right, .right, .right, .right, .right,
    ])
    table.heading([
      label, "views", "p50 ms", "p75 ms", "p95 ms", "not started", "rebuffer", "wasted",
    ])
    for value in values {
      func metric(_ name: String, _ stat: String) -> RunRecord.Estimate? {
        record.metric("\(name){\(label)=\(value)}.\(stat)")?.estimate
      }
      let times = ["p50", "p75", "p95"].map { metric("ttff_ms", $0) }
      let ratios = ["not_started_ratio", "rebuffer_ratio", "wasted_ratio"].map {
        metric($0, "ratio")
      }
      table.add(
        [TextCell(value), TextCell(Figures.count(times[0]?.samples ?? 0))]
          + times.map { TextCell($0?.text.shortText ?? "–") }
          + ratios.map { TextCell($0?.text.shortTextWithUnit ?? "–") })
    }
    return table.lines(color: color)
  }
}

extension HTMLPage {
  /// A table and a chart for each label of a view's metrics that has several values.
  func writeCohorts(to body: inout Markup) {
    let own = record.metrics.filter {
      $0.name.labels.count == 1 && $0.name.label("tier") == nil && $0.name.label("by") == nil
    }
    let labels = RunRecord.ordered(own) { $0.name.labels[0].name }
    if labels.isEmpty {
      noData("the scenario has one network and one device, so there is one cohort", to: &body)
    }
    for label in labels {
      let metrics = own.filter { $0.name.labels[0].name == label }
      body.element("h3", text: "By \(label)")
      body.line()
      writeCohortCharts(label, metrics, to: &body)
      writeCohortTable(label, metrics, to: &body)
    }
    writeCells(to: &body)
  }

  private func writeCohortTable(
    _ label: String, _ metrics: [RunRecord.Metric], to body: inout Markup
  ) {
    let values = RunRecord.ordered(metrics) { $0.name.labels[0].value }
    let names = RunRecord.ordered(metrics) { "\($0.name.metric).\($0.name.stat)" }
    var table = HTMLTable(
      "By \(label), ± half of the 95 % interval",
      [.text(label), .number("n")] + names.map { .number(MetricName($0).words) })
    for value in values {
      let row = names.map { name in
        metrics.first {
          $0.name.labels[0].value == value && "\($0.name.metric).\($0.name.stat)" == name
        }?.estimate
      }
      let samples = row.compactMap { $0?.samples }.max() ?? 0
      table.add(
        [.text(value), .text(HTMLPage.count(samples))]
          + row.map {
            .text($0.map { $0.value == nil ? "no data" : $0.text.shortTextWithUnit } ?? "–")
          })
    }
    table.write(to: &body)
  }

  /// The slowest percentile and the lost views, the two that a cohort is judged by.
  private func writeCohortCharts(
    _ label: String, _ metrics: [RunRecord.Metric], to body: inout Markup
  ) {
    body.element("div", ["class": "charts"]) { body in
      for (name, format) in [
        ("ttff_ms.p95", ChartFormat.number(unit: "ms")), ("not_started_ratio.ratio", .percent),
      ] {
        let rows = metrics.filter { "\($0.name.metric).\($0.name.stat)" == name }
        if rows.count < 2 { continue }
        let worst = rows.max { ($0.estimate.value ?? 0) < ($1.estimate.value ?? 0) }
        let summary =
          worst.map {
            "Highest: \($0.name.labels[0].value) with \($0.estimate.text.shortTextWithUnit)."
          } ?? ""
        let words = MetricName(name).words
        let chart = PointChart(
          ChartHeading(
            words.prefix(1).uppercased() + words.dropFirst() + ", by \(label)", summary: summary),
          axis: ChartAxis(words, format: format),
          rows: rows.map { metric in
            let interval = metric.estimate.text.interval
            // No time and no share lies below zero, whatever the normal approximation says.
            return PointChart.Row(
              metric.name.labels[0].value, value: metric.estimate.value,
              lower: interval.map { max(0, $0.lowerBound) },
              upper: interval.map { max(0, $0.upperBound) })
          })
        figure(
          chart, id: HTMLPage.identifier("cohort-\(label)-\(name)"),
          remark: "dots: values; whiskers: 95 % intervals", to: &body)
      }
    }
    body.line()
  }

  private func writeCells(to body: inout Markup) {
    let rows = record.cohorts.filter { $0.views > 0 }
    if rows.isEmpty { return noData("no view was simulated", to: &body) }
    body.element("details") { body in
      body.element("summary", text: "Sums by network and device")
      var table = HTMLTable(
        "Sums over all replications",
        [
          .text("Network"), .text("Device"), .number("Views"), .number("Left before a frame"),
          .number("Mean start, ms"), .number("Played"), .number("Stalled"), .number("Stalls"),
        ])
      for row in rows {
        let mean =
          row.started > 0 ? Double(row.startupNanoseconds) / Double(row.started) / 1e6 : nil
        table.add([
          .text(row.network), .text(row.device), .text(HTMLPage.count(row.views)),
          .text(Figures.share(row.notStarted, of: row.views)),
          .text(mean.map { Figures.decimal($0, 1) } ?? "no data"),
          .text(Figures.duration(Double(row.playedNanoseconds) / 1e9)),
          .text(Figures.duration(Double(row.stalledNanoseconds) / 1e9)),
          .text(HTMLPage.count(row.stalls)),
        ])
      }
      table.write(to: &body)
    }
    body.line()
  }
}
