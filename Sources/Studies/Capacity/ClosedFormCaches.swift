import CachePolicy
import Foundation
import Models

/// What caches of a size hit in the long run, by closed forms: a miss-ratio curve without a trace.
///
/// Requests are Poisson for each object. An LRU cache holds what was asked for within its
/// characteristic time T, with which the expected bytes fill it (H. Che, Y. Tung, Z. Wang 2002, DOI
/// 10.1109/JSAC.2002.801752). Of the requests for what it holds, 1/(1 + rate·lifetime) find it
/// stale; with a stale-while-revalidate window w only exp(-rate·w) of these wait. A shield is asked
/// for what the edges miss, taken as Poisson again. Left out: that a session's requests come
/// together, ages inherited from the shield, and flash crowds.
public struct ClosedFormCaches: Sendable {
  struct Group: Sendable {
    var objects, rate, bytes: Double
    var edge: (fresh: Double, stale: Double)
    var shield: (fresh: Double, stale: Double)
    /// Whether it counts in the hit ratio (contract.md section 1).
    var isCounted: Bool
  }

  /// Per second at one edge, and what of it goes on.
  public struct Flow: Sendable, Equatable {
    /// Of the classes that the hit ratio counts.
    public var hitRatio = 0.0
    public var byteHitRatio = 0.0
    /// Everything that edges answer, and what they ask the next tier for.
    public var requests = 0.0
    public var bytes = 0.0
    public var missedRequests = 0.0
    public var missedBytes = 0.0
    /// At the origin, of all edges together.
    public var originRequests = 0.0
    public var originBytes = 0.0
  }

  let groups: [Group]
  private let edges: Double
  private let hasShield: Bool

  /// - Parameter demand: at the load of the scenario; ``flow(load:edgeBytes:shieldBytes:)`` scales
  ///   it.
  public init(_ demand: StationaryDemand, _ cdn: CDNConfiguration) {
    let counted: Set<AssetClass> = [.segment, .initSegment, .sprite, .vtt, .poster]
    groups = demand.groups().map { group in
      Group(
        objects: group.objects, rate: group.rate, bytes: group.bytes,
        edge: cdn.edgeLifetime(of: group.asset),
        shield: cdn.shieldLifetime(of: group.asset) ?? (0, 0),
        isCounted: counted.contains(group.asset))
    }
    edges = Double(cdn.edgesBehindShield)
    hasShield = cdn.shield != nil
  }

  init(groups: [Group], edges: Double, hasShield: Bool) {
    self.groups = groups
    self.edges = edges
    self.hasShield = hasShield
  }

  /// Bytes of all objects: what a cache that holds everything has.
  public var workingSet: Double { groups.reduce(0) { $0 + $1.objects * $1.bytes } }

  /// The expected bytes of what was asked for within a time.
  func bytes(within time: Double, load: Double) -> Double {
    groups.reduce(0) { $0 - $1.objects * $1.bytes * expm1(-load * $1.rate * time) }
  }

  /// How long an edge of a size keeps what nobody asks for; infinite when everything fits.
  func characteristicTime(_ capacity: Double, load: Double) -> Double {
    if workingSet <= capacity { return .infinity }
    return ClosedFormCaches.root(capacity) { bytes(within: $0, load: load) }
  }

  /// The time at which a rising function reaches a value.
  private static func root(_ value: Double, _ f: (Double) -> Double) -> Double {
    var low = 1e-6
    var high = 1.0
    while f(high) < value && high < 1e15 { high *= 4 }
    for _ in 0..<80 {
      let middle = (low * high).squareRoot()
      if f(middle) < value { low = middle } else { high = middle }
    }
    return high
  }

  /// The share of requests that a cache answers without asking: of an object asked for at a rate.
  static func hit(
    _ rate: Double, _ time: Double, _ lifetime: (fresh: Double, stale: Double)
  ) -> Double {
    let present = time.isInfinite ? 1 : -expm1(-rate * time)
    if rate <= 0 || lifetime.fresh <= 0 { return 0 }
    let expired = 1 / (1 + rate * lifetime.fresh)
    let waits = expired * exp(-rate * lifetime.stale)
    return present * (1 - waits)
  }

  /// The flows at a multiple of the scenario's load.
  public func flow(load: Double, edgeBytes: Double, shieldBytes: Double?) -> Flow {
    flow(
      load: load, time: characteristicTime(edgeBytes, load: load), shieldBytes: shieldBytes)
  }

  private func flow(load: Double, time: Double, shieldBytes: Double?) -> Flow {
    var flow = Flow()
    var (counted, hits, countedBytes, hitBytes) = (0.0, 0.0, 0.0, 0.0)
    var missRates: [Double] = []
    for group in groups {
      let rate = load * group.rate
      let hit = ClosedFormCaches.hit(rate, time, group.edge)
      let requests = group.objects * rate
      missRates.append(edges * rate * (1 - hit))
      flow.requests += requests
      flow.bytes += requests * group.bytes
      flow.missedRequests += requests * (1 - hit)
      flow.missedBytes += requests * (1 - hit) * group.bytes
      if group.isCounted {
        counted += requests
        hits += requests * hit
        countedBytes += requests * group.bytes
        hitBytes += requests * hit * group.bytes
      }
    }
    flow.hitRatio = counted > 0 ? hits / counted : 0
    flow.byteHitRatio = countedBytes > 0 ? hitBytes / countedBytes : 0
    flow.originRequests = edges * flow.missedRequests
    flow.originBytes = edges * flow.missedBytes
    guard hasShield, let shieldBytes else { return flow }
    let shieldTime = shieldTime(missRates, shieldBytes)
    flow.originRequests = 0
    flow.originBytes = 0
    for (group, rate) in zip(groups, missRates) {
      let missed = group.objects * rate * (1 - ClosedFormCaches.hit(rate, shieldTime, group.shield))
      flow.originRequests += missed
      flow.originBytes += missed * group.bytes
    }
    return flow
  }

  private func shieldTime(_ rates: [Double], _ capacity: Double) -> Double {
    if workingSet <= capacity { return .infinity }
    return ClosedFormCaches.root(capacity) { time in
      zip(groups, rates).reduce(0) { $0 - $1.0.objects * $1.0.bytes * expm1(-$1.1 * time) }
    }
  }

  /// The bytes of an edge that hits a share of the requests; nil where even a cache that holds
  /// everything does not, because lifetimes end.
  public func edgeBytes(hitRatio target: Double, load: Double) -> Double? {
    if flow(load: load, time: .infinity, shieldBytes: nil).hitRatio < target { return nil }
    let time = ClosedFormCaches.root(target) {
      flow(load: load, time: $0, shieldBytes: nil).hitRatio
    }
    return time > 1e14 ? workingSet : bytes(within: time, load: load)
  }

  /// The hit ratio of a cache that holds everything.
  public func ceiling(load: Double) -> Double {
    flow(load: load, time: .infinity, shieldBytes: nil).hitRatio
  }

  /// The miss-ratio curve: bytes of an edge and the share of requests and of bytes that it misses.
  public func curve(load: Double) -> [(bytes: Double, miss: Double, byteMiss: Double)] {
    (0...40).map { step in
      let capacity = workingSet * pow(10, -4 + Double(step) / 10)
      let flow = flow(
        load: load, time: characteristicTime(capacity, load: load), shieldBytes: nil)
      return (capacity, 1 - flow.hitRatio, 1 - flow.byteHitRatio)
    }
  }
}
