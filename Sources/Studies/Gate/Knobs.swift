import Models
import Scenario

/// Keys of a scenario that act on a part of the startup time or on a metric: where to look first
/// when a budget is missed. An index into the models, not a measurement.
public enum Knobs {
  /// Keys that act on a part of the startup time, the nearest first.
  public static func keys(for part: StartupPart) -> [String] {
    switch part {
    case .feed: ["feed.latency", "policy.feed.pageSize", "policy.feed.pageTrigger"]
    case .queue: ["policy.pool.size", "policy.prefetch.concurrency"]
    case .nameLookup, .connect, .tls: ["network.http", "network.handshake"]
    case .manifest: ["cdn.ttl.mediaManifest.maxAge", "policy.prefetch.itemsAhead"]
    case .playlists: ["cdn.ttl.playlists.maxAge", "policy.prefetch.itemsAhead"]
    case .initSegment, .segmentWait: ["cdn.edge.capacity", "policy.prefetch.headLength"]
    case .ownQueue, .linkShare: ["policy.prefetch.concurrency", "policy.prefetch.pauseBelowBuffer"]
    case .slowStart, .transfer: ["policy.startupCap.rate", "policy.prefetch.headLength"]
    case .decoder: ["policy.pool.size", "devices"]
    case .firstDecode: ["devices"]
    case .mainThread: ["policy.pool.size", "devices"]
    case .presentation: ["devices"]
    }
  }

  /// Keys that act on a metric, the nearest first.
  public static func keys(for metric: MetricReference) -> [String] {
    switch metric.metric {
    case "rebuffer_ratio", "stalled_time_ratio":
      ["policy.abr", "policy.startupCap.release", "policy.player.forwardBuffer"]
    case "wasted_ratio": ["policy.prefetch.headLength", "policy.player.forwardBuffer"]
    case "hit_ratio", "hit_ratio_cloudfront", "hit_ratio_effective":
      ["audience.viewsPerDayPerEdge", "cdn.edge.capacity", "cdn.ttl"]
    case "origin_offload", "origin_request_ratio": ["cdn.shield", "cdn.ttl"]
    case "shown_rate_ratio", "top_rung_ratio", "switched_ratio", "qoe_ratio", "score_ratio":
      ["policy.startupCap", "policy.abr", "policy.initialEstimate"]
    case "flaps_per_minute": ["surface.visibility.thresholds", "surface.visibility.model"]
    case "mounts_per_minute", "main_thread_ms_per_second":
      ["surface.gate", "surface.reuse", "surface.visibility"]
    case "bridge_messages_per_second": ["surface.visibility.placement"]
    case "simultaneous_plays_max": ["surface.visibility.carouselLimit"]
    case "not_started_ratio": ["policy.prefetch", "policy.startupCap.rate"]
    default: []
    }
  }
}
