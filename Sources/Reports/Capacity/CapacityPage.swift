import Scenario
import Studies

/// A capacity plan as a page.
public enum CapacityPage {
  /// - Parameter command: the words that make the plan again.
  public static func text(_ plan: CapacityPlan, command: [String]) -> String {
    let level = plan.level
    var page = PlainPage(
      CapacityReport.title(plan),
      lead: "At the peak \(CapacityReport.number(level.edgeRate / 1e9)) Gbps to viewers and "
        + "\(CapacityReport.number(level.edgeRequests)) requests a second at the edges. Intervals "
        + "are 95 %.")
    page.add("result", "Result") { CapacityQuotas(plan).write(to: &$0) }
    page.add("audience", "The audience") { body in
      write(
        "Who comes, how often, and where each number is from.", CapacityReport.audienceHeadings,
        CapacityReport.audienceRows(plan), to: &body)
    }
    if plan.observation != nil {
      page.add("observed", CapacityReport.observedTitle) { observed(plan, to: &$0) }
    }
    page.add("levels", "Peak and provisioning") { body in
      write(
        "What the audience takes at its peak, with 10 % less and more, and twice as many.",
        CapacityReport.levelHeadings(plan), CapacityReport.levelRows(plan), to: &body)
    }
    page.add("breaks", "What gives way first") { body in
      write(
        "How far the audience may grow until it meets a limit that is there whoever comes.",
        CapacityReport.breakHeadings, CapacityReport.breakRows(plan, isSized: false), to: &body)
      write(
        "Sized for this audience, so that it holds it by construction; and how far above.",
        CapacityReport.breakHeadings, CapacityReport.breakRows(plan, isSized: true), to: &body)
      PlainPage.write(breaks(plan), id: "breaks-chart", to: &body)
    }
    page.add("caches", "Caches") { PlainPage.write(curve(plan), id: "curve", to: &$0) }
    page.add("costs", "A month") { body in
      if plan.level.costs.isEmpty {
        body.element("p", text: "No prices: --prices FILE adds what a month costs.")
      } else {
        write(
          "In \(plan.prices?.currency ?? ""), 30 days.", ["", "quantity", "amount"],
          CapacityReport.costRows(plan), to: &body)
      }
    }
    page.add("how", "How it was made") { body in
      PlainPage.list(CapacityReport.remarks(plan), to: &body)
      PlainPage.paragraph("The command that makes the plan again:", to: &body)
      PlainPage.command(command, to: &body)
      PlainPage.files(
        [
          ("capacity.json", "all of it, for programs"), ("capacity.md", "the tables as Markdown"),
          ("capacity.ipynb", "a notebook that draws them"),
        ], to: &body)
    }
    page.add("assumptions", "Assumptions") { body in
      var table = HTMLTable(
        "All of them can be set with --assume or in a file.",
        [.text("key"), .text("value"), .text("from")])
      for row in plan.assumptions.rows {
        table.add(["\(row.key)", "\(row.value)", "\(row.source)"])
      }
      table.write(to: &body)
    }
    return page.text()
  }

  private static func observed(_ plan: CapacityPlan, to body: inout Markup) {
    write(
      "What the files say, and what the plan says beside it.", CapacityReport.observedHeadings,
      CapacityReport.observedRows(plan), to: &body)
    var limits = HTMLTable(
      CapacityReport.limitTitle + ".",
      [
        .text("Limit"), .text("Verdict"), .number("limit"), .number("observed"),
        .number("predicted"), .text("what"),
      ])
    for (row, found) in zip(CapacityReport.limitRows(plan), plan.observedLimits) {
      let tone: PageTone = found.isOver.map { $0 ? .bad : .good } ?? .open
      let cells = row.cells.map { HTMLTable.Cell.text($0) }
      limits.add(
        [.text(row.name), PlainPage.mark(tone, row.cells[3])] + Array(cells[..<3]) + [cells[4]])
    }
    limits.write(to: &body)
    let untold = CapacityReport.untoldTexts(plan)
    if !untold.isEmpty {
      body.element("h3", text: CapacityReport.untoldTitle)
      PlainPage.list(untold, to: &body)
    }
    PlainPage.list(CapacityReport.observedRemarks(plan), to: &body)
  }

  private static func write(
    _ caption: String, _ heading: [String], _ rows: [CapacityReport.Row], to body: inout Markup
  ) {
    let columns = heading.enumerated().map { index, title -> HTMLTable.Column in
      // A heading that is empty says nothing to who hears it.
      let shown = title.isEmpty ? (index == 0 ? "what" : "value") : title
      return index == 0 || title == "what" || title == "from" ? .text(shown) : .number(shown)
    }
    var table = HTMLTable(caption, columns)
    for row in rows {
      table.add(["\(row.name)"] + row.cells.map { HTMLTable.Cell.text($0) })
    }
    table.write(to: &body)
  }

  /// Requests that an edge misses, over its bytes.
  public static func curve(_ plan: CapacityPlan) -> LineChart {
    let target = 1 - plan.assumptions.targetHitRatio
    let bounds =
      plan.edgeBytes.isFinite
      ? [ChartLimit(plan.edgeBytes, name: "the scenario's edge")] : []
    let needed = plan.level.edgeBytes.map { Figures.bytes(Int64($0)) } ?? "no size"
    let provider = CapacityReport.curveProvider(plan)
    let owner: String = provider.map { ", of provider \($0)" } ?? ""
    let together: String = provider == nil ? "" : " for one edge of each provider together"
    return LineChart(
      ChartHeading(
        "Misses of an edge, by its bytes\(owner)",
        summary: "By closed form at the mean load. For \(Figures.percent(1 - target)) hits at the "
          + "peak: \(needed)\(together)."),
      x: ChartAxis("bytes of an edge", format: .bytes, scale: .logarithmic),
      y: ChartAxis("miss ratio", format: .percent),
      series: [
        LineChart.Series("requests", points: plan.curve.map { LineChart.Point($0.bytes, $0.miss) }),
        LineChart.Series(
          "bytes", points: plan.curve.map { LineChart.Point($0.bytes, $0.byteMiss) }),
      ], limits: [ChartLimit(target, name: "target \(Figures.percent(target))")], bounds: bounds)
  }

  /// Multiples of the audience.
  public static func breaks(_ plan: CapacityPlan) -> PointChart {
    let shown = plan.breaks.filter { ($0.multiple ?? 1000) < 20 }
    return PointChart(
      ChartHeading(
        "How far the audience may grow", summary: "Whiskers: 95 % where it was simulated."),
      axis: ChartAxis("times the audience", format: .number(unit: "")),
      rows: shown.map {
        PointChart.Row(
          $0.name, value: $0.multiple, lower: $0.interval?.lower, upper: $0.interval?.upper)
      })
  }
}
