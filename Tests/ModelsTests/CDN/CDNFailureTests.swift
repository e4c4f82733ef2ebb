import CachePolicy
import MediaUnits
import Models
import Scenario
import Testing

/// What goes wrong at the origin, and on purpose.
@Suite struct CDNFailureTests {
  private func errors(_ measures: FeedMeasures, _ classes: [AssetClass]) -> Int64 {
    classes.reduce(0) { $0 + measures.edge.requests($1, .error) }
  }

  /// All objects of the busy world are asked for within a lifetime, so that every copy is at hand.
  // SIG-067
  @Test func `manifests outlive an outage by their lifetime and window, segments are unaffected`()
    throws
  {
    func outage(_ length: String) throws -> FeedMeasures {
      try run(
        scenario(
          busyWorld + [
            "catalogue.titles=20", "audience.viewsPerSession=15",
            // Storyboards are too rare to be anywhere yet.
            "audience.personas=[{kind: typical}]",
            "cdn.start={kind: warmed, period: 3 min}",
            "cdn.origin.outages=[{kind: error, from: 30 s, length: \(length)}]",
          ], window: "7 min")
      ).measures
    }
    let manifests: [AssetClass] = [.mediaManifest, .masterPlaylist, .mediaPlaylist]
    let (short, long) = (try outage("30 s"), try outage("5 min"))
    for measures in [short, long] {
      #expect(errors(measures, [.segment, .initSegment, .poster]) == 0)
      #expect(measures.origin.total.errors > 0)
      // The window is half open.
      #expect(measures.staleness.largest < 60_000_000_000 && measures.staleness.answers > 0)
    }
    #expect(errors(short, manifests) == 0 && short.counts.clientErrors == 0)
    #expect(errors(long, manifests) > 100 && long.counts.clientRetries > 100)
    #expect(long.counts.clientErrors >= errors(long, manifests) - long.counts.cancelledRequests)
  }

  // SIG-067: stale-if-error is served after the full wait.
  @Test func `a timeout waits in full, as often as the origin is asked`() throws {
    let result = try run(
      scenario(
        busyWorld + [
          "cdn.start={kind: warmed, period: 10 min}", "cdn.shield.responseTimeout=1500 ms",
          "cdn.shield.attempts=2", "cdn.ttl.mediaManifest.staleWhileRevalidate=0",
          "cdn.ttl.playlists.staleWhileRevalidate=0",
          "cdn.origin.outages=[{kind: timeout, from: 60 s, length: 90 s}]",
        ], window: "4 min"))
    let measures = result.measures
    let fetches = measures.fetches(.shield).total
    #expect(fetches.failed > 10)
    #expect(measures.origin.total.unanswered == fetches.failed + fetches.retries)
    // The shield serves its stale copies, and those who asked first have waited for both tries.
    #expect(measures.shield.requests(.mediaManifest, .staleHit) > 0)
    #expect(measures.staleness.answers > 0)
    #expect(measures.views.contains { $0.answer.wait >= 3_000_000_000 })
  }

  @Test func `an unreachable origin fails after each connection's time`() throws {
    let measures = try run(
      scenario(
        busyWorld + [
          "cdn.start={kind: cold}", "cdn.shield.connectTimeout=1 s", "cdn.shield.attempts=3",
          "cdn.origin.outages=[{kind: unreachable, from: 0 s, length: 60 s}]",
        ])
    ).measures
    let fetches = measures.fetches(.shield).total
    #expect(measures.origin.total.unreachable > 20)
    #expect(measures.origin.total.unreachable >= 3 * fetches.failed && fetches.failed > 10)
    #expect(measures.counts.clientErrors > 0 && measures.counts.clientRetries > 0)
    #expect(
      measures.views.contains { $0.answer.reason == .error && $0.answer.wait >= 3_000_000_000 })
    // Afterwards everything comes.
    #expect(measures.edge.requests(.segment, .hit) > 100)
  }

  // caches.md section 7: 5,500 GET a second
  @Test func `an origin with limits makes requests wait, or refuses them`() throws {
    let slow = try run(
      scenario(busyWorld + ["cdn.origin.concurrency=1", "cdn.start={kind: cold}"])
    ).measures
    #expect(slow.origin.queued > 10 && slow.origin.total.slowDowns == 0)
    let few = try run(
      scenario(busyWorld + ["cdn.origin.requestsPerSecond=2", "cdn.start={kind: cold}"])
    ).measures
    #expect(few.origin.total.slowDowns > 10 && few.counts.clientErrors > 0)
    // Two a second and the burst of the first.
    let served = few.origin.total.requests - few.origin.total.slowDowns
    #expect(served <= 2 + 2 * (90 + 300))
  }

  static let domains: [(set: [String], count: Int64)] = [
    (["cdn.edges=4"], 1), (["cdn.edges=4", "cdn.shield=none"], 4),
    (["cdn.edges=4", "cdn.shield=none", "cdn.regional={kind: lru, count: 2}"], 2),
    (["cdn.edges=1", "cdn.shield=none"], 1),
  ]

  // SIG-068
  @Test(arguments: domains)
  func `the origin is asked once per object, lifetime and collapse domain`(
    _ set: [String], _ domains: Int64
  ) throws {
    let burst =
      busyWorld + [
        "catalogue.titles=2", "cdn.start={kind: cold}", "policy.player.posters=false",
        "audience.viewsPerDayPerEdge=3000000",
      ]
    let collapsed = try run(scenario(burst + set)).measures
    #expect(collapsed.origin.largestPerLifetime <= domains)
    #expect(collapsed.edge.requests(.segment, .collapsed) > 0)
    let each = try run(
      scenario(
        burst + set + ["cdn.edge.collapsing=none"]
          + (set.contains { $0.contains("regional") } ? ["cdn.regional.collapsing=none"] : [])
          + (set.contains("cdn.shield=none") ? [] : ["cdn.shield.collapsing=none"]))
    ).measures
    #expect(each.origin.largestPerLifetime > domains)
  }

  // caches.md section 8.10
  @Test func `a purge takes every copy of its classes, at every tier`() throws {
    let set = busyWorld + ["cdn.start={kind: stationary}"]
    let plain = try run(scenario(set)).measures
    let purged = try run(
      scenario(set + ["cdn.purges=[{at: 45 s, classes: [segments]}]"])
    ).measures
    #expect(plain.edge.requests(.segment, .miss) == 0)
    #expect(plain.origin[.segment].requests - plain.origin[.segment].notModified == 0)
    #expect(purged.edge.requests(.segment, .miss) > 50)
    #expect(purged.origin[.segment].requests > 50)
    #expect(purged.edge.requests(.poster, .miss) == 0)
    #expect(purged.views.contains { $0.answer.reason == .purged })
    #expect(!plain.views.contains { $0.answer.reason == .purged })
  }

  /// Copies that expire together are fetched together; jitter spreads them.
  @Test func `expiry at the minute makes peaks at the origin that jitter takes away`() throws {
    func peak(_ rule: String) throws -> Int64 {
      let set = ["mediaManifest", "playlists"].map { "cdn.ttl.\($0).\(rule)" }
      let world = [
        "catalogue.titles=300", "audience.viewsPerDayPerEdge=1500000",
        "audience.viewsPerSession=20", "audience.sessionLength=2 min", "audience.drain=0",
        "cdn.ttl.mediaManifest.maxAge=3 min", "cdn.ttl.playlists.maxAge=3 min",
        "cdn.start={kind: warmed, period: 4 min}",
      ]
      return try run(scenario(world + set, window: "6 min")).measures.origin.largestRate
    }
    let together = try peak("expiry={kind: synchronised, period: 3 min}")
    let apart = try peak("jitter=20 %")
    #expect(together > 2 * apart, "\(together) against \(apart)")
  }

  @Test func `uncacheable manifests go through to the origin, each of them`() throws {
    let measures = try run(
      scenario(busyWorld + ["cdn.ttl.mediaManifest.cacheable=false"])
    ).measures
    let all = CacheOutcome.allCases.reduce(0) { $0 + measures.edge.requests(.mediaManifest, $1) }
    #expect(all > 150)
    #expect(measures.edge.requests(.mediaManifest, .bypass) > all * 99 / 100)
    #expect(measures.origin[.mediaManifest].requests == all)
    #expect(measures.client.requests(.mediaManifest, .hit) == 0)
    #expect(measures.edge.requests(.masterPlaylist, .bypass) == 0)
    #expect(measures.views.contains { $0.answer.reason == .bypass })
  }
}
