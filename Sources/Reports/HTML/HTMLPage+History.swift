import Scenario

extension HTMLPage {
  // MARK: Over commits

  /// Each budgeted metric over the runs of the gate, and where it changed.
  func writeHistory(to body: inout Markup) {
    guard let history else {
      return noData("the gate was run without --history", to: &body)
    }
    if history.series.isEmpty { return noData("the scenario states no budget", to: &body) }
    let count = history.runs.count
    let runs = count == 1 ? "One run" : "\(count) runs"
    let older = history.omitted == 0 ? "" : ", \(history.omitted) older ones not shown"
    paragraph("\(runs) of the gate, the latest is this one\(older).", to: &body)
    if history.series.allSatisfy({ $0.changes == nil }) {
      paragraph(
        "Too few to look for change points: they are looked for from \(history.leastValues) runs "
          + "on.", to: &body)
    } else {
      writeChangePoints(history, to: &body)
    }
    body.element("div", ["class": "charts"]) { body in
      for (index, series) in history.series.enumerated() {
        guard let chart = HistoryChart.chart(series, history) else { continue }
        figure(
          chart, id: "history-\(index)",
          remark: series.changes == nil && count >= history.leastValues
            ? "too few values to look for change points" : nil, to: &body)
      }
    }
    paragraph(
      "Change points by E-divisive (Matteson and James 2014): the series is cut where the energy "
        + "distance of both sides is largest, while a test of \(history.permutations) random "
        + "orders calls it sure at \(Figures.percent(history.level, decimals: 2)). Where nothing "
        + "changed that tells a change point of any metric on one page in twenty at most. Runs of "
        + "one commit in a row count once. A new value has to stand at two runs or three to be "
        + "told from an outlier.", faint: true, to: &body)
  }

  private func writeChangePoints(_ history: ReportHistory, to body: inout Markup) {
    var table = HTMLTable(
      "Change points: means of the runs before and behind, and the share of random orders with as "
        + "clear a cut",
      [
        .text("Metric"), .number("Run"), .text("Commit"), .number("Before"), .number("Behind"),
        .number("p"),
      ])
    for series in history.series {
      let (isPercent, suffix) = (series.unit == "ratio", series.unit == "number" ? "" : " ms")
      for change in series.changes ?? [] {
        table.add([
          .text(MetricName(series.metric).words), .text("\(change.run + 1)"),
          .text(HistoryChart.name(history.runs[change.run])),
          .text(HTMLPage.value(change.before, isPercent, suffix: suffix)),
          .text(HTMLPage.value(change.after, isPercent, suffix: suffix)),
          .text(Figures.decimal(change.pValue, 3)),
        ])
      }
    }
    if table.isEmpty {
      paragraph("No change point in any budgeted metric.", to: &body)
    } else {
      table.write(to: &body)
    }
  }
}

/// A metric over runs.
enum HistoryChart {
  /// - Returns: nil without a value.
  static func chart(_ series: ReportHistory.Series, _ history: ReportHistory) -> LineChart? {
    let points = series.values.enumerated().compactMap { index, value in
      value.map {
        LineChart.Point(
          Double(index + 1), $0, lower: series.lower[index], upper: series.upper[index])
      }
    }
    guard let last = points.last else { return nil }
    let ends = points.flatMap { [$0.y, $0.lower ?? $0.y, $0.upper ?? $0.y] }
    let known = (ends.min() ?? 0)...(ends.max() ?? 1)
    // A limit far away would press the curve flat; it is named all the same.
    let span = max(known.upperBound - known.lowerBound, abs(last.y) / 10)
    let isNear = (known.lowerBound - 2 * span...known.upperBound + 2 * span).contains(series.bound)
    let extent =
      isNear
      ? min(known.lowerBound, series.bound)...max(known.upperBound, series.bound) : known
    let format: ChartFormat =
      switch series.unit {
      case "ratio": .percent
      case "number": .number(unit: "")
      default: .number(unit: "ms")
      }
    let words = MetricName(series.metric).words
    let changes = series.changes ?? []
    let places = changes.map { "run \($0.run + 1)" }.joined(separator: ", ")
    let told = changes.isEmpty ? "" : " Change points at \(places)."
    return LineChart(
      ChartHeading(
        words,
        summary: "\(words) at \(points.count) runs: \(format.text(points[0].y)) at first, "
          + "\(format.text(last.y)) now, limit \(series.limit).\(told)"),
      x: ChartAxis(
        "run", format: .number(unit: ""), extent: 1...Double(max(2, history.runs.count))),
      y: ChartAxis(words, format: format, extent: extent),
      series: [
        LineChart.Series(
          "value, 95 % interval" + (isNear ? "" : "; limit \(series.limit), far away"),
          points: points)
      ], limits: isNear ? [ChartLimit(series.bound, name: "limit \(series.limit)")] : [],
      bounds: changes.map {
        ChartLimit(
          Double($0.run) + 0.5, name: "change at run \($0.run + 1), \(name(history.runs[$0.run]))")
      })
  }

  /// A run by its commit, in as many digits as tell one.
  static func name(_ run: ReportHistory.Run) -> String {
    guard let commit = run.commit else { return "no commit" }
    let isHash = commit.count >= 12 && commit.allSatisfy(\.isHexDigit)
    return isHash ? String(commit.prefix(10)) : commit
  }
}
