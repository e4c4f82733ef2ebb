import Models

extension FeedMetrics {
  /// What a result of a feed's scenario holds, in order, as budgets write it.
  static func standard(_ feed: FeedWorldPlan, _ kind: FeedKind) -> [String] {
    let present = all.filter { isStandard($0, feed.configuration, kind) }
    let always = present.filter { $0.presence == .always }
    let cached = always.filter { $0.labels.contains("tier") }
    var names = always.filter { !$0.labels.contains("tier") }.flatMap { whole($0) }
    for metric in cached {
      for stat in metric.standard.whole {
        names += ["requests", "bytes"].map { "\(metric.name){tier=edge,by=\($0)}.\(stat)" }
        names += tiers(feed.configuration.cdn).map {
          "\(metric.name){tier=\($0),by=requests}.\(stat)"
        }
      }
    }
    for metric in cached {
      for stat in metric.standard.classes {
        names += MetricReference.keptClasses.map {
          "\(metric.name){tier=edge,class=\($0),by=requests}.\(stat)"
        }
      }
    }
    for (label, values) in [("network", feed.networks), ("device", feed.devices)]
    where values.count > 1 {
      for value in values {
        for metric in present {
          names += metric.standard.cohorts.map { "\(metric.name){\(label)=\(value)}.\($0)" }
        }
      }
    }
    for window in feed.windows { names += present.flatMap { part($0, window: window) } }
    for presence in [FeedMetric.Presence.fullScreen, .surface, .republishing, .client] {
      names += present.filter { $0.presence == presence }.flatMap { whole($0) }
    }
    for metric in present where metric.presence == .providers {
      if !metric.labels.contains("provider") {
        names += whole(metric)
        continue
      }
      for provider in feed.providers {
        names += metric.standard.whole.map { "\(metric.name){provider=\(provider)}.\($0)" }
      }
    }
    return names
  }

  /// The tiers behind the edge that a CDN has.
  private static func tiers(_ cdn: CDNConfiguration) -> [String] {
    (cdn.regional == nil ? [] : ["regional"]) + (cdn.shield == nil ? [] : ["shield"])
  }

  private static func isStandard(
    _ metric: FeedMetric, _ configuration: FeedConfiguration, _ kind: FeedKind
  ) -> Bool {
    switch metric.presence {
    case .always: true
    case .fullScreen: kind == .fullScreen
    case .surface: kind == .mixed
    case .republishing: !configuration.catalogue.republishes.isEmpty
    case .providers: !configuration.cdn.providers.isEmpty
    case .client: configuration.client.isActive
    case .asked: false
    }
  }
}
