import Scenario
import Statistics

extension MetricSeries {
  /// A metric's samples as numbers whose mean is the metric over all replications.
  ///
  /// - Returns: nil when a replication has no data, or only a lower bound.
  static func of(_ metric: MetricReference, _ samples: [MetricSample]) -> MetricSeries? {
    guard !samples.isEmpty, samples.allSatisfy({ $0.value != nil && !$0.isLowerBound }) else {
      return nil
    }
    do {
      if metric.isQuotient && samples.count >= 2 {
        return try .ratio(
          numerators: samples.map(\.numerator), denominators: samples.map(\.denominator))
      }
      return try .means(samples.compactMap(\.value))
    } catch {
      return nil
    }
  }
}
