import Estimation

/// One metric under two configurations: how much it differs and how sure that is.
public struct MetricChange: Sendable, Equatable {
  /// Values over all replications; nil without data.
  public var baseline: Double?
  public var candidate: Double?
  /// Candidate minus baseline, with its 95 % interval; nil with fewer than two replications.
  public var difference: Estimate?
  /// The difference over the baseline; nil when that is zero.
  public var relativeChange: Double?
  /// Replications with data on both sides.
  public var replications = 0
  /// The least difference that would have been seen in four runs of five.
  public var smallestDetectable: Double?
  /// One side's value is only a lower bound: so many views never started.
  public var isLowerBound = false
  /// The least change that matters, in the metric's unit.
  public var leastThatMatters: Double?
  /// How many replications would decide, when it is not decided; nil where nobody can say.
  public var replicationsNeeded: Int?
  /// Nil: no value on one side, or only a lower bound that says nothing.
  public var outcome: RegressionRule.Outcome?

  /// No data.
  public init() {}
}

/// The samples of one metric on both sides.
public struct MetricPair<Source: Quantiles>: Sendable {
  public let difference: ReplicationDifference?
  /// What was paired; nil where nothing was.
  public let paired: (candidate: MetricSeries, baseline: MetricSeries)?
  private let before, after: PooledMetric
  private let own, other: RareEvents
  private let isWorseWhenHigher: Bool
  private let replications: Int
  private let quantiles: Source

  /// - Parameters:
  ///   - effects: of views of one session, for the baseline and for the candidate.
  ///   - isPaired: sample i of both has the same random numbers.
  public init(
    _ traits: MetricTraits, isWorseWhenHigher: Bool, _ baseline: [MetricSample],
    _ candidate: [MetricSample], effects: (Double, Double), isPaired: Bool, quantiles: Source
  ) {
    let (left, right) = MetricPair.sides(
      traits, baseline, candidate, mayBeBound: isWorseWhenHigher, isPaired: isPaired)
    self.quantiles = quantiles
    self.isWorseWhenHigher = isWorseWhenHigher
    before = PooledMetric(traits, baseline, designEffect: effects.0, quantiles: quantiles)
    after = PooledMetric(traits, candidate, designEffect: effects.1, quantiles: quantiles)
    own = RareEvents(after, traits, effects.1)
    other = RareEvents(before, traits, effects.0)
    replications = min(left?.replications ?? 0, right?.replications ?? 0)
    guard let left, let right, min(left.replications, right.replications) >= 2 else {
      difference = nil
      paired = nil
      return
    }
    paired = isPaired ? (right, left) : nil
    do throws(StatisticsError) {
      difference =
        isPaired
        ? try ReplicationDifference(paired: right, left, quantiles: quantiles)
        : try ReplicationDifference(independent: right, left, quantiles: quantiles)
    } catch {
      preconditionFailure("two values on each side can be compared")
    }
  }

  /// Both sides as numbers whose mean is the metric, from the replications with data; of paired
  /// ones only those that have data on both sides. Nil without any.
  private static func sides(
    _ traits: MetricTraits, _ baseline: [MetricSample], _ candidate: [MetricSample],
    mayBeBound: Bool, isPaired: Bool
  ) -> (MetricSeries?, MetricSeries?) {
    // What is at least so bad counts as so bad: the truth is worse still.
    func series(_ samples: [MetricSample], mayBeBound: Bool) -> MetricSeries? {
      var present = samples.filter { $0.value != nil }
      if mayBeBound { for index in present.indices { present[index].isLowerBound = false } }
      return MetricSeries.of(traits, present)
    }
    if !isPaired {
      return (series(baseline, mayBeBound: false), series(candidate, mayBeBound: mayBeBound))
    }
    var (left, right): ([MetricSample], [MetricSample]) = ([], [])
    for place in 0..<min(baseline.count, candidate.count)
    where baseline[place].value != nil && candidate[place].value != nil {
      left.append(baseline[place])
      right.append(candidate[place])
    }
    return (series(left, mayBeBound: false), series(right, mayBeBound: mayBeBound))
  }

  /// Candidate minus baseline where hardly an event was seen; nil elsewhere.
  private func exact(_ level: Double) -> Interval? {
    guard own.isFew || other.isFew, let mine = own.bounds(level, quantiles),
      let its = other.bounds(level, quantiles)
    else { return nil }
    return Interval(lower: mine.lower - its.upper, upper: mine.upper - its.lower, level: level)
  }

  /// The change with its outcome.
  ///
  /// - Parameters:
  ///   - isSure: told from zero among all metrics of the family (``ReplicationDifference/sure``).
  ///   - isSameRun: both sides had the same events.
  ///   - family: how many metrics vary.
  ///   - level: the two-sided error probability of a statement.
  ///   - together: how many such comparisons are read together.
  public func change(
    isSure: Bool, isSameRun: Bool, family: Int, level: Double, together: Int = 1,
    threshold: PracticalThreshold
  ) -> MetricChange {
    var change = MetricChange()
    change.baseline = before.value
    change.candidate = after.value
    change.replications = replications
    change.isLowerBound = before.isLowerBound || after.isLowerBound
    // The same events in the same order: equal, even where a percentile is not reached.
    if isSameRun, before.value != nil { change.outcome = .equivalent }
    guard let difference, let baseline = before.value else { return change }
    do throws(StatisticsError) {
      let least = threshold.least(beside: baseline)
      change.difference = difference.estimate.covering(exact(0.95))
      change.relativeChange = baseline != 0 ? difference.estimate.value / abs(baseline) : nil
      change.leastThatMatters = least
      change.smallestDetectable = try difference.smallestDetectable(
        family: family, quantiles: quantiles)
      let intervals = try difference.intervals(error: level, quantiles: quantiles)
      let bounds = exact(1 - level)
      let isTold =
        exact(1 - level / Double(together)).map { $0.lower > 0 || $0.upper < 0 } ?? true
      let rule = RegressionRule(
        goal: isWorseWhenHigher ? .minimise : .maximise, threshold: threshold)
      let outcome = rule.decide(
        RegressionRule.Change(
          value: difference.estimate.value,
          interval: bounds.map { intervals.change.covering($0) } ?? intervals.change,
          relative: bounds == nil ? intervals.relative : nil, baseline: baseline,
          isToldFromZero: isSure && isTold, isIdentical: isSameRun)
      ).outcome
      change.outcome = outcome
      // A lower bound shows that something is worse and nothing else.
      if change.isLowerBound && outcome != .worse && !isSameRun { change.outcome = nil }
      if change.outcome == .notSure {
        change.replicationsNeeded = try difference.replicationsNeeded(
          replications, least: least, family: family, quantiles: quantiles)
      }
    } catch {
      preconditionFailure("a difference has an interval")
    }
    return change
  }
}

extension MetricSeries {
  /// A metric's samples as numbers whose mean is the metric over all replications.
  ///
  /// - Returns: nil when a replication has no data, or only a lower bound.
  public static func of(_ traits: MetricTraits, _ samples: [MetricSample]) -> MetricSeries? {
    if samples.isEmpty { return nil }
    for sample in samples where sample.value == nil || sample.isLowerBound { return nil }
    do throws(StatisticsError) {
      if traits.isQuotient && samples.count >= 2 {
        return try .ratio(
          numerators: samples.map { $0.numerator }, denominators: samples.map { $0.denominator })
      }
      return try .means(samples.compactMap { $0.value })
    } catch {
      return nil
    }
  }
}
