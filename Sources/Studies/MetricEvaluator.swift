import Models
import Scenario

/// Computes the feed's metrics for one replication: from its views, or from what stands for them
/// where their records were not kept.
struct MetricEvaluator {
  private let measures: FeedMeasures
  private let feed: MeteredFeed
  private let labels: CohortLabels
  private let sums: ViewSums?
  private var meter: FeedMeter

  init(
    _ measures: FeedMeasures, cohorts: [CohortSums], feed plan: FeedWorldPlan,
    sums: ViewSums? = nil
  ) {
    self.measures = measures
    self.sums = sums
    labels = plan.labels
    feed = plan.metered
    meter = FeedMeter(measures, cohorts: cohorts, feed: feed)
  }

  /// - Precondition: the reference was parsed, and names a metric of the feed.
  mutating func sample(_ reference: MetricReference) -> MetricSample {
    let metric = reference.feedMetric
    let (cut, stat) = (reference.cut(labels), reference.reads)
    guard let sums else { return meter.sample(metric, cut, stat) }
    switch metric.formula {
    case .clock: return MetricSample(sums.times(reference), stat)
    case .views: return feed.knows(metric) ? sums.share(reference).sample : MetricSample()
    case .reading(let read):
      let source = FeedMetricSource(
        cut, of: measures, cohorts: sums.cohorts(in: cut.window), feed: feed)
      return MetricSample(read(source), stat)
    }
  }
}
