import Statistics

/// The difference of two means over replications.
struct ReplicationDifference {
  /// Candidate minus baseline with its 95 % interval.
  var estimate: Estimate
  /// Zero lies outside the interval at the level that allows for the family of metrics.
  var isSure: Bool
  var smallestDetectable: Double?
  var varianceReduction: Double?

  /// - Parameters:
  ///   - isPaired: value i of both belongs to the same replication.
  ///   - family: metrics that are judged together.
  init(
    candidate: [Double], baseline: [Double], isPaired: Bool, family: Int
  ) throws(StatisticsError) {
    let (after, before) = (try Summary(candidate), try Summary(baseline))
    let freedom: Double
    if isPaired {
      estimate = try Estimates.pairedDifference(candidate: candidate, baseline: baseline)
        .difference
      freedom = Double(candidate.count - 1)
    } else {
      estimate = try Estimates.independentDifference(candidate: candidate, baseline: baseline)
      freedom = Estimates.welchFreedom(after, before)
    }
    let error = estimate.standardError ?? 0
    if error == 0 {
      isSure = estimate.value != 0
      return
    }
    let critical = try StudentT.quantile(
      upperTail: 0.05 / Double(2 * family), degreesOfFreedom: freedom)
    isSure = abs(estimate.value) > critical * error
    let power = try StudentT.quantile(upperTail: 0.2, degreesOfFreedom: freedom)
    smallestDetectable = (critical + power) * error
    if isPaired {
      let independent =
        ((after.variance ?? 0) + (before.variance ?? 0)) / Double(candidate.count)
      varianceReduction = independent / (error * error)
    }
  }
}
