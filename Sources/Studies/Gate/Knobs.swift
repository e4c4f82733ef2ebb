import Models
import Scenario

/// Keys of a scenario that act on a part of the startup time or on a metric: where to look first
/// when a budget is missed. An index into the models, not a measurement.
public enum Knobs {
  /// Keys that act on a part of the startup time, the nearest first.
  public static func keys(for part: StartupPart) -> [String] {
    switch part {
    case .launch: ["devices"]
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
    FeedMetrics.named(metric.metric)?.hints ?? []
  }
}
