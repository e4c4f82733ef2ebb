import Scenario
import Statistics

/// With the quantiles of the library.
extension ReplicationDifference {
  init(paired candidate: MetricSeries, _ baseline: MetricSeries) throws(StatisticsError) {
    try self.init(paired: candidate, baseline, quantiles: GSLQuantiles())
  }

  init(independent candidate: MetricSeries, _ baseline: MetricSeries) throws(StatisticsError) {
    try self.init(independent: candidate, baseline, quantiles: GSLQuantiles())
  }

  func smallestDetectable(family: Int) throws(StatisticsError) -> Double? {
    try smallestDetectable(family: family, quantiles: GSLQuantiles())
  }

  func replicationsNeeded(
    _ replications: Int, least: Double, family: Int
  ) throws(StatisticsError) -> Int? {
    try replicationsNeeded(
      replications, least: least, family: family, quantiles: GSLQuantiles())
  }

  /// By how much pairing divides the variance of a difference; nil without any variance.
  static func varianceReduction(
    _ candidate: MetricSeries, _ baseline: MetricSeries
  ) -> Double? {
    do {
      return try PairedComparison.varianceReduction(candidate: candidate, baseline: baseline)?.value
    } catch {
      preconditionFailure("two values on each side can be compared: \(error)")
    }
  }
}
