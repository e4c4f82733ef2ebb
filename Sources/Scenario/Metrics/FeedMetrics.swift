/// The metrics of the feed.
public enum FeedMetrics {
  /// In the order of results and of suggestions.
  public static let all: [FeedMetric] = [
    times, viewShares, caches, quality, republishing, startup, surface, swipes, app,
  ].flatMap { (theme: [FeedMetric]) -> [FeedMetric] in theme }

  /// What comparisons look at when nobody says otherwise: whose frame was ready, how long the
  /// others waited, who left, stalls, caches, waste.
  public static let headline = [
    "ready_ratio", "ttff_waited_ms.p75", "ttff_waited_ms.p95", "ttff_cold_ms.p75",
    "ttff_cold_ms.p95", "not_started_ratio", "rebuffer_ratio",
    "hit_ratio{tier=edge,by=requests}", "wasted_ratio",
  ]

  static let names = all.map(\.name)

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// The row of a metric; nil: the feed has none of this name.
  public static func named(_ name: String) -> FeedMetric? { byName[name] }

  /// What a result of a scenario holds, in order, as budgets write it.
  public static func standard(_ scenario: FeedScenario) -> [String] {
    let present = all.filter { isStandard($0, scenario) }
    let always = present.filter { $0.presence == .always }
    let cached = always.filter { $0.labels.contains("tier") }
    var names = always.filter { !$0.labels.contains("tier") }.flatMap { whole($0) }
    for metric in cached {
      for stat in metric.standard.whole {
        names += ["requests", "bytes"].map { "\(metric.name){tier=edge,by=\($0)}.\(stat)" }
        names += tiers(scenario).map { "\(metric.name){tier=\($0),by=requests}.\(stat)" }
      }
    }
    for metric in cached {
      for stat in metric.standard.classes {
        names += MetricReference.keptClasses.map {
          "\(metric.name){tier=edge,class=\($0),by=requests}.\(stat)"
        }
      }
    }
    for (label, values) in [("network", scenario.networks), ("device", scenario.devices)]
    where values.count > 1 {
      for value in values {
        for metric in present {
          names += metric.standard.cohorts.map { "\(metric.name){\(label)=\(value)}.\($0)" }
        }
      }
    }
    for window in scenario.windows { names += present.flatMap { part($0, window: window) } }
    for presence in [FeedMetric.Presence.surface, .republishing, .client] {
      names += present.filter { $0.presence == presence }.flatMap { whole($0) }
    }
    return names
  }

  /// What every result holds of a window.
  public static func standard(window: String) -> [String] {
    all.filter { $0.presence == .always }.flatMap { part($0, window: window) }
  }

  /// What a result holds of the metrics of one kind of presence, in order.
  public static func standard(_ presence: FeedMetric.Presence) -> [String] {
    all.filter { $0.presence == presence }.flatMap { whole($0) }
  }

  private static func whole(_ metric: FeedMetric) -> [String] {
    metric.standard.whole.map { "\(metric.name).\($0)" }
  }

  private static func part(_ metric: FeedMetric, window: String) -> [String] {
    let tier = metric.labels.contains("tier") ? "tier=edge,by=requests," : ""
    return metric.standard.windows.map { "\(metric.name){\(tier)window=\(window)}.\($0)" }
  }

  /// The tiers behind the edge that a scenario has.
  private static func tiers(_ scenario: FeedScenario) -> [String] {
    let cdn = scenario.configuration.cdn
    return (cdn.regional == nil ? [] : ["regional"]) + (cdn.shield == nil ? [] : ["shield"])
  }

  private static func isStandard(_ metric: FeedMetric, _ scenario: FeedScenario) -> Bool {
    switch metric.presence {
    case .always: true
    case .surface: scenario.configuration.surface != nil
    case .republishing: !scenario.configuration.catalogue.republishes.isEmpty
    case .client: scenario.configuration.client.isActive
    case .asked: false
    }
  }
}
