import Estimation

/// How a budget is decided, at a look and at the end.
public struct BudgetRule: Sendable, Equatable {
  /// Why a budget is neither kept nor missed.
  public enum Reason: Int, Sendable, Equatable, CaseIterable {
    case noReplication, tooFewSamples, percentileNotReached, oneReplication, fewEvents
    case wideInterval
  }

  public var limit: BudgetLimit
  public var minimumSamples: Int
  public var traits: MetricTraits
  /// The least change that matters, in the metric's unit.
  public var leastChange: Double

  public init(
    limit: BudgetLimit, minimumSamples: Int, traits: MetricTraits, leastChange: Double
  ) {
    self.limit = limit
    self.minimumSamples = minimumSamples
    self.traits = traits
    self.leastChange = leastChange
  }

  /// Pass or fail when the boundary of a look is crossed; nil: not decided.
  ///
  /// - Parameters:
  ///   - effect: of views of one session, for shares of views.
  ///   - nominalLevel: of the look, two-sided.
  public func verdict<Source: Quantiles>(
    _ metric: PooledMetric, effect: Double = 1, nominalLevel: Double, quantiles: Source
  ) -> Verdict? {
    guard let value = metric.value, metric.samples >= Int64(minimumSamples) else { return nil }
    // A lower bound can show that an upper limit is missed; it can never show that it is kept.
    if metric.isLowerBound && limit.isUpper && limit.holds(value) { return nil }
    let distance = abs(value - limit.value)
    guard metric.replications >= 2, let error = metric.standardError else { return nil }
    // What must never happen has happened: one event proves it.
    if isNever, !limit.holds(value) { return .fail }
    let verdict: Verdict = limit.holds(value) ? .pass : .fail
    let few = RareEvents(metric, traits, effect)
    if few.isFew, let bounds = few.bounds(1 - nominalLevel, quantiles) {
      // What has hardly happened says nothing by its spread.
      guard holds(bounds, verdict) else { return nil }
    }
    if error == 0 { return verdict }
    do throws(StatisticsError) {
      let critical = try quantiles.student(
        upperTail: nominalLevel / 2, degreesOfFreedom: Double(metric.replications - 1))
      guard distance > critical * error else { return nil }
    } catch {
      preconditionFailure("a look has a critical value")
    }
    return verdict
  }

  /// Whether a limit allows nothing at all.
  private var isNever: Bool {
    if limit.isUpper {
      return limit.value <= 0 && (traits.isShare || traits.isCount || traits.isRate)
    }
    return limit.value >= 1 && (traits.isShare || traits.isCount)
  }

  /// Whether exact bounds lie on the verdict's side of the limit.
  ///
  /// A limit of "never" (at most 0, at least everything) can be kept by no bound: it holds while
  /// nothing has happened and the bound is under what would matter in practice.
  private func holds(_ bounds: Interval, _ verdict: Verdict) -> Bool {
    if verdict == .fail { return !limit.holds(limit.isUpper ? bounds.lower : bounds.upper) }
    // What would matter of a rate nobody has said, unless a threshold does.
    if isNever, traits.isRate, leastChange == 0 { return true }
    if isNever {
      return limit.isUpper ? bounds.upper <= leastChange : bounds.lower >= 1 - leastChange
    }
    return limit.holds(limit.isUpper ? bounds.upper : bounds.lower)
  }

  /// The distance to the limit as a share of the limit, positive on the good side; nil without a
  /// value or with a limit of 0.
  public func margin(_ metric: PooledMetric) -> Double? {
    guard let value = metric.value, limit.value != 0 else { return nil }
    let distance = (limit.value - value) / limit.value
    return limit.isUpper ? distance : -distance
  }

  /// What is said at the end of a budget that no look has decided, and why.
  public func undecided(
    _ metric: PooledMetric, effect: Double, replications: Int
  ) -> (verdict: Verdict, reason: Reason) {
    if replications == 0 { return (.notRun, .noReplication) }
    if metric.value == nil || metric.samples < Int64(minimumSamples) {
      return (.invalid, .tooFewSamples)
    }
    if metric.isLowerBound { return (.invalid, .percentileNotReached) }
    if metric.replications < 2 { return (.inconclusive, .oneReplication) }
    let isFew = RareEvents(metric, traits, effect).isFew
    return (.inconclusive, isFew ? .fewEvents : .wideInterval)
  }
}
