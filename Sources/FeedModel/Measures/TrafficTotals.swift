import CacheModel
import CachePolicy
import MediaUnits
import ModelBasics

/// What a CDN has carried since measuring began.
public struct TrafficTotals: Counters {
  /// What viewers get is summed up by spans of this length from the beginning of the measured time.
  public static let span = TimeSpan.seconds(10)

  /// Of one place: requests that it was asked, and bytes that it answered with.
  public struct Sum: Counters {
    public var requests: Int64 = 0
    public var bytes: Int64 = 0

    public init() {}

    mutating func add(_ counters: TierCounters) {
      requests += counters.totalRequests
      bytes += counters.totalBytes
    }
  }

  /// Bytes that reached viewers.
  public var delivered: Int64 = 0
  /// The edges together, the regional caches, the shield, the origin.
  public var edge = Sum()
  public var regional = Sum()
  public var shield = Sum()
  public var origin = Sum()
  /// Of the edges' requests for ``media`` those without an error, and of those the hits: what the
  /// metric `hit_ratio` is a ratio of.
  public var judged: Int64 = 0
  public var hits: Int64 = 0
  /// Viewers in a session now.
  public var sessions: Int64 = 0

  /// Media and storyboards: the classes that hit ratios are of, unless one is named.
  public static let media: [AssetClass] = [.segment, .initSegment, .sprite, .vtt, .poster]

  public init() {}

  /// Counts a cache of the edges.
  mutating func addEdge(_ counters: TierCounters) {
    edge.add(counters)
    for asset in TrafficTotals.media {
      for outcome in CacheOutcome.allCases where outcome != .error {
        judged += counters.requests(asset, outcome)
      }
      hits += counters.requests(asset, .hit) + counters.requests(asset, .staleHit)
    }
  }
}
