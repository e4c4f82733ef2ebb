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
    #expect(plain.measures.clientSide == ClientMeasures())
    #expect(plain.measures.swipes == [SwipeSums](repeating: SwipeSums(), count: 3))
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
      for cell in measures.swipes { sums.add(cell) }
      return sums
    }
    let none = try swipes("{kind: none}")
    let gate = try swipes("{kind: gate, attempts: none, timeout: none}")
    let escaping = try swipes("{kind: gate, attempts: 2, timeout: none}")
    #expect(none.snapBacks == 0 && none.covered > 0)
    // With a gate that never opens the active item is always ready: it is covered for as long as
    // the display takes, by class some 25 to 75 ms.
    #expect(gate.snapBacks > 0 && gate.escapes == 0)
    let covered = Double(gate.covered) / Double(max(1, gate.swipes)) / 1e6
    #expect(covered > 20 && covered < 80, "\(covered) ms a swipe")
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
    #expect(measures.counts.sessionsCut == 0)
    // A process that dies takes its view's end with it.
    #expect(told.viewStarts == told.viewEnds + measures.clientSide.kills)
    let known = measures.views.filter { $0.title != .max }
    #expect(told.viewStarts == Int64(known.count))
    let started = known.filter(\.hasStarted)
    #expect(told.firstFrames == Int64(started.count))
    let truth = started.reduce(0) { $0 + $1.ttff.nanoseconds / 1_000_000 }
    #expect(told.firstFrameTime == truth)
    // Every event has reached the ingest or never will.
    #expect(told.recorded == told.delivered + told.lost)
    #expect(told.lost > 0 && told.duplicated == 0)
    #expect(measures.eventDelays.count == told.delivered)
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
  @Test func `exploration items are a share of the feed and hit caches that cannot hold them less`()
    throws
  {
    func result(_ share: String) throws -> FeedMeasures {
      let changes = ["feed.exploration={share: \(share)}", "cdn.edge.capacity=1 GB"]
      return try run(scenario(changes, window: "3 min")).measures
    }
    let (none, some) = (try result("0"), try result("0.2"))
    #expect(none.clientSide.explorationItems == 0)
    let share = Double(some.clientSide.explorationItems) / Double(some.clientSide.items)
    #expect(abs(share - 0.2) < 0.01)
    func hits(_ measures: FeedMeasures) -> Double {
      Double(measures.edge.requests(.segment, .hit))
        / Double(measures.counts.requests)
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

  /// Covers: REEL-006, X-003.
  @Test func `what loops is played again after a gap and fetched once`() throws {
    func loop(_ most: Int, _ more: [String] = []) throws -> FeedMeasures {
      try run(
        scenario(
          [
            "client.end={kind: loop, gap: 400 ms}", "audience.maximumLoops=\(most)",
            "catalogue.duration={kind: uniform, min: 4 s, max: 16 s}",
            "audience.burstStart=0",
          ] + more)
      ).measures
    }
    let (once, often) = (try loop(0), try loop(6))
    #expect(once.clientSide.loops == 0)
    #expect(often.clientSide.loops > 100)
    #expect(often.clientSide.loopGap == often.clientSide.loops * 400_000_000)
    #expect(often.views.contains { $0.played > .seconds(40) })
    // Segments of an item are asked for once, however often it is played: no view costs more.
    func perView(_ measures: FeedMeasures) -> Double {
      Double(measures.balances.reduce(0) { $0 + $1.delivered }) / Double(measures.views.count)
    }
    #expect(perView(often) < perView(once) * 1.15)
    // Without the policy only short items go on by themselves, and without a gap.
    let usual = try loop(6, ["client.end={kind: audience}", "client.telemetry={}"])
    #expect(usual.clientSide.loops == 0)
    #expect(usual.views.allSatisfy { $0.played <= .seconds(70) })
    #expect(usual.views.count > often.views.count)
  }

  /// Covers: SIG-051.
  @Test func `a process that dies does not tell of the end of its view`() throws {
    let told = try run(
      scenario(["client.telemetry={}", "client.crashShare=0.05"])
    ).measures.clientSide
    #expect(told.kills > 20)
    #expect(told.telemetry.viewStarts - told.telemetry.viewEnds == told.kills)
  }

  /// Covers: SIG-038.
  @Test func `an error has no body`() throws {
    let measures = try run(
      scenario([
        "client.segmentErrorShare=1", "client.retry={kind: none}", "policy.player.posters=false",
      ])
    ).measures
    #expect(measures.clientSide.segmentErrors > 100)
    #expect(measures.views.allSatisfy { !$0.hasStarted })
    // Init segments of 1.7 kB alone.
    let delivered = measures.balances.reduce(0) { $0 + $1.delivered }
    #expect(delivered <= 1_700 * measures.counts.requests)
    #expect(measures.balances.allSatisfy { $0.delivered < 20_000 * 1_000 })
    #expect(delivered < measures.clientSide.segmentErrors * 10_000)
  }

  /// Covers: VF-013, VF-048.
  @Test(arguments: ["hls", "dash"])
  func `a prefetch of playlists stays there with audio apart`(packaging: String) throws {
    let measures = try run(
      scenario([
        "catalogue.audio=96 kbps", "catalogue.packaging=\(packaging)",
        "policy.prefetch={kind: playlists}", "network.access=[{kind: 3g}]",
      ])
    ).measures
    #expect(measures.counts.prefetchReached > 100)
    #expect(measures.balances.allSatisfy { $0.prefetched == 0 })
  }

  /// Covers: REEL-014, REEL-017.
  @Test func `the active buffer holds on the top rung, too`() throws {
    func delivered(_ set: [String]) throws -> Double {
      let measures = try run(
        scenario(
          [
            "policy.player={kind: dash.js}", "catalogue.ladder=[600 kbps]",
            "policy.prefetch={kind: connection}", "catalogue.duration=60 s",
          ] + set)
      ).measures
      return Double(measures.balances.reduce(0) { $0 + $1.delivered })
        / Double(measures.views.count)
    }
    let near = "near: {buffer: 0 s}, far: {buffer: 0 s}"
    let long = try delivered(["client.proximity={\(near)}"])
    let short = try delivered(["client.proximity={activeBuffer: 4 s, \(near)}"])
    #expect(short * 1.3 < long)
  }

  /// Covers: REEL-014, VF-026.
  @Test func `what a player wants of its item is not taken back with a prefetch`() throws {
    func cancelled(_ suspends: Bool) throws -> Int64 {
      try run(
        scenario([
          "network.access=[{kind: 3g}]", "client.proximity={near: {buffer: 6 s}}",
          "policy.prefetch={kind: head, itemsAhead: 1, headLength: 6 s, pauseBelowBuffer: 0 s, "
            + "suspendOnStall: \(suspends)}",
        ])
      ).measures.counts.cancelledRequests
    }
    // The player of the next item loads on while the prefetch policy is suspended.
    #expect(try cancelled(true) <= cancelled(false) * 11 / 10)
  }

  /// Covers: SIG-009, SIG-052.
  @Test func `a hand-over counts no page twice and loses no second copy of a post`() throws {
    let events = stride(from: 3, to: 120, by: 3).map {
      "{kind: hand-over, at: \($0) s, outage: 300 ms}"
    }.joined(separator: ", ")
    let measures = try run(
      scenario(
        [
          "network.access=[{kind: lte, events: [\(events)]}]", "feed.ranker={}",
          "client.telemetry={delivery: retry, flush: {kind: window, length: 100 ms}, "
            + "latency: 400 ms}",
        ], window: "3 min")
    ).measures
    #expect(measures.counts.repeatedRequests > 100)
    #expect(measures.clientSide.pages <= measures.counts.feedPages)
    #expect(measures.clientSide.pages > measures.counts.feedPages * 9 / 10)
    // No post fails by itself here: what is counted twice was repeated because its answer was lost.
    #expect(measures.clientSide.telemetry.duplicated > 0)
  }

  /// Covers: REEL-026.
  @Test func `a draft is found again by a viewer who comes back`() throws {
    func drafts(_ share: Double) throws -> ClientMeasures {
      try run(
        scenario([
          "client.pauses=[{kind: typing, share: 0.3, length: 1 s, sentShare: \(share)}]",
          "audience.backSwipe=0.3",
        ])
      ).measures.clientSide
    }
    #expect(try drafts(1).drafts == 0)
    let kept = try drafts(0)
    #expect(kept.drafts > 100 && kept.draftsRestored > 20)
    // Every typed message that is not sent is a draft, unless its view ended meanwhile.
    #expect(kept.drafts <= kept.pauses)
  }

  /// Covers: SIG-031, SIG-032, SIG-034.
  @Test func `the storyboard's text finds the sprites that the layout has`() throws {
    func scrubs(_ set: [String]) throws -> FeedMeasures {
      try run(
        scenario(
          [
            "audience.personas=[{kind: scrubber, scrub: 0.5}]", "audience.scrubHold=3 s",
            "catalogue.duration=50 s",
          ] + set)
      ).measures
    }
    let layout = try scrubs([])
    let text = try scrubs(["client.storyboard=text"])
    #expect(layout.counts.scrubs > 50 && text.counts.scrubs == layout.counts.scrubs)
    #expect(text.counts.scrubLookups == layout.counts.scrubLookups)
    // What is looked up before the text is there finds nothing.
    #expect(text.counts.spriteHits <= layout.counts.spriteHits)
    #expect(text.counts.spriteHits * 10 > layout.counts.spriteHits * 8)
    // At most eight lookups a second and one more.
    #expect(layout.counts.scrubLookups <= layout.counts.scrubs * (3 * 8 + 1))
  }

  /// Covers: VF-021, VF-022.
  @Test func `a small disk loses what was prefetched before it is of use`() throws {
    func lost(_ rule: String, _ size: String) throws -> Double {
      let told = try run(
        scenario([
          "devices=[{kind: mid, diskCache: \(size)}]", "client.disk=\(rule)",
          "client.placeholder=black", "client.telemetry={}",
        ])
      ).measures.clientSide
      #expect(told.storedAhead > 1000 && told.evictedAhead <= told.storedAhead)
      return Double(told.evictedAhead) / Double(told.storedAhead)
    }
    for rule in ["shared", "categories", "segmented", "prefixes"] {
      // A title that comes again may have lost what it had the first time.
      #expect(try lost(rule, "256 MiB") < 0.01)
    }
    let shared = try lost("shared", "2 MB")
    let categories = try lost("categories", "2 MB")
    #expect(shared > 0.3 && categories < shared)
    // A fifth of the bytes for what is prefetched holds less of it than all of them do.
    #expect(try lost("segmented", "2 MB") > shared)
    // The start of one title is not pushed out by the rest of another.
    #expect(try lost("prefixes", "2 MB") * 2 < categories)
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
