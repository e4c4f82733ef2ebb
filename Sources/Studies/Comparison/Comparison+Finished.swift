import Scenario
import Statistics

/// One metric of two finished runs: the values that their results keep.
public struct FinishedMetric: Sendable {
  public var baseline: MetricResult
  public var candidate: MetricResult

  /// - Precondition: both are of one metric.
  public init(baseline: MetricResult, candidate: MetricResult) {
    precondition(
      baseline.reference == candidate.reference,
      "\(baseline.reference) is not \(candidate.reference)")
    self.baseline = baseline
    self.candidate = candidate
  }
}

extension MetricResult {
  /// As the result of a finished run has it; the rest is 0.
  ///
  /// - Parameter values: of the replications in their order; nil: no data.
  public static func finished(
    _ reference: MetricReference, value: Double?, interval: ClosedRange<Double>?,
    values: [Double?], samples: Int64, isLowerBound: Bool
  ) -> MetricResult {
    MetricResult(
      reference: reference, value: value,
      interval: interval.map { Interval(lower: $0.lowerBound, upper: $0.upperBound, level: 0.95) },
      standardError: nil, replications: values.count { $0 != nil }, samples: samples,
      isLowerBound: isLowerBound, numerator: 0, denominator: 0, values: values)
  }
}

extension Comparison {
  /// Compares two finished runs by the values of their replications, with the rule of
  /// ``init(_:baseline:candidate:isPaired:thresholds:level:together:)``.
  ///
  /// The difference is that of the two results. Its interval is Student's over the replications'
  /// own values, of pairs or by Welch, around it: a result keeps no times and no numerators of
  /// single replications. Where hardly an event was seen it covers what the two results' own
  /// intervals leave.
  ///
  /// - Parameters:
  ///   - isPaired: replication i of both has the same random numbers, and there are as many.
  ///   - isSameRun: both ran the same events in the same order.
  public init(
    finished metrics: [FinishedMetric], isPaired: Bool, isSameRun: Bool,
    thresholds: ChangeThresholds = ChangeThresholds()
  ) {
    self.init([], baseline: [], candidate: [], isPaired: isPaired, thresholds: thresholds)
    let pairs = metrics.map { FinishedPair($0, isPaired: isPaired) }
    let differences = pairs.map(\.difference)
    let sure = ReplicationDifference.sure(differences)
    let family = max(1, ReplicationDifference.distinct(differences).count)
    replications =
      metrics.map { min($0.baseline.replications, $0.candidate.replications) }.max() ?? 0
    rows = pairs.enumerated().map { index, pair in
      pair.row(
        isSure: sure[index], isSameRun: isSameRun, family: family,
        threshold: thresholds.threshold(of: metrics[index].baseline.reference))
    }
  }
}

/// The values of one metric on both sides.
private struct FinishedPair {
  let difference: ReplicationDifference?
  /// Around the difference of the results, which is not always the mean of the replications'.
  private let shifted: Estimate?
  private let varianceReduction: Double?
  private let before, after: MetricResult
  private let replications: Int

  init(_ metric: FinishedMetric, isPaired: Bool) {
    (before, after) = (metric.baseline, metric.candidate)
    var (left, right) = (before.values, after.values)
    if isPaired {
      let both = zip(left, right).filter { $0.0 != nil && $0.1 != nil }
      (left, right) = (both.map(\.0), both.map(\.1))
    }
    let (own, other) = (right.compactMap(\.self), left.compactMap(\.self))
    replications = min(own.count, other.count)
    guard replications >= 2 else {
      difference = nil
      shifted = nil
      varianceReduction = nil
      return
    }
    let found = FinishedPair.difference(own, other, isPaired: isPaired)
    difference = found
    varianceReduction = isPaired ? FinishedPair.varianceReduction(own, other) : nil
    let mean = found.estimate.value
    let shift = (after.value ?? 0) - (before.value ?? 0) - mean
    shifted = FinishedPair.difference(own.map { $0 + shift }, other, isPaired: isPaired).estimate
  }

  private static func varianceReduction(_ own: [Double], _ other: [Double]) -> Double? {
    do {
      return ReplicationDifference.varianceReduction(try .means(own), try .means(other))
    } catch {
      preconditionFailure("two values on each side can be compared: \(error)")
    }
  }

  private static func difference(
    _ own: [Double], _ other: [Double], isPaired: Bool
  ) -> ReplicationDifference {
    do {
      let (candidate, baseline) = (try MetricSeries.means(own), try MetricSeries.means(other))
      return isPaired
        ? try ReplicationDifference(paired: candidate, baseline)
        : try ReplicationDifference(independent: candidate, baseline)
    } catch {
      preconditionFailure("two values on each side can be compared: \(error)")
    }
  }

  private var estimate: Estimate? { shifted?.covering(fewEvents) }

  /// What the results' own intervals leave where hardly an event was seen.
  private var fewEvents: Interval? {
    let isFew = RareEvents(before, 1).isFew || RareEvents(after, 1).isFew
    guard isFew, let left = before.interval, let right = after.interval else { return nil }
    return Interval(
      lower: right.lower - left.upper, upper: right.upper - left.lower, level: left.level)
  }

  func row(
    isSure: Bool, isSameRun: Bool, family: Int, threshold: PracticalThreshold
  ) -> ComparisonRow {
    var row = ComparisonRow(
      metric: before.reference, baseline: before.value, candidate: after.value, difference: nil,
      relativeChange: nil, replications: replications, smallestDetectable: nil,
      varianceReduction: varianceReduction,
      isLowerBound: before.isLowerBound || after.isLowerBound, outcome: .noData)
    if isSameRun, before.value != nil { row.outcome = .equivalent }
    guard let difference, let estimate, let baseline = before.value else { return row }
    do {
      let least = threshold.least(beside: baseline)
      row.difference = estimate
      row.relativeChange = baseline != 0 ? estimate.value / abs(baseline) : nil
      row.leastThatMatters = least
      row.smallestDetectable = try difference.smallestDetectable(family: family)
      let isTold = fewEvents.map { !$0.contains(0) } ?? true
      let goal: Goal = before.reference.isWorseWhenHigher ? .minimise : .maximise
      let decision = RegressionRule(goal: goal, threshold: threshold).decide(
        RegressionRule.Change(
          value: estimate.value, interval: estimate.interval, relative: nil, baseline: baseline,
          isToldFromZero: isSure && isTold && !estimate.interval.contains(0),
          isIdentical: isSameRun))
      row.outcome = ComparisonOutcome(decision.outcome)
      // A percentile that is not reached on one side says nothing of how far apart they are.
      if row.isLowerBound && !isSameRun { row.outcome = .noData }
      if row.outcome == .notSure {
        row.replicationsNeeded = try difference.replicationsNeeded(
          replications, least: least, family: family)
      }
    } catch {
      preconditionFailure("a difference has an interval: \(error)")
    }
    return row
  }
}
