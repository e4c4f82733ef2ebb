import CacheModel
import CachePolicy
import FeedModel
import MediaUnits

/// Several CDN providers: what each answers, and how viewers went from one to another.
extension FeedMetrics {
  static let providers: [FeedMetric] = [
    .ratio(
      "provider_hit_ratio", "cache hits of a provider's edges", labels: ["provider", "by"],
      isWorseWhenHigher: false, samples: "requests",
      hints: ["cdn.providers", "audience.viewsPerDayPerEdge", "cdn.edge.capacity"],
      presence: .providers
    ) { source in
      source.outcomes(
        [.hit, .staleHit], of: [.hit, .staleHit, .revalidated, .collapsed, .miss, .bypass],
        at: source.providers.map { $0.edge })
    },
    .ratio(
      "provider_share", "a provider's part of the bytes", labels: ["provider"],
      samples: "requests", hints: ["cdn.providers", "cdn.switching"], presence: .providers
    ) { source in
      let all = source.measures.providers.each
      return .quotient(
        Double(source.providers.reduce(0) { $0 + $1.counts.bytes }),
        over: Double(all.reduce(0) { $0 + $1.counts.bytes }),
        samples: all.reduce(0) { $0 + $1.counts.requests })
    },
    .ratio(
      "provider_failure_ratio", "requests that failed at a provider", labels: ["provider"],
      samples: "requests", hints: ["cdn.providers", "cdn.switching"], presence: .providers
    ) { source in
      .share(
        source.providers.reduce(0) { $0 + $1.counts.failures },
        of: source.providers.reduce(0) { $0 + $1.counts.requests })
    },
    .ratio(
      "provider_switches", "changes of the provider for each session", range: .unbounded,
      samples: "sessions", hints: ["cdn.switching"], presence: .providers
    ) { .share($0.measures.providers.switching.switches, of: $0.measures.counts.sessions) },
    .ratio(
      "provider_failover_ratio", "requests asked of another provider after a failure",
      samples: "requests", hints: ["cdn.switching"], presence: .providers
    ) { shareOfRequests($0, $0.measures.providers.switching.failovers) },
    .ratio(
      "provider_hedge_ratio", "copies of requests sent to another provider for a late first byte",
      samples: "requests", hints: ["cdn.switching"], presence: .providers
    ) { shareOfRequests($0, $0.measures.providers.switching.hedges) },
    .ratio(
      "provider_hedge_won_ratio", "copies of requests whose first byte came before the first one's",
      isWorseWhenHigher: false, samples: "copies", hints: ["cdn.switching"], presence: .providers
    ) {
      .share(
        $0.measures.providers.switching.hedgesWon, of: $0.measures.providers.switching.hedges)
    },
    .ratio(
      "troubled_view_ratio", "views of whose item a request failed", isOfViews: true,
      hints: ["cdn.switching", "cdn.providers"], presence: .providers
    ) {
      .share(
        $0.measures.providers.switching.troubledViews, of: $0.measures.providers.switching.views)
    },
    .ratio(
      "rescued_view_ratio", "views of whose item a request failed, with a frame all the same",
      isWorseWhenHigher: false, isOfViews: true, hints: ["cdn.switching"], presence: .providers
    ) {
      .share(
        $0.measures.providers.switching.rescuedViews,
        of: $0.measures.providers.switching.troubledViews)
    },
  ]

  /// What part of all requests so many are.
  private static func shareOfRequests(_ source: FeedMetricSource, _ count: Int64) -> MetricReading {
    .share(count, of: source.measures.providers.each.reduce(0) { $0 + $1.counts.requests })
  }
}
