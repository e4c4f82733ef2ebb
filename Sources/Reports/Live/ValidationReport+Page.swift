import Scenario
import Statistics
import Studies

/// `validation.html`: one file that needs nothing else.
extension ValidationReport {
  public func html() -> String {
    var page = PlainPage(
      "\(scenario): simulated against live",
      lead: "The same viewers by the simulation and against real servers. Digest \(digest) of the "
        + "live form. Intervals are 95 %.")
    page.add("result", "Result") { writeResult(to: &$0) }
    page.add("metrics", "Metrics") { writeMetrics(to: &$0) }
    for startup in validation.startups where !startup.parts.isEmpty {
      let clock = startup.clock.rawValue
      page.add("startup-\(clock)", "Where \(clock) starts spend their time") {
        Self.write(startup, to: &$0)
      }
    }
    page.add("curves", "Distributions") { writeCurves(to: &$0) }
    page.add("live", "The live run") { body in
      PlainPage.list(
        [
          "\(live.target), \(live.edge); \(live.link).",
          "\(Figures.count(live.requests)) requests, \(Figures.count(live.lateStarts)) of "
            + "\(Figures.count(live.starts)) sessions began late.",
        ] + notes, to: &body)
      PlainPage.files(
        [
          ("validation.json", "all of it, for programs"),
          ("pairs.csv", "every view on both sides"),
        ], to: &body)
    }
    return page.text()
  }

  private func writeResult(to body: inout Markup) {
    let isHealthy = live.reasons.isEmpty
    let found = Self.words(validation.verdict)
    let count = validation.rows.count { $0.verdict == .agrees }
    PlainPage.banner(
      isHealthy ? found.tone : .invalid, isHealthy ? found.word.uppercased() : "INVALID",
      (isHealthy ? [] : ["The generator was not healthy, so nothing is to be believed."])
        + ["\(count) of \(validation.rows.count) metrics agree within their tolerances."]
        + live.reasons.map { "Not to be believed: \($0)." }, to: &body)
  }

  private static func words(_ verdict: Validation.Verdict) -> (tone: PageTone, word: String) {
    switch verdict {
    case .agrees: (.good, verdict.rawValue)
    case .differs: (.bad, verdict.rawValue)
    case .undecided: (.open, verdict.rawValue)
    case .noData: (.invalid, verdict.rawValue)
    }
  }

  private func writeMetrics(to body: inout Markup) {
    var table = HTMLTable(
      "Simulated and live, and live minus simulated ± half of the 95 % interval",
      [
        .text("Metric"), .text("Verdict"), .number("Simulated"), .number("Live"),
        .number("Difference"), .number("Tolerance"), .number("n simulated"), .number("n live"),
      ])
    for row in validation.rows {
      let found = Self.words(row.verdict)
      table.add([
        .text(row.name), PlainPage.mark(found.tone, found.word),
        .text(Self.value(row.simulated, row)), .text(Self.value(row.live, row)),
        .text(Self.difference(row)), .text(Self.value(row.tolerance, row, isSpan: true)),
        .text(Figures.count(row.samples.simulated)), .text(Figures.count(row.samples.live)),
      ])
    }
    table.write(to: &body)
    PlainPage.paragraph(
      "Agrees: the whole interval of the difference lies within the tolerance. Differs: all of it "
        + "lies outside. Undecided: the interval leaves room for both.", faint: true, to: &body)
  }

  private func writeCurves(to body: inout Markup) {
    let shown = validation.curves.filter { !$0.simulated.isEmpty && !$0.live.isEmpty }
    if shown.isEmpty {
      PlainPage.paragraph("No clock has first frames on both sides.", to: &body)
      return
    }
    body.element("div", ["class": "charts"]) { body in
      for (place, curve) in shown.enumerated() {
        PlainPage.write(Self.chart(curve), id: "curve-\(place)", to: &body)
      }
    }
  }

  private static func write(_ startup: StartupComparison, to body: inout Markup) {
    var table = HTMLTable(
      "Means over \(Figures.count(Int64(startup.pairs))) views that started on both sides",
      [.text("Part"), .number("Simulated"), .number("Live"), .number("Difference")])
    for part in startup.parts { table.add(cells(part).map { .text($0) }) }
    if let whole = startup.whole { table.add(cells(whole).map { .text($0) }, isTotal: true) }
    table.write(to: &body)
    PlainPage.list(remarks(startup), to: &body)
  }

  /// Both distribution functions on one plot.
  static func chart(_ curve: Validation.Curve) -> LineChart {
    func points(_ sorted: [Double]) -> [LineChart.Point] {
      let steps = min(200, sorted.count)
      return (1...steps).map { step in
        let index = sorted.count * step / steps - 1
        return LineChart.Point(sorted[index], Double(index + 1) / Double(sorted.count))
      }
    }
    return LineChart(
      ChartHeading(
        "\(curve.metric), simulated and live",
        summary: "Share of started views by time to the first frame. \(distance(curve))."),
      x: ChartAxis("time to first frame", format: .number(unit: "ms")),
      y: ChartAxis("started views", format: .percent, extent: 0...1),
      series: [
        LineChart.Series("simulated", points: points(curve.simulated)),
        LineChart.Series("live", points: points(curve.live)),
      ], join: .step)
  }
}
