import FeedModel
import MediaUnits

/// Computes the feed's metrics for one replication whose views were kept, each by its row, as
/// docs/reference/metrics.md defines them.
public struct FeedMeter {
  private let measures: FeedMeasures
  private let feed: MeteredFeed
  private let cohorts: [CohortSums]
  /// By window, like `cohorts`; nil where nobody has asked yet.
  private var windowCohorts: [[CohortSums]?]
  /// Several stats share a clock and its cut, and sorting is what a stat costs.
  private var sorted: [(row: Int, cut: MetricCut, times: SampledTimes)] = []

  /// - Parameter cohorts: sums over the views by network x devices + device.
  public init(_ measures: FeedMeasures, cohorts: [CohortSums], feed: MeteredFeed) {
    self.measures = measures
    self.cohorts = cohorts
    self.feed = feed
    windowCohorts = [[CohortSums]?](repeating: nil, count: feed.windows.count)
  }

  /// A stat of a metric.
  ///
  /// - Precondition: the row has the stat.
  public mutating func sample(
    _ metric: FeedMetric, _ cut: MetricCut, _ stat: MetricStat
  ) -> MetricSample {
    switch metric.formula {
    case .clock(let clock): MetricSample(times(metric, cut, clock), stat)
    case .views(let share): quotient(metric, cut, share(cut))
    case .reading(let read):
      MetricSample(
        read(FeedMetricSource(cut, of: measures, cohorts: cohorts(in: cut.window), feed: feed)),
        stat)
    }
  }

  /// Sums by cohort over the views of a window, or over all of them.
  private mutating func cohorts(in window: Int?) -> [CohortSums] {
    guard let window else { return cohorts }
    if let known = windowCohorts[window] { return known }
    let sums = feed.sums(over: measures.views, in: window)
    windowCohorts[window] = sums
    return sums
  }

  /// By cohort, whether a cut leaves it.
  private func included(_ cut: MetricCut) -> [Bool] {
    var isIncluded = [Bool](repeating: false, count: feed.cohorts)
    for cell in feed.cohorts(in: cut) { isIncluded[cell] = true }
    return isIncluded
  }

  private func quotient(
    _ metric: FeedMetric, _ cut: MetricCut, _ share: (ViewRecord) -> FeedMetric.ViewShare?
  ) -> MetricSample {
    if !feed.knows(metric) { return MetricSample() }
    var sum = ViewShareSum()
    let isIncluded = included(cut)
    for view in measures.views
    where isIncluded[feed.cohort(of: view)] && feed.contains(view, in: cut.window) {
      if let share = share(view) { sum.add(share) }
    }
    return sum.sample
  }

  private mutating func times(
    _ metric: FeedMetric, _ cut: MetricCut, _ clock: (ViewRecord) -> TimeSpan?
  ) -> SampledTimes {
    for known in sorted where known.row == metric.place && known.cut == cut { return known.times }
    let isIncluded = included(cut)
    var (events, censored): ([Int64], [Int64]) = ([], [])
    func add(_ view: ViewRecord) {
      guard isIncluded[feed.cohort(of: view)], feed.contains(view, in: cut.window),
        let time = clock(view)?.nanoseconds
      else { return }
      if view.hasStarted { events.append(time) } else { censored.append(time) }
    }
    for view in measures.views { add(view) }
    if metric.hasExtraColdStarts {
      for view in measures.extraColdStarts { add(view) }
    }
    let times = SampledTimes(of: events, censored: censored)
    sorted.append((metric.place, cut, times))
    return times
  }
}
