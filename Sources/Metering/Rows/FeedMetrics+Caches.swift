import CacheModel
import CachePolicy
import FeedModel
import MediaUnits

/// Caches, the origin, and titles that are published again.
extension FeedMetrics {
  static let caches: [FeedMetric] = [
    .ratio(
      "hit_ratio", "cache hits", labels: cacheLabels, isWorseWhenHigher: false,
      samples: "requests", hints: cacheHints, windows: ["ratio"], classes: ["ratio"]
    ) {
      $0.outcomes(
        [.hit, .staleHit], of: [.hit, .staleHit, .revalidated, .collapsed, .miss, .bypass])
    },
    .ratio(
      "hit_ratio_cloudfront", "cache hits as CloudFront counts", labels: cacheLabels,
      isWorseWhenHigher: false, samples: "requests", hints: cacheHints
    ) { $0.outcomes([.hit, .collapsed], of: [.hit, .collapsed, .miss, .bypass]) },
    // Hits and stale hits are exactly what is answered without waiting on another tier.
    .ratio(
      "hit_ratio_effective", "answers without another tier", labels: cacheLabels,
      isWorseWhenHigher: false, samples: "requests", hints: cacheHints
    ) {
      $0.outcomes(
        [.hit, .staleHit], of: [.hit, .staleHit, .revalidated, .collapsed, .miss, .bypass])
    },
    .ratio(
      "origin_offload", "origin offload", labels: ["window"], isWorseWhenHigher: false,
      range: .belowZero, samples: "requests", hints: ["cdn.shield", "cdn.ttl"]
    ) {
      let traffic = $0.traffic
      return .quotient(
        Double(traffic.deliveredBytes - traffic.originBytes), over: Double(traffic.deliveredBytes),
        samples: traffic.requests)
    },
    .ratio(
      "origin_request_ratio", "origin request ratio", labels: ["window"], range: .aboveOne,
      samples: "requests", hints: ["cdn.shield", "cdn.ttl"]
    ) { .share($0.traffic.originRequests, of: $0.traffic.requests) },
  ]

  private static let cacheLabels = ["tier", "class", "by", "window"]
  private static let cacheHints = [
    "audience.viewsPerDayPerEdge", "cdn.edge.capacity", "cdn.ttl",
  ]

  /// Of titles that are published again (SIG-069): time from the new version to a manifest that
  /// does not name it, zero for one that does; views that began with an older version.
  static let republishing: [FeedMetric] = [
    .time(
      "manifest_staleness_ms", "staleness of manifests", stats: ["mean", "max"],
      samples: "manifests", presence: .republishing
    ) {
      let seen = $0.measures.republish
      return .extent(
        sum: seen.staleness, largest: seen.largestStaleness, count: seen.manifests)
    },
    .ratio(
      "old_version_ratio", "views that began with an older version", presence: .republishing
    ) { .share($0.measures.republish.oldViews, of: $0.measures.republish.views) },
  ]
}
