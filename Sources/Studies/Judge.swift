import Scenario
import Statistics

/// Looks at the budgets after given numbers of replications and decides those it can.
struct Judge {
  private let boundaries: GroupSequentialBoundaries
  private let looks: [Int]
  private let budgets: [Budget]
  private let thresholds: ChangeThresholds
  private(set) var results: [BudgetResult] = []
  private var decisions: [(verdict: Verdict, at: Int)?]

  init(
    _ budgets: [Budget], boundaries: GroupSequentialBoundaries, looks: [Int],
    thresholds: ChangeThresholds = ChangeThresholds()
  ) {
    self.thresholds = thresholds
    self.budgets = budgets
    self.boundaries = boundaries
    self.looks = looks
    decisions = [(verdict: Verdict, at: Int)?](repeating: nil, count: budgets.count)
  }

  /// The verdicts so far.
  var verdicts: [Verdict] { decisions.map { $0?.verdict ?? .notRun } }

  /// Whether every hard budget is decided; a scenario without any is decided at its first look.
  var isDecided: Bool {
    zip(budgets, decisions).allSatisfy { budget, decision in
      budget.level == .soft || decision != nil
    }
  }

  /// The look number `index`, with all replications so far.
  mutating func look(_ index: Int, _ digests: [ReplicationDigest]) {
    guard digests.count >= looks[index] else { return }
    let effect = Judge.effect(digests)
    for (place, budget) in budgets.enumerated() where decisions[place] == nil {
      let metric = Judge.metric(budget, place, digests, effect)
      if let verdict = decide(budget, metric, effect: effect, look: index) {
        decisions[place] = (verdict, digests.count)
      }
    }
  }

  private static func metric(
    _ budget: Budget, _ place: Int, _ digests: [ReplicationDigest], _ effect: Double
  ) -> MetricResult {
    MetricResult(budget.metric, digests.map { $0.samples[place] }, designEffect: effect)
  }

  private static func effect(_ digests: [ReplicationDigest]) -> Double {
    SessionSpread.designEffect(digests.compactMap(\.sessions))
  }

  /// Pass or fail when the boundary of this look is crossed.
  func decide(
    _ budget: Budget, _ metric: MetricResult, effect: Double = 1, look: Int
  ) -> Verdict? {
    rule(budget).verdict(
      metric.pooled, effect: effect, nominalLevel: boundaries.looks[look].nominalLevel,
      quantiles: GSLQuantiles())
  }

  private func rule(_ budget: Budget) -> BudgetRule {
    BudgetRule(
      limit: budget.limit, minimumSamples: budget.minimumSamples, traits: budget.metric.traits,
      leastChange: thresholds.threshold(of: budget.metric).absolute)
  }

  /// Gives every budget its final verdict.
  mutating func finish(_ digests: [ReplicationDigest]) {
    let effect = Judge.effect(digests)
    results = budgets.enumerated().map { place, budget in
      let metric = Judge.metric(budget, place, digests, effect)
      var result = BudgetResult(
        budget: budget, metric: metric, verdict: .notRun, reason: "", decidedAt: nil,
        margin: nil)
      let rule = rule(budget)
      result.margin = rule.margin(metric.pooled)
      if let decision = decisions[place] {
        result.verdict = decision.verdict
        result.decidedAt = decision.at
        return result
      }
      let (verdict, reason) = rule.undecided(
        metric.pooled, effect: effect, replications: digests.count)
      result.verdict = verdict
      result.reason = reason.text(budget, samples: metric.samples)
      return result
    }
  }
}

extension BudgetRule.Reason {
  /// In a few words.
  fileprivate func text(_ budget: Budget, samples: Int64) -> String {
    switch self {
    case .noReplication: "no replication was run"
    case .tooFewSamples: "\(samples) samples, \(budget.minimumSamples) are needed"
    case .percentileNotReached:
      "so many views never started that the percentile is not reached"
    case .oneReplication: "one replication has no interval"
    case .fewEvents: "too few events to say, and none is not zero"
    case .wideInterval: "the interval is too wide for the limit"
    }
  }
}
