import Estimation
import Metering

/// What some replications of a configuration say, beside those of the base.
///
/// Replications may come in any order; they are looked at in theirs, so that an answer is a
/// function of their number.
struct WhatIfAnswer {
  private let plan: WhatIfPlan
  private let quantiles = PortableQuantiles()
  /// Those that came before one in front of them.
  private var early: [WhatIfSample] = []
  /// By replication.
  private var samples: [[MetricSample]] = []
  private var fingerprints: [UInt64] = []
  private var sessions = SessionSpread()
  /// Of all replications together, by clock.
  private var times: [SampledTimes]
  private var started = TimeHistogram()
  private var verdicts: [Verdict?]
  /// What months cost, by replication, and for how many views a day.
  private var bills: [CDNBill?] = []
  private var viewsPerDay = 0.0

  init(_ plan: WhatIfPlan) {
    self.plan = plan
    times = plan.clocks.map { _ in SampledTimes(events: [], censored: []) }
    verdicts = plan.budgets.map { _ in nil }
  }

  /// Adds a replication; false when it is not one of the plan's, or was there before.
  mutating func add(_ sample: WhatIfSample) -> Bool {
    guard sample.samples.count == plan.metrics.count, sample.times.count == times.count,
      sample.replication >= samples.count, sample.replication < plan.base.count
    else { return false }
    for known in early where known.replication == sample.replication { return false }
    early.append(sample)
    while let place = early.firstIndex(where: { $0.replication == samples.count }) {
      take(early.remove(at: place))
    }
    return true
  }

  private mutating func take(_ sample: WhatIfSample) {
    samples.append(sample.samples)
    fingerprints.append(sample.fingerprint)
    sessions.add(sample.sessions)
    started.add(sample.started)
    bills.append(sample.bill)
    viewsPerDay = sample.viewsPerDay
    for place in times.indices { times[place] = times[place].merged(with: sample.times[place]) }
    for look in plan.looks where look.replications == samples.count {
      for (place, budget) in plan.budgets.enumerated() where verdicts[place] == nil {
        verdicts[place] = plan.rule(budget).verdict(
          pooled(budget.metric), effect: sessions.designEffect, nominalLevel: look.nominalLevel,
          quantiles: quantiles)
      }
    }
  }

  /// A metric over the replications so far.
  private func pooled(_ metric: Int) -> PooledMetric {
    let traits = plan.metrics[metric].traits
    let own = samples.map { $0[metric] }
    let clock = plan.clocks.firstIndex { $0.metrics.contains(metric) }
    return PooledMetric(
      traits, own, designEffect: sessions.designEffect, together: clock.map { times[$0] },
      quantiles: quantiles)
  }

  // MARK: Numbers

  /// All that a page shows, as numbers in a fixed order; what is missing is no number.
  var numbers: [Double] {
    let curve = started.curve
    var numbers: [Double] = [
      Double(samples.count), Double(plan.metrics.count), Double(plan.budgets.count),
      Double(curve.count), plan.cost == nil ? 0 : 1,
    ]
    let metrics = plan.metrics.indices.map { pooled($0) }
    let changes = changes
    for (metric, change) in zip(metrics, changes) {
      numbers += WhatIfAnswer.numbers(metric) + WhatIfAnswer.numbers(change)
    }
    for (place, budget) in plan.budgets.enumerated() {
      numbers += judged(place, budget, metrics[budget.metric])
    }
    for point in curve { numbers += [point.milliseconds, point.share] }
    if let cost = plan.cost { numbers += money(cost.viewsPerDay) }
    return numbers
  }

  /// What a month costs and what a million views of it, each with its difference to the base; for
  /// how many views a day, and by which share the latter has changed.
  private func money(_ before: Double) -> [Double] {
    let cost = MonthlyCost(bills, viewsPerDay: viewsPerDay, quantiles: quantiles)
    let change = CostChange(
      base: plan.base.prefix(bills.count).map { $0.bill }, candidate: bills,
      viewsPerDay: (before, viewsPerDay), quantiles: quantiles)
    return WhatIfAnswer.numbers(cost?.total) + WhatIfAnswer.numbers(change?.month)
      + WhatIfAnswer.numbers(cost?.millionViews) + WhatIfAnswer.numbers(change?.millionViews)
      + [cost?.viewsPerDay ?? .nan, change?.relativeChange ?? .nan]
  }

  private static func numbers(_ amount: MonthlyCost.Amount?) -> [Double] {
    [amount?.value ?? .nan, amount?.interval?.lower ?? .nan, amount?.interval?.upper ?? .nan]
  }

  private static func numbers(_ metric: PooledMetric) -> [Double] {
    [
      metric.value ?? .nan, metric.interval?.lower ?? .nan, metric.interval?.upper ?? .nan,
      Double(metric.replications), Double(metric.samples), metric.isLowerBound ? 1 : 0,
    ]
  }

  private static func numbers(_ change: MetricChange) -> [Double] {
    let critical = change.difference
    let outcome: Double =
      switch change.outcome {
      case .worse: 0
      case .better: 1
      case .equivalent: 2
      case .notSure: 3
      case nil: 4
      }
    return [
      critical?.value ?? .nan, critical?.interval.lower ?? .nan, critical?.interval.upper ?? .nan,
      Double(change.replications), change.relativeChange ?? .nan, change.leastThatMatters ?? .nan,
      Double(change.replicationsNeeded ?? 0), outcome,
    ]
  }

  private func judged(
    _ place: Int, _ budget: WhatIfPlan.Budget, _ metric: PooledMetric
  ) -> [Double] {
    let rule = plan.rule(budget)
    let margin = rule.margin(metric) ?? .nan
    if let verdict = verdicts[place] { return [verdict.number, 0, margin] }
    let (verdict, reason) = rule.undecided(
      metric, effect: sessions.designEffect, replications: samples.count)
    return [verdict.number, Double(reason.rawValue + 1), margin]
  }

  // MARK: Changes

  /// By metric, what differs from the base's replications with the same numbers.
  private var changes: [MetricChange] {
    let base = plan.base.prefix(samples.count)
    var isSameRun = !samples.isEmpty
    var ours = SessionSpread()
    for (place, replication) in base.enumerated() {
      ours.add(replication.sessions)
      isSameRun = isSameRun && replication.fingerprint == fingerprints[place]
    }
    let effects = (ours.designEffect, sessions.designEffect)
    let pairs = plan.metrics.indices.map { index in
      MetricPair(
        plan.metrics[index].traits, isWorseWhenHigher: plan.metrics[index].isWorseWhenHigher,
        base.map { $0.samples[index] }, samples.map { $0[index] }, effects: effects,
        isPaired: true, quantiles: quantiles)
    }
    var changes = pairs.map { _ in MetricChange() }
    // Those that a comparison looks at are judged together, all others for themselves.
    for isCompared in [true, false] {
      let places = plan.metrics.indices.filter { plan.metrics[$0].isCompared == isCompared }
      let differences = places.map { pairs[$0].difference }
      let sure = ReplicationDifference.sure(differences)
      let family = max(1, ReplicationDifference.distinct(differences).count)
      for (order, place) in places.enumerated() {
        guard let threshold = plan.metrics[place].threshold else { continue }
        changes[place] = pairs[place].change(
          isSure: sure[order], isSameRun: isSameRun, family: family, level: 0.05,
          threshold: threshold)
      }
    }
    return changes
  }
}

extension WhatIfPlan {
  /// A clock and its cut, and which metrics are percentiles of it.
  struct Clock: Sendable {
    let row: Int
    let cut: MetricCut
    var metrics: [Int]
    /// The first of them.
    var first: Int { metrics[0] }
  }

  /// Clocks of percentiles, in the order of the metrics.
  static func clocks(of metrics: [Metric]) -> [Clock] {
    var clocks: [Clock] = []
    for (place, metric) in metrics.enumerated() where metric.traits.stat.isQuantile {
      guard case .clock = FeedMetrics.all[metric.row].formula else { continue }
      let known = clocks.firstIndex { $0.row == metric.row && $0.cut == metric.cut }
      if let known {
        clocks[known].metrics.append(place)
      } else {
        clocks.append(Clock(row: metric.row, cut: metric.cut, metrics: [place]))
      }
    }
    return clocks
  }
}

extension WhatIfPlan.Metric {
  fileprivate var threshold: PracticalThreshold? {
    do throws(StatisticsError) {
      return try PracticalThreshold(relative: relative, absolute: absolute)
    } catch {
      return nil
    }
  }
}

extension Verdict {
  /// By which a page knows it.
  fileprivate var number: Double {
    switch self {
    case .pass: 0
    case .fail: 1
    case .inconclusive: 2
    case .invalid: 3
    case .notRun: 4
    }
  }
}
