import CachePolicy
import MediaUnits
import Models
import Scenario
import SimulationKernel
import Statistics

/// Started and censored times of one clock.
public struct ClockHistogram: Sendable, Equatable {
  /// Views that started, by time to the first frame.
  public var started = TimeHistogram()
  /// Views left before the first frame, by when they were left.
  public var censored = TimeHistogram()

  public init() {}

  mutating func add(_ other: ClockHistogram) {
    started.add(other.started)
    censored.add(other.censored)
  }
}

/// The mean startup of the views around a percentile.
public struct BreakdownBand: Sendable, Equatable {
  /// Views in the band.
  public var views: Int64 = 0
  /// Sums in nanoseconds, by ``StartupPart``; they sum to ``total`` exactly.
  public var parts = [Int64](repeating: 0, count: StartupPart.allCases.count)
  /// Sum of the views' TTFF, nanoseconds.
  public var total: Int64 = 0
  /// A view of the band: its session and item.
  public var exemplar: (session: UInt32, item: UInt32, replication: UInt16)?

  public init() {}

  public static func == (a: BreakdownBand, b: BreakdownBand) -> Bool {
    a.views == b.views && a.parts == b.parts && a.total == b.total
      && a.exemplar?.session == b.exemplar?.session && a.exemplar?.item == b.exemplar?.item
  }

  mutating func add(_ other: BreakdownBand) {
    views += other.views
    total += other.total
    for index in 0..<parts.count { parts[index] += other.parts[index] }
    if exemplar == nil { exemplar = other.exemplar }
  }

  mutating func add(_ view: ViewRecord) {
    views += 1
    total += view.ttff.nanoseconds
    for part in StartupPart.allCases {
      parts[part.rawValue] += view.part(part).nanoseconds
    }
  }
}

/// Late starts and views without a start, by the part that took longest.
public struct LateStarts: Sendable, Equatable {
  /// Started views later than the limit, by ``StartupPart``.
  public var started = [Int64](repeating: 0, count: StartupPart.allCases.count)
  /// Of those, views whose start waited for an edge miss.
  public var startedWithEdgeMiss = [Int64](repeating: 0, count: StartupPart.allCases.count)
  /// Views left before a frame, by the part that they were waiting in longest.
  public var notStarted = [Int64](repeating: 0, count: StartupPart.allCases.count)
  public var notStartedWithEdgeMiss = [Int64](
    repeating: 0, count: StartupPart.allCases.count)
  /// The same views by what they waited for behind the edge.
  public var answers = LateAnswers()

  public init() {}

  mutating func add(_ other: LateStarts) {
    for index in 0..<started.count {
      started[index] += other.started[index]
      startedWithEdgeMiss[index] += other.startedWithEdgeMiss[index]
      notStarted[index] += other.notStarted[index]
      notStartedWithEdgeMiss[index] += other.notStartedWithEdgeMiss[index]
    }
    answers.add(other.answers)
  }
}

/// What is kept of one replication once its views are summed up.
public struct ReplicationDigest: Sendable {
  public var replication: UInt16
  public var fingerprint: Fingerprint
  public var events: UInt64
  public var end: Instant
  /// The measures without the views.
  public var measures: FeedMeasures
  public var samples: [MetricSample]
  /// By network x devices + device.
  public var cohorts: [CohortSums]
  /// By network; the clocks of docs/reference/metrics.md that have a histogram, as ``Clock`` orders
  /// them.
  public var histograms: [[ClockHistogram]]
  /// Around the median and the 95th percentile of `ttff`.
  public var medianBand = BreakdownBand()
  public var p95Band = BreakdownBand()
  /// All started views that waited for more than the display.
  public var waitedBand = BreakdownBand()
  /// Nanoseconds of all started views, by ``StartupPart``.
  public var startedParts = [Int64](repeating: 0, count: StartupPart.allCases.count)
  public var late = LateStarts()
  /// The views' records were not kept: quantiles of times are read from ``FineHistogram``s.
  public var isFolded = false
  /// Nil where it was not looked at.
  public var peakLoad: PeakLoad?
  /// Nil where it was not looked at.
  public var series: SeriesDigest?
  /// Nil where records of views are not kept, and outside the feed.
  public var sessions: SessionSpread?

  /// The clocks of a TTFF that have a histogram.
  public enum Clock: Int, CaseIterable, Sendable {
    case all, cold, swipe, play

    /// The metric's name.
    public var metric: String {
      switch self {
      case .all: "ttff_ms"
      case .cold: "ttff_cold_ms"
      case .swipe: "ttff_swipe_ms"
      case .play: "ttff_play_ms"
      }
    }
  }

  /// Sums a replication up.
  ///
  /// - Parameters:
  ///   - metrics: what to evaluate, in the order of ``samples``.
  ///   - lateLimit: a start later than this is late.
  ///   - sums: of the views, when their records were not kept; `metrics` are those they were made
  ///     for.
  init(
    _ result: FeedRunResult, replication: UInt16, feed: FeedWorldPlan,
    metrics: [MetricReference], lateLimit: TimeSpan, sums: ViewSums? = nil
  ) {
    self.replication = replication
    fingerprint = result.fingerprint
    events = result.summary.events
    end = result.summary.lastEvent
    measures = result.measures
    measures.views = []
    measures.extraColdStarts = []
    samples = []
    if let sums {
      cohorts = sums.cohorts(in: nil)
      histograms = sums.histograms
      late = sums.late
      medianBand = sums.band(around: 0.5)
      p95Band = sums.band(around: 0.95)
      waitedBand = sums.waitedBand
      isFolded = true
    } else {
      sessions = SessionSpread(result.measures.views)
      (cohorts, histograms) = ReplicationDigest.count(result.measures.views, feed)
      addLate(result.measures.views, limit: lateLimit)
      addBands(result.measures.views)
    }
    for part in StartupPart.allCases {
      startedParts[part.rawValue] = cohorts.reduce(0) { $0 + $1.parts[part] }
    }
    var evaluator = MetricEvaluator(
      result.measures, cohorts: cohorts, feed: feed, sums: sums)
    for metric in metrics { samples.append(evaluator.sample(metric)) }
  }

  private static func count(
    _ views: [ViewRecord], _ feed: FeedWorldPlan
  ) -> ([CohortSums], [[ClockHistogram]]) {
    let devices = feed.devices.count
    var cohorts = [CohortSums](
      repeating: CohortSums(), count: feed.networks.count * devices)
    var histograms = [[ClockHistogram]](
      repeating: [ClockHistogram](repeating: ClockHistogram(), count: Clock.allCases.count),
      count: feed.networks.count)
    for view in views {
      let cell = Int(view.network) * devices + Int(view.device)
      cohorts[cell].count(view)
      count(view, into: &histograms[Int(view.network)])
    }
    return (cohorts, histograms)
  }

  private mutating func addLate(_ views: [ViewRecord], limit: TimeSpan) {
    var lateViews: [ViewRecord] = []
    for view in views {
      if view.flags.contains(.cut) && !view.hasStarted { continue }
      if !view.hasStarted || view.ttff > limit { lateViews.append(view) }
    }
    // By time, whatever order the parts of the run were put together in.
    lateViews.sort(by: ReplicationDigest.isBefore)
    for view in lateViews { late.count(view, replication: replication, isListed: true) }
  }

  private mutating func addBands(_ views: [ViewRecord]) {
    var started: [StartedView] = []
    for (index, view) in views.enumerated() where view.hasStarted {
      started.append(StartedView(view, index))
    }
    started.sort()
    medianBand = ReplicationDigest.band(started, of: views, around: 0.5, replication)
    p95Band = ReplicationDigest.band(started, of: views, around: 0.95, replication)
    let waited = started.filter { !views[Int($0.index)].flags.contains(.ready) }
    waitedBand = ReplicationDigest.band(waited[...], of: views, replication)
  }

  static func count(_ view: ViewRecord, into clocks: inout [ClockHistogram]) {
    func add(_ clock: Clock, _ time: TimeSpan) {
      if view.hasStarted {
        clocks[clock.rawValue].started.add(nanoseconds: time.nanoseconds)
      } else {
        clocks[clock.rawValue].censored.add(nanoseconds: time.nanoseconds)
      }
    }
    add(.all, view.ttff)
    add(view.flags.contains(.cold) ? .cold : .swipe, view.ttff)
    add(.play, view.ttffPlay)
  }

  /// By the time at which their clocks started.
  static func isBefore(_ a: ViewRecord, _ b: ViewRecord) -> Bool {
    (a.settledAt.nanoseconds, a.session, a.item) < (b.settledAt.nanoseconds, b.session, b.item)
  }

  /// All of the sorted views; the one in the middle is the exemplar.
  private static func band(
    _ sorted: ArraySlice<StartedView>, of views: [ViewRecord], _ replication: UInt16
  ) -> BreakdownBand {
    var band = BreakdownBand()
    if sorted.isEmpty { return band }
    for place in sorted { band.add(views[Int(place.index)]) }
    let middle = views[Int(sorted[sorted.startIndex + sorted.count / 2].index)]
    band.exemplar = (middle.session, middle.item, replication)
    return band
  }

  /// The started views within half a percent of a percentile, at least one.
  private static func band(
    _ sorted: [StartedView], of views: [ViewRecord], around p: Double, _ replication: UInt16
  ) -> BreakdownBand {
    var band = BreakdownBand()
    if sorted.isEmpty { return band }
    let middle = min(sorted.count - 1, Int(Double(sorted.count) * p))
    let half = sorted.count / 200
    for place in sorted[max(0, middle - half)...min(sorted.count - 1, middle + half)] {
      band.add(views[Int(place.index)])
    }
    let exemplar = views[Int(sorted[middle].index)]
    band.exemplar = (exemplar.session, exemplar.item, replication)
    return band
  }
}

/// What started views are sorted by; a record is nine times as large.
private struct StartedView: Comparable {
  let ttff, settledAt: Int64
  let session, index: UInt32

  init(_ view: ViewRecord, _ index: Int) {
    ttff = view.ttff.nanoseconds
    settledAt = view.settledAt.nanoseconds
    session = view.session
    self.index = UInt32(index)
  }

  static func < (a: StartedView, b: StartedView) -> Bool {
    if a.ttff != b.ttff { return a.ttff < b.ttff }
    if a.session != b.session { return a.session < b.session }
    return a.settledAt != b.settledAt ? a.settledAt < b.settledAt : a.index < b.index
  }
}

extension LateStarts {
  static func lateView(_ view: ViewRecord, replication: UInt16) -> LateView {
    var longest = StartupPart.feed
    for part in StartupPart.allCases where view.part(part) > view.part(longest) {
      longest = part
    }
    return LateView(
      replication: replication, session: view.session, item: view.item,
      hasStarted: view.hasStarted, waited: view.ttff.nanoseconds, part: longest,
      answer: view.answer)
  }

  /// Counts a view that started late or not at all.
  mutating func count(_ view: ViewRecord, replication: UInt16, isListed: Bool) {
    let entry = LateStarts.lateView(view, replication: replication)
    let longest = entry.part
    answers.add(entry)
    if isListed { answers.list(entry) }
    let isMiss = view.flags.contains(.edgeMiss)
    if view.hasStarted {
      started[longest.rawValue] += 1
      if isMiss { startedWithEdgeMiss[longest.rawValue] += 1 }
    } else {
      notStarted[longest.rawValue] += 1
      if isMiss { notStartedWithEdgeMiss[longest.rawValue] += 1 }
    }
  }
}
