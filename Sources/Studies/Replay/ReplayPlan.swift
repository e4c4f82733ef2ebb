import Models
import Scenario

/// Which caches a replay of recorded requests is of, and how it is done.
public struct ReplayPlan: Sendable {
  /// A capacity with the words it was asked for in.
  public struct Capacity: Sendable {
    public var text: String
    public var value: CacheCapacity

    public init(text: String, value: CacheCapacity) {
      self.text = text
      self.value = value
    }
  }

  /// One cache.
  public struct Tier: Sendable {
    public var kind: EvictionKind
    public var capacity: Capacity

    public init(kind: EvictionKind, capacity: Capacity) {
      self.kind = kind
      self.capacity = capacity
    }
  }

  /// A cache for each node of the trace, and the one that they ask.
  public struct Tiers: Sendable {
    public var edge, shield: Tier
    /// What an edge's copy from the shield has left of its lifetime.
    public var age: CacheReplay.Age

    public init(edge: Tier, shield: Tier, age: CacheReplay.Age) {
      self.edge = edge
      self.shield = shield
      self.age = age
    }
  }

  /// The policies, each of which is replayed at each of ``capacities``.
  public var kinds: [EvictionKind]
  public var capacities: [Capacity]
  /// Which missed objects are stored.
  public var admission: CacheAdmission
  public var expiry: CacheExpiry
  /// Whether every object counts as one, and capacities are numbers of objects.
  public var unitSizes: Bool
  /// Two tiers in place of ``kinds`` at ``capacities``.
  public var tiers: Tiers?
  /// The share of the objects to replay; nil: all.
  public var rate: Double?
  /// Whether the miss ratio is also wanted as a function of the capacity.
  public var hasCurves: Bool
  /// The share of the objects to estimate LRU's curve from, beside the others; nil: none.
  public var shards: Double?

  /// A plan of one tier.
  public init(
    kinds: [EvictionKind] = ReplayPlan.usualKinds,
    capacities: [Capacity] = ReplayPlan.usualCapacities, admission: CacheAdmission = .all,
    expiry: CacheExpiry = .ignore, unitSizes: Bool = false, rate: Double? = nil,
    hasCurves: Bool = false, shards: Double? = nil
  ) {
    self.kinds = kinds
    self.capacities = capacities
    self.admission = admission
    self.expiry = expiry
    self.unitSizes = unitSizes
    self.rate = rate
    self.hasCurves = hasCurves
    self.shards = shards
  }

  /// The policies when none is asked for: the one everybody knows, and the three that lose least
  /// to it and win most on published traces.
  public static let usualKinds: [EvictionKind] = [
    .lru, .sieve, .s3FIFO(.libCacheSim), .wTinyLFUWide,
  ]
  /// The capacities when none is asked for: shares of the working set.
  public static let usualCapacities = [1, 3, 10, 30].map {
    Capacity(text: "\($0)%", value: .share(Double($0) / 100))
  }

  /// Without a sample of its own the curves of policies other than LRU come from about so many
  /// objects (``SHARDS``' authors found 8,192 enough for an error of 0.01).
  static let curveObjects = 65_536.0

  /// ``SHARDS`` has room for at least so many objects: fewer save nothing worth having.
  public static let leastShards = 8_192

  /// Whether one pass over the trace gives LRU's curve.
  public var hasPlainLRU: Bool { admission == .all && expiry == .ignore }

  /// Ten capacities to a power of ten, from a thousandth of the working set to all of it.
  static func curveCapacities(workingSet: Int64) -> [Int64] {
    // 10^(i/10), thousandths.
    let steps: [Double] = [1000, 1259, 1585, 1995, 2512, 3162, 3981, 5012, 6310, 7943]
    var found: [Int64] = []
    for scale in [1e-6, 1e-5, 1e-4] {
      for step in steps { found.append(max(1, Int64(Double(workingSet) * step * scale))) }
    }
    found.append(max(1, workingSet))
    var rising: [Int64] = []
    for capacity in found where capacity > (rising.last ?? 0) { rising.append(capacity) }
    return rising
  }
}
