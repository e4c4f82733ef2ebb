import Scenario
import Statistics
import Studies

/// The page of a comparison: what differs, what is better or worse and how sure that is, and the
/// times of both sides on one plot.
public enum ComparisonPage {
  /// - Parameters:
  ///   - records: the replications of both sides, with their times to the first frame.
  ///   - command: the words that make the comparison again.
  public static func text(
    _ report: ComparisonReport, title: String, records: ([ReplicationRecord], [ReplicationRecord]),
    command: [String]
  ) -> String {
    var page = page(report, title: title)
    let curves = FirstFrameCurves([
      (report.baseline, ReplicationRecord.times(of: records.0)),
      (report.candidate, ReplicationRecord.times(of: records.1)),
    ])
    addResults(report, to: &page)
    addCurves(curves, to: &page)
    addStartup(report, to: &page)
    if let causes = report.causes { addCauses(causes, to: &page) }
    addCommand(command, to: &page)
    return page.text()
  }

  static func page(_ report: ComparisonReport, title: String) -> PlainPage {
    let pairs =
      report.comparison.isPaired
      ? "paired over \(report.comparison.replications) replications with common random numbers"
      : "not paired"
    return PlainPage(
      title, lead: "\(report.candidate) against \(report.baseline), \(pairs). Intervals are 95 %.")
  }

  // MARK: Words

  static func tone(_ outcome: ComparisonOutcome) -> PageTone {
    switch outcome {
    case .worse: .bad
    case .better: .good
    case .equivalent: .plain
    case .notSure: .open
    case .noData: .invalid
    }
  }

  /// The outcome of a metric with its difference.
  static func mark(_ row: ComparisonRow) -> HTMLTable.Cell {
    PlainPage.mark(
      tone(row.outcome), ComparisonReport.word(row.outcome),
      remark: row.difference == nil ? "" : ComparisonReport.difference(row))
  }

  private static func verdict(_ comparison: Comparison) -> (tone: PageTone, word: String) {
    let (worse, better) = (comparison.regressions.count, comparison.improvements.count)
    if worse > 0 && better > 0 { return (.bad, "\(worse) WORSE, \(better) BETTER") }
    if worse > 0 { return (.bad, "\(worse) WORSE") }
    if better > 0 { return (.good, "\(better) BETTER") }
    let isAllEqual = comparison.rows.allSatisfy { $0.outcome == .equivalent }
    if isAllEqual && !comparison.rows.isEmpty { return (.plain, "EQUIVALENT") }
    if !comparison.undecided.isEmpty { return (.open, "NOT SURE") }
    return (.invalid, "NO DATA")
  }

  // MARK: Sections

  static func addResults(
    _ report: ComparisonReport, notes: [String] = [], to page: inout PlainPage
  ) {
    page.add("result", "Result") { body in
      let found = verdict(report.comparison)
      PlainPage.banner(found.tone, found.word, [report.summary] + notes, to: &body)
    }
    page.add("differences", "Keys that differ") { changes(report, to: &$0) }
    page.add("metrics", "Metrics") { body in
      write(report.comparison, report, "What is judged", to: &body)
      if let chart = chart(report) { PlainPage.write(chart, id: "changes", to: &body) }
      PlainPage.paragraph(
        "Worse and better: told from zero, allowing for all of these metrics, and beyond what "
          + "matters in practice. Equivalent: the whole interval lies within that. Seen from: the "
          + "least difference that would have been seen in four runs of five.", faint: true,
        to: &body)
    }
  }

  private static func changes(_ report: ComparisonReport, to body: inout Markup) {
    if report.changes.isEmpty {
      PlainPage.paragraph("No key differs.", to: &body)
      return
    }
    var table = HTMLTable(
      "Keys of the resolved scenarios that differ",
      [.text("Key"), .text(report.baseline), .text(report.candidate)])
    for change in report.changes {
      table.add([
        .text(change.key), .text(ComparisonReport.value(change.before)),
        .text(ComparisonReport.value(change.after)),
      ])
    }
    table.write(to: &body)
  }

  /// A table of metrics of both sides.
  static func write(
    _ comparison: Comparison, _ report: ComparisonReport, _ caption: String,
    to body: inout Markup
  ) {
    var table = HTMLTable(
      "\(caption): both sides, and the difference ± half of its 95 % interval",
      [
        .text("Metric"), .text("Verdict"), .number(report.baseline), .number(report.candidate),
        .number("Difference"), .number("Change"), .number("Replications"), .number("Seen from"),
        .text("What would decide"),
      ])
    for row in comparison.rows {
      table.add([
        .text(row.metric.shortName),
        PlainPage.mark(tone(row.outcome), ComparisonReport.word(row.outcome)),
        .text(side(row.baseline, row)), .text(side(row.candidate, row)),
        .text(ComparisonReport.difference(row)),
        .text(row.relativeChange.map { ComparisonReport.signedPercent($0) } ?? "–"),
        .text("\(row.replications)"),
        .text(row.smallestDetectable.map { row.metric.text($0) } ?? "–"),
        .text(row.outcome == .notSure ? ComparisonReport.needed(row) : ""),
      ])
    }
    table.write(to: &body)
  }

  private static func side(_ value: Double?, _ row: ComparisonRow) -> String {
    (row.isLowerBound && value != nil ? "≥ " : "") + row.metric.text(value)
  }

  /// The changes as shares of the baseline.
  private static func chart(_ report: ComparisonReport) -> PointChart? {
    let rows = report.comparison.rows.compactMap { row -> PointChart.Row? in
      guard let baseline = row.baseline, baseline != 0, let change = row.relativeChange,
        let interval = row.difference?.interval
      else { return nil }
      let size = abs(baseline)
      return PointChart.Row(
        row.metric.shortName, value: change, lower: interval.lower / size,
        upper: interval.upper / size)
    }
    if rows.isEmpty { return nil }
    return PointChart(
      ChartHeading(
        "Change of each metric as a share of \(report.baseline)",
        summary: "Whiskers: the 95 % interval of the difference over the value of "
          + "\(report.baseline). Left of 0 is less."),
      axis: ChartAxis("change", format: .percent), rows: rows,
      limits: [ChartLimit(0, name: "no change")])
  }

  static func addCurves(_ curves: FirstFrameCurves, to page: inout PlainPage) {
    page.add("curves", "Time to first frame") { body in
      if let chart = curves.chart {
        PlainPage.write(chart, id: "curve", to: &body)
      } else {
        PlainPage.paragraph(
          "No curve: a side has no views, or every first frame was there within "
            + "\(Figures.decimal(TimeBuckets.least, 0)) ms.", to: &body)
      }
    }
  }

  /// - Parameter views: what the means are over.
  static func addStartup(
    _ report: ComparisonReport, over views: String = "all started views", to page: inout PlainPage
  ) {
    let shown = report.parts.filter { $0.before != 0 || $0.after != 0 }
    if shown.isEmpty { return }
    page.add("startup", "Where starts spend their time") { body in
      var table = HTMLTable(
        "Means over \(views); these have no intervals",
        [
          .text("Part"), .number(report.baseline), .number(report.candidate),
          .number("Difference"),
        ])
      for part in shown {
        table.add([
          .text(part.part.label), .text(ComparisonReport.ms(part.before)),
          .text(ComparisonReport.ms(part.after)),
          .text(ComparisonReport.ms(part.change, signed: true)),
        ])
      }
      let (before, after) = (
        shown.reduce(0) { $0 + $1.before }, shown.reduce(0) { $0 + $1.after }
      )
      table.add(
        [
          "first frame", .text(ComparisonReport.ms(before)), .text(ComparisonReport.ms(after)),
          .text(ComparisonReport.ms(after - before, signed: true)),
        ], isTotal: true)
      table.write(to: &body)
    }
  }

  private static func addCauses(_ causes: BaselineComparison, to page: inout PlainPage) {
    page.add("causes", "Causes") { body in
      let rows = CauseLines.rows(causes)
      if rows.isEmpty {
        PlainPage.paragraph(
          "No changed key was found to tell apart: no metric is worse or better, or none of the "
            + "keys can be set back alone.", to: &body)
      } else {
        var table = HTMLTable(
          "Which changed key did what, by Shapley values over mixtures of old and new values",
          [
            .text("Metric"), .text("Key"), .text("Values"), .text("Share of the change"),
            .number("Alone"), .number("Set back"),
          ])
        for row in rows {
          table.add(
            [row.metric, row.key, row.values, row.share, row.alone, row.undone].map { .text($0) })
        }
        table.write(to: &body)
      }
      PlainPage.list(CauseLines.summary(causes), to: &body)
    }
  }

  static func addCommand(_ command: [String], to page: inout PlainPage) {
    page.add("how", "How it was made") { body in
      PlainPage.paragraph("The command that makes this page again:", to: &body)
      PlainPage.command(command, to: &body)
    }
  }
}
