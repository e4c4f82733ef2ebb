import Scenario

extension MetricReference {
  /// Whether more of it is worse for viewers or for the bill.
  public var isWorseWhenHigher: Bool {
    if let metric = WorldMetric.of(self) { return metric.isWorseWhenHigher }
    return switch metric {
    case "hit_ratio", "hit_ratio_cloudfront", "hit_ratio_effective", "origin_offload",
      "ready_ratio",
      "shown_rate_ratio", "top_rung_ratio", "qoe_ratio", "score_ratio",
      "offline_playable_ratio", "sprite_hit_ratio", "event_post_interval_ms", "exploration_ratio":
      false
    default: true
    }
  }

  /// A reference that the program itself names.
  ///
  /// - Precondition: the text is a metric.
  static func known(_ text: String) -> MetricReference {
    guard case .success(let reference) = MetricReference.parse(text) else {
      preconditionFailure("\(text) is a metric")
    }
    return reference
  }

  /// What comparisons look at when nobody says otherwise: whose frame was ready, how long the
  /// others waited, who left, stalls, caches, waste.
  public static let headline: [MetricReference] = [
    "ready_ratio", "ttff_waited_ms.p75", "ttff_waited_ms.p95", "ttff_cold_ms.p75",
    "ttff_cold_ms.p95", "not_started_ratio", "rebuffer_ratio",
    "hit_ratio{tier=edge,by=requests}", "wasted_ratio",
  ].map { known($0) }

  /// The headline metrics of a scenario, whatever its world; a mixed feed's surfaces have more.
  public static func headline(of scenario: FeedScenario) -> [MetricReference] {
    if let world = scenario.world { return world.kind.headlineReferences }
    let surface = scenario.configuration.surface == nil ? [] : surfaceMetrics.map { known($0) }
    return headline + surface
  }
}
