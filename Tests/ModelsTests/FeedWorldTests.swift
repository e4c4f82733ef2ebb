import CachePolicy
import MediaUnits
import Models
import Scenario
import SimulationKernel
import Testing

@Suite struct FeedWorldTests {
  static let worlds: [[String]] = [
    [], ["network.access=[{kind: 3g}]"], ["network.access=[{kind: congested-cell}]"],
    ["policy.prefetch.headLength=0 s"], ["policy.pool.size=1", "audience.backSwipe=0.3"],
    ["audience.drain=0 s"], ["cdn.start={kind: cold}", "cdn.shield=none"],
    ["policy.pool.size=5", "policy.pool.ahead=2", "policy.pool.behind=2"],
    ["policy.player.startThreshold=3 s", "policy.prefetch.concurrency=4"],
    ["network.prefetchWeight=0.2", "catalogue.segmentDuration=4 s"],
    ["audience.personas=[{kind: scrubber, scrub: 0.9}]"],
    ["network.http=1.1", "network.connectionsPerHost=2", "network.access=[{kind: lte}]"],
    [
      "network.http=3", "network.handshake=quic", "network.resumedHandshake=quic-0rtt",
      "network.congestion=bbr", "network.access=[{kind: wifi-poor, lossBurst: 3}]",
    ],
    [
      "network.access=[{kind: lte, events: [{kind: hand-over, at: 20 s}, "
        + "{kind: tunnel, at: 40 s, length: 5 s}, {kind: offline, at: 3 min}]}]"
    ],
    [
      "network.access=[{kind: steps, roundTrip: 40 ms, end: loop, length: 30 s, steps: "
        + "[{at: 0 s, rate: 4 Mbps}, {at: 10 s, rate: 0}, {at: 15 s, rate: 1 Mbps}]}]"
    ],
    ["network.access=[{kind: lte, cell: {rate: 8 Mbps, count: 2, roundTripBias: 0.5}}]"],
    [
      "network.access=[{kind: wifi-good, cell: {rate: 20 Mbps}, events: [{kind: hand-over, "
        + "at: 30 s}, {kind: tunnel, at: 50 s, length: 3 s}]}]", "network.http=3",
    ],
    ["catalogue.packaging=progressive", "catalogue.segmentDuration=6 s"],
    ["network.model=pensieve"], ["network.model=sabre", "network.access=[{kind: 3g}]"],
    ["network.access=[{kind: lte, cell: {rate: 8 Mbps, count: 2, queue: 200 ms}}]"],
    [
      "network.access=[{kind: wifi-good, cell: {rate: 20 Mbps, queue: 100 ms}, events: [{kind: "
        + "hand-over, at: 30 s}, {kind: tunnel, at: 50 s, length: 3 s}]}]", "network.http=3",
    ],
    [
      "network.access=[{kind: wifi-good, cell: {rate: 20 Mbps, queue: 100 ms}, events: [{kind: "
        + "hand-over, at: 30 s}]}]", "network.http=1.1", "network.congestion=bbr",
    ],
    [
      "network.sharing=turns", "policy.prefetch.concurrency=4",
      "network.access=[{kind: wifi-poor, events: [{kind: hand-over, at: 20 s}]}]",
    ],
    [
      "network.sharing=turns", "network.http=3", "network.congestion=bbr",
      "network.access=[{kind: lte, events: [{kind: hand-over, at: 20 s}, "
        + "{kind: tunnel, at: 40 s, length: 5 s}]}]",
    ],
  ]

  // SIG-001, SIG-004
  @Test(arguments: worlds)
  func `the parts of every startup breakdown sum to its TTFF exactly`(_ set: [String]) throws {
    let result = try run(scenario(set))
    #expect(result.measures.views.count > 200)
    for view in result.measures.views {
      var sum = TimeSpan.zero
      for part in StartupPart.allCases {
        #expect(view.part(part) >= .zero)
        sum += view.part(part)
      }
      #expect(sum == view.ttff, "session \(view.session) item \(view.item)")
      #expect(view.ttff >= .zero && view.ttffPlay <= view.ttff)
    }
  }

  // SIG-010, contract.md section 1: wasted_ratio
  @Test(arguments: worlds)
  func `delivered bytes are rendered, wasted or still buffered`(_ set: [String]) throws {
    let measures = try run(scenario(set)).measures
    var delivered: Int64 = 0
    for balance in measures.balances {
      #expect(balance.delivered == balance.rendered + balance.wasted + balance.stillBuffered)
      #expect(balance.rendered >= 0 && balance.wasted >= 0 && balance.stillBuffered >= 0)
      #expect(balance.prefetchedWasted <= balance.prefetched)
      #expect(balance.prefetched <= balance.delivered)
      delivered += balance.delivered
    }
    #expect(delivered > 0)
    let isCut = set.contains("audience.drain=0 s")
    #expect((measures.balances.contains { $0.stillBuffered > 0 }) == isCut)
    #expect((measures.counts.sessionsCut > 0) == isCut)
  }

  @Test func `media bytes add up to what the links delivered`() throws {
    let measures = try run(scenario(["audience.personas=[{kind: typical}]"])).measures
    let media = measures.balances.reduce(0) { $0 + $1.delivered }
    // deliveredBytes holds playlists, manifests and posters too.
    #expect(media < measures.counts.deliveredBytes)
    #expect(Double(media) > 0.95 * Double(measures.counts.deliveredBytes))
  }

  //
  @Test func `the same seed gives the same events and views`() throws {
    let first = try run(scenario())
    let second = try run(scenario())
    #expect(first.fingerprint == second.fingerprint)
    #expect(first.summary == second.summary)
    #expect(first.measures.views.map(\.ttff) == second.measures.views.map(\.ttff))
    #expect(try run(scenario(), replication: 1).fingerprint != first.fingerprint)
    #expect(try run(scenario(["seed=2"])).fingerprint != first.fingerprint)
  }

  @Test func `every view of a session is recorded once, in order, and starts its clock once`()
    throws
  {
    for session in try run(scenario()).sessions {
      #expect(session[0].flags.contains(.cold))
      #expect(session.dropFirst().allSatisfy { !$0.flags.contains(.cold) })
      for (before, after) in zip(session, session.dropFirst()) {
        let shown = before.ttff + before.played + before.stalled
        #expect(after.settledAt >= before.settledAt + (before.hasStarted ? shown : before.ttff))
        let step = Int64(after.item) - Int64(before.item)
        #expect(step == (after.flags.contains(.back) ? -1 : 1))
      }
    }
  }

  // SIG-042: one metadata object per video and TTL; X-006: the chain is the real one.
  @Test func `each item costs one manifest and one master playlist`() throws {
    let result = try run(
      scenario(["audience.backSwipe=0", "policy.prefetch.headLength=0 s"]))
    let client = result.measures.client
    func asked(_ asset: AssetClass) -> Int64 {
      CacheOutcome.allCases.reduce(0) { $0 + client.requests(asset, $1) }
    }
    let items = Set(result.measures.views.map { UInt64($0.session) << 32 | UInt64($0.item) })
    #expect(asked(.mediaManifest) == Int64(items.count))
    #expect(asked(.masterPlaylist) <= asked(.mediaManifest))
    #expect(asked(.initSegment) <= asked(.mediaPlaylist))
  }

  // SIG-022, REEL-009
  @Test(arguments: [1, 2, 3, 5])
  func `no session creates more players than its pool holds`(_ size: Int) throws {
    let measures = try run(
      scenario([
        "policy.pool.size=\(size)", "devices=[{kind: high}]", "audience.backSwipe=0.2",
      ])
    ).measures
    #expect(measures.counts.playerCreates <= measures.counts.sessions * Int64(size))
    #expect(measures.counts.playerCreates > measures.counts.sessions * Int64(size) / 2)
  }

  // SIG-031, SIG-032, SIG-034
  @Test func `a scrub looks up at most eight sprites a second and only asks for storyboards`()
    throws
  {
    let measures = try run(
      scenario([
        "audience.personas=[{kind: scrubber, scrub: 1}]", "audience.scrubHold=2 s",
      ])
    ).measures
    #expect(measures.counts.scrubs > 100)
    // Two seconds at 125 ms: the first lookup, sixteen more, the trailing edge.
    #expect(measures.counts.scrubLookups <= measures.counts.scrubs * 18)
    #expect(measures.counts.scrubLookups > measures.counts.scrubs * 8)
    #expect(measures.edge.requests(.vtt, .hit) > 0)
  }

  // SIG-026, SIG-027
  @Test(arguments: [("450 kbps", 0), ("600 kbps", 1), ("none", 3)])
  func `the first segment keeps to the startup cap`(_ rate: String, _ rung: Int) throws {
    let result = try run(
      scenario([
        "policy.startupCap.rate=\(rate)", "policy.prefetch.headLength=0 s",
        "policy.initialEstimate=20 Mbps",
        "network.access[0].sessionRate=40 Mbps", "network.access[0].outageStart=0",
        "catalogue.duration=2 s", "catalogue.minimumDuration=2 s",
      ]))
    let first = result.measures.views.filter { $0.hasStarted && $0.firstRung != .max }
    #expect(first.count > 100)
    #expect(first.allSatisfy { Int($0.firstRung) <= rung })
    #expect(first.contains { Int($0.firstRung) == rung })
  }

  // SIG-029, SIG-044, VF-012: an item shown again costs no network bytes.
  @Test func `a fresh immutable object is not asked for twice`() throws {
    // Two titles only, so that a session of many views sees them again and again.
    let measures = try run(
      scenario([
        "catalogue.titles=2", "cdn.ttl.mediaManifest.maxAge=1 d", "cdn.ttl.playlists.maxAge=1 d",
        "policy.abr={kind: fixed, rung: 0}",
      ])
    ).measures
    let hits = measures.client.requests(.segment, .hit)
    let all = hits + measures.client.requests(.segment, .miss)
    #expect(hits * 2 > all)
    #expect(measures.client.requests(.segment, .revalidated) == 0)
  }

  // SIG-029, SIG-030, VF-020: sessions share their draws, so only the size of the disk differs.
  @Test func `a larger disk cache answers more, and one of 50 MB most of what one of 256 MiB does`()
    throws
  {
    func hits(_ size: String) throws -> Double {
      let measures = try run(
        scenario([
          "catalogue.titles=40", "audience.backSwipe=0.3", "policy.abr={kind: fixed, rung: 3}",
          "devices=[{kind: mid, diskCache: \(size)}]",
        ])
      ).measures
      let hits = measures.client.requests(.segment, .hit)
      return Double(hits) / Double(hits + measures.client.requests(.segment, .miss))
    }
    let (none, small, android, ios) = try (
      hits("0 B"), hits("5 MB"), hits("50 MB"), hits("256 MiB")
    )
    #expect(none == 0 && small > 0)
    #expect(small < android && android <= ios)
    #expect(android > ios / 2)
  }
}
