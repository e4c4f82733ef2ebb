import Scenario
import Statistics

/// What the budgets that a sweep has measured say at each of its points.
struct SweepVerdicts {
  /// Places of the budgets' metrics among those of the sweep.
  private let places: [Int]
  let budgets: [Budget]
  private let judge: Judge

  /// - Parameter replications: of each point; all are looked at once.
  init(
    _ scenario: StudyScenario, metrics: [MetricReference], replications: Int
  ) throws(StatisticsError) {
    let known = scenario.budgets.compactMap { budget in
      metrics.firstIndex(of: budget.metric).map { (budget, $0) }
    }
    budgets = known.map(\.0)
    places = known.map(\.1)
    judge = Judge(
      budgets, boundaries: try GroupSequentialBoundaries(fractions: [1], level: 0.05),
      looks: [replications], thresholds: ChangeThresholds(scenario))
  }

  /// The verdict of each budget on the records of one point.
  func verdicts(_ records: [ReplicationRecord]) -> [Verdict] {
    let effect = SessionSpread.designEffect(records)
    return zip(budgets, places).map { budget, place in
      let metric = MetricResult(
        budget.metric, records.map { $0.samples[place] }, designEffect: effect)
      if let verdict = judge.decide(budget, metric, effect: effect, look: 0) { return verdict }
      let lacksData = metric.value == nil || metric.samples < Int64(budget.minimumSamples)
      return lacksData || metric.isLowerBound ? .invalid : .inconclusive
    }
  }
}
