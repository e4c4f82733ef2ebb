import CachePolicy
import Foundation
import Models
import Scenario
import Testing

/// Nothing is lost between the tiers.
@Suite struct CDNConservationTests {
  static let kinds = [
    "lru", "fifo", "clock, bits: 2", "sieve", "s3-fifo", "s3-fifo, drain: libcachesim", "lfu",
    "arc", "2q", "slru", "gdsf", "w-tinylfu", "infinite",
  ]

  static let worlds: [[String]] =
    kinds.map { ["cdn.edge={kind: \($0), capacity: 2 GB}"] } + [
      ["cdn.start={kind: cold}"], ["cdn.shield=none"], ["cdn.edge.collapsing=none"],
      ["cdn.edge={kind: lru, collapsing: absent-only, lock: {poll: 20 ms, timeout: 100 ms}}"],
      ["cdn.edge.revalidation=foreground", "cdn.edge.age=fresh"],
      ["cdn.edge={kind: lru, capacity: 1 GB, admission: {kind: second-miss}}"],
      ["cdn.edge={kind: lru, capacity: 1 GB, admission: {kind: size, atMost: 200 kB}}"],
      ["cdn.edge={kind: lru, capacity: 1 GB, admission: {kind: probability, share: 0.3}}"],
      ["cdn.edge.ttl={kind: cloudfront, minimum: 10 s}", "cdn.edge.staleOnFailure=always"],
      ["cdn.regional={kind: sieve, capacity: 3 GB, count: 2}", "cdn.edges=3"],
      ["cdn.regional={kind: lru, count: 2}", "cdn.shield=none", "cdn.edges=3"],
      ["cdn.ttl.mediaManifest.cacheable=false", "cdn.cacheKey={kind: query}"],
      ["cdn.ttl.playlists.expiry={kind: synchronised}", "cdn.ttl.playlists.jitter=20 %"],
      ["cdn.cacheKey={kind: session}"], ["cdn.purges=[{at: 40 s}]"],
      ["cdn.origin={concurrency: 2, requestsPerSecond: 20}"],
      ["cdn.origin.outages=[{kind: error, from: 20 s, length: 60 s}]"],
      [
        "cdn.origin.outages=[{kind: timeout, from: 20 s, length: 60 s}]",
        "cdn.shield.responseTimeout=500 ms",
      ],
      [
        "cdn.origin.outages=[{kind: unreachable, from: 20 s, length: 60 s}]",
        "cdn.shield.connectTimeout=1 s", "cdn.shield.attempts=2",
      ],
      ["audience.drain=0", "cdn.start={kind: warmed, period: 3 min}"],
    ]

  private func tiers(_ scenario: FeedStudy) -> [CacheTier] {
    let cdn = scenario.configuration.cdn
    return [.edge] + (cdn.regional == nil ? [] : [.regional])
      + (cdn.shield == nil ? [] : [.shield])
  }

  // contract.md section 1, SIG-005, SIG-021
  @Test(arguments: worlds)
  func `every request is one outcome, and fetches are the next tier's requests`(
    _ set: [String]
  ) throws {
    let made = try scenario(["audience.sessionLength=2 min"] + set)
    let result = try run(made)
    let measures = result.measures
    measures.checkConservation(tiers(made))
    if made.configuration.cdn.warmUp == .zero {
      let plan = try FeedRun.plan(made.configuration, seed: made.seed)
      let kept = try FeedRun.run(
        made.configuration, plan: plan, seed: made.seed, replication: 0, keepsRequests: true)
      #expect(kept.edgeRequests?.count == Int(measures.edge.totalRequests))
    }
    #expect(measures.edge.totalRequests > 5_000 && measures.fetches(.edge).total.requests > 0)
    let again = try run(made)
    #expect(again.fingerprint == result.fingerprint)
  }

  @Test(arguments: ["wifi-budget-gate", "network-matrix"])
  func `fetches are conserved in the shipped scenarios`(_ name: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../scenarios").standardized.path
    let made = try FeedStudy.load("\(folder)/\(name).yaml", short: true)
    let measures = try run(made).measures
    measures.checkConservation(tiers(made))
    #expect(measures.shield.totalRequests > 100)
  }

  /// Every hop of a topology whose nodes differ in what stands behind them.
  // caches.md section 4.2
  @Test(arguments: [
    ["cdn.shield=none", "cdn.regional={kind: lru, count: 2, skippedInOriginRegion: true}"],
    ["cdn.regional={kind: lru, count: 2}", "cdn.shield.inRegion=1"],
  ])
  func `edges that go past their regional cache are conserved in sum`(_ set: [String]) throws {
    let measures = try run(scenario(busyWorld + set + ["cdn.edges=4"])).measures
    var (sent, arrived): (Int64, Int64) = (0, measures.origin.total.requests)
    for tier in CacheTier.allCases {
      sent += measures.fetches(tier).total.requests
      if tier != .edge { arrived += measures.tier(tier).totalRequests }
      #expect(measures.fetches(tier).after == FetchCounters.UnderWay())
    }
    #expect(sent == arrived)
    let regional = measures.regional.totalRequests
    let fetched = measures.fetches(.edge).total.requests
    #expect(regional > 0 && regional < fetched)
    // A shield that is a region's own cache is not crossed to by that region.
    let atShield = measures.shield.totalRequests
    #expect(measures.counts.shieldCrossings < atShield || atShield == 0)
    #expect(
      measures.counts.shieldCrossings == measures.fetches(.regional).total.requests || atShield == 0
    )
  }

  // caches.md section 8.5
  @Test func `an answer 304 costs its header, another the object`() throws {
    let measures = try run(
      scenario(
        busyWorld + [
          "catalogue.manifestBytes=900 B", "cdn.start={kind: cold}",
        ])
    ).measures
    for tier in [CacheTier.edge, .shield] {
      let row = measures.fetches(tier)[.mediaManifest]
      #expect(row.notModified > 10 && row.requests > row.notModified)
      #expect(row.bytes == 400 * row.notModified + 900 * (row.requests - row.notModified))
    }
  }

  @Test func `connections that stay open are used again, and cost no handshake`() throws {
    func measured(_ keepAlive: String) throws -> FeedRunResult {
      try run(
        scenario(
          busyWorld + [
            "cdn.edge.keepAlive=\(keepAlive)", "catalogue.titles=1000",
            "policy.prefetch.headLength=0 s",
          ]))
    }
    func wait(_ result: FeedRunResult) -> Double {
      let waits = result.measures.views.filter { $0.flags.contains(.edgeMiss) }
      return waits.reduce(0.0) { $0 + $1.upstreamWait.milliseconds } / Double(waits.count)
    }
    let (open, closed) = (try measured("none"), try measured("0"))
    let fetches = closed.measures.fetches(.edge)
    #expect(fetches.connections > fetches.total.requests * 9 / 10)
    let kept = open.measures.fetches(.edge)
    #expect(kept.connections * 3 < kept.total.requests)
    // Two round trips of 40 ms in the mean, for each of the requests that wait.
    #expect(wait(closed) > wait(open) + 60, "\(wait(closed)) against \(wait(open))")
  }
}
