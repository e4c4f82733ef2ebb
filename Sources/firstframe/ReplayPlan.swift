import Models
import Scenario

/// What `firstframe replay cache` is asked to do.
struct ReplayPlan: Sendable {
  /// A capacity with the words it was asked for in.
  struct Capacity: Sendable {
    var text: String
    var value: CacheCapacity
  }

  struct Tier: Sendable {
    var kind: EvictionKind
    var capacity: Capacity
  }

  struct Tiers: Sendable {
    var edge, shield: Tier
    var age: CacheReplay.Age
  }

  var kinds: [EvictionKind]
  var capacities: [Capacity]
  var admission: CacheAdmission
  var expiry: CacheExpiry
  var unitSizes: Bool
  var tiers: Tiers?
  /// The share of the objects to replay; nil: all.
  var rate: Double?
  var hasCurves: Bool
  /// The share of the objects to estimate LRU's curve from, beside the others; nil: none.
  var shards: Double?

  /// The policies when none is asked for: the one everybody knows, and the three that lose least
  /// to it and win most on published traces.
  static let usualKinds: [EvictionKind] = [.lru, .sieve, .s3FIFO(.libCacheSim), .wTinyLFUWide]
  /// The capacities when none is asked for: shares of the working set.
  static let usualCapacities = [1, 3, 10, 30].map {
    Capacity(text: "\($0)%", value: .share(Double($0) / 100))
  }

  /// Without a sample of its own the curves of policies other than LRU come from about so many
  /// objects (``SHARDS``' authors found 8,192 enough for an error of 0.01).
  static let curveObjects = 65_536.0

  /// ``SHARDS`` has room for at least so many objects: fewer save nothing worth having.
  static let leastShards = 8_192

  /// Whether one pass over the trace gives LRU's curve.
  var hasPlainLRU: Bool { admission == .all && expiry == .ignore }

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
