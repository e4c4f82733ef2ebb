@testable import Reports
@testable import Scenario
@testable import Statistics
@testable import Studies

/// A sweep made by hand: two heads, two depths; the third point has no percentile.
enum SweepFixture {
  static func estimate(_ value: Double, _ half: Double) -> Estimate {
    Estimate(
      value: value, interval: Interval(lower: value - half, upper: value + half, level: 0.95),
      standardError: half / 2, n: 8)
  }

  /// Each metric against the first point: worse when it is higher, open without a value.
  private static func comparison(_ candidate: [MetricResult], _ baseline: [MetricResult])
    -> Comparison
  {
    var comparison = Comparison([], baseline: [], candidate: [], isPaired: true)
    comparison.rows = zip(candidate, baseline).map { after, before in
      let change = (after.value ?? 0) - (before.value ?? 0)
      return ComparisonRow(
        metric: after.reference, baseline: before.value, candidate: after.value,
        difference: after.value.map { _ in estimate(change, 0.5) }, relativeChange: nil,
        replications: 8, smallestDetectable: nil, varianceReduction: nil, isLowerBound: false,
        outcome: after.value == nil
          ? .noData : change == 0 ? .equivalent : change > 0 ? .worse : .better)
    }
    return comparison
  }

  static func sweep(front: String) throws -> SweepResult {
    let scenario = try StudyScenario.parse(
      """
      version: 1
      name: by-hand
      sweep:
        vary:
          policy.prefetch.headLength: [2 s, 6 s]
          policy.prefetch.itemsAhead: [1, 3]
        front: [\(front)]

      """, file: "some/by-hand.yaml")
    let numbers: [(Double?, Double)] = [(900, 0.2), (700, 0.25), (nil, 0.3), (710, 0.4)]
    let points = try numbers.map { late, wasted in
      [
        try Fixture.metric("ttff_ms.p95", value: late, half: late.map { _ in 950 }, samples: 9),
        try Fixture.metric("wasted_ratio", value: wasted, half: 0.01, samples: 9),
      ]
    }
    let levels = [
      [estimate(50, 5), estimate(-50, 5)], [estimate(10, 20), estimate(-10, 20)],
    ]
    return SweepResult(
      scenario: scenario, plan: scenario.sweep, design: try SweepDesign(scenario.sweep),
      metrics: points[0].map(\.reference), replications: 8, points: points,
      references: [0, 0, 0, 0], comparisons: points.map { comparison($0, points[0]) },
      effects: [.levels(levels, explained: 0.9), .none(reason: "the same at every point")],
      front: scenario.sweep.front, standings: [], frontPoints: [0, 1])
  }
}
