/// When a paired comparison with a baseline is a regression.
///
/// A regression is a change for the worse whose paired interval is beyond zero and that exceeds the
/// practical threshold. Both are asked for, so that neither noise nor a certain but tiny change
/// stops anybody. The rule is a pure function of the comparison; at a look of a group-sequential
/// plan it takes that look's boundary for the interval, so that looking repeatedly keeps the level.
public struct RegressionRule: Sendable, Equatable {
  /// The least change that matters in practice.
  public enum Threshold: Sendable, Equatable {
    /// A share of the baseline's size, such as 0.02. From a baseline of 0 every change exceeds it.
    case relative(Double)
    /// In the metric's unit.
    case absolute(Double)
  }

  /// What has to exceed the threshold.
  public enum Evidence: Sendable, Equatable {
    /// The estimated change.
    case estimate
    /// The whole interval: finds less, and is right about the size as surely as about the sign.
    case interval
  }

  public enum Outcome: Sendable, Equatable {
    case regression
    case improvement
    /// Any change is smaller than the threshold, as surely as the interval says.
    case noDifference
    /// Not decided with these pairs.
    case inconclusive
  }

  public enum Reason: Sendable, Equatable {
    /// Every pair is equal, to the last bit.
    case identical
    /// The interval is beyond zero and the change beyond the threshold.
    case beyondThreshold
    /// The whole interval is within the threshold.
    case withinThreshold
    /// The interval is beyond zero; whether the change exceeds the threshold is open.
    case straddlesThreshold
    /// The interval holds zero and changes beyond the threshold.
    case straddlesZero
  }

  public struct Decision: Sendable, Equatable {
    public let outcome: Outcome
    public let reason: Reason
    /// The interval of the difference that was judged: at a look before the last it is wider than
    /// the comparison's own.
    public let interval: Interval
    /// The interval of the relative change that was judged; nil where the baseline is not told from
    /// 0.
    public let relative: Interval?
  }

  /// Which way the metric is better.
  public let goal: Goal
  public let threshold: Threshold
  public let evidence: Evidence

  /// - Throws: `statistics.parameter` for a threshold under 0 or not finite.
  public init(
    goal: Goal, threshold: Threshold = .relative(0.02), evidence: Evidence = .estimate
  ) throws(StatisticsError) {
    let size =
      switch threshold {
      case .relative(let size), .absolute(let size): size
      }
    if !(size >= 0 && size.isFinite) {
      throw .parameter("a finite threshold of at least 0", got: size)
    }
    self.goal = goal
    self.threshold = threshold
    self.evidence = evidence
  }

  /// Judges once, with the comparison's own interval.
  public func decide(_ comparison: PairedComparison) throws(StatisticsError) -> Decision {
    decide(comparison, critical: try comparison.critical)
  }

  /// Judges at look `look` (from 0) of a plan.
  ///
  /// - Precondition: `look` is an index of the plan's looks.
  public func decide(
    _ comparison: PairedComparison, look: Int, of plan: GroupSequentialBoundaries
  ) throws(StatisticsError) -> Decision {
    decide(
      comparison,
      critical: try plan.criticalValue(
        look: look, degreesOfFreedom: Double(comparison.pairs - 1)))
  }

  private func decide(_ comparison: PairedComparison, critical: Double) -> Decision {
    let change = comparison.difference.value
    let half = critical * comparison.standardError
    let interval = Interval(
      lower: change - half, upper: change + half, level: comparison.level)
    let relative = comparison.relative(critical: critical)?.interval
    func decision(_ outcome: Outcome, _ reason: Reason) -> Decision {
      Decision(outcome: outcome, reason: reason, interval: interval, relative: relative)
    }
    if comparison.isIdentical { return decision(.noDifference, .identical) }
    let judged: (change: Double, interval: Interval?, limit: Double)
    switch threshold {
    case .absolute(let limit): judged = (change, interval, limit)
    case .relative(let limit):
      let size = abs(comparison.baseline)
      judged = (size == 0 ? change * .infinity : change / size, relative, limit)
    }
    let isBeyondZero = interval.lower > 0 || interval.upper < 0
    if let whole = judged.interval, max(-whole.lower, whole.upper) <= judged.limit {
      return decision(.noDifference, .withinThreshold)
    }
    if !isBeyondZero { return decision(.inconclusive, .straddlesZero) }
    let isBeyond: Bool
    switch evidence {
    case .estimate: isBeyond = abs(judged.change) > judged.limit
    case .interval:
      // From a baseline of 0 there is no interval of the relative change, which is infinite.
      let whole = judged.interval
      isBeyond =
        whole.map { $0.lower > judged.limit || $0.upper < -judged.limit }
        ?? (comparison.baseline == 0)
    }
    if !isBeyond { return decision(.inconclusive, .straddlesThreshold) }
    let isWorse = goal.sign * change > 0
    return decision(isWorse ? .regression : .improvement, .beyondThreshold)
  }
}
