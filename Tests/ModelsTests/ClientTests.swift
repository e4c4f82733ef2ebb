import FeedPolicy
import MediaUnits
import Models
import Scenario
import SimulationKernel
import Testing

/// Everything of the app at once.
private let everything = [
  "client.gate={kind: gate}", "client.proximity={}", "client.end={kind: once}",
  "client.pauses=[{kind: background, share: 0.05, killShare: 0.2}, {kind: typing, share: 0.05}]",
  "client.crashShare=0.005", "client.telemetry={failureShare: 0.1}",
  "client.segmentErrorShare=0.05", "client.retry={kind: backoff}", "client.offline={}",
  "feed.ranker={}", "feed.exploration={}",
]

private let tunnel =
  "network.access=[{kind: lte, events: [{kind: tunnel, at: 30 s, length: 20 s}]}]"

struct `What the app does` {
  /// Covers: SIG-009, SIG-038, SIG-071, REEL-021.
  @Test func `it changes nothing where it is off`() throws {
    let plain = try run(scenario(["network.access=[{kind: lte}]"]))
    let off = try run(
      scenario([
        "network.access=[{kind: lte}]", "client.gate={kind: none}", "client.placeholder=black",
        "client.tapDelay=9 s", "client.snapRetry=5 s",
      ]))
    #expect(plain.fingerprint == off.fingerprint)
    #expect(plain.measures.clientSide == ClientMeasures(cells: 3))
  }

  @Test(arguments: [["network.access=[{kind: 3g}]"], [tunnel], []])
  func `the sums hold with everything at once`(_ set: [String]) throws {
    let scenario = try scenario(everything + set)
    let result = try run(scenario)
    #expect(try run(scenario).fingerprint == result.fingerprint)
    for view in result.measures.views {
      var sum = TimeSpan.zero
      for part in StartupPart.allCases { sum += view.part(part) }
      #expect(sum == view.ttff, "session \(view.session) item \(view.item)")
    }
    for balance in result.measures.balances {
      #expect(balance.delivered == balance.rendered + balance.wasted + balance.stillBuffered)
    }
    let told = result.measures.clientSide
    #expect(told.pauses > 10 && told.kills > 0 && told.segmentErrors > 10)
    #expect(told.items > 1000 && told.explorationItems * 20 > told.items)
  }

  /// Covers: REEL-002, REEL-003, REEL-004, REEL-027.
  @Test func `a gate turns frames that are missing into snaps, and the escape bounds them`() throws
  {
    func swipes(_ gate: String) throws -> SwipeSums {
      var sums = SwipeSums()
      let measures = try run(
        scenario([
          "network.access=[{kind: 3g}]", "client.gate=\(gate)", "client.telemetry={}",
        ])
      ).measures
      for cell in measures.clientSide.swipes { sums.add(cell) }
      return sums
    }
    let none = try swipes("{kind: none}")
    let gate = try swipes("{kind: gate, attempts: none, timeout: none}")
    let escaping = try swipes("{kind: gate, attempts: 2, timeout: none}")
    #expect(none.snapBacks == 0 && none.covered > 0)
    // With a gate that never opens the active item is always ready: nothing is ever covered.
    #expect(gate.snapBacks > 0 && gate.escapes == 0)
    #expect(gate.covered == 0)
    #expect(escaping.escapes > 0)
    #expect(escaping.covered > 0 && escaping.covered < none.covered)
    #expect(escaping.snapBacks <= 2 * escaping.swipes)
  }

  /// Covers: SIG-048, SIG-050, SIG-051, SIG-052.
  @Test func `telemetry tells of every view what the records say`() throws {
    let measures = try run(
      scenario([
        "network.access=[{kind: lte}]", "client.telemetry={failureShare: 0.1}",
        "client.crashShare=0.01",
      ])
    ).measures
    let told = measures.clientSide.telemetry
    #expect(measures.sessionsCut == 0)
    #expect(told.viewStarts == told.viewEnds)
    let known = measures.views.filter { $0.title != .max }
    #expect(told.viewStarts == Int64(known.count))
    let started = known.filter(\.hasStarted)
    #expect(told.firstFrames == Int64(started.count))
    let truth = started.reduce(0) { $0 + $1.ttff.nanoseconds / 1_000_000 }
    #expect(told.firstFrameTime == truth)
    // Every event has reached the ingest or never will.
    #expect(told.recorded == told.delivered + told.lost)
    #expect(told.lost > 0 && told.duplicated == 0)
    #expect(told.delays.count == told.delivered)
  }

  /// Covers: SIG-049, SIG-052.
  @Test func `drops lose more than retries, and only retries without numbers count twice`() throws {
    func told(_ delivery: String) throws -> TelemetrySums {
      try run(
        scenario([
          "client.telemetry={delivery: \(delivery), failureShare: 0.1}",
          "network.access=[{kind: lte}]",
        ])
      ).measures.clientSide.telemetry
    }
    let (drop, retry, numbers) = (
      try told("drop"), try told("retry"), try told("retry-with-numbers")
    )
    // A twentieth of the posts is refused; of a twentieth only the answer is lost.
    let lost = Double(drop.lost) / Double(drop.recorded)
    #expect(lost > 0.03 && lost < 0.07)
    #expect(retry.lost * 5 < drop.lost && numbers.lost == retry.lost)
    #expect(drop.duplicated == 0 && numbers.duplicated == 0 && retry.duplicated > 0)
  }

  /// Covers: SIG-008, SIG-009.
  @Test func `a page is from Trending as often as the ranker is late`() throws {
    func share(_ ranker: String) throws -> Double {
      let sums = try run(scenario(["feed.ranker=\(ranker)"], window: "3 min")).measures.clientSide
      return Double(sums.trendingPages) / Double(sums.pages)
    }
    // Half of the calls take longer than their median.
    let half = try share("{deadline: 9 ms, slowShare: 0}")
    #expect(half > 0.4 && half < 0.6)
    #expect(try share("{deadline: 1 s}") == 0)
    // A deadline of 30 ms at the app leaves nothing to a ranker behind a round trip.
    #expect(try share("{deadline: 30 ms, at: client}") > 0.3)
  }

  /// Covers: SIG-071, SIG-072.
  @Test func `exploration items are a share of the feed and hit the caches less`() throws {
    func result(_ share: String) throws -> FeedMeasures {
      try run(scenario(["feed.exploration={share: \(share)}"], window: "3 min")).measures
    }
    let (none, some) = (try result("0"), try result("0.2"))
    #expect(none.clientSide.explorationItems == 0)
    let share = Double(some.clientSide.explorationItems) / Double(some.clientSide.items)
    #expect(abs(share - 0.2) < 0.01)
    func hits(_ measures: FeedMeasures) -> Double {
      Double(measures.edge.requests(.segment, .hit))
        / Double(measures.requests)
    }
    #expect(hits(some) < hits(none))
  }

  /// Covers: SIG-037, REEL-024, REEL-025.
  @Test func `pauses are neither stalls nor play, and what holds loading asks for nothing`() throws
  {
    let plain = try run(scenario(["client.telemetry={}"])).measures
    let paused = try run(
      scenario([
        "client.telemetry={}",
        "client.pauses=[{kind: background, share: 0.3, length: 30 s}]",
      ])
    ).measures
    #expect(paused.clientSide.pauses > 100)
    func stalled(_ measures: FeedMeasures) -> Int64 {
      measures.views.reduce(0) { $0 + $1.stalled.nanoseconds }
    }
    func played(_ measures: FeedMeasures) -> Double {
      Double(measures.views.reduce(0) { $0 + $1.played.nanoseconds })
        / Double(measures.views.count)
    }
    // Views are as long as before; the sessions have fewer of them.
    #expect(abs(played(paused) / played(plain) - 1) < 0.1)
    #expect(paused.views.count < plain.views.count)
    #expect(stalled(paused) <= stalled(plain) * 2 + 1_000_000_000)
  }

  /// Covers: VF-014, VF-015, VF-046.
  @Test func `what is held plays while the network is gone, and nothing more`() throws {
    let offline =
      "network.access=[{kind: lte, events: [{kind: offline, at: 40 s}]}]"
    func result(_ extra: [String]) throws -> FeedMeasures {
      try run(scenario([offline, "audience.sessionLength=2 min"] + extra)).measures
    }
    let stalling = try result(["client.offline={}"])
    let ending = try result(["client.offline={endsAtHole: true}"])
    let deeper = try result([
      "client.offline={}", "policy.prefetch.furtherLength=8 s", "policy.prefetch.concurrency=4",
    ])
    #expect(stalling.clientSide.offlineCuts > 20)
    #expect(stalling.clientSide.offlinePlayable > 0)
    #expect(stalling.clientSide.offlinePlayable < stalling.clientSide.offlineWanted)
    func share(_ measures: FeedMeasures) -> Double {
      Double(measures.clientSide.offlinePlayable) / Double(measures.clientSide.offlineWanted)
    }
    #expect(share(deeper) > share(stalling))
    func stalls(_ measures: FeedMeasures) -> Int64 {
      measures.views.reduce(0) { $0 + $1.stalled.nanoseconds }
    }
    #expect(stalls(ending) < stalls(stalling))
  }

  /// Covers: SIG-038, REEL-021, REEL-029.
  @Test func `without retries failing segments end views, and taps bring them back`() throws {
    func result(_ retry: String) throws -> FeedMeasures {
      try run(
        scenario([
          "network.access=[{kind: lte}]", "client.segmentErrorShare=0.1",
          "client.retry=\(retry)",
        ])
      ).measures
    }
    let (none, backoff, tap) = (
      try result("{kind: none}"), try result("{kind: backoff}"), try result("{kind: tap}")
    )
    #expect(none.clientSide.itemsGivenUp > 100 && none.clientSide.retryTaps == 0)
    #expect(backoff.clientSide.itemsGivenUp * 10 < none.clientSide.itemsGivenUp)
    #expect(tap.clientSide.retryTaps > 10)
  }

  /// Covers: REEL-014, REEL-015, REEL-022.
  @Test func `players that load by distance start swipes without any other prefetch`() throws {
    func wait(_ set: [String]) throws -> Double {
      let measures = try run(
        scenario(
          [
            "network.access=[{kind: lte}]", "policy.prefetch.headLength=0 s",
            "policy.pool={size: 5, ahead: 2, behind: 2}", "client.telemetry={}",
          ] + set)
      ).measures
      let swipes = measures.views.filter { !$0.flags.contains(.cold) }
      return Double(swipes.reduce(0) { $0 + $1.ttff.nanoseconds }) / Double(swipes.count)
    }
    #expect(try wait(["client.proximity={}"]) * 2 < wait([]))
  }

  /// Covers: X-003, VF-042.
  @Test func `items that play once are never played longer than they are`() throws {
    let measures = try run(
      scenario(["client.end={kind: preview, length: 3 s}"])
    ).measures
    #expect(measures.views.allSatisfy { $0.played <= .seconds(3) })
  }
}

struct `Delay histogram` {
  @Test func `a quantile is at most a thirty-second part too large`() {
    var histogram = DelayHistogram()
    var times: [Int64] = []
    var state: UInt64 = 7
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let time = Int64(state >> 33) << Int64(state >> 60)
      times.append(time)
      histogram.add(TimeSpan(nanoseconds: time))
    }
    times.sort()
    for p in [0.01, 0.25, 0.5, 0.95, 0.99, 1] {
      let exact = Double(times[max(0, Int((p * 20_000).rounded(.up)) - 1)])
      let found = Double(histogram.quantile(p)!)
      #expect(found >= exact - 1)
      #expect(found <= exact * (1 + 1.0 / 32) + 2000)
    }
    #expect(DelayHistogram().quantile(0.5) == nil)
  }
}
