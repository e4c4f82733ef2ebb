import Scenario
import Studies

/// The loads at which a world's budgets give way, as a page.
public enum LoadKneePage {
  /// - Parameter command: the words that make the search again.
  public static func text(_ knee: LoadKnee, command: [String]) -> String {
    var page = PlainPage(
      "\(knee.scenario.name): what gives way first",
      lead: "Times the load of the scenario, \(knee.loadKey) \(CapacityReport.number(knee.load)); "
        + "everything else stays as it is. Intervals are 95 % over \(knee.replications) "
        + "replications.")
    page.add("result", "Result") { result(knee, to: &$0) }
    page.add("budgets", "Budgets") { body in
      budgets(knee, to: &body)
      if let chart = chart(knee) { PlainPage.write(chart, id: "knees", to: &body) }
    }
    page.add("how", "How it was made") { body in
      PlainPage.list(LoadKneeReport.remarks(knee), to: &body)
      PlainPage.paragraph("The command that makes the search again:", to: &body)
      PlainPage.command(command, to: &body)
      PlainPage.files([("capacity.json", "all of it, for programs")], to: &body)
    }
    return page.text()
  }

  private static func fate(
    _ finding: LoadKnee.Finding, _ knee: LoadKnee
  ) -> (tone: PageTone, word: String) {
    guard let multiple = finding.multiple else {
      if finding.never == knee.replications { return (.good, "holds") }
      if finding.always == knee.replications { return (.bad, "fails already") }
      return (.open, "some replications break it")
    }
    if multiple.interval.contains(1) { return (.open, "at its limit") }
    return multiple.value < 1 ? (.bad, "over today") : (.good, "holds today")
  }

  private static func result(_ knee: LoadKnee, to body: inout Markup) {
    let fates = knee.findings.map { ($0, fate($0, knee)) }
    let over = fates.filter { $0.1.tone == .bad }.map { $0.0.budget.metric.description }
    let first = knee.findings.filter { $0.multiple != nil }
      .min { ($0.multiple?.value ?? 0) < ($1.multiple?.value ?? 0) }
    var sentences: [String] = []
    if !over.isEmpty { sentences.append("Over today: \(over.joined(separator: ", ")).") }
    if let first, let multiple = first.multiple {
      sentences.append(
        "\(first.budget.metric.description) \(first.budget.limitText) gives way first, at "
          + "\(Figures.decimal(multiple.value, 2))× the load.")
    }
    if sentences.isEmpty { sentences.append("No budget has a knee where it was looked for.") }
    let isOpen = fates.contains { $0.1.tone == .open }
    PlainPage.banner(
      over.isEmpty ? (isOpen ? .open : .good) : .bad,
      over.isEmpty ? (isOpen ? "NEAR A LIMIT" : "HOLDS TODAY") : "OVER TODAY", sentences, to: &body)
  }

  private static func budgets(_ knee: LoadKnee, to body: inout Markup) {
    var table = HTMLTable(
      "Each budget: its value at the scenario's load, and the load at which it gives way",
      [
        .text("Budget"), .text("Verdict"), .text("Limit"), .number("Now"), .number("Holds to"),
        .number("95 % interval"), .number(knee.loadKey),
      ])
    for finding in knee.findings {
      let found = fate(finding, knee)
      let cells = LoadKneeReport.cells(finding, knee)
      table.add(
        [
          .text(finding.budget.metric.description), PlainPage.mark(found.tone, found.word),
          .text(finding.budget.limitText), .text(LoadKneeReport.nominal(finding)),
        ] + cells.map { .text($0.isEmpty ? "–" : $0) })
    }
    table.write(to: &body)
  }

  private static func chart(_ knee: LoadKnee) -> PointChart? {
    let rows = knee.findings.compactMap { finding in
      finding.multiple.map {
        PointChart.Row(
          finding.budget.metric.description, value: $0.value, lower: max(0, $0.interval.lower),
          upper: $0.interval.upper)
      }
    }
    if rows.isEmpty { return nil }
    return PointChart(
      ChartHeading(
        "How far the load may grow", summary: "Whiskers: 95 % intervals. 1 is the load today."),
      axis: ChartAxis("times the load", format: .number(unit: "")), rows: rows,
      limits: [ChartLimit(1, name: "today")])
  }
}
