import Scenario
import Statistics
import Studies

/// How well laws fit telemetry, as a page with a quantile plot for each.
public enum CalibrationPage {
  /// - Parameters:
  ///   - fragment: the scenario that was written.
  ///   - command: the command line.
  public static func text(
    _ calibration: Calibration, fragment: String, command: String
  ) -> String {
    let reading = calibration.reading
    var page = PlainPage(
      "Calibration",
      lead: "Laws fitted to \(Figures.count(Int64(reading.records))) records by "
        + "maximum likelihood, the best of five families by Akaike's criterion.")
    page.add("laws", "Laws") { writeLaws(calibration, to: &$0) }
    page.add("quantiles", "Quantiles") { body in
      body.element("p", text: "On the line the law says what the data say, at every 200th.")
      body.element("div", ["class": "charts"]) { body in
        for (index, finding) in calibration.allLaws.enumerated() {
          guard case .fitted(let fit) = finding.outcome else { continue }
          PlainPage.write(chart(finding, fit), id: "quantiles-\(index)", to: &body)
        }
      }
    }
    page.add("numbers", "Numbers") { body in
      body.element("ul") { list in
        for line in CalibrationReport.numbers(calibration) { list.element("li", text: line) }
      }
    }
    for (title, texts) in CalibrationReport.sections(calibration) where !texts.isEmpty {
      let name = String(title.prefix(1)) + title.dropFirst().lowercased()
      page.add(title.lowercased().replacing(" ", with: "-"), name) { body in
        body.element("ul") { list in
          for text in texts { list.element("li", text: text) }
        }
      }
    }
    page.add("reading", "What was read") { body in
      body.element("ul") { list in
        for line in CalibrationReport.counts(reading) { list.element("li", text: line) }
        for problem in reading.problems { list.element("li", text: problem.description) }
      }
    }
    page.add("fragment", "Scenario") { body in
      body.element("pre", text: fragment)
      body.element("p", ["class": "faint"], text: command)
    }
    return page.text()
  }

  private static func writeLaws(_ calibration: Calibration, to body: inout Markup) {
    var table = HTMLTable(
      "Each quantity with its law; 95 % intervals from the bootstrap.",
      [
        .text("quantity"), .number("n"), .number("censored"), .text("law"), .number("distance"),
        .number("p"), .text("AIC above the best"), .text("key"),
      ])
    for finding in calibration.allLaws {
      switch finding.outcome {
      case .fitted(let fit):
        let others = fit.candidates.dropFirst().map {
          "\($0.family.rawValue) \(CalibrationReport.number($0.aic - fit.best.aic))"
        }
        table.add([
          "\(finding.name)", "\(finding.count)", "\(finding.censored)",
          "\(CalibrationReport.words(finding, fit))",
          "\(CalibrationReport.number(fit.distance.distance))",
          "\(CalibrationReport.number(fit.distance.pValue))",
          "\(others.joined(separator: ", "))", "\(finding.place)",
        ])
      case .refused(let reason):
        table.add([
          "\(finding.name)", "\(finding.count)", "\(finding.censored)", "refused: \(reason)", "",
          "", "", "\(finding.place)",
        ])
      }
    }
    table.write(to: &body)
  }

  /// Quantiles of the data over those of the law.
  public static func chart(
    _ finding: Calibration.Finding, _ fit: Calibration.Fit
  ) -> LineChart {
    let unit =
      switch finding.unit {
      case .time: "s"
      case .bytes: "B"
      case .bitRate: "bit/s"
      case .real: ""
      }
    let shown = fit.quantiles.filter { $0.law > 0 && $0.data > 0 }
    let laws = shown.map(\.law)
    let ends = [laws.first, laws.last].compactMap { $0 }
    return LineChart(
      ChartHeading(
        "\(finding.name): quantiles of the data over those of the law",
        summary: "\(fit.best.family.rawValue), distance "
          + "\(CalibrationReport.number(fit.distance.distance)), p "
          + "\(CalibrationReport.number(fit.distance.pValue)), n \(finding.count)."),
      x: ChartAxis("law", format: .number(unit: unit), scale: .logarithmic),
      y: ChartAxis("data", format: .number(unit: unit), scale: .logarithmic),
      series: [
        LineChart.Series("data", points: shown.map { LineChart.Point($0.law, $0.data) }),
        LineChart.Series("as the law says", points: ends.map { LineChart.Point($0, $0) }),
      ])
  }
}
