import Foundation
import Testing

@testable import Reports
@testable import Scenario
@testable import Statistics
@testable import Studies

/// Pages of sweeps, tunings, comparisons and plans, of results made by hand.
@Suite struct StudyPageTests {
  private static let hostile = "a <b>\"bold\"</b> & 'it'\u{7}\u{1B}[31m"

  private func checked(_ page: String) throws -> String {
    let rules = try PageRules(page)
    #expect(rules.faults.isEmpty, "\(rules.faults)")
    #expect(!page.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" && $0 != "\t" })
    #expect(!page.contains("<b>"))
    return rules.check.text
  }

  // MARK: Sweep

  private func sweepPage(_ change: (inout SweepResult) throws -> Void = { _ in }) throws -> String {
    var sweep = try SweepFixture.sweep(front: "ttff_ms.p95, wasted_ratio")
    sweep.standings = [
      .surelyOnFront, .onFront, .dominated, .surelyDominated(by: 1),
    ]
    try change(&sweep)
    return SweepPage.text(
      sweep, command: ["firstframe", "sweep", Self.hostile], run: ["firstframe", "run", "s.yaml"],
      folders: [1: "../javascript:by hand-0badcafe/report.html"])
  }

  @Test func `a sweep's page tells each point, its place by a word, and links the run of one`()
    throws
  {
    let page = try sweepPage()
    let text = try checked(page)
    for word in ["on the front", "on the front by the means", "surely worse than #1"] {
      #expect(text.contains(word), "\(word)")
    }
    #expect(text.contains("[-50, 1,850], n 9") || text.contains("n 9"))
    #expect(text.contains("told") && text.contains("not told"))
    #expect(text.contains("single keys explain 90.0 %"))
    #expect(text.contains("wasted_ratio: the same at every point."))
    #expect(page.contains("href=\"../javascript%3Aby%20hand-0badcafe/report.html\""))
    #expect(text.contains(#"firstframe sweep $'a <b>"bold"</b> & \'it\'\x07\x1b[31m'"#))
    #expect(text.contains("--set 'policy.prefetch.headLength=\"2 s\"'"))
    // The dots of the front are those of the table.
    #expect(page.contains("<title>#0: 20.0 %, 900 ms"))
  }

  @Test func `a sweep's page has the budgets' verdicts, and says which were not measured`() throws {
    let page = try sweepPage { sweep in
      sweep.scenario = try StudyScenario.parse(
        """
        version: 1
        name: by-hand
        budgets:
          - {metric: wasted_ratio, limit: "< 30 %"}
          - {metric: rebuffer_ratio, limit: "< 1 %"}

        """, file: "some/by-hand.yaml")
      sweep.budgets = [sweep.scenario.budgets[0]]
      sweep.verdicts = [[.pass], [.inconclusive], [.invalid], [.fail]]
    }
    let text = try checked(page)
    for word in ["pass", "inconclusive", "invalid", "fail"] { #expect(text.contains(word)) }
    #expect(text.contains("Not measured here, so not judged: rebuffer_ratio < 1 %."))
  }

  @Test func `a large sweep's table is cut, with the front in it`() throws {
    var sweep = try SweepFixture.sweep(front: "ttff_ms.p95, wasted_ratio")
    let row = (sweep.points[0], sweep.comparisons[0], sweep.design.values[0])
    sweep.points = Array(repeating: row.0, count: 1000)
    sweep.comparisons = Array(repeating: row.1, count: 1000)
    sweep.references = Array(repeating: 0, count: 1000)
    sweep.design.values = Array(repeating: row.2, count: 1000)
    sweep.standings = Array(repeating: .dominated, count: 1000)
    sweep.frontPoints = [999, 3]
    let rows = SweepPage.rows(sweep)
    #expect(rows.count == SweepPage.mostRows && rows.last == 999 && rows.contains(3))
    let page = SweepPage.text(sweep, command: ["firstframe"], run: ["firstframe", "run"])
    #expect(try checked(page).contains("\(SweepPage.mostRows) of 1000 points are shown"))
  }

  // MARK: Tuning

  private static let limit = TuningConstraint.parse("wasted_ratio < 25 %")

  /// Three candidates, of which the second keeps the limit and the third misses it.
  private func tuning(winner: Int?) throws -> TuningResult {
    let scenario = try StudyScenario.parse("version: 1\nname: by-hand\n", file: "some/by-hand.yaml")
    let settings = [nil, "<b>", "4 s"].map { value in
      value.map { [Variant.Setting(key: "policy.prefetch.headLength", value: $0)] } ?? []
    }
    let constraint = try Self.limit.get()
    let numbers = [(900.0, 0.26), (700, 0.2), (600, 0.3)]
    let values = try numbers.map { late, wasted in
      [
        try Fixture.metric("ttff_ms.mean", value: late, half: 20, samples: 9000),
        try Fixture.metric("wasted_ratio", value: wasted, half: 0.02, samples: 9000),
      ]
    }
    var comparison = Comparison([], baseline: [], candidate: [], isPaired: true)
    comparison.rows = values[0].map {
      ComparisonRow(
        metric: $0.reference, baseline: $0.value, candidate: $0.value, difference: nil,
        relativeChange: nil, replications: 8, smallestDetectable: nil, varianceReduction: nil,
        isLowerBound: false, outcome: .equivalent)
    }
    return TuningResult(
      candidates: settings.map { list in
        let label = list.first.map { "\($0.key)=\($0.value)" } ?? "as it is"
        return Variant(label: label, settings: list, scenario: scenario)
      }, objective: values[0][0].reference, constraints: [constraint], rungs: [4, 8],
      drops: [nil, nil, Race.Drop(candidate: 2, reason: .infeasible(constraint: 0))],
      dropRungs: [nil, nil, 0], values: values,
      comparisons: values.map { _ in comparison },
      race: Race.Result(
        winner: winner, isWinnerSurelyFeasible: true, runnerUp: nil, overRunnerUp: nil,
        overToday: nil),
      changes: [
        ConfigurationChange(key: "policy.prefetch.headLength", before: "2 s", after: "<b>")
      ],
      nearestMiss: NearestMiss(
        candidate: 0,
        misses: [
          NearestMiss.Miss(
            constraint: 0, beyond: 0.01, interval: Interval(lower: -0.01, upper: 0.03),
            share: 0.04)
        ],
        keys: [
          NearestMiss.Key(
            key: "policy.prefetch.headLength", other: "\"4 s\"", own: "\"2 s\"",
            change: SweepFixture.estimate(0.04, 0.01), candidate: 2, isBetter: false,
            isAtEnd: true)
        ]))
  }

  @Test func `a tuning's page has the winner, the rounds, the feasible front and the nearest miss`()
    throws
  {
    let page = TuningPage.text(
      try tuning(winner: 1), command: ["firstframe", "tune"], run: ["firstframe", "run", "s.yaml"])
    let text = try checked(page)
    #expect(text.contains("RECOMMENDED") && !text.contains("NOTHING TO RECOMMEND"))
    #expect(text.contains("--set 'policy.prefetch.headLength=<b>'"))
    #expect(text.contains("out after 4 replications: not wasted_ratio < 25 %"))
    #expect(text.contains("Feasible front") && text.contains("than #1."))
    #expect(text.contains("kept by the mean") || text.contains("missed by it"))
    #expect(text.contains("1.0 ±2.0 points"))
    #expect(
      text.contains("from 4 s to 2 s moved wasted_ratio by -4.0 ±1.0 points")
        && text.contains("look beyond it"))
  }

  @Test func `without a winner page and terminal say what comes nearest and by how much`() throws {
    let tuning = try tuning(winner: nil)
    let page = TuningPage.text(tuning, command: ["firstframe"], run: ["firstframe", "run"])
    #expect(try checked(page).contains("NOTHING TO RECOMMEND"))
    let text = TuningReport.text(tuning, color: false)
    #expect(text.contains("  nearest: as it is\n"))
    #expect(
      text.contains(
        "misses wasted_ratio < 25 % by 1.0 ±2.0 points (4.0 % of the limit): 26.0 % [24.0, 28.0], "
          + "so that more replications may yet find the limit kept"), "\(text)")
    let json = TuningReport.json(tuning).text()
    #expect(json.contains("\"isLastTried\": true") && json.contains("\"beyond\": 0.01"))
  }

  @Test func `a search for a target is shown step by step`() throws {
    let scenario = try StudyScenario.parse("version: 1\nname: by-hand\n", file: "some/by-hand.yaml")
    let target = try TuningTarget.parse("wasted_ratio = 25 %").get()
    let numbers = [(1.0, 0.1, 1), (2, 0.24, 3), (4, 0.4, 1)]
    let goal = GoalResult(
      scenario: scenario, target: target, key: "policy.prefetch.itemsAhead", replications: 8,
      points: try numbers.map { value, wasted, round in
        GoalResult.Point(
          value: FactorValue(text: "\(Int(value))", magnitude: value),
          metric: try Fixture.metric("wasted_ratio", value: wasted, half: 0.02, samples: 900),
          round: round)
      }, outcome: .reached(GoalAnswer(point: 1)), today: "3")
    let page = GoalPage.text(goal, command: ["firstframe"], run: ["firstframe", "run", "s.yaml"])
    let text = try checked(page)
    #expect(text.contains("REACHED") && text.contains("--set policy.prefetch.itemsAhead=2"))
    let words = ["below it", "above it", "may have it"]
    let places = try words.map { try #require(text.range(of: $0)).lowerBound }
    #expect(places == places.sorted(), "in the order of the search")
    #expect(text.contains("-1.0 ±2.0 points"))
  }

  // MARK: Comparison

  @Test func `a comparison's page escapes what keys hold, and draws both sides' times`() throws {
    var comparison = Comparison([], baseline: [], candidate: [], isPaired: true)
    comparison.replications = 8
    comparison.rows = [ComparisonOutcome.worse, .better, .notSure, .equivalent, .noData].map {
      ComparisonRow(
        metric: .known("ttff_ms.mean"), baseline: 400, candidate: 440,
        difference: SweepFixture.estimate(40, 5), relativeChange: 0.1, replications: 8,
        smallestDetectable: 6, varianceReduction: 3, isLowerBound: false, leastThatMatters: 10,
        replicationsNeeded: nil, outcome: $0)
    }
    let report = ComparisonReport(
      comparison, baseline: "baseline", candidate: "candidate",
      changes: [ConfigurationChange(key: "description", before: Self.hostile, after: nil)],
      parts: [PartChange(part: .transfer, before: 2e8, after: 3e8)])
    func record(_ times: [Int64]) throws -> ReplicationRecord {
      let text = """
        {"replication": 0, "fingerprint": "0", "events": 0, "views": 0, "started": 0,
         "parts": [], "samples": []}
        """
      var record = try JSONDecoder().decode(ReplicationRecord.self, from: Data(text.utf8))
      var clock = ClockHistogram()
      for time in times { clock.started.add(nanoseconds: time * 1_000_000) }
      record.times = clock
      // What is kept on disk has none.
      #expect(try !String(decoding: JSONEncoder().encode(record), as: UTF8.self).contains("times"))
      return record
    }
    let page = ComparisonPage.text(
      report, title: "\(Self.hostile): comparison",
      records: ([try record([100, 200])], [try record([150, 400])]),
      command: ["firstframe", "compare"])
    let text = try checked(page)
    for word in ["worse", "better", "not sure", "equivalent", "no data"] {
      #expect(text.contains(word), "\(word)")
    }
    #expect(text.contains("1 WORSE, 1 BETTER") && text.contains("absent"))
    #expect(text.contains("(n 2)") && text.contains("Views that still wait"))
    let none = ComparisonPage.text(
      report, title: "x", records: ([try record([])], [try record([])]), command: ["firstframe"])
    #expect(try checked(none).contains("No curve: a side has no views"))
  }

  // MARK: Capacity

  @Test func `a knee's page says what is over today`() throws {
    let scenario = try StudyScenario.parse(
      """
      version: 1
      name: by-hand
      budgets: [{metric: ttff_ms.p95, limit: "< 1 s"}, {metric: wasted_ratio, limit: "< 9 %"}]

      """, file: "some/by-hand.yaml")
    let finding = { (index: Int, multiple: Estimate?, never: Int) in
      LoadKnee.Finding(
        budget: scenario.budgets[index], multiple: multiple, always: 0, never: never,
        nominal: 0.05)
    }
    let knee = LoadKnee(
      scenario: scenario, loadKey: "load", load: 10, replications: 4,
      findings: [finding(0, SweepFixture.estimate(0.5, 0.1), 0), finding(1, nil, 4)])
    let text = try checked(LoadKneePage.text(knee, command: ["firstframe"]))
    #expect(text.contains("OVER TODAY") && text.contains("Over today: ttff_ms.p95."))
    #expect(text.contains("holds"))
  }
}
