import CachePolicy
import MediaUnits
import Models
import Scenario
import Statistics
import Testing

/// What planners compare.
@Suite struct CDNStudyTests {
  private static let media: [AssetClass] = [.segment, .initSegment, .sprite, .vtt, .poster]
  private static let manifests: [AssetClass] = [.mediaManifest, .masterPlaylist, .mediaPlaylist]

  // SIG-021
  @Test(arguments: ["none", "{kind: lru, count: 2}"])
  func `a shield takes requests off the origin`(_ regional: String) throws {
    let set = busyWorld + ["cdn.edges=4", "cdn.edgesBehindShield=4", "cdn.regional=\(regional)"]
    let with = try run(scenario(set)).measures
    let without = try run(scenario(set + ["cdn.shield=none"])).measures
    #expect(with.counts.originRequests < without.counts.originRequests * 9 / 10)
    #expect(with.shield.totalRequests > 0 && without.shield.totalRequests == 0)
  }

  // SIG-040, SIG-041
  @Test(arguments: ["{kind: stationary}", "{kind: cold}"])
  func `a query in the cache key lowers the hit ratio, a signature ends it`(
    _ start: String
  ) throws {
    let ratios = try ["path", "query", "session"].map { key in
      try run(
        scenario(
          busyWorld + [
            "catalogue.titles=400", "cdn.ttl.segments.maxAge=10 min", "cdn.start=\(start)",
            "audience.viewsPerSession=15", "cdn.cacheKey={kind: \(key)}",
          ])
      ).measures.hitRatio(.edge, CDNStudyTests.media)
    }
    #expect(ratios[1] < ratios[0] - 0.05 && ratios[2] < ratios[1] - 0.05, "\(ratios)")
    #expect(ratios[2] < 0.02)
  }

  @Test func `a late start says who answered and why it was no hit`() throws {
    let set = [
      "catalogue.titles=3000", "cdn.edge.capacity=3 GB", "audience.drain=0",
      "policy.prefetch.headLength=0 s",
    ]
    let views = try run(scenario(set)).measures.views
    let waited = views.filter { $0.flags.contains(.edgeMiss) }
    #expect(waited.count > 100)
    for view in waited {
      #expect(view.answer.reason != .none)
      #expect(view.answer.wait >= 0 && view.answer.wait <= view.ttff.nanoseconds)
      #expect(view.upstreamWait.nanoseconds >= view.answer.wait)
      #expect(view.upstreamWait <= view.ttff)
      if view.hasStarted { #expect(view.answer.tier != .none) }
    }
    for view in views where !view.flags.contains(.edgeMiss) {
      #expect(view.answer == StartAnswer() && view.upstreamWait == .zero)
    }
    for reason in [MissReason.expired, .evicted] {
      #expect(waited.contains { $0.answer.reason == reason })
    }
    for tier in [AnsweringTier.shield, .origin] {
      #expect(waited.contains { $0.answer.tier == tier })
    }
  }

  /// With common random numbers a larger LRU edge never fetches more of what does not expire.
  // SIG-063
  @Test func `a larger edge never fetches more`() throws {
    var last = Int64.max
    for capacity in ["300 MB", "1 GB", "3 GB", "10 GB"] {
      let measures = try run(
        scenario([
          "catalogue.titles=500", "cdn.edge.capacity=\(capacity)", "cdn.start={kind: cold}",
          "cdn.ttl.segments.maxAge=365 d", "network.model=pensieve",
          "policy.abr={kind: fixed, rung: 1}", "audience.backSwipe=0",
        ])
      ).measures
      let fetched = measures.fetches(.edge)[.segment].requests
      #expect(Double(fetched) <= Double(last) * 1.002, "\(capacity): \(fetched) after \(last)")
      last = fetched
    }
  }

  /// One simulated edge of several, whose shared tiers get the others' demand by chance, against
  /// all of them simulated, after a warm-up as well as with a stationary start.
  @Test(arguments: [
    ([String](), CacheTier.shield),
    (["cdn.regional={kind: lru, count: 1}", "cdn.shield=none"], .regional),
  ])
  func `others keep a shared tier's copies as fresh as if they were simulated`(
    _ topology: [String], _ tier: CacheTier
  ) throws {
    let set =
      [
        "catalogue.titles=400", "audience.viewsPerDayPerEdge=200000", "audience.backSwipe=0",
        "audience.sessionLength=4 min", "cdn.edgesBehindShield=6", "audience.drain=0",
        "cdn.ttl.mediaManifest.staleWhileRevalidate=0", "cdn.ttl.playlists.staleWhileRevalidate=0",
        "policy.abr={kind: fixed, rung: 1}",
      ] + topology
    func runs(_ more: [String], _ count: UInt16) throws -> [FeedMeasures] {
      let made = try scenario(set + more, window: "12 min")
      let plan = try FeedRun.plan(made.configuration, seed: made.seed)
      return try (0..<count).map {
        try FeedRun.run(made.configuration, plan: plan, seed: made.seed, replication: $0)
          .measures
      }
    }
    let warm = "audience.warmUp=6 min"
    let alone = try runs(["cdn.edges=1", warm], 12)
    let all = try runs(["cdn.edges=6", warm], 4)
    let cold = try runs(["cdn.edges=6", "cdn.start={kind: warmed, period: 15 min}"], 4)
    for asked in [CacheTier.edge, tier] {
      func estimate(_ runs: [FeedMeasures]) throws -> Estimate {
        try Estimates.mean(of: runs.map { $0.hitRatio(asked, CDNStudyTests.manifests) })
      }
      for (name, other) in [("stationary", all), ("warmed", cold)] {
        let (one, two) = (try estimate(alone), try estimate(other))
        let a = try #require(one.standardError)
        let b = try #require(two.standardError)
        let error = (a * a + b * b).squareRoot()
        #expect(
          abs(one.value - two.value) < 4 * error + 0.01,
          "\(asked) \(name): \(one.value) against \(two.value) ± \(error)")
        #expect(error < 0.02 && one.value > 0.02 && one.value < 0.98, "\(one.value) ± \(error)")
      }
    }
  }
}
