import CachePolicy
import MediaUnits
import Models
import Scenario
import Testing

private func parsed(_ body: String) throws -> FeedStudy {
  try FeedStudy.parse("version: 1\nname: test\n" + body, file: "s.yaml")
}

@Suite struct CDNTableTests {
  @Test(arguments: [
    (
      "cdn: {edges: 3, edgesBehindShield: 2}", "cdn.edgesBehindShield: expected at least cdn.edges"
    ),
    ("cdn: {shield: {kind: lru, inRegion: 0}}", "cdn.shield.inRegion: expected none, unless"),
    (
      "cdn: {regional: {kind: lru, count: 2}, shield: {kind: lru, inRegion: 2}}",
      "cdn.shield.inRegion: expected a region below cdn.regional.count"
    ),
    (
      "cdn: {edge: {kind: lru, ttl: {kind: cloudfront, minimum: 2 d, maximum: 1 d}}}",
      "cdn.edge.ttl.maximum: expected at least the minimum"
    ),
    (
      "cdn: {origin: {outages: [{kind: error, from: 9 s, length: 5 s}, "
        + "{kind: timeout, from: 10 s, length: 1 s}]}}",
      "cdn.origin.outages[1].from: expected a time after the end"
    ),
    (
      "cdn: {purges: [{at: 5 s}, {at: 4 s}]}",
      "cdn.purges[1].at: expected a time not before the purge before it"
    ),
    ("cdn: {edge: {kind: belady}}", "cdn.edge.kind: expected"),
    ("cdn: {edge: {kind: sieve, bits: 2}}", "cdn.edge.bits: expected a known key"),
    ("cdn: {ttl: {segments: {jitter: 120 %}}}", "cdn.ttl.segments.jitter: expected a ratio"),
    (
      "budgets: [{metric: \"hit_ratio{tier=regional}\", limit: \"> 1 %\"}]",
      "budgets[0].metric: expected a tier that the scenario has"
    ),
  ])
  func `keys of the CDN that contradict each other get one message`(
    _ body: String, _ part: String
  ) {
    do {
      _ = try parsed(body)
      Issue.record("accepted")
    } catch let error as ScenarioRejected {
      let found = error.problems.map(\.description)
      #expect(found.count == 1 && found[0].contains(part), "\(found)")
      #expect(found.first?.contains("s.yaml:3:") == true)
    } catch {
      Issue.record("another error")
    }
  }

  @Test func `the keys of a tier arrive in its configuration`() throws {
    let cdn = try parsed(
      """
      cdn:
        edge:
          kind: slru
          segments: 3
          capacity: none
          collapsing: absent-only
          lock: {timeout: 2 s, poll: 100 ms}
          revalidation: foreground
          staleOnFailure: always
          ttl: {kind: cloudfront, minimum: 5 s}
          age: fresh
          keepAlive: none
          handshake: tcp
          admission: {kind: size, atMost: 1 MB}
        regional: {kind: gdsf, count: 3, skippedInOriginRegion: true}
        origin: {outages: [{kind: timeout, from: 10 s, length: 5 s}], requestsPerSecond: none}
        start: {kind: warmed, period: 60 s}
        ttl: {playlists: {cacheable: false, jitter: 10 %, expiry: {kind: synchronised}}}
        cacheKey: {kind: query, values: 5}
        purges: [{at: 7 s, classes: [images]}]
      """
    ).configuration.cdn
    #expect(cdn.edge.eviction == .slru(segments: 3) && cdn.edge.capacity == .unlimited)
    #expect(cdn.edge.admission == .size(atMost: 1_000_000) && !cdn.edge.inheritsAge)
    let lock = CollapsingMachine.Lock(timeout: .seconds(2), poll: .milliseconds(100))
    #expect(
      cdn.edge.collapsing
        == CollapsingMachine.Configuration(
          mode: .absentOnly(lock), revalidation: .foreground, staleOnFailure: .always))
    #expect(cdn.edge.ttl == .cloudFront(CloudFrontProfile(minimumTTL: .seconds(5))))
    #expect(cdn.edge.upstream.keepAlive == .max && cdn.edge.upstream.handshakeRoundTrips == 1)
    #expect(cdn.regional?.count == 3 && cdn.regional?.isSkippedInOriginRegion == true)
    #expect(cdn.regional?.tier.eviction == .gdsf)
    // Times of failures count from the end of the warm-up.
    let minute = Instant.zero + .seconds(60)
    #expect(
      cdn.origin.outages == [
        OriginOutage(begin: minute + .seconds(10), end: minute + .seconds(15), kind: .timeout)
      ])
    #expect(cdn.origin.requestRate == nil)
    let rule = AssetRule(isCacheable: false, jitter: 0.1, synchronisedTo: .seconds(60))
    #expect(cdn.assetRules[Int(AssetClass.masterPlaylist.rawValue)] == rule)
    #expect(cdn.assetRules[Int(AssetClass.segment.rawValue)] == AssetRule())
    #expect(cdn.cacheKey == .query(values: 5))
    #expect(
      cdn.purges == [CachePurge(at: minute + .seconds(7), classes: [.poster, .vtt, .sprite])])
  }

  @Test func `a file of before means what it meant`() throws {
    let cdn = try parsed("cdn: {edge: {kind: lru, capacity: 4 TB}, shield: none}").configuration.cdn
    #expect(cdn.edge.eviction == .lru && cdn.edge.capacity == ByteCount(4_000_000_000_000))
    #expect(cdn.edge.collapsing == CollapsingMachine.Configuration())
    #expect(cdn.shield == nil && cdn.regional == nil && cdn.cacheKey == .path)
  }
}
