import Models
import Scenario
import Studies

extension HTMLPage {
  // MARK: Waterfall

  /// The part's time; `under 1 ms` when there is some that rounds to nothing.
  private static func waited(_ band: BandFigures, _ part: StartupPart) -> String {
    let text = band.text(part)
    guard band.nanoseconds(part) > 0, text.allSatisfy({ "0.".contains($0) }) else {
      return text + " ms"
    }
    return text == "0" ? "under 1 ms" : "under 0.1 ms"
  }

  private static func share(_ band: BandFigures, _ part: StartupPart) -> String {
    if band.isReady { return "–" }
    let text = band.shareText(part)
    return text.isEmpty ? "0 %" : text
  }

  func writeStartup(to body: inout Markup) {
    let bands = record.startupBreakdown.bands
    if bands.allSatisfy({ $0.band.views == 0 }) {
      return noData("no view started", to: &body)
    }
    if record.startupBreakdown.waited.views == 0 {
      return paragraph(
        "Every view that started had its frame ready when its clock started: none waited for more "
          + "than the display.", to: &body)
    }
    let meanings = [
      "median": "Views around the median", "P95": "Views around the 95th percentile",
      "waited": "All started views that waited",
    ]
    let shown = bands.map { (name: $0.name, band: BandFigures($0.band)) }
    var ready: [String] = []
    body.element("div", ["class": "charts"]) { body in
      for (name, band) in shown {
        if band.isReady {
          ready.append(meanings[name] ?? name)
          continue
        }
        let parts = StartupPart.allCases.map { part in
          (
            name: part.label,
            value: band.milliseconds(part), label: HTMLPage.waited(band, part)
          )
        }
        let largest = parts.max { $0.value < $1.value }
        let title = "\(meanings[name] ?? name): \(band.totalText) ms"
        let summary =
          "Mean times of the parts one after the other, first frame after \(band.totalText) ms. "
          + (largest.map { "The longest part is \($0.name) with \($0.label)." } ?? "")
        figure(
          BarChart(
            ChartHeading(title, summary: summary),
            axis: ChartAxis("since the viewer settled", format: .number(unit: "ms")),
            series: ["time"],
            rows: BarChart.waterfall(
              parts, total: "first frame", totalLabel: band.totalText + " ms")),
          id: "waterfall-\(name.lowercased())",
          remark: "mean of \(HTMLPage.count(band.views)) views",
          to: &body)
      }
    }
    body.line()
    for meaning in ready {
      paragraph(
        "\(meaning): 0 ms, the first frame was on the display when the clock started.", to: &body)
    }
    var table = HTMLTable(
      "Mean time by part; the parts sum to the whole",
      [.text("Part")]
        + shown.flatMap { [.number("\($0.name), ms"), .number("\($0.name), share")] })
    for part in StartupPart.allCases
    where shown.contains(where: { $0.band.nanoseconds(part) > 0 }) {
      table.add(
        [.text(part.label)]
          + shown.flatMap {
            [HTMLTable.Cell.text($0.band.text(part)), .text(HTMLPage.share($0.band, part))]
          })
    }
    table.add(
      ["first frame"]
        + shown.flatMap {
          [
            HTMLTable.Cell.text($0.band.totalText), .text($0.band.isReady ? "–" : "100 %"),
          ]
        }, isTotal: true)
    table.write(to: &body)
    paragraph(
      "Median and P95: started views within half a percent of the percentile. Waited: all started "
        + "views that waited for more than the display.", faint: true, to: &body)
  }

  // MARK: Times

  func writeTimes(to body: inout Markup) {
    if record.views == 0 { return noData("no view was simulated", to: &body) }
    writeClocks(to: &body)
    let buckets = TimeBuckets(record.histograms.filter { $0.metric == "ttff_ms" })
    body.element("div", ["class": "charts"]) { body in
      figure(
        buckets.classes, id: "classes",
        remark: "all networks, from the settle or the session's start",
        to: &body)
      if let waits = buckets.waits(limit: record.lateStarts.limitMilliseconds) {
        figure(
          waits, id: "waits",
          remark: "the display's own time included; three bins to a doubling", to: &body)
      }
    }
    body.line()
    if let survival = survival(buckets) {
      figure(
        survival, id: "survival",
        remark: "Kaplan-Meier over all replications; small strokes: views left before a frame",
        extent: .whole, to: &body)
    }
    if buckets.waited == 0 {
      paragraph(
        "Every first frame was on the display when the clock started: there is no curve.", to: &body
      )
    }
  }

  private func writeClocks(to body: inout Markup) {
    let clocks = record.metrics.filter {
      MetricReference.timeMetrics.contains($0.name.metric) && $0.name.labels.isEmpty
    }
    let names = RunRecord.ordered(clocks) { $0.name.metric }
    let stats = RunRecord.ordered(clocks) { $0.name.stat }
    if clocks.isEmpty { return noData("the result holds no time metric", to: &body) }
    var table = HTMLTable(
      "Time to first frame in ms, ± half of the 95 % interval over the replications",
      [.text("Clock"), .number("n")] + stats.map { .number(HTMLPage.title(ofStat: $0)) })
    for name in names {
      let row = stats.map { record.metric("\(name).\($0)")?.estimate }
      let samples = row.compactMap { $0?.samples }.max() ?? 0
      table.add(
        [.text(MetricName(name).words), .text(HTMLPage.count(samples))]
          + row.map { .text($0.map { $0.value == nil ? "no data" : $0.text.shortText } ?? "–") })
    }
    table.write(to: &body)
    paragraph(
      "P50 to P99 count views left before their first frame as censored (Kaplan-Meier); mean and "
        + "the naive P95 leave them out. Percentiles are those of all replications' times "
        + "together, mean is that of the replications'.", faint: true, to: &body)
  }

  private static func title(ofStat stat: String) -> String {
    if stat.hasSuffix("_started") { return stat.dropLast(8).uppercased() + " naive" }
    return stat.hasPrefix("p") ? stat.uppercased() : stat
  }

  /// Curves of all views and of each network, with the percentiles and their intervals.
  private func survival(_ buckets: TimeBuckets) -> LineChart? {
    let networks = RunRecord.ordered(record.histograms) { $0.network }
    var series = [LineChart.Series("all", points: buckets.survival)]
    if networks.count > 1 && networks.count < ChartStyle.seriesCount {
      for network in networks {
        let own = TimeBuckets(
          record.histograms.filter { $0.metric == "ttff_ms" && $0.network == network })
        series.append(
          LineChart.Series(network, points: own.survival.map { LineChart.Point($0.x, $0.y) }))
      }
    }
    guard let start = series.map({ $0.points.first?.y ?? 0 }).max(), start > 0 else { return nil }
    let stats = [("p50", 0.5), ("p75", 0.25), ("p90", 0.1), ("p95", 0.05), ("p99", 0.01)]
    let marks = stats.compactMap { stat, share -> LineChart.Mark? in
      let text = record.metric("ttff_ms.\(stat)")?.estimate.text
      guard let text, let value = text.value, value >= TimeBuckets.least, share <= start,
        !text.isLowerBound, let interval = text.interval
      else { return nil }
      return LineChart.Mark(
        "\(stat.uppercased()) \(text.shortTextWithUnit)", x: value, y: share,
        lower: max(TimeBuckets.least, interval.lowerBound), upper: interval.upperBound)
    }
    let soon = Figures.percent(1 - (series[0].points.first?.y ?? 0))
    return LineChart(
      ChartHeading(
        "Views that still wait for their first frame",
        summary: "\(soon) of the views start within \(Int(TimeBuckets.least)) ms; the curve "
          + "falls as the others do."
          + (marks.isEmpty ? "" : " Dots with whiskers: percentiles and their 95 % intervals.")),
      x: ChartAxis(
        "time since the viewer settled", format: .number(unit: "ms"), scale: .logarithmic),
      y: ChartAxis("views without a first frame", format: .percent), series: series, join: .step,
      bounds: [
        ChartLimit(
          record.lateStarts.limitMilliseconds,
          name: "late after \(Figures.duration(record.lateStarts.limitMilliseconds / 1000))")
      ], marks: marks)
  }
}
