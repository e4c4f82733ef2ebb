import Statistics

/// The difference of one metric between two lists of replications.
struct ReplicationDifference {
  /// Candidate minus baseline with its 95 % interval.
  let estimate: Estimate
  /// Probability of a difference at least as large in size when there is none; nil when the
  /// replications do not vary, so that any difference is sure.
  let chance: Double?
  /// Nil for independent replications, and without any variance.
  let varianceReduction: Double?
  private let freedom: Double

  /// Replication i of both has the same random numbers.
  init(paired candidate: MetricSeries, _ baseline: MetricSeries) throws(StatisticsError) {
    let comparison = try PairedComparison(candidate: candidate, baseline: baseline)
    try self.init(
      comparison.difference, freedom: Double(comparison.pairs - 1),
      varianceReduction: comparison.varianceReduction?.value)
  }

  /// The replications of both sides are independent.
  init(independent candidate: MetricSeries, _ baseline: MetricSeries) throws(StatisticsError) {
    try self.init(
      try Estimates.independentDifference(candidate: candidate.parts, baseline: baseline.parts),
      freedom: Estimates.welchFreedom(
        try Summary(candidate.parts), try Summary(baseline.parts)),
      varianceReduction: nil)
  }

  private init(
    _ estimate: Estimate, freedom: Double, varianceReduction: Double?
  ) throws(StatisticsError) {
    self.estimate = estimate
    self.freedom = freedom
    self.varianceReduction = varianceReduction
    let error = estimate.standardError ?? 0
    chance =
      error > 0
      ? 2 * (try StudentT.upperTail(abs(estimate.value) / error, degreesOfFreedom: freedom))
      : nil
  }

  /// The least difference that four runs of five would find among `family` metrics.
  func smallestDetectable(family: Int) throws(StatisticsError) -> Double? {
    guard let error = estimate.standardError, error > 0 else { return nil }
    let critical = try StudentT.quantile(
      upperTail: 0.05 / Double(2 * family), degreesOfFreedom: freedom)
    let power = try StudentT.quantile(upperTail: 0.2, degreesOfFreedom: freedom)
    return (critical + power) * error
  }

  /// Which of several differences are sure when one false alarm in twenty families is allowed:
  /// Holm's step-down rule (Scandinavian Journal of Statistics 6, 1979). Those that do not vary do
  /// not count, and metrics that differ in the same way to the last bit count once.
  static func sure(_ differences: [ReplicationDifference?]) -> [Bool] {
    var sure = differences.map { difference in
      guard let difference else { return false }
      return difference.chance == nil && difference.estimate.value != 0
    }
    let ordered = distinct(differences)
    for (rank, same) in ordered.enumerated() {
      guard let chance = differences[same[0]]?.chance,
        chance <= 0.05 / Double(ordered.count - rank)
      else { break }
      for index in same { sure[index] = true }
    }
    return sure
  }

  /// The places of those that vary, the least likely first; equal ones stand together.
  static func distinct(_ differences: [ReplicationDifference?]) -> [[Int]] {
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
