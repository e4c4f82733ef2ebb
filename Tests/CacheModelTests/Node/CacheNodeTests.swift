import CachePolicy
import MediaUnits
import SimulationKernel
import Testing

@testable import CacheModel

/// The feed's cache node by itself, against the replay of traces and closed forms.
@Suite struct CacheNodeTests {
  private static let table = QuantileTable(constant: 0)

  private func node(_ kind: EvictionKind, capacity: Int64) -> CacheNode {
    CacheNode(
      entity: 2, tier: .edge, next: -1, edges: 1,
      configuration: CacheTierConfiguration(
        capacity: ByteCount(capacity), eviction: kind, serviceTime: CacheNodeTests.table,
        upstream: UpstreamConfiguration(roundTrip: CacheNodeTests.table, floor: .zero)),
      untouched: nil)
  }

  /// Runs requests through a node whose copies never expire; which of them are hits.
  private func hits(_ trace: CacheTrace, _ kind: EvictionKind, capacity: Int64) -> [Bool] {
    var node = node(kind, capacity: capacity)
    return trace.objects.indices.map { index in
      let now = Instant(nanoseconds: Int64(index))
      let handle = node.handle(of: UInt64(trace.objects[index]), .segment).handle
      if node.freshAge(handle, at: now) != nil { return true }
      node.entries[Int(handle)].stored = StoredResponse(storedAt: now, lifetime: .max)
      let bytes = trace.sizes.isEmpty ? 1 : trace.sizes[index]
      _ = node.keep(handle, bytes: bytes, isAdmitted: true, at: now)
      return false
    }
  }

  /// More objects than the arrays begin with, so that they grow several times.
  @Test(arguments: EvictionKind.all.filter { !$0.isClairvoyant })
  func `a node hits what a replayed cache hits`(_ kind: EvictionKind) {
    let trace = EvictionParts.mixed(requests: 60_000, objects: 12_000, largest: 50, seed: 7)
    for capacity in [Int64(5_000), 60_000] {
      let replayed = EvictionParts.hits(kind, capacity, trace)
      let own = hits(trace, kind, capacity: capacity)
      if kind == .wTinyLFU || kind == .wTinyLFUWide {
        // Its sketch is sized for the objects known so far.
        let difference = own.count { $0 } - replayed.count { $0 }
        #expect(abs(difference) < trace.count / 50)
      } else {
        #expect(zip(own, replayed).count { $0 != $1 } == 0)
      }
      #expect(own.contains(true) && own.contains(false))
    }
  }

  /// Che, Tung and Wang's approximation, objects of one size.
  // caches.md section 6, SIG-063
  @Test func `an LRU node hits as Che's formula says`() {
    let shares = EvictionParts.zipf(2000)
    let trace = EvictionParts.independent(shares, requests: 1_000_000, seed: 3)
    let own = hits(trace, .lru, capacity: 300)[100_000...]
    var (low, high) = (1.0, 1e7)
    for _ in 0..<80 {
      let middle = (low * high).squareRoot()
      let held = shares.reduce(0) { $0 + 1 - PortableMath.exp(-$1 * middle) }
      if held < 300 { low = middle } else { high = middle }
    }
    let expected = shares.reduce(0) { $0 + $1 * (1 - PortableMath.exp(-$1 * low)) }
    // 900,000 requests: a standard error of 0.0005 at most, and as much for the approximation.
    let ratio = Double(own.count { $0 }) / Double(own.count)
    #expect(abs(ratio - expected) < 0.0025, "\(ratio) against \(expected)")
  }

  /// hit = rate·TTL / (1 + rate·TTL) for Poisson requests, which the node's copies obey exactly.
  // SIG-064
  @Test(arguments: [0.1, 1, 8])
  func `a node's copies hit as the TTL formula says`(_ load: Double) {
    let streams = RandomStreams(seed: 5, replication: 0)
    var node = node(.infinite, capacity: 0)
    let handle = node.handle(of: 1, .mediaManifest).handle
    var now = Instant.zero
    var hits = 0
    let count = 400_000
    for index in 0..<count {
      let u = streams.uniform(.arrival, entity: UInt64(index))
      now += TimeSpan(seconds: -PortableMath.log(u) / load * 60)
      if node.freshAge(handle, at: now) != nil {
        hits += 1
        continue
      }
      node.entries[Int(handle)].stored = StoredResponse(storedAt: now, lifetime: .seconds(60))
      _ = node.keep(handle, bytes: 1, isAdmitted: true, at: now)
    }
    let expected = load / (1 + load)
    #expect(abs(Double(hits) / Double(count) - expected) < 0.003)
  }

  @Test func `idle connections are used latest first and close when idle for too long`() {
    var node = node(.lru, capacity: 10)
    let times = [TimeSpan.seconds(62), .seconds(62), .seconds(62)].map { Instant.zero + $0 }
    let first = node.takeConnection(at: .zero)
    node.giveConnection(at: Instant.zero + .seconds(1))
    node.giveConnection(at: Instant.zero + .seconds(2))
    // Of the two one was idle for more than a minute.
    let later = times.map { node.takeConnection(at: $0) }
    #expect(!first && later == [true, false, false])
  }

  @Test func `the share that shared caches send on lies between its limits`() {
    let tier = CacheTierConfiguration(
      capacity: .unlimited, serviceTime: CacheNodeTests.table,
      upstream: UpstreamConfiguration(roundTrip: CacheNodeTests.table, floor: .zero))
    func demand(_ edges: Int) -> TierDemand {
      TierDemand(
        CDNConfiguration(
          edges: 1, edgesBehindShield: edges, edge: tier, shield: tier,
          origin: OriginConfiguration(firstByte: CacheNodeTests.table), start: .cold,
          warmUp: .zero, assetTTL: AssetTTL()), untouched: { _ in nil })
    }
    for load in [0.01, 0.3, 1, 5, 50] {
      let rate = load / 60
      let alone = demand(1).expiredShare(.edge, rate, .mediaManifest)
      let among = demand(1000).expiredShare(.edge, rate, .mediaManifest)
      #expect(abs(alone - 1 / (1 + load)) < 1e-12)
      let most = (1 - PortableMath.exp(-load)) / load
      #expect(among >= alone && among <= most + 1e-12)
      if load > 0.2 { #expect(abs(among - most) < 0.01 * most) }
      let rates = [CacheTier.edge, .shield].map { demand(10).rate($0, rate, .mediaManifest) }
      #expect(rates[0] == rate && rates[1] < 10 * rate && rates[1] >= 10 * rate * alone)
      #expect(demand(10).renewalRate(.shield, rate, .mediaManifest) == 10 * rate)
      #expect(abs(demand(10).othersShare(.shield, simulated: 1) - 0.9) < 1e-12)
    }
  }
}
