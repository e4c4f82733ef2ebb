import MediaUnits
import Models
import Scenario

/// What a result needs of a replication's views, summed up while they end.
///
/// A view's record has 224 bytes. Where a replication has more views than
/// ``ReplicationRunner/mostRows``, records are folded into this as they are written and then
/// forgotten: counts, sums and ratios are exact, times are read back from a ``FineHistogram``. All
/// numbers are whole, and of several candidates the first by time is kept, so that neither the
/// order of the views nor the number of sums that are added at the end shows.
struct ViewSums: Sendable {
  /// A time that a cohort's views belong to.
  private struct Member: Sendable {
    let place: Int
    let clock: @Sendable (ViewRecord) -> TimeSpan?
    let window: Int?
    let hasExtraColdStarts: Bool
  }

  /// Views that started within one bucket of a ``FineHistogram``.
  private struct Bucket: Sendable {
    var views: Int64 = 0
    var total: Int64 = 0
    var parts = [Int64](repeating: 0, count: StartupPart.allCases.count)
    var exemplar: (session: UInt32, item: UInt32) = (.max, .max)

    mutating func add(_ other: Bucket) {
      views += other.views
      total += other.total
      for part in parts.indices { parts[part] += other.parts[part] }
      if other.exemplar < exemplar { exemplar = other.exemplar }
    }
  }

  /// A quotient that a cohort's views belong to.
  private struct ShareMember: Sendable {
    let place: Int
    let share: @Sendable (ViewRecord) -> FeedMetric.ViewShare?
    let window: Int?
  }

  private let feed: MeteredFeed
  private let lateLimit: TimeSpan
  private let replication: UInt16
  /// By window, the whole run first; in it by network x devices + device.
  private var cells: [[CohortSums]]
  /// By network and clock.
  private(set) var histograms: [[ClockHistogram]]
  /// The metrics of times, each without its stat.
  private let timeMetrics: [MetricReference]
  /// Those that a cohort's views belong to, by cohort.
  private let members: [[Member]]
  private var times: [FoldedTimes]
  /// The metrics that are quotients over views; those that a cohort's views belong to, by cohort;
  /// their sums.
  private let shareMetrics: [MetricReference]
  private let shareMembers: [[ShareMember]]
  private var shares: [ViewShareSum]
  /// By bucket of the time to first frame.
  private var buckets: [Bucket?] = []
  /// The same of views that waited for more than the display.
  private var waitedBuckets: [Bucket?] = []
  private var counted = LateStarts()
  /// Over time; nil where the measured time has no parts.
  private(set) var series: SeriesViews?
  /// Late views; more than are listed only until they are sorted next.
  private var lateViews: [ViewRecord] = []

  init(
    feed plan: FeedWorldPlan, metrics: [MetricReference], lateLimit: TimeSpan, replication: UInt16
  ) {
    let (feed, labels) = (plan.metered, plan.labels)
    self.feed = feed
    self.lateLimit = lateLimit
    self.replication = replication
    cells = [[CohortSums]](
      repeating: [CohortSums](repeating: CohortSums(), count: feed.cohorts),
      count: 1 + feed.windows.count)
    histograms = [[ClockHistogram]](
      repeating: [ClockHistogram](
        repeating: ClockHistogram(), count: ReplicationDigest.Clock.allCases.count),
      count: feed.networks)
    var timeMetrics: [MetricReference] = []
    var members = [[Member]](repeating: [], count: feed.cohorts)
    for metric in metrics {
      let key = ViewSums.key(metric)
      guard case .clock(let clock) = metric.feedMetric.formula, !timeMetrics.contains(key)
      else { continue }
      let cut = key.cut(labels)
      let member = Member(
        place: timeMetrics.count, clock: clock, window: cut.window,
        hasExtraColdStarts: metric.feedMetric.hasExtraColdStarts)
      for cell in feed.cohorts(in: cut) { members[cell].append(member) }
      timeMetrics.append(key)
    }
    self.timeMetrics = timeMetrics
    self.members = members
    times = [FoldedTimes](repeating: FoldedTimes(), count: timeMetrics.count)
    var shareMetrics: [MetricReference] = []
    var shareMembers = [[ShareMember]](repeating: [], count: feed.cohorts)
    for metric in metrics where !shareMetrics.contains(metric) {
      guard case .views(let share) = metric.feedMetric.formula else { continue }
      let cut = metric.cut(labels)
      let member = ShareMember(
        place: shareMetrics.count, share: share(cut), window: cut.window)
      for cell in feed.cohorts(in: cut) { shareMembers[cell].append(member) }
      shareMetrics.append(metric)
    }
    series = SeriesPlan(plan.configuration).map { SeriesViews($0) }
    self.shareMetrics = shareMetrics
    self.shareMembers = shareMembers
    shares = [ViewShareSum](repeating: ViewShareSum(), count: shareMetrics.count)
  }

  private static func key(_ metric: MetricReference) -> MetricReference {
    var key = metric
    key.stat = ""
    return key
  }

  // MARK: Views

  mutating func add(_ views: [ViewRecord]) {
    for view in views { add(view) }
  }

  private mutating func add(_ view: ViewRecord) {
    let cell = feed.cohort(of: view)
    cells[0][cell].count(view)
    for window in 1..<max(1, cells.count) where feed.contains(view, in: window - 1) {
      cells[window][cell].count(view)
    }
    ReplicationDigest.count(view, into: &histograms[Int(view.network)])
    series?.add(view)
    for member in members[cell] { add(view, to: member) }
    for member in shareMembers[cell] where feed.contains(view, in: member.window) {
      if let share = member.share(view) { shares[member.place].add(share) }
    }
    if view.hasStarted {
      ViewSums.add(view, to: &buckets)
      if !view.flags.contains(.ready) { ViewSums.add(view, to: &waitedBuckets) }
    }
    if view.flags.contains(.cut) && !view.hasStarted { return }
    if !view.hasStarted || view.ttff > lateLimit { addLate(view) }
  }

  /// Adds cold starts beside the audience's to the times that have them.
  mutating func add(extraColdStarts views: [ViewRecord]) {
    for view in views {
      let cell = feed.cohort(of: view)
      for member in members[cell] where member.hasExtraColdStarts { add(view, to: member) }
    }
  }

  private mutating func add(_ view: ViewRecord, to member: Member) {
    guard feed.contains(view, in: member.window),
      let time = member.clock(view)?.nanoseconds
    else { return }
    if view.hasStarted {
      times[member.place].started.add(nanoseconds: time)
    } else {
      times[member.place].censored.add(nanoseconds: time)
    }
  }

  private static func add(_ view: ViewRecord, to buckets: inout [Bucket?]) {
    let place = FineHistogram.bucket(nanoseconds: view.ttff.nanoseconds)
    if place >= buckets.count {
      buckets.append(contentsOf: repeatElement(nil, count: place + 1 - buckets.count))
    }
    if buckets[place] == nil { buckets[place] = Bucket() }
    buckets[place]?.views += 1
    buckets[place]?.total += view.ttff.nanoseconds
    if (view.session, view.item) < (buckets[place]?.exemplar ?? (0, 0)) {
      buckets[place]?.exemplar = (view.session, view.item)
    }
    if view.ttff <= .zero { return }
    for part in StartupPart.allCases {
      buckets[place]?.parts[part.rawValue] += view.parts[part]
    }
  }

  private mutating func addLate(_ view: ViewRecord) {
    counted.count(view, replication: replication, isListed: false)
    lateViews.append(view)
    if lateViews.count >= 4 * LateAnswers.listed { trimLateViews() }
  }

  private mutating func trimLateViews() {
    lateViews.sort(by: ReplicationDigest.isBefore)
    if lateViews.count > LateAnswers.listed {
      lateViews.removeLast(lateViews.count - LateAnswers.listed)
    }
  }

  /// Adds the sums of other views of the same replication.
  mutating func add(_ other: ViewSums) {
    for window in cells.indices {
      for cell in cells[window].indices {
        cells[window][cell].add(other.cells[window][cell])
      }
    }
    for network in histograms.indices {
      for clock in histograms[network].indices {
        histograms[network][clock].add(other.histograms[network][clock])
      }
    }
    for place in times.indices {
      times[place].started.add(other.times[place].started)
      times[place].censored.add(other.times[place].censored)
    }
    for place in shares.indices { shares[place].add(other.shares[place]) }
    if let others = other.series { series?.add(others) }
    ViewSums.add(other.buckets, to: &buckets)
    ViewSums.add(other.waitedBuckets, to: &waitedBuckets)
    counted.add(other.counted)
    lateViews += other.lateViews
    trimLateViews()
  }

  private static func add(_ others: [Bucket?], to buckets: inout [Bucket?]) {
    if buckets.count < others.count {
      buckets.append(contentsOf: repeatElement(nil, count: others.count - buckets.count))
    }
    for (place, bucket) in others.enumerated() {
      guard let bucket else { continue }
      if buckets[place] == nil { buckets[place] = Bucket() }
      buckets[place]?.add(bucket)
    }
  }

  // MARK: What is read

  /// By cohort, of a window or of the whole run.
  func cohorts(in window: Int?) -> [CohortSums] { cells[window.map { $0 + 1 } ?? 0] }

  /// The times behind a metric that was asked for from the start.
  func times(_ metric: MetricReference) -> FoldedTimes {
    guard let place = timeMetrics.firstIndex(of: ViewSums.key(metric)) else {
      preconditionFailure("\(metric) was not among the metrics of this replication")
    }
    return times[place]
  }

  /// The sums behind a quotient over views that was asked for from the start.
  func share(_ metric: MetricReference) -> ViewShareSum {
    guard let place = shareMetrics.firstIndex(of: metric) else {
      preconditionFailure("\(metric) was not among the metrics of this replication")
    }
    return shares[place]
  }

  /// Late starts, the first of them by time listed.
  var late: LateStarts {
    var late = counted
    for view in lateViews.sorted(by: ReplicationDigest.isBefore).prefix(LateAnswers.listed) {
      late.answers.list(LateStarts.lateView(view, replication: replication))
    }
    return late
  }

  /// The started views whose buckets hold the ranks within half a percent of a percentile.
  func band(around p: Double) -> BreakdownBand {
    let count = ViewSums.views(buckets)
    if count == 0 { return BreakdownBand() }
    let middle = min(count - 1, Int64(Double(count) * p))
    let half = count / 200
    return band(buckets, ranks: max(0, middle - half)...min(count - 1, middle + half), middle)
  }

  /// All started views that waited for more than the display.
  var waitedBand: BreakdownBand {
    let count = ViewSums.views(waitedBuckets)
    if count == 0 { return BreakdownBand() }
    return band(waitedBuckets, ranks: 0...(count - 1), count / 2)
  }

  private static func views(_ buckets: [Bucket?]) -> Int64 {
    buckets.reduce(0) { $0 + ($1?.views ?? 0) }
  }

  private func band(
    _ buckets: [Bucket?], ranks: ClosedRange<Int64>, _ middle: Int64
  ) -> BreakdownBand {
    var band = BreakdownBand()
    var seen: Int64 = 0
    for case let bucket? in buckets {
      let own = seen..<(seen + bucket.views)
      seen = own.upperBound
      guard own.lowerBound <= ranks.upperBound, own.upperBound > ranks.lowerBound else { continue }
      band.views += bucket.views
      band.total += bucket.total
      for part in band.parts.indices { band.parts[part] += bucket.parts[part] }
      if own.contains(middle) {
        band.exemplar = (bucket.exemplar.session, bucket.exemplar.item, replication)
      }
    }
    return band
  }
}
