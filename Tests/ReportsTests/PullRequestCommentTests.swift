import Scenario
import Testing

@testable import Reports
@testable import Statistics
@testable import Studies

@Suite struct PullRequestCommentTests {
  /// A gate with a hard budget that holds and a comparison of one metric.
  static func gate(
    _ outcome: ComparisonOutcome, by difference: Double, key: String? = "policy.pool.size",
    rules: [ConfigurationChange] = []
  ) throws -> GateResult {
    var study = try Fixture.result()
    study.budgets = Array(study.budgets.prefix(1))
    let metric = try MetricReference.parse("ttff_ms.p95").get()
    var comparison = Comparison([], baseline: [], candidate: [], isPaired: true)
    comparison.rows = [
      ComparisonRow(
        metric: metric, baseline: 100, candidate: 100 + difference,
        difference: Estimate(
          value: difference,
          interval: Interval(lower: difference - 2, upper: difference + 2, level: 0.95),
          standardError: 1, n: 8), relativeChange: difference / 100, replications: 8,
        smallestDetectable: nil, varianceReduction: nil, isLowerBound: false, outcome: outcome)
    ]
    let changes = key.map { [ConfigurationChange(key: $0, before: "3", after: "1")] } ?? []
    var baseline = BaselineComparison(
      path: "results/baselines/hand-made.json", digest: "01234567", seed: 7,
      comparison: comparison, optional: [],
      cohorts: Comparison([], baseline: [], candidate: [], isPaired: true), changes: changes,
      parts: [])
    baseline.rules = rules
    if let change = changes.first, outcome == .worse {
      baseline.causes = [
        MetricCauses(
          metric: metric, change: difference, replications: 8,
          causes: [
            Cause(
              change: change, share: 0.97, interval: Interval(lower: 0.9, upper: 1, level: 0.95),
              alone: difference, undone: difference)
          ], together: nil, togetherInterval: nil)
      ]
    }
    return GateResult(study: study, baseline: baseline)
  }

  private func head(_ text: String) -> Substring { text.prefix { $0 != "\n" } }

  @Test func `what is worse stands there with its size and its cause`() throws {
    let text = try PullRequestComment.text([Self.gate(.worse, by: 46)])
    #expect(head(text).hasPrefix("<!-- firstframe-gate name=\"gate\" verdict=\"fail\" "))
    #expect(head(text).contains(" changed=\"true\" digest=\""))
    #expect(text.contains("**What changed:** `policy.pool.size`: `3` → `1`"))
    #expect(
      text.contains(
        "| ❌ worse | `ttff_ms.p95` | 100 ms | 146 ms | +46.0 ±2.0 ms | +46.0 % "
          + "| `policy.pool.size` 97 % (90 to 100) |"), "\(text)")
    #expect(text.contains("1 metric is worse"))
    #expect(text.contains("<summary>Budgets: 1 of 1 hold</summary>"), "\(text)")
  }

  @Test func `nothing is told where nothing changed`() throws {
    let text = try PullRequestComment.text([Self.gate(.equivalent, by: 0, key: nil)])
    #expect(head(text).contains(" verdict=\"pass\" changed=\"false\" "))
    #expect(text.contains("Nothing changed in `hand-made`"))
    #expect(!text.contains("<details>"))
  }

  @Test func `another configuration, other rules and another code are told`() throws {
    let key = try PullRequestComment.text([Self.gate(.equivalent, by: 0)])
    #expect(head(key).contains("changed=\"true\"") && key.contains("`policy.pool.size`"))
    #expect(key.contains("No metric moved: 1 of 1 compared ones are equivalent."))
    let rule = ConfigurationChange(
      key: "budgets[0].limit", before: "< 500 ms", after: "< 5 s")
    let rules = try PullRequestComment.text([
      Self.gate(.equivalent, by: 0, key: nil, rules: [rule])
    ])
    #expect(head(rules).contains("verdict=\"pass\" changed=\"true\""))
    #expect(
      rules.contains("**What is judged changed, too:** `budgets[0].limit`: `< 500 ms` → `< 5 s`"),
      "\(rules)")
    let code = try PullRequestComment.text([Self.gate(.worse, by: 46, key: nil)])
    #expect(code.contains("no key of the scenario; the code did"))
  }

  @Test func `the same result has the same digest, and another one another`() throws {
    func digest(_ difference: Double) throws -> Substring {
      let text = try PullRequestComment.text([Self.gate(.worse, by: difference)])
      return head(text).split(separator: "digest=")[1]
    }
    #expect(try digest(46) == digest(46))
    #expect(try digest(46) != digest(47))
  }

  @Test func `nothing in it is an element, a mention or the end of a cell`() throws {
    var gate = try Self.gate(.worse, by: 46, key: "policy.`@all`|<b>")
    gate.study.budgets[0].verdict = .fail
    gate.study.budgets[0].reason = "<script> @someone"
    let text = PullRequestComment.text([gate])
    #expect(!text.contains("<script>") && !text.contains(" @someone"))
    #expect(text.contains("`policy.'@all'\\|<b>`"), "\(text)")
  }

  @Test func `a comment is no longer than a server takes, and no fold stays open`() throws {
    let many = try [GateResult](repeating: Self.gate(.worse, by: 46), count: 200)
    let text = PullRequestComment.text(many)
    #expect(text.count < 65_536)
    #expect(text.contains("The rest is left out"))
    let (open, closed) = (
      text.components(separatedBy: "<details>"), text.components(separatedBy: "</details>")
    )
    #expect(open.count == closed.count)
  }
}
