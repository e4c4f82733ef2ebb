import Models
import Scenario

/// Times where the views' records were not kept.
extension MetricEvaluator {
  /// A stat of a clock, from counts of times: those that are sums are exact, quantiles are those of
  /// ``FineHistogram``.
  func time(_ reference: MetricReference, _ times: ViewSums.Times) -> MetricSample {
    var sample = MetricSample()
    sample.samples = times.started.total + times.censored.total
    if times.started.total == 0 { return sample }
    switch reference.stat {
    case "mean":
      return ratio(
        Double(times.started.sum) / 1e6, over: Double(times.started.total),
        samples: sample.samples)
    case "max": sample.value = Double(times.started.largest) / 1e6
    default:
      guard let found = SampledTimes.quantile(reference.stat, of: times) else { return sample }
      sample.isLowerBound = found.isLowerBound
      sample.value = Double(found.nanoseconds) / 1e6
      sample.times = SampledTimes(times)
    }
    return sample
  }
}
