extension FeedMetrics {
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
