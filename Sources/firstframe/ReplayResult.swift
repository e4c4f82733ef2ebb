import Models

/// What a replay found.
struct ReplayResult: Sendable {
  /// One line of the answer.
  struct Row: Sendable {
    var policy: String
    /// As asked for.
    var capacityText: String
    var capacity: Int64
    /// `cache`, or `edge` and `shield`.
    var tier: String
    var counts: CacheReplayCounts
  }

  /// How far estimates from a sample can be trusted.
  struct Sample: Sendable {
    var rate: Double
    var requests: Int
    var objectShare: Double
    var byteShare: Double
    /// The largest difference between the sample's and the whole trace's miss ratio of LRU, over
    /// the capacities; nil when it was not looked at.
    var lruError: Double?
    var lruByteError: Double?
  }

  var summary: CacheTraceSummary
  var plan: ReplayPlan
  var rows: [Row] = []
  var sample: Sample?
  var curves: [ReplayCurve] = []
  /// The sample behind the curves, when it is not ``sample``.
  var curveSample: Sample?
}

/// A miss-ratio curve.
struct ReplayCurve: Sendable {
  enum Method: String, Sendable {
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

  struct Point: Sendable {
    var capacity: Int64
    var missRatio: Double
    var byteMissRatio: Double
  }

  var policy: String
  var method: Method
  var points: [Point]
}
