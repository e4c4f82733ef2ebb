import Foundation
import Scenario

extension HTMLPage {
  // MARK: Playback

  func writePlayback(to body: inout Markup) {
    if record.views == 0 { return noData("no view was simulated", to: &body) }
    let sums = record.playback
    body.element("dl") { body in
      for metric in record.metrics
      where metric.name.labels.isEmpty && metric.name.stat == "ratio"
        && !["wasted_ratio", "origin_offload"].contains(metric.name.metric)
        && MetricReference.clientWords(metric.name.metric, stat: "ratio") == nil
      {
        let text = metric.estimate.text
        body.element("dt", text: metric.name.words)
        body.element(
          "dd",
          text: text.value == nil
            ? "no data: nothing to divide by"
            : "\(text.shortTextWithUnit), n = \(HTMLPage.count(metric.estimate.samples)) "
              + metric.name.sampleNoun)
      }
      body.element("dt", text: "stalls")
      body.element("dd", text: "\(sums.stallsText) \(sums.viewsText)")
      body.element("dt", text: "played")
      body.element("dd", text: "\(sums.playedText), \(sums.stalledText)")
    }
    body.line()
    writeClient(to: &body)
  }

  // MARK: Bytes

  func writeBytes(to body: inout Markup) {
    let all = RunRecord.Bytes(sumOf: record.bytes)
    let delivered = all.delivered
    if delivered == 0 { return noData("no media byte was delivered", to: &body) }
    let members: [(String, KeyPath<RunRecord.Bytes, Int64>)] = [
      ("rendered", \.rendered), ("wasted", \.wasted), ("still buffered", \.stillBuffered),
    ]
    let networks = RunRecord.ordered(record.bytes) { $0.network }
    let groups =
      (networks.count > 1 ? networks : []).map { name in
        (name, RunRecord.Bytes(sumOf: record.bytes.filter { $0.network == name }))
      } + [("all", all)]
    let chart = BarChart(
      ChartHeading(
        "Media bytes by what became of them",
        summary: members.map {
          "\($0.0) \(Figures.share(all[keyPath: $0.1], of: delivered))"
        }.joined(separator: ", ") + " of \(Figures.bytes(delivered))."),
      axis: ChartAxis("delivered", format: .percent, extent: 0...1), series: members.map(\.0),
      rows: groups.map { name, sum in
        let whole = sum.delivered
        return BarChart.Row(
          name,
          parts: members.map { whole > 0 ? Double(sum[keyPath: $0.1]) / Double(whole) : 0 },
          label: Figures.bytes(whole))
      })
    figure(chart, id: "media-bytes", remark: "behind the bars: bytes delivered", to: &body)
    var table = HTMLTable(
      "Init and segment bytes",
      [.text("Bytes"), .number("Amount"), .number("Share"), .text("Remark")])
    let rows: [(String, Int64, Int64, String)] = [
      ("delivered", delivered, delivered, ""),
      ("rendered", all.rendered, delivered, "of the delivered"),
      ("wasted", all.wasted, delivered, record.wastedText),
      (
        "still buffered", all.stillBuffered, delivered,
        "sessions that still ran at the end"
      ),
      ("prefetched", all.prefetched, delivered, "of the delivered"),
      (
        "prefetched and wasted", all.prefetchedWasted, all.prefetched,
        "of the prefetched"
      ),
    ]
    for (name, bytes, whole, remark) in rows {
      table.add([
        .text(name), .text(Figures.bytes(bytes)), .text(Figures.share(bytes, of: whole)),
        .text(remark),
      ])
    }
    table.write(to: &body)
  }

  // MARK: Players

  /// Every counter of the result, the unknown ones under their own names.
  func writePlayers(to body: inout Markup) {
    let counters = record.counters.byName
    if counters.isEmpty { return noData("the result holds no counter", to: &body) }
    let known = RunRecord.counterCounts.rows.map { ($0.name, $0.summary) }
    let unknown = counters.keys.sorted().filter { name in
      !known.contains { $0.0 == name }
    }
    var table = HTMLTable(
      "Sums over the replications", [.text("What"), .number("Number"), .number("per 1,000 views")])
    for (name, summary) in known + unknown.map({ ($0, $0) }) {
      guard let value = counters[name] else { continue }
      let isBytes = name.hasSuffix("Bytes")
      let rate = record.views > 0 ? Double(value) / Double(record.views) * 1000 : nil
      let text = rate.map { rate in
        isBytes
          ? Figures.bytes(Int64(rate.rounded()))
          : Figures.decimal(rate, Figures.decimals(rate, spread: nil, atMost: 2))
      }
      let isPeak = name.hasPrefix("peak")
      table.add([
        .text(summary), .text(isBytes ? Figures.bytes(value) : HTMLPage.count(value)),
        .text(isPeak ? "–" : text ?? "–"),
      ])
    }
    table.write(to: &body)
    writeSurface(to: &body)
  }

  // MARK: Cohorts

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

  // MARK: All metrics

  func writeMetrics(to body: inout Markup) {
    if record.metrics.isEmpty { return noData("the result holds no metric", to: &body) }
    body.element("details") { body in
      body.element("summary", text: "\(record.metrics.count) metrics with their intervals")
      var table = HTMLTable(
        "As result.json names them",
        [
          .text("Metric"), .number("Value"), .number("95 % interval"), .number("n"),
          .number("Replications"),
        ])
      for metric in record.metrics {
        let text = metric.estimate.text
        table.add([
          .text(metric.name.text), .text(text.valueText),
          .text(text.interval == nil ? "–" : text.intervalText + text.suffix),
          .text(HTMLPage.count(metric.estimate.samples)),
          .text("\(metric.estimate.replications)"),
        ])
      }
      table.write(to: &body)
    }
    body.line()
  }

  // MARK: Provenance

  func writeProvenance(to body: inout Markup) {
    let runs = record.replications
    var rows = [
      ("scenario", record.scenario.name + (record.scenario.short ? " (short form)" : "")),
      ("digest", record.scenario.digest), ("seed", "\(record.seed)"),
      (
        "replications",
        "\(runs.run) of at most \(runs.cap); judged after "
          + runs.looks.map { "\($0)" }.joined(separator: ", ")
      ),
      ("fingerprint", record.fingerprint), ("exit code", "\(record.exitCode)"),
    ]
    if let ties = record.shuffleTies { rows.append(("ties shuffled by", "\(ties)")) }
    rows.append(("toolchain", toolchain ?? "not known"))
    rows.append(("commit", commit ?? "not known"))
    body.element("dl") { body in
      for (name, value) in rows {
        body.element("dt", text: name)
        body.element("dd") { $0.element("code", text: value) }
      }
    }
    body.line()
    paragraph(
      "The same scenario, seed and program give the same bytes on every run. This page is made of "
        + "result.json, provenance.json and, after a comparison, baseline.json beside it; when and "
        + "how long the run took stands in provenance.json only. scenario.resolved.yaml holds "
        + "every value of the configuration.", faint: true, to: &body)
  }
}
