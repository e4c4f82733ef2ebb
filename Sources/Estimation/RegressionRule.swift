/// What is said of a metric under two configurations: worse, better, equivalent, or not sure.
///
/// *Worse* and *better* are changes that are told from zero and exceed the practical threshold.
/// Both are asked for, so that neither noise nor a certain but tiny change stops anybody.
/// *Equivalent* says that any change is smaller than the threshold, as surely as the interval is:
/// it lies inside the threshold (two one-sided tests; D. Schuirmann 1987, DOI 10.1007/BF01068419).
/// Everything else is *not sure*: ignorance is no equality. The rule is a pure function of the
/// comparison; at a look of a group-sequential plan it takes that look's boundary for the interval,
/// so that looking repeatedly keeps the level.
public struct RegressionRule: Sendable, Equatable {
  /// What has to exceed the threshold.
  public enum Evidence: Sendable, Equatable {
    /// The estimated change.
    case estimate
    /// The whole interval: finds less, and is right about the size as surely as about the sign.
    case interval
  }

  public enum Outcome: Sendable, Equatable {
    case worse
    case better
    /// Any change is smaller than the threshold, as surely as the interval says.
    case equivalent
    /// Not decided with these replications.
    case notSure
  }

  public enum Reason: Sendable, Equatable {
    /// Every replication is equal, to the last bit.
    case identical
    /// The change is told from zero and exceeds the threshold.
    case beyondThreshold
    /// The whole interval is within the threshold.
    case withinThreshold
    /// The change is told from zero; whether it exceeds the threshold is open.
    case straddlesThreshold
    /// The interval holds zero and changes beyond the threshold.
    case straddlesZero
  }

  /// What is judged.
  public struct Change: Sendable, Equatable {
    /// Candidate minus baseline, in the metric's unit.
    public var value: Double
    /// The interval of ``value`` at the level of the look.
    public var interval: Interval
    /// The interval of the change over the baseline's size; nil where the baseline is not told
    /// from 0.
    public var relative: Interval?
    public var baseline: Double
    /// Whether the change is told from zero; a family of metrics asks for more than one interval.
    public var isToldFromZero: Bool
    /// Both sides are the same run, to the last bit.
    public var isIdentical: Bool

    public init(
      value: Double, interval: Interval, relative: Interval?, baseline: Double,
      isToldFromZero: Bool, isIdentical: Bool
    ) {
      self.value = value
      self.interval = interval
      self.relative = relative
      self.baseline = baseline
      self.isToldFromZero = isToldFromZero
      self.isIdentical = isIdentical
    }
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
  public let threshold: PracticalThreshold
  public let evidence: Evidence

  public init(goal: Goal, threshold: PracticalThreshold, evidence: Evidence = .estimate) {
    self.goal = goal
    self.threshold = threshold
    self.evidence = evidence
  }

  /// Judges with a multiple of the standard error: at a look before the last it is larger than the
  /// comparison's own.
  public func decide(_ comparison: PairedComparison, critical: Double) -> Decision {
    let change = comparison.difference.value
    let half = critical * comparison.standardError
    let interval = Interval(
      lower: change - half, upper: change + half, level: comparison.level)
    return decide(
      Change(
        value: change, interval: interval,
        relative: comparison.relative(critical: critical)?.interval,
        baseline: comparison.baseline,
        isToldFromZero: interval.lower > 0 || interval.upper < 0,
        isIdentical: comparison.isIdentical))
  }

  /// Judges a change.
  public func decide(_ change: Change) -> Decision {
    func decision(_ outcome: Outcome, _ reason: Reason) -> Decision {
      Decision(
        outcome: outcome, reason: reason, interval: change.interval, relative: change.relative)
    }
    if change.isIdentical { return decision(.equivalent, .identical) }
    if isWithin(change) { return decision(.equivalent, .withinThreshold) }
    if !change.isToldFromZero { return decision(.notSure, .straddlesZero) }
    if !isBeyond(change) { return decision(.notSure, .straddlesThreshold) }
    return decision(goal.sign * change.value > 0 ? .worse : .better, .beyondThreshold)
  }

  /// Whether the whole interval is smaller than the threshold. The share is held against the
  /// relative interval, which knows that the baseline is an estimate, too.
  private func isWithin(_ change: Change) -> Bool {
    func holds(_ interval: Interval, _ limit: Double) -> Bool {
      max(-interval.lower, interval.upper) <= limit
    }
    if holds(change.interval, threshold.absolute) { return true }
    return change.relative.map { holds($0, threshold.relative) } ?? false
  }

  private func isBeyond(_ change: Change) -> Bool {
    let least = threshold.least(beside: change.baseline)
    switch evidence {
    case .estimate: return abs(change.value) > least
    case .interval: return change.interval.lower > least || change.interval.upper < -least
    }
  }
}
