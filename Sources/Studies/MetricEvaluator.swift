import MediaUnits
import Models
import Scenario
import Statistics

/// Computes the feed's metrics for one replication, each by its row, as docs/reference/metrics.md
/// defines them.
struct MetricEvaluator {
  let measures: FeedMeasures
  let cohorts: [CohortSums]
  let feed: FeedWorldPlan
  /// What stands for the views where their records were not kept.
  let sums: ViewSums?
  /// Times by reference without a stat: several stats share a clock and its cohort, and sorting is
  /// what a stat costs.
  private var sorted: [MetricReference: SampledTimes] = [:]
  private let windows: WindowTable
  /// By window, like `cohorts`.
  private var windowCohorts: [Int: [CohortSums]] = [:]

  init(
    _ measures: FeedMeasures, cohorts: [CohortSums], feed: FeedWorldPlan,
    sums: ViewSums? = nil
  ) {
    self.sums = sums
    self.measures = measures
    self.cohorts = cohorts
    self.feed = feed
    windows = WindowTable(feed)
  }

  /// - Precondition: the reference was parsed, and names a metric of the feed.
  mutating func sample(_ reference: MetricReference) -> MetricSample {
    switch reference.feedMetric.formula {
    case .clock(let clock): time(reference, clock)
    case .views(let share): quotient(reference, share(reference))
    case .reading(let read): MetricSample(read(source(reference)), reference.stat)
    }
  }

  /// The measures as a reference cuts them.
  private mutating func source(_ reference: MetricReference) -> FeedMetricSource {
    let window = windows.place(reference)
    let ladder = feed.configuration.catalogue.ladder
    return FeedMetricSource(
      reference, of: measures, cohorts: cohorts(in: window),
      cells: MetricEvaluator.cells(reference, feed), window: window,
      provider: reference.label("provider").flatMap { feed.providers.firstIndex(of: $0) },
      topRate: Double(ladder[ladder.top].bitsPerSecond),
      lowestRate: Double(ladder[RungIndex(0)].bitsPerSecond))
  }

  /// The cohorts that a metric's labels leave.
  static func cells(_ reference: MetricReference, _ feed: FeedWorldPlan) -> [Int] {
    let cohorts = feed.networks.count * feed.devices.count
    let network = reference.label("network").flatMap { feed.networks.firstIndex(of: $0) }
    let device = reference.label("device").flatMap { feed.devices.firstIndex(of: $0) }
    return (0..<cohorts).filter { cell in
      let isNetwork = network == nil || cell / feed.devices.count == network
      return isNetwork && (device == nil || cell % feed.devices.count == device)
    }
  }

  /// Sums by cohort over the views of a window, or over all of them.
  private mutating func cohorts(in window: Int?) -> [CohortSums] {
    guard let window else { return cohorts }
    if let sums { return sums.cohorts(in: window) }
    if let known = windowCohorts[window] { return known }
    var sums = [CohortSums](repeating: CohortSums(), count: cohorts.count)
    for view in measures.views where windows.contains(view, in: window) {
      sums[Int(view.network) * feed.devices.count + Int(view.device)].count(view)
    }
    windowCohorts[window] = sums
    return sums
  }

  // MARK: Sums over views

  private func quotient(
    _ reference: MetricReference, _ share: (ViewRecord) -> FeedMetric.ViewShare?
  ) -> MetricSample {
    if !feed.knows(reference.feedMetric) { return MetricSample() }
    if let sums { return sums.share(reference).sample }
    var sum = ViewShareSum()
    let isIncluded = included(reference)
    let window = windows.place(reference)
    for view in measures.views {
      let cell = Int(view.network) * feed.devices.count + Int(view.device)
      guard isIncluded[cell], windows.contains(view, in: window), let share = share(view)
      else { continue }
      sum.add(share)
    }
    return sum.sample
  }

  /// By cohort, whether the reference's labels leave it.
  private func included(_ reference: MetricReference) -> [Bool] {
    var isIncluded = [Bool](repeating: false, count: cohorts.count)
    for cell in MetricEvaluator.cells(reference, feed) { isIncluded[cell] = true }
    return isIncluded
  }

  // MARK: Times

  private mutating func time(
    _ reference: MetricReference, _ clock: (ViewRecord) -> TimeSpan?
  ) -> MetricSample {
    if let sums { return MetricSample(sums.times(reference), reference.stat) }
    return MetricSample(times(reference, clock), reference.stat)
  }

  private mutating func times(
    _ reference: MetricReference, _ clock: (ViewRecord) -> TimeSpan?
  ) -> SampledTimes {
    var key = reference
    key.stat = ""
    if let known = sorted[key] { return known }
    let isIncluded = included(reference)
    let window = windows.place(reference)
    var (events, censored): ([Int64], [Int64]) = ([], [])
    let extra = reference.feedMetric.hasExtraColdStarts ? measures.extraColdStarts : []
    for view in [measures.views, extra].joined() {
      let cell = Int(view.network) * feed.devices.count + Int(view.device)
      guard isIncluded[cell], windows.contains(view, in: window),
        let time = clock(view)?.nanoseconds
      else { continue }
      if view.hasStarted { events.append(time) } else { censored.append(time) }
    }
    let times = SampledTimes(of: events, censored: censored)
    sorted[key] = times
    return times
  }
}
