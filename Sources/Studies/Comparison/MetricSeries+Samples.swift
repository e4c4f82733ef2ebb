import Scenario
import Statistics

extension MetricSeries {
  /// A metric's samples as numbers whose mean is the metric over all replications; nil when a
  /// replication has no data, or only a lower bound.
  static func of(_ metric: MetricReference, _ samples: [MetricSample]) -> MetricSeries? {
    of(metric.traits, samples)
  }
}
