import Models

/// What caches would have missed of recorded requests.
public struct ReplayResult: Sendable {
  /// One cache, or all edges together.
  public struct Row: Sendable {
    /// The policy's word.
    public internal(set) var policy: String
    /// As asked for.
    public internal(set) var capacityText: String
    /// Bytes, or objects when every object counts as one.
    public internal(set) var capacity: Int64
    /// `cache`, or `edge` and `shield`.
    public internal(set) var tier: String
    public internal(set) var counts: CacheReplayCounts
  }

  /// How far estimates from a sample can be trusted.
  public struct Sample: Sendable {
    /// The share of the objects that was asked for.
    public internal(set) var rate: Double
    public internal(set) var requests: Int
    /// The shares that the sample has of the objects and of their bytes.
    public internal(set) var objectShare: Double
    public internal(set) var byteShare: Double
    /// The largest difference between the sample's and the whole trace's miss ratio of LRU, over
    /// the capacities; nil when it was not looked at.
    public internal(set) var lruError: Double?
    public internal(set) var lruByteError: Double?
  }

  public internal(set) var summary: CacheTraceSummary
  public internal(set) var plan: ReplayPlan
  /// By policy and then by capacity, in the plan's order.
  public internal(set) var rows: [Row] = []
  public internal(set) var sample: Sample?
  /// By policy; empty when none were asked for.
  public internal(set) var curves: [ReplayCurve] = []
  /// The sample behind the curves, when it is not ``sample``.
  public internal(set) var curveSample: Sample?
}

/// A miss-ratio curve.
public struct ReplayCurve: Sendable {
  /// How the points were found.
  public enum Method: String, Sendable {
    /// One pass over all requests, exact.
    case exact
    /// One pass over all requests, but objects change their sizes.
    case firstSizes = "first-sizes"
    /// A replay of all requests at each capacity.
    case replayed
    /// A replay of a sample at each capacity.
    case sampled
    /// One pass over all requests that looks at a bounded number of objects.
    case shards
  }

  /// What a cache of that capacity misses, as shares of the requests and of their bytes.
  public struct Point: Sendable {
    public internal(set) var capacity: Int64
    public internal(set) var missRatio: Double
    public internal(set) var byteMissRatio: Double
  }

  /// The policy's word.
  public internal(set) var policy: String
  public internal(set) var method: Method
  /// By rising capacity.
  public internal(set) var points: [Point]
}
