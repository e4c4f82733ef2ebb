import CacheModel
import CachePolicy
import FeedModel

/// What a metric's values are; a number is a count or a rate whose unit is in the name.
public enum MetricUnit: Hashable, Sendable {
  case milliseconds, ratio, number

  /// The word used in results.
  public var word: String {
    switch self {
    case .milliseconds: "ms"
    case .ratio: "ratio"
    case .number: "number"
    }
  }
}

/// What is read from a metric: the part of a name behind its last dot.
public enum MetricStat: Hashable, Sendable {
  /// The quotient, the count or the rate that the metric is.
  case itself
  case mean
  case largest
  /// A percentile. With `ofStarted` that of the started views alone; else views that never started
  /// count as censored.
  case percentile(Int, ofStarted: Bool)

  /// Whether it is a percentile.
  public var isQuantile: Bool {
    if case .percentile = self { return true }
    return false
  }
}

/// A place where requests are answered.
public enum MetricTier: Int, Hashable, Sendable, CaseIterable {
  case edge, regional, shield, client
}

/// What a view that may be a session's last had made its viewer wait for.
public enum MetricWait: Int, Hashable, Sendable, CaseIterable {
  case stall, slowStart, nothing
}

/// What of a feed a metric looks at, as its labels say; without one at all of it.
public struct MetricCut: Hashable, Sendable {
  /// Places in the configuration.
  public var network: Int?
  public var device: Int?
  public var window: Int?
  public var provider: Int?
  public var tier = MetricTier.edge
  /// Nil: all media.
  public var asset: AssetClass?
  /// Bytes and not requests.
  public var isByBytes = false
  public var part: StartupPart?
  /// Nil: any wait.
  public var after: MetricWait?

  public init() {}
}
