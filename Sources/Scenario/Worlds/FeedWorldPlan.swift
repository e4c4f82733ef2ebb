import Models

/// Which of the two feeds a feed's scenario is of.
public enum FeedKind: Sendable, CaseIterable {
  /// A feed of full-screen items, behind caches that are simulated.
  case fullScreen
  /// A mixed feed: posts of a surface (`surface`), of which some play.
  case mixed
}

/// Viewers of a feed, their devices and networks, and the CDN, as a scenario has them.
public struct FeedWorldPlan: Sendable {
  public var configuration: FeedConfiguration
  /// Values of the labels `network`, `device` and `window`, by index in the configuration.
  public internal(set) var networks: [String]
  public let devices: [String]
  public let windows: [String]
  /// Values of the label `provider`; empty where there is one.
  public let providers: [String]
  /// Largest interpolation error of the quantile tables, relative to max(|value|, interquartile
  /// range).
  public let tableError: Double

  fileprivate func standardMetrics(_ kind: FeedKind) -> [MetricReference] {
    FeedMetrics.standard(self, kind).map { MetricReference.known($0) }
  }
}

/// A feed of which some posts play, as a scenario with a `surface` has it: all that a feed has, and
/// more.
public struct MixedFeedPlan: Sendable {
  public var feed: FeedWorldPlan
}

extension FeedWorldPlan: WorldPlan {
  public var name: String { title }
  public var title: String { "the feed" }
  public var standardMetrics: [MetricReference] { standardMetrics(.fullScreen) }
  public var headline: [MetricReference] { MetricReference.headline }
  public func has(_ metric: MetricReference) -> Bool { WorldMetric.of(metric) == nil }
  /// Whether views say what a metric is about: those of a mixed feed do not say which of them is
  /// the last of its session.
  public func knows(_ metric: FeedMetric) -> Bool {
    metric.presence != .fullScreen || configuration.surface == nil
  }
  public var labels: CohortLabels {
    CohortLabels(
      networks: networks, devices: devices, windows: windows, providers: providers)
  }

  /// The expected number of views, and what it follows from.
  public var replicationText: String {
    let (audience, cdn) = (configuration.audience, configuration.cdn)
    let views =
      audience.viewsPerDayPerEdge * Double(cdn.edges) * audience.window.seconds / 86_400
    func number(_ value: Double) -> String {
      value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }
    return """
      about \(number(views.rounded())) views each \
      (\(number(audience.viewsPerDayPerEdge)) views per day and edge, \(cdn.edges) edge\
      \(cdn.edges == 1 ? "" : "s"), \(number(audience.window.seconds)) s of arrivals)
      """
  }
}

extension MixedFeedPlan: WorldPlan {
  public var name: String { feed.name }
  public var title: String { feed.title }
  public var standardMetrics: [MetricReference] { feed.standardMetrics(.mixed) }
  public var headline: [MetricReference] {
    feed.headline + FeedMetrics.standard(.surface).map { MetricReference.known($0) }
  }
  public func has(_ metric: MetricReference) -> Bool { feed.has(metric) }
  public var labels: CohortLabels { feed.labels }
  public var replicationText: String { feed.replicationText }
}

extension World {
  /// A feed as a file has it: one with a surface is a mixed one.
  init(built feed: FeedWorldPlan) {
    self.init(feed, feed.configuration.surface == nil ? .fullScreen : .mixed)
  }

  /// One of the feeds.
  init(_ feed: FeedWorldPlan, _ kind: FeedKind) {
    switch kind {
    case .fullScreen: self = .feed(feed)
    case .mixed: self = .mixedFeed(MixedFeedPlan(feed: feed))
    }
  }
}
