import Scenario

extension MetricReference {
  /// Whether more of it is worse for viewers or for the bill.
  public var isWorseWhenHigher: Bool {
    if let metric = WorldMetric.of(self) { return metric.isWorseWhenHigher }
    return switch metric {
    case "hit_ratio", "hit_ratio_cloudfront", "hit_ratio_effective", "origin_offload",
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

  /// What comparisons look at when nobody says otherwise: starts, stalls, waste, caches.
  public static let headline: [MetricReference] = [
    "ttff_ms.mean", "ttff_ms.p95", "ttff_cold_ms.mean", "ttff_cold_ms.p75", "ttff_cold_ms.p95",
    "ttff_swipe_ms.mean", "not_started_ratio", "rebuffer_ratio", "wasted_ratio",
    "hit_ratio{tier=edge,by=requests}", "hit_ratio{tier=edge,by=bytes}",
    "hit_ratio_effective{tier=edge,by=requests}", "origin_request_ratio",
  ].map { known($0) }

  /// What a gate adds to them: one part of the startup often shows what the whole hides in noise.
  /// The headline metrics of a scenario, whatever its world.
  public static func headline(of scenario: FeedScenario) -> [MetricReference] {
    scenario.world?.kind.headlineReferences ?? headline
  }

  static let startupParts: [MetricReference] = parts.map { known("\(partMetric){part=\($0)}.mean") }

  static let wholeStartup = known("ttff_ms.mean")

  /// One part of the startup of all views, and so a part of ``wholeStartup``.
  var isStartupPart: Bool { metric == MetricReference.partMetric && labels.count == 1 }
}
