/// The metrics of what an app does beyond loading and playing.
extension MetricReference {
  /// Swipes, by cohort: time without a frame on the screen, the part of it without a poster either,
  /// time held by the gate, and both waits together; means over the swipes.
  static let swipeTimes = ["spinner_ms", "black_frame_ms", "gate_wait_ms", "swipe_wait_ms"]
  /// Snaps back, escapes and viewers who left for them, over swipes. A swipe may be snapped back
  /// more than once.
  static let swipeRatios = ["snapback_ratio", "gate_escape_ratio", "gate_left_ratio"]
  /// From an event to its arrival at the ingest, and session time over posts.
  static let eventTimes = ["event_delay_ms", "event_post_interval_ms"]
  /// The gap of a loop, over the loops (REEL-006).
  static let loopTime = "loop_gap_ms"
  static let clientRatios = [
    "events_lost_ratio", "events_duplicated_ratio", "trending_page_ratio", "exploration_ratio",
    "offline_playable_ratio", "given_up_ratio", "pool_create_ratio", "pool_retarget_ratio",
    "decoder_refused_ratio", "sprite_hit_ratio", "evicted_before_use_ratio",
  ]

  static let clientMetrics = swipeTimes + swipeRatios + eventTimes + [loopTime] + clientRatios
  /// Those that have a ratio.
  static let clientRatioMetrics = swipeRatios + clientRatios

  /// Shares that may be more than 1: what is counted may happen more than once.
  public var isUnbounded: Bool {
    if let metric = WorldMetric.of(self) { return metric.kind == .quotient }
    return [
      "snapback_ratio", "pool_create_ratio", "pool_retarget_ratio", "decoder_refused_ratio",
      "events_duplicated_ratio", "given_up_ratio",
    ].contains(metric)
  }

  /// The stats of a metric of the app; nil for another metric.
  static func clientStats(of metric: String) -> [String]? {
    switch metric {
    case "swipe_wait_ms", "event_delay_ms": ["mean", "p50", "p95", "p99", "max"]
    case _ where swipeTimes.contains(metric) || eventTimes.contains(metric): ["mean"]
    case loopTime: ["mean"]
    case _ where clientRatioMetrics.contains(metric): ["ratio"]
    default: nil
    }
  }

  /// Its labels; nil for another metric.
  static func clientLabels(of metric: String) -> [String]? {
    if swipeTimes.contains(metric) || swipeRatios.contains(metric) { return ["network", "device"] }
    return clientMetrics.contains(metric) ? [] : nil
  }

  /// What a result of a scenario with an active client holds.
  public static let clientNames: [String] = clientMetrics.flatMap { metric in
    (clientStats(of: metric) ?? []).map { "\(metric).\($0)" }
  }
}
