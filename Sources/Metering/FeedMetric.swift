import CacheModel
import CachePolicy
import FeedModel
import MediaUnits

/// A row of the feed's metrics: all that parsing, evaluating, judging and reporting know of one.
///
/// A metric is added by adding a row to the list of its theme, `FeedMetrics+….swift`; the page
/// `docs/reference/metrics.md` names it, too.
public struct FeedMetric: Sendable {
  /// How its value is found in a replication.
  public enum Formula: Sendable {
    /// The times of the views; nil for a view that has none. Views that never started count as
    /// censored in the quantiles.
    case clock(@Sendable (ViewRecord) -> TimeSpan?)
    /// The quotient of sums over the views, by what the cut says each view has of it;
    /// nil for a view that has nothing. The samples are the views that have something.
    case views(@Sendable (MetricCut) -> @Sendable (ViewRecord) -> ViewShare?)
    case reading(@Sendable (FeedMetricSource) -> MetricReading)

    /// The same whatever the labels say.
    static func each(_ share: @escaping @Sendable (ViewRecord) -> ViewShare?) -> Formula {
      .views { _ in share }
    }
  }

  /// What a view adds to a quotient of sums: whole numbers, so that no order of adding shows.
  public struct ViewShare: Sendable, Equatable {
    public var part: Int64
    public var whole: Int64

    public init(_ part: Int64, of whole: Int64) {
      self.part = part
      self.whole = whole
    }
  }

  /// What values a ratio may have.
  public enum Range: Sendable {
    /// From 0 to 1: the part of things counted or weighed.
    case share
    /// From 0 up: what is counted may happen to one thing more than once.
    case unbounded
    /// A share that may fall below 0, without a limit.
    case belowZero
    /// A share that repetitions may bring above 1.
    case aboveOne
  }

  /// Which results hold it, whether a budget names it or not.
  public enum Presence: Sendable {
    case always
    /// In a feed of full-screen items. A mixed feed, which cannot know it, has no data.
    case fullScreen
    /// Where the scenario has a `surface`.
    case surface
    /// Where it publishes titles again.
    case republishing
    /// Where it has several CDN providers.
    case providers
    /// Where its `client` does something.
    case client
    /// Where a budget or a comparison asks for it.
    case asked
  }

  /// The stats that results hold where the metric is present.
  public struct Standard: Sendable {
    /// Of everything. A metric with the label `tier` has requests and bytes at the edge, and
    /// requests at the other tiers.
    public var whole: [String]
    /// By network and by device, where there are several.
    public var cohorts: [String] = []
    /// By window.
    public var windows: [String] = []
    /// Requests at the edge by the classes that it keeps.
    public var classes: [String] = []
  }

  /// As a budget writes it, without labels and stat.
  public let name: String
  public let unit: MetricUnit
  /// In the order in which messages name them.
  public let stats: [String]
  /// Labels that it can be cut by, in the order in which messages name them.
  public let labels: [String]
  /// One of them that must be there.
  public let requiredLabel: String?
  /// Whether more of it is worse for viewers or for the bill.
  public let isWorseWhenHigher: Bool
  public let range: Range
  /// A share of views: those of one session go together.
  public let isOfViews: Bool
  /// What the samples behind a value are, in the plural.
  public let samples: String
  /// What reports call it.
  public let words: String
  /// Keys of a scenario that act on it, the nearest first.
  public let hints: [String]
  public let presence: Presence
  public let standard: Standard
  public let formula: Formula
  /// Whether extra cold starts (``FeedMeasures/extraColdStarts``) are among its times.
  public private(set) var hasExtraColdStarts = false
  /// Its place in ``FeedMetrics/all``.
  public internal(set) var place = -1

  /// The stat of a reference without one; nil: it has to be written.
  public var defaultStat: String? {
    // A time needs its stat, even where there is only one.
    unit == .milliseconds ? nil : stats[0]
  }

  /// - Parameter standard: nil: every stat of everything.
  init(
    _ name: String, _ words: String, _ unit: MetricUnit, stats: [String],
    labels: [String] = [], requiredLabel: String? = nil, isWorseWhenHigher: Bool = true,
    range: Range = .share, isOfViews: Bool = false, samples: String = "views",
    hints: [String] = [], presence: Presence = .always, standard: Standard? = nil,
    _ formula: Formula
  ) {
    self.name = name
    self.words = words
    self.unit = unit
    self.stats = stats
    self.labels = labels
    self.requiredLabel = requiredLabel
    self.isWorseWhenHigher = isWorseWhenHigher
    self.range = range
    self.isOfViews = isOfViews
    self.samples = samples
    self.hints = hints
    self.presence = presence
    self.standard = standard ?? Standard(whole: stats)
    self.formula = formula
  }

  // MARK: Kinds of rows

  /// A time of views.
  static func clock(
    _ name: String, _ words: String, cohorts: [String] = [], windows: [String] = [],
    _ clock: @escaping @Sendable (ViewRecord) -> TimeSpan?
  ) -> FeedMetric {
    FeedMetric(
      name, words, .milliseconds,
      stats: [
        "mean", "p50", "p75", "p90", "p95", "p99", "max", "p50_started", "p75_started",
        "p90_started", "p95_started", "p99_started",
      ], labels: ["network", "device", "window"],
      standard: Standard(
        whole: ["p50", "p75", "p90", "p95", "p99", "mean", "p50_started", "p95_started"],
        cohorts: cohorts, windows: windows), .clock(clock))
  }

  /// The same with extra cold starts.
  var withExtraColdStarts: FeedMetric {
    var row = self
    row.hasExtraColdStarts = true
    return row
  }

  /// A time that is not one of views.
  static func time(
    _ name: String, _ words: String, stats: [String] = ["mean"], labels: [String] = [],
    requiredLabel: String? = nil, isWorseWhenHigher: Bool = true, samples: String = "views",
    presence: Presence, _ reading: @escaping @Sendable (FeedMetricSource) -> MetricReading
  ) -> FeedMetric {
    FeedMetric(
      name, words, .milliseconds, stats: stats, labels: labels, requiredLabel: requiredLabel,
      isWorseWhenHigher: isWorseWhenHigher, samples: samples, presence: presence,
      .reading(reading))
  }

  /// A ratio; over replications the quotient of the sums.
  static func ratio(
    _ name: String, _ words: String, labels: [String] = [], isWorseWhenHigher: Bool = true,
    range: Range = .share, isOfViews: Bool = false, samples: String = "views",
    hints: [String] = [], presence: Presence = .always, cohorts: [String] = [],
    windows: [String] = [], classes: [String] = [],
    _ reading: @escaping @Sendable (FeedMetricSource) -> MetricReading
  ) -> FeedMetric {
    FeedMetric(
      name, words, .ratio, stats: ["ratio"], labels: labels, isWorseWhenHigher: isWorseWhenHigher,
      range: range, isOfViews: isOfViews, samples: samples, hints: hints, presence: presence,
      standard: Standard(
        whole: ["ratio"], cohorts: cohorts, windows: windows, classes: classes),
      .reading(reading))
  }

  /// A number whose unit is in the name; over replications the mean.
  static func number(
    _ name: String, _ words: String, stat: String, samples: String, hints: [String],
    presence: Presence, _ reading: @escaping @Sendable (FeedMetricSource) -> MetricReading
  ) -> FeedMetric {
    FeedMetric(
      name, words, .number, stats: [stat], samples: samples, hints: hints, presence: presence,
      .reading(reading))
  }
}
