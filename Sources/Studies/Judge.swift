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
    guard let value = metric.value, metric.samples >= Int64(budget.minimumSamples) else {
      return nil
    }
    // A lower bound can show that an upper limit is missed; it can never show that it is kept.
    if metric.isLowerBound && budget.limit.isUpper && budget.limit.holds(value) { return nil }
    let distance = abs(value - budget.limit.value)
    guard metric.replications >= 2, let error = metric.standardError else { return nil }
    // What must never happen has happened: one event proves it.
    if isNever(budget), !budget.limit.holds(value) { return .fail }
    let verdict: Verdict = budget.limit.holds(value) ? .pass : .fail
    let few = RareEvents(metric, effect)
    if few.isFew, let bounds = few.bounds(1 - boundaries.looks[look].nominalLevel) {
      // What has hardly happened says nothing by its spread.
      guard holds(budget, bounds, verdict) else { return nil }
    }
    if error == 0 { return verdict }
    do {
      let critical = try boundaries.criticalValue(
        look: look, degreesOfFreedom: Double(metric.replications - 1))
      guard distance > critical * error else { return nil }
    } catch {
      preconditionFailure("a look has a critical value: \(error)")
    }
    return verdict
  }

  /// Whether a limit allows nothing at all.
  private func isNever(_ budget: Budget) -> Bool {
    if budget.limit.isUpper {
      return budget.limit.value <= 0
        && (budget.metric.isShare || budget.metric.isCount || budget.metric.isRate)
    }
    return budget.limit.value >= 1 && (budget.metric.isShare || budget.metric.isCount)
  }

  /// Whether exact bounds lie on the verdict's side of the limit.
  ///
  /// A limit of "never" (at most 0, at least everything) can be kept by no bound: it holds while
  /// nothing has happened and the bound is under what would matter in practice.
  private func holds(_ budget: Budget, _ bounds: Interval, _ verdict: Verdict) -> Bool {
    let limit = budget.limit
    if verdict == .fail { return !limit.holds(limit.isUpper ? bounds.lower : bounds.upper) }
    let least = thresholds.threshold(of: budget.metric).absolute
    // What would matter of a rate nobody has said, unless a threshold does.
    if isNever(budget), budget.metric.isRate, least == 0 { return true }
    if isNever(budget) { return limit.isUpper ? bounds.upper <= least : bounds.lower >= 1 - least }
    return limit.holds(limit.isUpper ? bounds.upper : bounds.lower)
  }

  /// Gives every budget its final verdict.
  mutating func finish(_ digests: [ReplicationDigest]) {
    let effect = Judge.effect(digests)
    results = budgets.enumerated().map { place, budget in
      let metric = Judge.metric(budget, place, digests, effect)
      var result = BudgetResult(
        budget: budget, metric: metric, verdict: .notRun, reason: "", decidedAt: nil,
        margin: nil)
      if let value = metric.value, budget.limit.value != 0 {
        let distance = (budget.limit.value - value) / budget.limit.value
        result.margin = budget.limit.isUpper ? distance : -distance
      }
      if let decision = decisions[place] {
        result.verdict = decision.verdict
        result.decidedAt = decision.at
      } else if digests.isEmpty {
        result.reason = "no replication was run"
      } else if metric.value == nil || metric.samples < Int64(budget.minimumSamples) {
        result.verdict = .invalid
        result.reason =
          "\(metric.samples) samples, \(budget.minimumSamples) are needed"
      } else if metric.isLowerBound {
        result.verdict = .invalid
        result.reason = "so many views never started that the percentile is not reached"
      } else if metric.replications < 2 {
        result.verdict = .inconclusive
        result.reason = "one replication has no interval"
      } else {
        result.verdict = .inconclusive
        result.reason =
          RareEvents(metric, effect).isFew
          ? "too few events to say, and none is not zero" : "the interval is too wide for the limit"
      }
      return result
    }
  }
}
