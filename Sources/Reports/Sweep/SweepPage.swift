import Scenario
import Statistics
import Studies

/// `sweep.html`: every point of a sweep with what the budgets say of it, the front, and what each
/// key does. The numbers are those of `sweep.json` and of the terminal.
public enum SweepPage {
  /// The file of a sweep's folder that holds it.
  public static let fileName = "sweep.html"
  /// Rows of a table at most; `points.csv` has all.
  static let mostRows = 400
  /// Metrics of a table at most.
  private static let mostMetrics = 6

  /// - Parameters:
  ///   - command: the words that make the sweep again.
  ///   - run: the words that run the scenario, to which the settings of a point are added.
  ///   - folders: by point, where the page of a run of just that point lies, from this one.
  public static func text(
    _ sweep: SweepResult, command: [String], run: [String], folders: [Int: String] = [:]
  ) -> String {
    let keys = sweep.design.factors.map(\.key).joined(separator: ", ")
    let seed = sweep.scenario.seed
    var page = PlainPage(
      "\(sweep.scenario.name): sweep",
      lead: "\(sweep.design.count) points over \(keys); \(sweep.replications) replications each, "
        + "with the same random numbers, seed \(seed). Intervals are 95 %.")
    if !sweep.front.isEmpty { page.add("front", "Front") { front(sweep, to: &$0) } }
    page.add("points", "Points") { points(sweep, folders, to: &$0) }
    if sweep.design.count > 1, !sweep.references.isEmpty {
      page.add("against", "Against a point") { changes(sweep, to: &$0) }
    }
    page.add("keys", "What each key does") { effects(sweep, to: &$0) }
    page.add("how", "How it was made") { how(sweep, command, run, to: &$0) }
    return page.text()
  }

  /// Numbers of the points that a table has: those of the front, then the others in their order.
  static func rows(_ sweep: SweepResult) -> [Int] {
    let all = 0..<sweep.design.count
    if all.count <= mostRows { return Array(all) }
    let first = sweep.frontPoints.prefix(mostRows)
    let rest = all.filter { !first.contains($0) }.prefix(mostRows - first.count)
    return (first + rest).sorted()
  }

  private static func leaveOut(_ sweep: SweepResult, to body: inout Markup) {
    let count = sweep.design.count
    if count <= mostRows { return }
    PlainPage.paragraph(
      "\(mostRows) of \(count) points are shown, those of the front among them; points.csv has "
        + "all.", faint: true, to: &body)
  }

  static func name(_ point: Int) -> String { "#\(point)" }

  // MARK: Front

  private static func front(_ sweep: SweepResult, to body: inout Markup) {
    let names = sweep.front.map(\.shortName).joined(separator: " and ")
    if sweep.frontPoints.isEmpty {
      PlainPage.paragraph("No data of \(names) at some point: no front.", to: &body)
      return
    }
    PlainPage.paragraph(
      sweep.plan.within.isEmpty
        ? "No other point is better in \(names) together than:"
        : "Within each value of \(sweep.plan.within.joined(separator: ", ")) no other point is "
          + "better in \(names) together than:", to: &body)
    PlainPage.list(
      sweep.frontPoints.prefix(mostRows).map { point in
        let word = standing(sweep.standings[point]).word
        return "\(name(point)) (\(word)): \(SweepReport.label(sweep, point))"
      }, to: &body)
    PlainPage.paragraph(
      "\(SweepReport.beaten(sweep)) of \(sweep.design.count) points are surely worse in every way.",
      to: &body)
    if let chart = SweepCharts.front(sweep, isNumbered: true) {
      PlainPage.write(chart, id: "front-chart", to: &body)
    }
  }

  static func standing(_ standing: ParetoFront.Standing) -> (tone: PageTone, word: String) {
    switch standing {
    case .surelyOnFront: (.good, "on the front")
    case .onFront: (.open, "on the front by the means")
    case .dominated: (.open, "off the front by the means")
    case .surelyDominated(let by): (.plain, "surely worse than \(name(by))")
    }
  }

  // MARK: Points

  /// The metrics of the front, and others while there is room.
  private static func shown(_ sweep: SweepResult) -> [Int] {
    let front = sweep.front.compactMap { sweep.metrics.firstIndex(of: $0) }
    let rest = sweep.metrics.indices.filter { !front.contains($0) }
    return Array((front + rest).prefix(max(front.count, mostMetrics)))
  }

  private static func points(
    _ sweep: SweepResult, _ folders: [Int: String], to body: inout Markup
  ) {
    let shown = shown(sweep)
    let hasFront = !sweep.standings.isEmpty
    var columns: [HTMLTable.Column] = [.text("Point")]
    columns += sweep.design.factors.map { .text($0.key) }
    if hasFront { columns.append(.text("Front")) }
    columns += sweep.budgets.map { .text("\($0.metric.shortName) \($0.limitText)") }
    columns += shown.map { .number(sweep.metrics[$0].shortName) }
    var table = HTMLTable(
      "Each point: its values, what the budgets say of it, and metrics with their 95 % intervals "
        + "and what is behind them", columns)
    for point in rows(sweep) {
      var cells = [
        folders[point].map { PlainPage.link(name(point), to: $0) } ?? .text(name(point))
      ]
      cells += sweep.design.names(point).map { .text($0.isEmpty ? "as it is" : $0) }
      if hasFront {
        let found = standing(sweep.standings[point])
        cells.append(PlainPage.mark(found.tone, found.word))
      }
      cells += sweep.budgets.indices.map { verdict(sweep.verdicts[point][$0]) }
      cells += shown.map {
        let metric = sweep.points[point][$0]
        return PlainPage.estimate(metric.estimate, samples: metric.samples)
      }
      table.add(cells)
    }
    table.write(to: &body)
    leaveOut(sweep, to: &body)
    var remarks: [String] = []
    let left = sweep.metrics.count - shown.count
    if left > 0 {
      remarks.append("\(left) more metrics stand in points.csv and sweep.json.")
    }
    if !folders.isEmpty {
      remarks.append("A point that is a link has been run by itself: its report is there.")
    }
    remarks += budgetRemarks(sweep)
    PlainPage.list(remarks, to: &body)
  }

  private static func verdict(_ verdict: Verdict) -> HTMLTable.Cell {
    let tone: PageTone =
      switch verdict {
      case .pass: .good
      case .fail: .bad
      case .inconclusive: .open
      case .invalid: .invalid
      case .notRun: .plain
      }
    return PlainPage.mark(tone, verdict.rawValue)
  }

  private static func budgetRemarks(_ sweep: SweepResult) -> [String] {
    let all = sweep.scenario.budgets
    if all.isEmpty { return ["The scenario states no budget."] }
    if !sweep.plan.within.isEmpty {
      return ["Budgets are not judged where fronts are drawn within keys."]
    }
    let open = all.filter { budget in !sweep.budgets.contains { $0.metric == budget.metric } }
    var lines: [String] = []
    if !sweep.budgets.isEmpty {
      lines.append(
        "Budgets are judged at each point by itself after \(sweep.replications) replications; "
          + "percentiles are means over the replications here, and one of twenty verdicts may be "
          + "chance.")
    }
    if !open.isEmpty {
      lines.append(
        "Not measured here, so not judged: "
          + open.map { "\($0.metric.shortName) \($0.limitText)" }.joined(separator: ", ")
          + ". --metric adds a metric.")
    }
    return lines
  }

  // MARK: Against

  private static func changes(_ sweep: SweepResult, to body: inout Markup) {
    let shown = shown(sweep)
    let reference = sweep.references[0]
    let isOne = sweep.references.allSatisfy { $0 == reference }
    var table = HTMLTable(
      isOne
        ? "Each point against \(name(reference)) (\(SweepReport.label(sweep, reference))), "
          + "difference ± half of 95 %"
        : "Each point against the first of its group, difference ± half of 95 %",
      [.text("Point")] + (isOne ? [] : [.text("Against")])
        + shown.map { .text(sweep.metrics[$0].shortName) })
    for point in rows(sweep) where sweep.references[point] != point {
      table.add(
        [.text(name(point))] + (isOne ? [] : [.text(name(sweep.references[point]))])
          + shown.map { ComparisonPage.mark(sweep.comparisons[point].rows[$0]) })
    }
    if table.isEmpty {
      PlainPage.paragraph("There is no other point.", to: &body)
      return
    }
    table.write(to: &body)
    leaveOut(sweep, to: &body)
    PlainPage.paragraph(
      "Worse and better allow for all points and metrics together; equivalent: the change lies "
        + "inside what matters in practice; not sure: these replications do not say.",
      faint: true, to: &body)
  }

  // MARK: How

  private static func how(
    _ sweep: SweepResult, _ command: [String], _ run: [String], to body: inout Markup
  ) {
    PlainPage.paragraph("The command that makes the sweep again:", to: &body)
    PlainPage.command(command, to: &body)
    if let point = sweep.frontPoints.first ?? (sweep.design.count > 0 ? 0 : nil) {
      PlainPage.paragraph("The one that runs point \(name(point)) by itself:", to: &body)
      let settings = zip(sweep.design.factors, sweep.design.values[point]).filter { !$1.isEmpty }
      PlainPage.command(run + settings.flatMap { ["--set", "\($0.key)=\($1)"] }, to: &body)
    }
    PlainPage.files(
      [
        ("sweep.json", "all of it, for programs"),
        ("points.csv", "a row for each point, all metrics"),
        ("scenario.resolved.yaml", "the scenario with every value"),
      ], to: &body)
  }
}
