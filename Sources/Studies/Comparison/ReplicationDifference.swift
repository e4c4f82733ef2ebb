import Statistics

/// The difference of two means over replications.
struct ReplicationDifference {
  /// Candidate minus baseline with its 95 % interval.
  var estimate: Estimate
  /// Probability of a difference at least as large in size when there is none; nil when the
  /// replications do not vary, so that any difference is sure.
  var chance: Double?
  var varianceReduction: Double?
  private var freedom: Double

  /// - Parameter isPaired: value i of both belongs to the same replication.
  init(
    candidate: [Double], baseline: [Double], isPaired: Bool
  ) throws(StatisticsError) {
    let (after, before) = (try Summary(candidate), try Summary(baseline))
    if isPaired {
      estimate = try Estimates.pairedDifference(candidate: candidate, baseline: baseline)
        .difference
      freedom = Double(candidate.count - 1)
    } else {
      estimate = try Estimates.independentDifference(candidate: candidate, baseline: baseline)
      freedom = Estimates.welchFreedom(after, before)
    }
    let error = estimate.standardError ?? 0
    if error == 0 { return }
    let tail = try StudentT.upperTail(
      abs(estimate.value) / error, degreesOfFreedom: freedom)
    chance = 2 * tail
    if isPaired {
      let independent =
        ((after.variance ?? 0) + (before.variance ?? 0)) / Double(candidate.count)
      varianceReduction = independent / (error * error)
    }
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
  /// not count.
  static func sure(_ differences: [ReplicationDifference?]) -> [Bool] {
    var sure = differences.map { difference in
      guard let difference else { return false }
      return difference.chance == nil && difference.estimate.value != 0
    }
    let ordered = differences.indices.compactMap { index in
      differences[index]?.chance.map { (index: index, chance: $0) }
    }.sorted { $0.chance != $1.chance ? $0.chance < $1.chance : $0.index < $1.index }
    for (rank, entry) in ordered.enumerated() {
      if entry.chance > 0.05 / Double(ordered.count - rank) { break }
      sure[entry.index] = true
    }
    return sure
  }
}
