import Scenario
import Statistics
import Studies

/// `tune.html` of a search for the value of a key: each step beside the target.
public enum GoalPage {
  /// - Parameters:
  ///   - command: the words that make the search again.
  ///   - run: the words that run the scenario, to which the value found is added.
  public static func text(_ goal: GoalResult, command: [String], run: [String]) -> String {
    var page = PlainPage(
      "\(goal.scenario.name): \(goal.target.text)",
      lead: "Where \(goal.key) brings \(goal.target.metric.shortName) to its target; "
        + "\(goal.replications) replications of each value with the same random numbers, seed "
        + "\(goal.scenario.seed). Intervals are 95 %.")
    page.add("result", "Result") { body in
      let found = GoalReport.headline(goal)
      PlainPage.banner(tone(goal), found.word, found.sentences, to: &body)
      if case .reached(let answer) = goal.outcome {
        PlainPage.paragraph("Try it:", to: &body)
        let value = goal.points[answer.point].value.shown
        PlainPage.command(run + ["--set", "\(goal.key)=\(value)"], to: &body)
      }
    }
    page.add("steps", "Steps") { body in
      steps(goal, to: &body)
      PlainPage.write(chart(goal), id: "curve", to: &body)
    }
    page.add("how", "How it was made") { body in
      PlainPage.paragraph("The command that makes the search again:", to: &body)
      PlainPage.command(command, to: &body)
      PlainPage.files(TuningPage.files, to: &body)
    }
    return page.text()
  }

  private static func tone(_ goal: GoalResult) -> PageTone {
    switch goal.outcome {
    case .reached: .good
    case .outOfReach: .bad
    case .notMonotone, .tooNoisy: .open
    }
  }

  private static func steps(_ goal: GoalResult, to body: inout Markup) {
    var table = HTMLTable(
      "Every value that was run, in the order of the search, beside \(goal.target.text)",
      [
        .text("Round"), .number(goal.key), .number(goal.target.metric.shortName),
        .number("95 % interval"), .number("n"), .number("From the target"), .text("Beside it"),
      ])
    let order = goal.points.indices.sorted {
      (goal.points[$0].round, $0) < (goal.points[$1].round, $1)
    }
    for index in order {
      let point = goal.points[index]
      table.add([
        .text("\(point.round)"), .text(point.value.shown), .text(point.metric.valueText),
        .text(point.metric.intervalText), .text(Figures.count(point.metric.samples)),
        .text(distance(goal, point)), beside(goal, point),
      ])
    }
    table.write(to: &body)
    PlainPage.paragraph(
      "The first round has the values that were given, and some between; each further one a value "
        + "where the target is expected, and the last ones the ends of the key's interval.",
      faint: true, to: &body)
  }

  private static func distance(_ goal: GoalResult, _ point: GoalResult.Point) -> String {
    guard let value = point.metric.value else { return "–" }
    let half = point.metric.interval?.halfWidth ?? 0
    return Figures.difference(
      value - goal.target.value, half: half, unit: goal.target.metric.unit)
  }

  private static func beside(_ goal: GoalResult, _ point: GoalResult.Point) -> HTMLTable.Cell {
    guard let interval = point.metric.interval else {
      return PlainPage.mark(.invalid, "no interval")
    }
    if interval.contains(goal.target.value) { return PlainPage.mark(.good, "may have it") }
    return PlainPage.mark(.bad, interval.lower > goal.target.value ? "above it" : "below it")
  }

  private static func chart(_ goal: GoalResult) -> LineChart {
    let metric = goal.target.metric
    let places = goal.points.map(\.value.magnitude)
    let (least, most) = (places.min() ?? 0, places.max() ?? 1)
    let points = goal.points.map { point in
      LineChart.Point(
        point.value.magnitude, point.metric.value ?? 0, lower: point.metric.interval?.lower,
        upper: point.metric.interval?.upper, isMarked: true)
    }
    return LineChart(
      ChartHeading(
        "\(metric.shortName) over \(goal.key)",
        summary: "Small strokes: values that were run; the band is the 95 % interval, the line the "
          + "target. From \(goal.points.first?.value.shown ?? "–") to "
          + "\(goal.points.last?.value.shown ?? "–")."),
      x: ChartAxis(
        goal.key, format: .number(unit: goal.unit),
        scale: least > 0 && most / least >= 8 ? .logarithmic : .linear, extent: least...most),
      y: ChartAxis(
        metric.shortName, format: ChartFormat(metric.unit),
        extent: metric.unit == .ratio && !metric.isUnbounded ? 0...1 : nil),
      series: [LineChart.Series(metric.shortName, points: points)],
      limits: [ChartLimit(goal.target.value, name: "target \(goal.target.text)")])
  }
}
