import Estimation

/// The difference of one metric between two lists of replications.
public struct ReplicationDifference: Sendable {
  /// Candidate minus baseline with its 95 % interval.
  public let estimate: Estimate
  /// Probability of a difference at least as large in size when there is none; nil when the
  /// replications do not vary, so that any difference is sure.
  public let chance: Double?
  private let freedom: Double
  private let relative: RelativeChange

  /// Replication i of both has the same random numbers.
  public init<Source: Quantiles>(
    paired candidate: MetricSeries, _ baseline: MetricSeries, quantiles: Source
  ) throws(StatisticsError) {
    let pairs = try PairedComparison(
      candidate: candidate, baseline: baseline, quantiles: quantiles)
    try self.init(
      pairs.difference, relative: pairs.relativeChange, freedom: Double(pairs.pairs - 1),
      quantiles)
  }

  /// The replications of both sides are independent.
  public init<Source: Quantiles>(
    independent candidate: MetricSeries, _ baseline: MetricSeries, quantiles: Source
  ) throws(StatisticsError) {
    let (after, before) = (try Summary(candidate.parts), try Summary(baseline.parts))
    let difference = try Estimates.independentDifference(
      candidate: candidate.parts, baseline: baseline.parts, quantiles: quantiles)
    let (own, other) = (
      (after.variance ?? 0) / Double(after.n), (before.variance ?? 0) / Double(before.n)
    )
    try self.init(
      difference,
      relative: RelativeChange(
        difference: difference.value, baseline: baseline.value, ofDifference: own + other,
        ofBoth: -other, ofBaseline: other),
      freedom: Estimates.welchFreedom(after, before), quantiles)
  }

  private init<Source: Quantiles>(
    _ estimate: Estimate, relative: RelativeChange, freedom: Double, _ quantiles: Source
  ) throws(StatisticsError) {
    self.estimate = estimate
    self.relative = relative
    self.freedom = freedom
    let error = estimate.standardError ?? 0
    chance =
      error > 0
      ? 2
        * (try quantiles.studentTail(above: abs(estimate.value) / error, degreesOfFreedom: freedom))
      : nil
  }

  /// The intervals of the difference and of the relative change at a two-sided error probability.
  public func intervals<Source: Quantiles>(
    error level: Double, quantiles: Source
  ) throws(StatisticsError) -> (change: Interval, relative: Interval?) {
    let critical = try quantiles.student(upperTail: level / 2, degreesOfFreedom: freedom)
    let half = critical * (estimate.standardError ?? 0)
    return (
      Interval(
        lower: estimate.value - half, upper: estimate.value + half, level: 1 - level),
      relative.estimate(critical: critical, level: 1 - level, n: estimate.n)?.interval
    )
  }

  /// The least difference that four runs of five would find among `family` metrics.
  public func smallestDetectable<Source: Quantiles>(
    family: Int, quantiles: Source
  ) throws(StatisticsError) -> Double? {
    guard let error = estimate.standardError, error > 0 else { return nil }
    let critical = try quantiles.student(
      upperTail: 0.05 / Double(2 * family), degreesOfFreedom: freedom)
    let power = try quantiles.student(upperTail: 0.2, degreesOfFreedom: freedom)
    return (critical + power) * error
  }

  /// How many replications would decide between equivalent and a change of the threshold's size,
  /// when the spread stays what it is: so many that the interval is as wide as the threshold, or,
  /// beyond the threshold, that the change is told from it. Nil above 2^31.
  public func replicationsNeeded<Source: Quantiles>(
    _ replications: Int, least: Double, family: Int, quantiles: Source
  ) throws(StatisticsError) -> Int? {
    guard let error = estimate.standardError, error > 0, least > 0 else { return nil }
    let critical = try quantiles.student(
      upperTail: 0.05 / Double(2 * family), degreesOfFreedom: max(freedom, 30))
    let size = abs(estimate.value)
    // Told from zero is enough beyond the threshold; within it the interval must fit.
    let room = size > least ? size : least - size
    if !(room > 0) { return nil }
    let needed = (Double(replications) * (critical * error / room) * (critical * error / room))
      .rounded(.up)
    return needed < 2_147_483_648 ? max(replications + 1, Int(needed)) : nil
  }

  /// Which of several differences are told from zero when false alarms may come in at most the
  /// share `level` of families: Holm's step-down rule (Scandinavian Journal of Statistics 6, 1979).
  /// Those that do not vary do not count, and metrics that differ in the same way to the last bit
  /// count once.
  public static func sure(_ differences: [ReplicationDifference?], level: Double = 0.05) -> [Bool] {
    var sure = differences.map { difference in
      guard let difference else { return false }
      return difference.chance == nil && difference.estimate.value != 0
    }
    let ordered = distinct(differences)
    for (rank, same) in ordered.enumerated() {
      guard let chance = differences[same[0]]?.chance,
        chance <= level / Double(ordered.count - rank)
      else { break }
      for index in same { sure[index] = true }
    }
    return sure
  }

  /// The places of those that vary, the least likely first; equal ones stand together.
  public static func distinct(_ differences: [ReplicationDifference?]) -> [[Int]] {
    var groups: [[Int]] = []
    for (index, difference) in differences.enumerated() {
      guard let difference, difference.chance != nil else { continue }
      let same = groups.firstIndex { differences[$0[0]]?.estimate == difference.estimate }
      if let same {
        groups[same].append(index)
      } else {
        groups.append([index])
      }
    }
    func chance(_ group: [Int]) -> Double { differences[group[0]]?.chance ?? 1 }
    return groups.sorted { a, b in
      chance(a) != chance(b) ? chance(a) < chance(b) : a[0] < b[0]
    }
  }
}
