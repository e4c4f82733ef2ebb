import Scenario
import Statistics
import Studies

/// `tune.html` of a search for the best value under limits: what won and why, what the race left
/// behind, and what comes nearest to the limits.
public enum TuningPage {
  /// The file of a tuning's folder that holds it, whatever was searched.
  public static let fileName = "tune.html"

  /// - Parameters:
  ///   - command: the words that make the search again.
  ///   - run: the words that run the scenario, to which the settings of the winner are added.
  public static func text(_ tuning: TuningResult, command: [String], run: [String]) -> String {
    let scenario = tuning.candidates[0].scenario
    let want = tuning.objective.isWorseWhenHigher ? "smallest" : "largest"
    let limits = tuning.constraints.map(\.text).joined(separator: ", ")
    var page = PlainPage(
      "\(scenario.name): tuning of \(tuning.objective.shortName)",
      lead: "The \(want) \(tuning.objective.shortName) of \(tuning.candidates.count) candidates"
        + (limits.isEmpty ? "" : " under \(limits)")
        + ", with the same random numbers, seed \(scenario.seed). Intervals are 95 %.")
    page.add("result", "Result") { result(tuning, run, to: &$0) }
    page.add("candidates", "Candidates") { body in
      candidates(tuning, to: &body)
      body.element("div", ["class": "charts"]) { charts in
        for (index, constraint) in tuning.constraints.enumerated() {
          guard let chart = chart(tuning, constraint, index) else { continue }
          PlainPage.write(chart, id: "limit-\(index + 1)", to: &charts)
        }
        if tuning.constraints.isEmpty, let chart = objectives(tuning) {
          PlainPage.write(chart, id: "objectives", to: &charts)
        }
      }
    }
    page.add("race", "The race") { race(tuning, to: &$0) }
    if !tuning.constraints.isEmpty {
      page.add("nearest", "Nearest to the limits") { nearest(tuning, to: &$0) }
    }
    page.add("how", "How it was made") { body in
      PlainPage.paragraph("The command that makes the search again:", to: &body)
      PlainPage.command(command, to: &body)
      PlainPage.files(files, to: &body)
    }
    return page.text()
  }

  /// What stands beside the page.
  static let files = [
    (name: "tune.json", summary: "all of it, for programs"),
    (name: "scenario.resolved.yaml", summary: "the scenario as it is, with every value"),
  ]

  static func name(_ candidate: Int) -> String { SweepPage.name(candidate) }

  // MARK: Result

  private static func result(_ tuning: TuningResult, _ run: [String], to body: inout Markup) {
    guard let winner = tuning.race.winner else {
      var sentences = ["No candidate keeps every limit, so none is recommended."]
      if let nearest = tuning.nearestMiss {
        let label = tuning.candidates[nearest.candidate].label
        sentences.append("Nearest comes \(name(nearest.candidate)), \(label).")
        sentences += NearestMissText.misses(nearest, tuning).map { "It \($0)." }
      }
      PlainPage.banner(.bad, "NOTHING TO RECOMMEND", sentences, to: &body)
      return
    }
    let value = tuning.values[winner][0].shortTextWithUnit
    var sentences = [
      winner == 0
        ? "The scenario as it is: no candidate is better. \(tuning.objective.shortName) is "
          + "\(value)."
        : "\(name(winner)), \(tuning.candidates[winner].label): \(tuning.objective.shortName) is "
          + "\(value)."
    ]
    if winner != 0, let gain = tuning.race.overToday {
      sentences.append("Against today it changes by \(TuningReport.text(gain, tuning)).")
    }
    if let second = tuning.race.runnerUp, let gain = tuning.race.overRunnerUp {
      sentences.append(
        "Its difference to the runner-up, \(name(second)), is \(TuningReport.text(gain, tuning)).")
    }
    if !tuning.constraints.isEmpty {
      sentences.append(
        tuning.race.isWinnerSurelyFeasible
          ? "It surely keeps every limit."
          : "The limits hold by the estimates, not surely: run more replications.")
    }
    PlainPage.banner(.good, "RECOMMENDED", sentences, to: &body)
    if winner == 0 { return }
    var table = HTMLTable(
      "Keys that the winner has otherwise", [.text("Key"), .text("Today"), .text("Winner")])
    for change in tuning.changes {
      table.add([
        .text(change.key), .text(ComparisonReport.value(change.before)),
        .text(ComparisonReport.value(change.after)),
      ])
    }
    table.write(to: &body)
    PlainPage.paragraph("Try it:", to: &body)
    let settings = tuning.candidates[winner].settings
    PlainPage.command(run + settings.flatMap { ["--set", "\($0.key)=\($0.value)"] }, to: &body)
  }

  // MARK: Candidates

  private static func candidates(_ tuning: TuningResult, to body: inout Markup) {
    let front = tuning.feasibleFront
    var columns: [HTMLTable.Column] = [
      .text("Candidate"), .text("What became of it"), .number(tuning.objective.shortName),
      .text("Beside today"),
    ]
    columns += tuning.constraints.flatMap {
      [.number($0.metric.shortName), .text($0.text)] as [HTMLTable.Column]
    }
    var table = HTMLTable(
      "Each candidate after its last replication, with 95 % intervals and what is behind them",
      columns)
    for (index, candidate) in tuning.candidates.enumerated() {
      let values = tuning.values[index]
      var cells: [HTMLTable.Cell] = [
        .text("\(name(index)) \(candidate.label)"), fate(tuning, index, front),
        PlainPage.estimate(values[0].estimate, samples: values[0].samples),
        index == 0 ? .text("–") : ComparisonPage.mark(tuning.comparisons[index].rows[0]),
      ]
      for (constraint, metric) in zip(tuning.constraints, values.dropFirst()) {
        cells.append(PlainPage.estimate(metric.estimate, samples: metric.samples))
        cells.append(limit(constraint, metric))
      }
      table.add(cells)
    }
    table.write(to: &body)
    if !tuning.constraints.isEmpty && !front.isEmpty {
      PlainPage.paragraph(
        "Feasible front: no other candidate that keeps the limits by its estimates is better in "
          + "the objective and in all limited metrics than "
          + front.map { name($0) }.joined(separator: ", ") + ".", to: &body)
    }
    PlainPage.paragraph(
      "Candidates that left the race early have fewer replications behind their values.",
      faint: true, to: &body)
  }

  private static func fate(
    _ tuning: TuningResult, _ candidate: Int, _ front: [Int]
  ) -> HTMLTable.Cell {
    let tone: PageTone =
      if tuning.race.winner == candidate {
        .good
      } else if case .infeasible = tuning.drops[candidate]?.reason {
        .bad
      } else {
        tuning.keepsLimits(candidate) ? .plain : .open
      }
    let isOnFront = !tuning.constraints.isEmpty && front.contains(candidate)
    return PlainPage.mark(
      tone, TuningReport.state(tuning, candidate), remark: isOnFront ? "feasible front" : "")
  }

  /// Whether a limit is kept: surely where the interval says so.
  private static func limit(
    _ constraint: TuningConstraint, _ metric: MetricResult
  ) -> HTMLTable.Cell {
    guard let value = metric.value else { return PlainPage.mark(.invalid, "no data") }
    let holds = constraint.limit.holds(value)
    let ends = metric.interval.map { [$0.lower, $0.upper].map { constraint.limit.holds($0) } }
    if let ends, ends.allSatisfy({ $0 == holds }) {
      return PlainPage.mark(holds ? .good : .bad, holds ? "kept" : "missed")
    }
    return PlainPage.mark(.open, "not told", remark: holds ? "kept by the mean" : "missed by it")
  }

  // MARK: Charts

  private static func chart(
    _ tuning: TuningResult, _ constraint: TuningConstraint, _ index: Int
  ) -> CandidateChart? {
    let points = tuning.candidates.indices.compactMap { candidate -> CandidateChart.Point? in
      let (wanted, limited) = (
        tuning.values[candidate][0], tuning.values[candidate][index + 1]
      )
      guard let y = wanted.value, let x = limited.value else { return nil }
      return CandidateChart.Point(
        name(candidate), x: x, y: y, xInterval: limited.estimate.interval,
        yInterval: wanted.estimate.interval,
        fate: tuning.race.winner == candidate
          ? .winner : tuning.keepsLimits(candidate) ? .kept : .missed)
    }
    if points.isEmpty { return nil }
    let kept = points.count { $0.fate != .missed }
    return CandidateChart(
      ChartHeading(
        "\(tuning.objective.shortName) over \(constraint.metric.shortName)",
        summary: "\(kept) of \(points.count) candidates keep every limit by their estimates; the "
          + "numbers are those of the table."),
      x: axis(constraint.metric, points.flatMap { ends($0.x, $0.xInterval) }),
      y: axis(tuning.objective, points.flatMap { ends($0.y, $0.yInterval) }), points: points,
      limit: ChartLimit(constraint.limit.value, name: "limit \(constraint.text)"))
  }

  private static func ends(_ value: Double, _ range: ClosedRange<Double>?) -> [Double] {
    [value] + (range.map { [$0.lowerBound, $0.upperBound] } ?? [])
  }

  private static func axis(_ metric: MetricReference, _ values: [Double]) -> ChartAxis {
    var axis = ChartAxis(metric.shortName, format: ChartFormat(metric.unit))
    if let least = values.min(), let most = values.max() { axis.extent = least...most }
    return axis
  }

  /// Candidates of a chart at most.
  private static let mostRows = 40

  private static func objectives(_ tuning: TuningResult) -> PointChart? {
    let shown = tuning.candidates.indices.prefix(mostRows)
    let winner = tuning.race.winner.map { " \(name($0)) wins." } ?? ""
    return PointChart(
      ChartHeading(
        "\(tuning.objective.shortName) of each candidate",
        summary: "Whiskers are 95 % intervals of each by itself; the race looks at differences, "
          + "which are narrower.\(winner)"),
      axis: axis(tuning.objective, []),
      rows: shown.map { candidate in
        let estimate = tuning.values[candidate][0].estimate
        return PointChart.Row(
          name(candidate), value: estimate.value, lower: estimate.interval?.lowerBound,
          upper: estimate.interval?.upperBound)
      })
  }

  // MARK: Race

  private static func race(_ tuning: TuningResult, to body: inout Markup) {
    var table = HTMLTable(
      "Rounds of the race: what each of them left out, and why",
      [
        .text("Round"), .number("Replications"), .number("In"),
        .number("Surely not within a limit"),
        .number("Surely worse"), .number("Not among the best half"), .number("Left"),
      ])
    var left = tuning.candidates.count
    for (index, rung) in tuning.rungs.enumerated() where left > 0 {
      let drops = tuning.drops.indices.filter { tuning.dropRungs[$0] == index }
      func count(_ isCounted: (Race.DropReason) -> Bool) -> Int {
        drops.count { tuning.drops[$0].map { isCounted($0.reason) } ?? false }
      }
      let reasons = [
        count { if case .infeasible = $0 { true } else { false } },
        count { if case .worse = $0 { true } else { false } }, count { $0 == .notKept },
      ]
      let cells = ["\(index + 1)", "\(rung)", "\(left)"] + reasons.map { "\($0)" }
      left -= drops.count
      table.add((cells + ["\(left)"]).map { .text($0) })
    }
    table.write(to: &body)
    PlainPage.paragraph(
      "What is surely worse than the best, or surely breaks a limit, is run no further. The "
        + "scenario as it is runs to the end whatever its place.", faint: true, to: &body)
  }

  // MARK: Nearest

  private static func nearest(_ tuning: TuningResult, to body: inout Markup) {
    guard let nearest = tuning.nearestMiss else {
      PlainPage.paragraph("Every candidate keeps every limit by its estimates.", to: &body)
      return
    }
    let label = tuning.candidates[nearest.candidate].label
    PlainPage.paragraph(
      "Of those that do not keep every limit, \(name(nearest.candidate)), \(label), comes nearest.",
      to: &body)
    var table = HTMLTable(
      "What it misses, and by how much; ± half of the 95 % interval",
      [
        .text("Limit"), .number("Value"), .number("Beyond it"), .number("Share of the limit"),
        .text("Verdict"),
      ])
    for miss in nearest.misses {
      let constraint = tuning.constraints[miss.constraint]
      let metric = tuning.values[nearest.candidate][miss.constraint + 1]
      table.add([
        .text(constraint.text), PlainPage.estimate(metric.estimate, samples: metric.samples),
        .text(NearestMissText.beyond(miss, constraint)),
        .text(miss.share.map { Figures.percent($0) } ?? "–"), limit(constraint, metric),
      ])
    }
    table.write(to: &body)
    PlainPage.list(NearestMissText.keys(nearest, tuning).map { "\($0)." }, to: &body)
  }
}
