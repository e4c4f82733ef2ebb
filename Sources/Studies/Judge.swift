import Scenario
import Statistics

/// Looks at the budgets after given numbers of replications and decides those it can.
struct Judge {
  private let boundaries: GroupSequentialBoundaries
  private let looks: [Int]
  private let budgets: [Budget]
  private(set) var results: [BudgetResult] = []
  private var decisions: [(verdict: Verdict, at: Int)?]

  init(_ budgets: [Budget], boundaries: GroupSequentialBoundaries, looks: [Int]) {
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
    for (place, budget) in budgets.enumerated() where decisions[place] == nil {
      let metric = MetricResult(budget.metric, digests.map { $0.samples[place] })
      if let verdict = decide(budget, metric, look: index) {
        decisions[place] = (verdict, digests.count)
      }
    }
  }

  /// Pass or fail when the boundary of this look is crossed.
  func decide(_ budget: Budget, _ metric: MetricResult, look: Int) -> Verdict? {
    guard let value = metric.value, metric.samples >= Int64(budget.minimumSamples) else {
      return nil
    }
    // A lower bound can show that an upper limit is missed; it can never show that it is kept.
    if metric.isLowerBound && budget.limit.isUpper && budget.limit.holds(value) { return nil }
    let distance = abs(value - budget.limit.value)
    guard metric.replications >= 2, let error = metric.standardError else { return nil }
    if error == 0 { return budget.limit.holds(value) ? .pass : .fail }
    do {
      let critical = try boundaries.criticalValue(
        look: look, degreesOfFreedom: Double(metric.replications - 1))
      guard distance > critical * error else { return nil }
    } catch {
      preconditionFailure("a look has a critical value: \(error)")
    }
    return budget.limit.holds(value) ? .pass : .fail
  }

  /// Gives every budget its final verdict.
  mutating func finish(_ digests: [ReplicationDigest]) {
    results = budgets.enumerated().map { place, budget in
      let metric = MetricResult(budget.metric, digests.map { $0.samples[place] })
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
        result.reason = "the interval is too wide for the limit"
      }
      return result
    }
  }
}

extension MetricResult {
  /// Puts the replications' samples together.
  init(_ reference: MetricReference, _ samples: [MetricSample]) {
    let present = samples.filter { $0.value != nil }
    self.init(
      reference: reference, value: nil, interval: nil, standardError: nil,
      replications: present.count, samples: samples.reduce(0) { $0 + $1.samples },
      isLowerBound: samples.contains { $0.isLowerBound },
      numerator: samples.reduce(0) { $0 + $1.numerator },
      denominator: samples.reduce(0) { $0 + $1.denominator }, values: samples.map(\.value))
    if present.isEmpty { return }
    do {
      if reference.isQuotient {
        value = numerator / denominator
        if present.count >= 2 {
          let estimate = try Estimates.ratio(
            numerators: present.map(\.numerator), denominators: present.map(\.denominator))
          // A share cannot leave 0...1; only the offload can fall below zero, and requests that
          // are repeated can make the origin's more than the viewers'.
          let least = reference.metric == "origin_offload" ? -Double.infinity : 0
          let isUnbounded =
            reference.metric == "origin_request_ratio" || reference.isUnbounded
          let most = isUnbounded ? Double.infinity : 1
          interval = estimate.interval.clamped(to: least...most)
          standardError = estimate.standardError
        }
      } else {
        let values = present.compactMap(\.value)
        value = values.reduce(0, +) / Double(values.count)
        if present.count >= 2 {
          let estimate = try Estimates.mean(of: values)
          value = estimate.value
          interval = estimate.interval.clamped(to: 0...Double.infinity)
          standardError = estimate.standardError
        }
      }
    } catch {
      preconditionFailure("two values have an interval: \(error)")
    }
  }
}
