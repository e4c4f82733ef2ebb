import Scenario
import Studies

/// Two finished runs as a page: the sections of a run's report in two columns.
extension RunsBeside {
  /// - Parameters:
  ///   - reports: where the reports of both runs lie, from the page; nil leaves the links out.
  ///   - command: the words that make the page again.
  public func page(reports: (baseline: String, candidate: String)?, command: [String]) -> String {
    let (a, b) = (baseline.record, candidate.record)
    let names =
      a.scenario.name == b.scenario.name
      ? a.scenario.name : "\(a.scenario.name) and \(b.scenario.name)"
    var page = ComparisonPage.page(report, title: "\(names): two runs side by side")
    page.lead = "A is \(baseline.name), B is \(candidate.name). " + page.lead
    ComparisonPage.addResults(report, notes: notes, to: &page)
    page.add("runs", "The runs") { writeRuns(reports, to: &$0) }
    page.add("budgets", "Budgets") { writeBudgets(to: &$0) }
    if !a.hasMetricsOnly {
      ComparisonPage.addCurves(
        FirstFrameCurves([
          .init(name: "A", times: RunsBeside.times(a)),
          .init(name: "B", times: RunsBeside.times(b)),
        ]), to: &page)
      ComparisonPage.addStartup(
        report, over: "started views that waited for more than the display", to: &page)
    }
    for section in RunSums(a, b).sections {
      page.add(section.id, section.title) { section.write(to: &$0) }
    }
    if !others.rows.isEmpty {
      page.add("others", "All other metrics") { body in
        ComparisonPage.write(others, report, "For reading, in no verdict", to: &body)
      }
    }
    ComparisonPage.addCommand(command, to: &page)
    return page.text()
  }

  private static func times(_ record: RunRecord) -> TimeBuckets {
    TimeBuckets(record.histograms.filter { $0.metric == "ttff_ms" })
  }

  private static func tone(_ verdict: String) -> PageTone {
    switch verdict {
    case "pass": .good
    case "fail": .bad
    case "inconclusive": .open
    case "invalid": .invalid
    default: .plain
    }
  }

  private func writeRuns(_ reports: (baseline: String, candidate: String)?, to body: inout Markup) {
    let (a, b) = (baseline.record, candidate.record)
    var table = HTMLTable("What was run", [.text("What"), .text("A"), .text("B")])
    func add(_ name: String, _ text: (RunRecord) -> String) {
      table.add([.text(name), .text(text(a)), .text(text(b))])
    }
    table.add([
      "verdict", PlainPage.mark(RunsBeside.tone(a.verdict), a.verdict),
      PlainPage.mark(RunsBeside.tone(b.verdict), b.verdict),
    ])
    add("scenario") { $0.scenario.name + ($0.scenario.short ? ", short form" : "") }
    add("digest") { $0.scenario.digest }
    add("seed") { "\($0.seed)" }
    add("replications") { "\($0.replications.run) of at most \($0.replications.cap)" }
    add("how") { $0.live == nil ? "simulated" : "live" }
    add("views") { Figures.count($0.views) }
    add("sessions") { Figures.count($0.sessions) }
    add("events") { Figures.count($0.events) }
    add("fingerprint") { $0.fingerprint }
    if let reports {
      table.add([
        "report", PlainPage.link("report of A", to: reports.baseline),
        PlainPage.link("report of B", to: reports.candidate),
      ])
    }
    table.write(to: &body)
  }

  private func writeBudgets(to body: inout Markup) {
    func name(_ budget: RunRecord.Budget) -> String {
      "\(MetricName(budget.metric).shortText) \(budget.limit)"
        + (budget.level == "soft" ? " (soft)" : "")
    }
    let (left, right) = (baseline.record.budgets, candidate.record.budgets)
    let names = RunRecord.ordered(left + right, by: name)
    if names.isEmpty {
      PlainPage.paragraph("Neither scenario states a budget.", to: &body)
      return
    }
    var table = HTMLTable(
      "The budgets of both: verdict, value with its 95 % interval, and margin as a share of the "
        + "limit",
      [
        .text("Budget"), .text("A"), .number("A, value"), .number("A, margin"), .text("B"),
        .number("B, value"), .number("B, margin"),
      ])
    for each in names {
      let cells = [left, right].flatMap { budgets -> [HTMLTable.Cell] in
        guard let budget = budgets.first(where: { name($0) == each }) else {
          return [PlainPage.mark(.plain, "no such budget"), "–", "–"]
        }
        return [
          PlainPage.mark(RunsBeside.tone(budget.verdict), budget.verdict, remark: budget.reason),
          PlainPage.estimate(budget.estimate.text, samples: budget.estimate.samples),
          .text(budget.marginText ?? "–"),
        ]
      }
      table.add([.text(each)] + cells)
    }
    table.write(to: &body)
  }
}
