import CachePolicy
import MediaUnits
import SimulationKernel

/// How a cache tier starts.
public enum CacheStart: UInt8, Sendable, Equatable {
  /// Empty; a warm-up may follow.
  case cold
  /// Contents and ages drawn at the first request for an object, as a long run would have left
  /// them.
  case stationary
  /// Everything is present and fresh; used to count requests and as a bound.
  case everything
}

/// Which requests wait for one that is already on its way to the next tier.
public enum Collapsing: UInt8, Sendable, Equatable {
  /// None: every request goes forward.
  case none
  /// Requests for an absent object, but not revalidations.
  case absentOnly
  /// All.
  case full
}

/// A cache tier's size and rule.
public struct CacheTierConfiguration: Sendable {
  public var capacity: ByteCount
  public var collapsing: Collapsing
  /// Time from a request's arrival to the first byte of a hit, seconds.
  public var serviceTime: QuantileTable

  public init(capacity: ByteCount, collapsing: Collapsing, serviceTime: QuantileTable) {
    self.capacity = capacity
    self.collapsing = collapsing
    self.serviceTime = serviceTime
  }
}

/// Edge POPs, shield and origin.
///
/// Included: byte capacity with LRU, freshness with inherited age, stale-while-revalidate,
/// collapsing, revalidation, streaming of the first byte through the tiers, per-tier latency. Left
/// out: admission, other eviction rules, failures of the origin, negative caching, cost (issue 4).
public struct CDNConfiguration: Sendable {
  /// Edge POPs that are simulated; sessions are dealt to them in turn.
  public var edges: Int
  /// Edge POPs of the same size behind the shield, simulated ones included: sets the shield's
  /// demand when it starts stationary.
  public var edgesBehindShield: Int
  public var edge: CacheTierConfiguration
  /// nil: the edges go to the origin.
  public var shield: CacheTierConfiguration?
  /// Round trip between an edge and the next tier, seconds.
  public var edgeToShield: QuantileTable
  /// Least round trip between tiers; the part that never vanishes.
  public var backhaulFloor: TimeSpan
  /// Origin's time to first byte, seconds.
  public var originFirstByte: QuantileTable
  public var start: CacheStart
  /// The audience comes for this long before anything is measured; zero for none.
  public var warmUp: TimeSpan
  public var assetTTL: AssetTTL

  public init(
    edges: Int, edgesBehindShield: Int, edge: CacheTierConfiguration,
    shield: CacheTierConfiguration?, edgeToShield: QuantileTable, backhaulFloor: TimeSpan,
    originFirstByte: QuantileTable, start: CacheStart, warmUp: TimeSpan, assetTTL: AssetTTL
  ) {
    precondition(edges >= 1 && edgesBehindShield >= edges)
    self.edges = edges
    self.edgesBehindShield = edgesBehindShield
    self.edge = edge
    self.shield = shield
    self.edgeToShield = edgeToShield
    self.backhaulFloor = backhaulFloor
    self.originFirstByte = originFirstByte
    self.start = start
    self.warmUp = warmUp
    self.assetTTL = assetTTL
  }
}

/// What became of a request at a tier (contract.md section 1). Every request is exactly one.
public enum CacheOutcome: UInt8, CaseIterable, Sendable {
  case hit, staleHit, revalidated, collapsed, miss, bypass, error
}

/// Requests and bytes of one tier by class and outcome.
public struct TierCounters: Sendable {
  static let outcomes = 7
  static let places = 9 * outcomes
  public private(set) var requests: [Int64]
  public private(set) var bytes: [Int64]

  public init() {
    precondition(
      AssetClass.allCases.count * CacheOutcome.allCases.count == TierCounters.places)
    requests = [Int64](repeating: 0, count: TierCounters.places)
    bytes = requests
  }

  @inline(__always)
  mutating func count(_ asset: AssetClass, _ outcome: CacheOutcome, bytes size: Int64) {
    let place = Int(asset.rawValue) * TierCounters.outcomes + Int(outcome.rawValue)
    requests[place] += 1
    bytes[place] += size
  }

  mutating func add(
    _ asset: AssetClass, _ outcome: CacheOutcome, requests count: Int64, bytes size: Int64
  ) {
    let place = Int(asset.rawValue) * TierCounters.outcomes + Int(outcome.rawValue)
    requests[place] += count
    bytes[place] += size
  }

  /// Requests of a class with an outcome.
  public func requests(_ asset: AssetClass, _ outcome: CacheOutcome) -> Int64 {
    requests[Int(asset.rawValue) * TierCounters.outcomes + Int(outcome.rawValue)]
  }

  /// Bytes of a class with an outcome.
  public func bytes(_ asset: AssetClass, _ outcome: CacheOutcome) -> Int64 {
    bytes[Int(asset.rawValue) * TierCounters.outcomes + Int(outcome.rawValue)]
  }
}
