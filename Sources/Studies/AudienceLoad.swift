import CachePolicy
import MediaUnits
import Models
import Scenario
import Statistics

/// What the whole audience asks of each tier: requests and bits a second, by window.
///
/// Simulated viewers are a sample of the audience, and each of their requests meets what any
/// viewer's would have met; so every count stands for ``factor`` of its kind. A tier's load is what
/// it answers: an edge's goes to viewers, the origin's to the tier before it. Bytes count when they
/// are answered.
public struct AudienceLoad: Sendable, Equatable {
  public enum Tier: String, Sendable, CaseIterable {
    case edge, regional, shield, origin
  }

  /// A mean over a window, with its 95 % interval over the replications.
  public struct Rate: Sendable, Equatable {
    public var value: Double
    /// nil with one replication.
    public var interval: Interval?

    init?(_ values: [Double]) {
      if values.isEmpty { return nil }
      value = values.reduce(0, +) / Double(values.count)
      interval = values.count > 1 ? (try? Estimates.mean(of: values))?.interval : nil
    }
  }

  public struct Row: Sendable, Equatable {
    /// The window; nil: the measured time and the drain.
    public var window: String?
    public var tier: Tier
    public var requestsPerSecond: Rate
    public var bitsPerSecond: Rate
    /// Simulated requests behind it, over all replications.
    public var samples: Int64
  }

  /// Requests of the whole audience, at all edges behind the shared tiers, for each simulated one.
  public var factor: Double
  public var rows: [Row] = []

  /// - Returns: nil where the simulated audience is the whole one, or with no replication.
  init?(_ digests: [ReplicationDigest], feed: FeedWorldPlan) {
    let configuration = feed.configuration
    factor =
      configuration.scale.factor * Double(configuration.cdn.edgesBehindShield)
      / Double(configuration.cdn.edges)
    if configuration.scale.isWhole || digests.isEmpty { return nil }
    for (index, name) in feed.windows.enumerated() {
      let window = configuration.windows[index]
      let length: TimeSpan = window.to - window.from
      add(name, digests.map(\.measures.windows[index]), seconds: length.seconds)
    }
    let all = digests.map { digest in
      var sums = WindowMeasures()
      sums.edge = digest.measures.edge
      sums.regional = digest.measures.regional
      sums.shield = digest.measures.shield
      sums.originRequests = digest.measures.counts.originRequests
      sums.originBytes = digest.measures.counts.originBytes
      return sums
    }
    let length: TimeSpan = configuration.audience.window + configuration.audience.drain
    add(nil, all, seconds: length.seconds)
  }

  private mutating func add(_ name: String?, _ sums: [WindowMeasures], seconds: Double) {
    for tier in Tier.allCases {
      let counts = sums.map { tier.count($0) }
      let samples = counts.reduce(0) { $0 + $1.requests }
      if samples == 0 && (tier == .regional || tier == .shield) { continue }
      guard let requests = Rate(counts.map { Double($0.requests) * factor / seconds }),
        let bits = Rate(counts.map { Double($0.bytes) * 8 * factor / seconds })
      else { continue }
      rows.append(
        Row(
          window: name, tier: tier, requestsPerSecond: requests, bitsPerSecond: bits,
          samples: samples))
    }
  }
}

extension AudienceLoad.Tier {
  /// What a tier answered.
  fileprivate func count(_ sums: WindowMeasures) -> (requests: Int64, bytes: Int64) {
    switch self {
    case .edge: (sums.edge.totalRequests, sums.edge.totalBytes)
    case .regional: (sums.regional.totalRequests, sums.regional.totalBytes)
    case .shield: (sums.shield.totalRequests, sums.shield.totalBytes)
    case .origin: (sums.originRequests, sums.originBytes)
    }
  }
}
