import CachePolicy
import FeedPolicy
import MediaUnits
import Models
import Scenario
import Testing

/// Several CDN providers: who is asked, what each holds, and what an outage of one does.
@Suite struct ProviderTests {
  private static let two = "{name: a, share: 60 %}, {name: b, share: 40 %}"

  /// A busy world with many short sessions, since providers are drawn by session.
  private static let crowd =
    busyWorld + ["audience.viewsPerDayPerEdge=6000000", "audience.viewsPerSession=20"]

  /// One of two that fails from the end of the first minute on.
  private static func failing(_ kind: String) -> String {
    "cdn.providers=[{name: a, share: 60 %, outages: [{kind: \(kind), from: 60 s, length: 2 min}]}"
      + ", {name: b, share: 40 %}]"
  }

  private func measured(
    _ set: [String], window: String = "4 min", replication: UInt16 = 0
  ) throws -> FeedMeasures {
    try run(scenario(Self.crowd + set, window: window), replication: replication).measures
  }

  /// Whatever the settings of choice are, nobody chooses: the same events, and the same numbers.
  @Test(arguments: [
    ["cdn.edges=1"], ["cdn.edges=3", "cdn.regional={kind: lru, count: 2, capacity: 3 GB}"],
    ["cdn.start={kind: cold}"], ["cdn.edge={kind: lru, capacity: 2 GB}"],
  ])
  func `a provider with all of the sessions is the CDN alone`(_ set: [String]) throws {
    let alone = try run(scenario(busyWorld + set))
    for switching in ["fixed", "failover", "measured, probeEvery: 0"] {
      let first = try run(
        scenario(
          busyWorld + set + [
            "cdn.providers=[{name: a, share: 1}, {name: b, share: 0}]",
            "cdn.switching={kind: \(switching)}",
          ]))
      #expect(first.fingerprint == alone.fingerprint, "\(switching)")
      #expect(first.measures.counts == alone.measures.counts, "\(switching)")
      #expect(first.measures.edge.totalBytes == alone.measures.edge.totalBytes)
      #expect(first.measures.providers.each[1].counts.requests == 0)
      let all = first.measures.providers.each[0].edge
      #expect(all.totalRequests == alone.measures.edge.totalRequests)
    }
  }

  @Test func `sessions are dealt by shares, and what providers answer is what edges do`() throws {
    let measures = try measured(["cdn.providers=[\(Self.two)]"])
    let each = measures.providers.each
    let requests = each.map { Double($0.counts.requests) }
    let share = requests[0] / (requests[0] + requests[1])
    // Some 800 sessions, of which a few are long: a deviation of 0.03.
    #expect(measures.counts.sessions > 700)
    #expect(abs(share - 0.6) < 0.09, "\(share)")
    #expect(
      each.reduce(0) { $0 + $1.edge.totalRequests } == measures.edge.totalRequests)
    let bytes = each.reduce(0) { $0 + $1.counts.bytes }
    #expect(bytes > 0 && bytes <= measures.counts.deliveredBytes)
    #expect(Double(bytes) > 0.8 * Double(measures.counts.deliveredBytes))
    #expect(
      measures.providers.switching.switches == 0 && each.allSatisfy { $0.counts.failures == 0 })
    let known = measures.views.count { $0.hasStarted || !$0.flags.contains(.cut) }
    #expect(measures.providers.switching.views == Int64(known))
  }

  @Test func `each has caches of its own: halves hit less, and ask the origin for more`() throws {
    let set = [
      "catalogue.titles=2000", "cdn.start={kind: cold}", "cdn.shield={kind: infinite}",
      "cdn.switching={kind: fixed}",
    ]
    let one = try measured(set)
    let both = try measured(set + ["cdn.providers=[{name: a, share: 0.5}, {name: b, share: 0.5}]"])
    let kept: [AssetClass] = [.segment, .initSegment]
    #expect(both.hitRatio(.edge, kept) < one.hitRatio(.edge, kept) - 0.02)
    // What both are asked for is fetched from the origin twice.
    #expect(Double(both.counts.originBytes) > 1.2 * Double(one.counts.originBytes))
  }

  @Test func `a stationary start has the contents of a provider's own audience`() throws {
    let set = Self.crowd + ["catalogue.titles=3000", "cdn.edge={kind: lru, capacity: 1 GB}"]
    let both = try scenario(
      set + ["cdn.providers=[{name: a, share: 0.85}, {name: b, share: 0.15}]"]
    ).configuration
    let small = try scenario(set + ["audience.viewsPerDayPerEdge=900000"]).configuration
    let plan = try FeedRun.plan(both, seed: 1)
    let alone = try FeedRun.plan(small, seed: 1)
    // With less than a fifth of the requests what is there stays that much longer.
    let first = try #require(plan.untouched[.edge]).characteristicTime
    let second = try #require(plan.furtherUntouched.first?[.edge]).characteristicTime
    let expected = try #require(alone.untouched[.edge]).characteristicTime
    #expect(abs(second / expected - 1) < 1e-9 && second > 4 * first)
    #expect(both.cdn.only(1).providers.isEmpty && both.cdn.share(of: 1) == 0.15)
  }

  // MARK: Outages

  @Test(arguments: ["error", "unreachable", "timeout"])
  func `who may leave a provider that fails has more frames than who may not`(
    _ kind: String
  ) throws {
    let outage = Self.failing(kind)
    func notStarted(_ switching: String) throws -> (ratio: Double, measures: FeedMeasures) {
      let measures = try measured([outage, "cdn.switching={kind: \(switching), timeout: 2 s}"])
      let lost = measures.views.count { !$0.hasStarted }
      return (Double(lost) / Double(measures.views.count), measures)
    }
    let (stays, fixed) = try notStarted("fixed")
    let (leaves, failover) = try notStarted("failover")
    #expect(fixed.providers.each[0].counts.failures > 50, "\(kind)")
    #expect(fixed.providers.each[1].counts.failures == 0)
    #expect(fixed.providers.switching.failovers == 0 && fixed.providers.switching.switches == 0)
    #expect(
      failover.providers.switching.failovers > 50 && failover.providers.switching.switches > 20)
    #expect(leaves < stays / 2, "\(kind): \(leaves) and \(stays)")
    let (troubled, rescued) = (
      failover.providers.switching.troubledViews, failover.providers.switching.rescuedViews
    )
    #expect(rescued > 0 && rescued <= troubled)
    // The other one carries them.
    let share = Double(failover.providers.each[1].counts.bytes)
    #expect(share > Double(fixed.providers.each[1].counts.bytes))
  }

  // MARK: Second copies

  /// One of two is slow, or silent, all the time.
  private static func late(_ kind: String) -> String {
    "cdn.providers=[{name: a, share: 0.5, outages: [{kind: \(kind), from: 0 s, length: 1 h}]}"
      + ", {name: b, share: 0.5}]"
  }

  private func waits(_ measures: FeedMeasures) -> [TimeSpan] {
    measures.views.filter(\.hasStarted).map(\.ttff).sorted()
  }

  @Test func `a second copy starts what a slow provider keeps waiting, and pays with requests`()
    throws
  {
    let slow = Self.late("slow, by: 2 s")
    let alone = try measured([slow, "cdn.switching={kind: failover}"])
    let hedged = try measured([slow, "cdn.switching={kind: failover, hedgeAfter: 400 ms}"])
    let (seconds, first) = (
      hedged.providers.switching.hedges, hedged.providers.switching.hedgesWon
    )
    #expect(alone.providers.switching.hedges == 0)
    #expect(seconds > 500 && first > seconds * 3 / 4 && first <= seconds, "\(first) of \(seconds)")
    // Each second copy is a request of its own.
    let (one, two) = (requests(alone), requests(hedged))
    #expect(two > one + Double(seconds) / 2)
    let (before, after) = (waits(alone), waits(hedged))
    #expect(after[after.count * 95 / 100] < before[before.count * 95 / 100] - .seconds(1))
    // What was given up is no failure, and the contract's provider is not left for it.
    #expect(hedged.providers.switching.switches == 0)
    #expect(hedged.providers.each.allSatisfy { $0.counts.failures == 0 })
  }

  private func requests(_ measures: FeedMeasures) -> Double {
    measures.providers.each.reduce(0) { $0 + Double($1.counts.requests) }
  }

  @Test(arguments: ["timeout", "unreachable", "error"])
  func `a copy that fails leaves the other one under way`(_ kind: String) throws {
    let silent = Self.late(kind)
    let alone = try measured([silent, "cdn.switching={kind: failover, failures: 100}"])
    let hedged = try measured([
      silent, "cdn.switching={kind: failover, failures: 100, hedgeAfter: 600 ms}",
    ])
    func lost(_ measures: FeedMeasures) -> Double {
      Double(measures.views.count { !$0.hasStarted }) / Double(measures.views.count)
    }
    if kind == "error" {
      // Told at once, so that there is nothing to wait for.
      #expect(abs(lost(hedged) - lost(alone)) < 0.02)
    } else {
      #expect(hedged.providers.switching.hedgesWon > 200)
      #expect(lost(hedged) < lost(alone) / 2, "\(lost(hedged)) and \(lost(alone))")
    }
  }

  @Test func `a wait that no first byte reaches changes nothing but the looks`() throws {
    let both = "cdn.providers=[\(Self.two)]"
    let alone = try measured([both, "cdn.switching={kind: failover}"])
    let hedged = try measured([both, "cdn.switching={kind: failover, hedgeAfter: 10 min}"])
    #expect(hedged.counts == alone.counts)
    #expect(hedged.views.map(\.ttff) == alone.views.map(\.ttff))
    #expect(hedged.providers.switching == alone.providers.switching)
  }

  @Test(arguments: [
    ["network.http=2"], ["network.http=3"], ["network.http=1.1"],
    ["network.access=[{kind: wifi-good, cell: {rate: 40 Mbps}}]"],
    [
      "network.access=[{kind: lte, events: [{kind: hand-over, at: 20 s}, {kind: hand-over, "
        + "at: 50 s}]}]"
    ],
    ["catalogue.packaging=progressive"], ["cdn.edge={kind: lru, capacity: 300 MB}"],
  ])
  func `one of two copies counts, over any protocol, in a cell and over a hand-over`(
    _ set: [String]
  ) throws {
    let measures = try measured(
      [Self.late("slow, by: 700 ms"), "cdn.switching={kind: failover, hedgeAfter: 300 ms}"] + set,
      window: "2 min")
    #expect(measures.providers.switching.hedges > 100, "\(set)")
    #expect(measures.providers.switching.hedgesWon > 0)
    // Whole answers are counted once.
    let bytes = measures.providers.each.reduce(0) { $0 + $1.counts.bytes }
    #expect(bytes > 0 && bytes <= measures.counts.deliveredBytes)
    for balance in measures.balances {
      #expect(
        balance.delivered == balance.rendered + balance.wasted + balance.stillBuffered, "\(set)")
    }
  }

  @Test func `measuring goes over to whom first bytes come from sooner`() throws {
    let slow =
      "cdn.providers=[{name: a, share: 0.5, outages: "
      + "[{kind: slow, by: 900 ms, from: 0 s, length: 1 h}]}, {name: b, share: 0.5}]"
    let stays = try measured([slow, "cdn.switching={kind: failover}"])
    let goes = try measured([
      slow, "cdn.switching={kind: measured, probeEvery: 3, hold: 5 s, gain: 1.2}",
    ])
    #expect(stays.providers.switching.switches == 0 && stays.providers.switching.probes == 0)
    #expect(goes.providers.switching.probes > 50 && goes.providers.switching.switches > 50)
    func share(_ measures: FeedMeasures) -> Double {
      let bytes = measures.providers.each.map { Double($0.counts.bytes) }
      return bytes[1] / (bytes[0] + bytes[1])
    }
    #expect(share(goes) > share(stays) + 0.1, "\(share(goes)) and \(share(stays))")
  }

  @Test func `a steering manifest leaves who fails once it knows, and comes back`() throws {
    let outage = Self.failing("slow, by: 100 ms")
    // Nothing fails, so that nobody leaves but by the manifest.
    let soon = try measured([
      outage, "cdn.switching={kind: steering, lifetime: 5 s, delay: 1 s}",
    ])
    let never = try measured([
      outage, "cdn.switching={kind: steering, lifetime: 5 s, delay: 1 h}",
    ])
    #expect(never.providers.switching.switches == 0)
    #expect(soon.providers.switching.switches > 50)
    #expect(soon.providers.each[1].counts.requests > never.providers.each[1].counts.requests)
  }

  @Test func `a provider that is farther costs its way`() throws {
    func cold(_ detour: String) throws -> Double {
      let made = try scenario(
        constantWorld + [
          "cdn.providers=[{name: a, share: 1, detour: \(detour)}, {name: b, share: 0}]"
        ])
      let views = try run(made).measures.views.filter { $0.flags.contains(.cold) && $0.hasStarted }
      return Double(views.reduce(0) { $0 + $1.ttff.nanoseconds }) / Double(views.count) / 1e6
    }
    let (near, far) = (try cold("0 s"), try cold("40 ms"))
    // TCP, TLS, manifest, two playlists, init, the first segment: one round trip each at least.
    #expect(far > near + 7 * 40 - 1 && far < near + 7 * 40 + 400, "\(near) and \(far)")
  }

  @Test func `nothing is lost between the tiers of several providers`() throws {
    let measures = try measured([
      Self.failing("timeout"), "cdn.switching={kind: failover, timeout: 1 s}", "cdn.edges=3",
      "cdn.edgesBehindShield=3",
    ])
    measures.checkConservation([.edge, .shield])
    #expect(measures.providers.each.allSatisfy { $0.edge.totalRequests > 500 })
  }
}
