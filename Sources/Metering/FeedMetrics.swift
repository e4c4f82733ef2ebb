/// The metrics of the feed.
public enum FeedMetrics {
  /// In the order of results and of suggestions.
  public static let all: [FeedMetric] = {
    var rows: [FeedMetric] = []
    for theme in [
      times, viewShares, caches, quality, watching, industry, republishing, providers, startup,
      surface, swipes, app,
    ] {
      rows += theme
    }
    for place in rows.indices { rows[place].place = place }
    return rows
  }()

  /// What comparisons look at when nobody says otherwise: whose frame was ready, how long the
  /// others waited, who left, stalls, caches, waste.
  public static let headline = [
    "ready_ratio", "ttff_waited_ms.p75", "ttff_waited_ms.p95", "ttff_cold_ms.p75",
    "ttff_cold_ms.p95", "not_started_ratio", "rebuffer_ratio",
    "hit_ratio{tier=edge,by=requests}", "wasted_ratio",
  ]

}
