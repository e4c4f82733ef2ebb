import Scenario
import Studies

/// `backtest.html`: one file that needs nothing else, with both curves of each clock and cohort on
/// one plot.
public enum BacktestPage {
  public static func text(_ report: BacktestReport) -> String {
    var page = PlainPage(
      "\(report.scenario): predicted against observed",
      lead: "\(report.sizes). Intervals are 95 %.")
    page.add("result", "Result") { body in
      let found = words(report.verdict)
      PlainPage.banner(
        found.tone, found.word.uppercased(),
        ["\(report.headline.split(separator: ": ", maxSplits: 1).last ?? "")."], to: &body)
    }
    page.add("metrics", "Metrics") { writeMetrics(report, to: &$0) }
    page.add("curves", "Distributions") { writeCurves(report, to: &$0) }
    if !report.backtest.parts.isEmpty {
      page.add("parts", "Where starts spend their time") { body in
        for parts in report.backtest.parts { write(parts, to: &body) }
      }
    }
    if let change = report.change {
      page.add("change", "The change") { write(change, to: &$0) }
    }
    if let suspects = report.suspects {
      page.add("suspects", "Which law would explain the errors") { body in
        body.element("p", text: BacktestReport.sentence(suspects))
        var table = HTMLTable(
          "Each law by itself, over what the scenario has",
          [
            .text("Law"), .number("It would be"), .number("Share of the errors"), .text("Remark"),
          ])
        for law in suspects.laws {
          table.add(BacktestReport.cells(law, suspects).map { .text($0) })
        }
        if !suspects.laws.isEmpty { table.write(to: &body) }
        for note in BacktestReport.notes(suspects, replications: report.replications) {
          body.element("p", text: "\(note).")
        }
      }
    }
    page.add("data", "The data") { body in
      body.element("p", text: "Digest \(report.dataDigest); scenario \(report.digest).")
      for note in report.notes { body.element("p", text: note) }
      let missing = report.backtest.notObserved
      if !missing.isEmpty {
        body.element("p", text: "Not observed: \(missing.joined(separator: ", ")).")
      }
    }
    return page.text()
  }

  private static func words(_ verdict: Backtest.Verdict) -> (tone: PageTone, word: String) {
    switch verdict {
    case .agrees: (.good, verdict.rawValue)
    case .disagrees: (.bad, verdict.rawValue)
    case .tooLittleData: (.open, verdict.rawValue)
    }
  }

  private static func mark(_ verdict: Backtest.Verdict) -> HTMLTable.Cell {
    let found = words(verdict)
    return PlainPage.mark(found.tone, found.word)
  }

  private static func writeMetrics(_ report: BacktestReport, to body: inout Markup) {
    var table = HTMLTable(
      "Predicted and observed; the error is predicted minus observed ± half of the 95 % interval",
      [
        .text("Metric"), .text("Verdict"), .number("Predicted"), .number("Observed"),
        .number("Error"), .number("Tolerance"), .number("n observed"), .text("Why"),
      ])
    for row in report.backtest.rows {
      table.add([
        .text(BacktestReport.name(row.metric, row.cohort)), mark(row.verdict),
        .text(BacktestReport.value(row.predicted, row.metric)),
        .text(BacktestReport.value(row.observed, row.metric)),
        .text(BacktestReport.error(row)),
        .text(BacktestReport.span(row.tolerance, row.metric)),
        .text(Figures.count(Int64(row.samples.observed))), .text(row.reason),
      ])
    }
    table.write(to: &body)
  }

  private static func writeCurves(_ report: BacktestReport, to body: inout Markup) {
    let curves = report.backtest.curves.filter { !$0.predicted.isEmpty && !$0.observed.isEmpty }
    if curves.isEmpty {
      body.element("p", text: "No clock has first frames on both sides.")
      return
    }
    body.element("div", ["class": "charts"]) { body in
      for (place, curve) in curves.enumerated() {
        PlainPage.write(chart(curve), id: "curve-\(place)", to: &body)
      }
    }
  }

  /// Both distribution functions on one plot. Views that were left are in the whole, so that a
  /// curve ends below 100 %.
  public static func chart(_ curve: Backtest.Curve) -> LineChart {
    func points(_ points: [Backtest.Curve.Point]) -> [LineChart.Point] {
      points.map { LineChart.Point($0.time, $0.share) }
    }
    return LineChart(
      ChartHeading(
        "\(BacktestReport.title(curve)), predicted and observed",
        summary: BacktestReport.distance(curve)),
      x: ChartAxis("time to first frame", format: .number(unit: "ms")),
      y: ChartAxis("views with a first frame", format: .percent, extent: 0...1),
      series: [
        LineChart.Series("predicted", points: points(curve.predicted)),
        LineChart.Series("observed", points: points(curve.observed)),
      ], join: .step)
  }

  private static func write(_ parts: Backtest.Parts, to body: inout Markup) {
    var table = HTMLTable(
      "Means of \(parts.clock.rawValue) starts with a first frame",
      [.text("Part"), .number("Predicted"), .number("Observed"), .number("Error")])
    for part in parts.parts { table.add(BacktestReport.cells(part).map { .text($0) }) }
    table.add(BacktestReport.cells(parts.whole).map { .text($0) }, isTotal: true)
    table.write(to: &body)
    body.element("p", text: BacktestReport.remark(parts))
  }

  private static func write(_ change: ChangeBacktest, to body: inout Markup) {
    var table = HTMLTable(
      "After minus before, on both sides, ± half of the 95 % interval",
      [
        .text("Change of"), .number("Predicted"), .number("Observed"), .number("Tolerance"),
        .text("Sign"), .text("Verdict"), .text("Why"),
      ])
    for row in change.rows {
      table.add(
        BacktestReport.cells(row).map { .text($0) } + [mark(row.verdict), .text(row.reason)])
    }
    table.write(to: &body)
  }
}
