import MediaUnits
import Models
import Scenario
import SimulationKernel
import Testing

/// Half a minute of viewers on a mixed feed.
private func surface(
  _ changes: [String] = [], window: String = "30 s", replication: UInt16 = 0
) throws -> FeedRunResult {
  let base = [
    "surface={}", "audience.viewsPerDayPerEdge=3456000", "audience.viewsPerSession=40",
    "audience.sessionLength={kind: lognormal, median: 60 s, sigma: 0.3}", "policy.pool.size=5",
    "policy.startupCap.rate=600 kbps",
  ]
  let made = try FeedStudy.parse(
    "version: 1\nname: test\n", file: "scenarios/test.yaml",
    overrides: (base + ["audience.window=\(window)"] + changes).map { Override(set: $0) })
  return try run(made, replication: replication)
}

struct `Surface world` {
  @Test func `the same seed gives the same run and another replication another one`() throws {
    let first = try surface()
    #expect(first.fingerprint == (try surface().fingerprint))
    #expect(first.fingerprint != (try surface(replication: 1).fingerprint))
    #expect(first.measures.views.count > 200)
  }

  @Test func `bytes balance and the parts of a start sum to it`() throws {
    let measures = try surface().measures
    for balance in measures.balances {
      #expect(balance.delivered == balance.rendered + balance.wasted + balance.stillBuffered)
      #expect(balance.prefetchedWasted <= balance.prefetched)
      #expect(balance.rendered >= 0 && balance.wasted >= 0)
    }
    for view in measures.views {
      let sum = StartupPart.allCases.reduce(Int64(0)) { $0 + view.part($1).nanoseconds }
      #expect(sum == view.ttff.nanoseconds)
    }
  }

  @Test func `a ready card that is told to play is shown after its presentation`() throws {
    let shown = (0..<3).map {
      "devices[\($0)].presentation={attach: 5 ms, refresh: 0 ms, composition: 0}"
    }
    let views = try surface(shown).measures.views
    let ready = views.filter { $0.flags.contains(.ready) && $0.hasStarted }
    // Some were on the screen before the list came to rest.
    #expect(ready.contains { $0.ttff == .zero })
    #expect(ready.allSatisfy { $0.part(.presentation) <= .milliseconds(5) })
    let waited = views.filter { $0.hasStarted && $0.part(.decoder) > .zero }
    #expect(waited.contains { $0.part(.presentation) == .milliseconds(5) })
    let off = try surface((0..<3).map { "devices[\($0)].presentation=none" })
    #expect(off.measures.views.allSatisfy { $0.part(.presentation) == .zero })
    #expect(off.measures.views.contains { $0.flags.contains(.ready) })
  }

  /// Covers: VF-008, VF-009, VF-019, VF-017.
  @Test func `three cards play at most, cells are recycled and crossings are few`() throws {
    let seen = try surface().measures.surface
    #expect(seen.mostPlaying == 3)
    #expect(seen.cellCreates * 2 < seen.binds)
    #expect(seen.crossingMessages * 5 < seen.frameMessages)
    #expect(seen.messages == seen.crossingMessages)
    #expect(seen.plays >= seen.pauses)
    let scripted = try surface(["surface.visibility.placement=script"]).measures.surface
    #expect(scripted.messages == scripted.frameMessages)
    #expect(scripted.mainThread > 0)
  }

  /// Covers: VF-002, VF-009.
  @Test func `a limit of one card lets one card play`() throws {
    #expect(try surface(["surface.visibility.carouselLimit=1"]).measures.surface.mostPlaying == 1)
  }

  /// Covers: VF-028, VF-029.
  @Test func `low-end devices play only what is tapped`() throws {
    let lowEnd = "devices=[{kind: low-end}]"
    let silent = try surface([lowEnd, "surface.scroll.taps=0"]).measures
    #expect(silent.surface.plays == 0 && silent.surface.mounts == 0)
    #expect(silent.views.isEmpty)
    let tapped = try surface([lowEnd, "surface.scroll.taps=1"]).measures
    #expect(tapped.surface.mostPlaying == 1)
    #expect(tapped.surface.plays > 0)
    let automatic = try surface([lowEnd, "surface.visibility.lowEndAutoplay=true"]).measures
    #expect(automatic.surface.plays > tapped.surface.plays)
  }

  /// Covers: VF-037, OQ-08.
  @Test func `under a trembling finger hysteresis saves the flaps of the thresholds as written`()
    throws
  {
    let hand = [
      "surface.scroll.trembles=1", "surface.scroll.trembleSpread=12",
      "surface.scroll.trembleTime={kind: uniform, min: 2 s, max: 6 s}",
    ]
    let written = try surface(hand, window: "90 s").measures.surface
    let hysteresis = try surface(
      hand + ["surface.visibility.thresholds.enter=0.35"], window: "90 s"
    ).measures.surface
    #expect(written.flaps > 10)
    #expect(hysteresis.flaps * 2 < written.flaps)
  }

  /// Covers: VF-039, OQ-09.
  @Test func `no player is mounted above the gate's speed`() throws {
    let open = try surface(["surface.gate={kind: none}"]).measures
    let shut = try surface(["surface.gate={kind: velocity, limit: 2}"]).measures
    let debounced = try surface(["surface.gate={kind: debounce, delay: 200 ms}"]).measures
    #expect(open.surface.flingMounts > 50)
    #expect(shut.surface.flingMounts == 0)
    #expect(debounced.surface.mounts < open.surface.mounts)
    #expect(shut.surface.mainThread < open.surface.mainThread)
  }

  /// Covers: VF-042, VF-043, VF-044, VF-045.
  @Test func `rotation plays more than once and previews end turns sooner`() throws {
    let once = try surface().measures.surface
    let rotating = try surface(["surface.visibility.sequence=rotating"]).measures.surface
    #expect(rotating.turns > once.turns)
    #expect(rotating.playTime > once.playTime)
    let short = try surface(["surface.visibility.carouselPreview=2 s"]).measures.surface
    #expect(short.turns > once.turns)
  }

  /// Covers: VF-016, VF-018.
  @Test func `a pool creates fewer players than mounts and surfaces that stay save main thread`()
    throws
  {
    let none = try surface(["surface.reuse=none"]).measures
    let pooled = try surface(["surface.reuse=players"]).measures
    let apart = try surface(["surface.reuse=surfaces"]).measures
    #expect(none.counts.playerRetargets == 0)
    #expect(pooled.counts.playerCreates <= 5 * pooled.counts.sessions)
    #expect(pooled.counts.playerCreates < none.counts.playerCreates)
    #expect(apart.surface.mainThread < pooled.surface.mainThread)
  }

  /// Covers: VF-028, VF-029.
  @Test func `a low-end device has one player`() throws {
    let counts = try surface(["devices=[{kind: low-end}]", "surface.scroll.taps=1"]).measures.counts
    #expect(counts.playerCreates > 0 && counts.playerCreates <= counts.sessions)
  }

  /// Covers: VF-016, SIG-022.
  @Test func `the pool's window prepares players for the neighbours of what plays`() throws {
    func seen(_ ahead: Int, _ behind: Int) throws -> FeedMeasures {
      try surface(["policy.pool.ahead=\(ahead)", "policy.pool.behind=\(behind)"]).measures
    }
    let (wide, narrow) = (try seen(2, 2), try seen(0, 0))
    // A Carousel plays three at once; without a window only the one in the middle has a player.
    #expect(wide.surface.mostPlaying == 3)
    #expect(narrow.surface.starvedPlays > 2 * wide.surface.starvedPlays)
    #expect(narrow.counts.playerCreates < wide.counts.playerCreates)
  }

  /// Covers: VF-009, SIG-022.
  @Test func `three that play side by side keep their players in a pool of three`() throws {
    let measures = try surface(["policy.pool.size=3", "surface.layout.carouselEvery=1"]).measures
    let seen = measures.surface
    #expect(seen.mostPlaying == 3)
    #expect(seen.starvedPlays * 20 < seen.plays)
    // The pool moves once for the cards of a Carousel, not once for each.
    #expect(measures.counts.playerRetargets < 2 * seen.plays)
  }

  /// Covers: SIG-026, SIG-028.
  @Test func `rungs follow the rule, the cap and the estimate, not the link's true mean`() throws {
    let fast = ["network.access=[{kind: wifi-good}]"]
    let ladder = try FeedStudy.parse(
      "version: 1\nname: x\n", file: "x.yaml"
    ).configuration.catalogue.ladder
    let highest = "policy.abr={kind: fixed, rung: \(ladder.top.index)}"
    func rungs(_ changes: [String]) throws -> [UInt8] {
      try surface(fast + changes).measures.views.filter(\.hasStarted).map(\.firstRung)
    }
    let bottom = try rungs(["policy.abr={kind: fixed, rung: 0}", "policy.startupCap.rate=none"])
    #expect(bottom.count > 100 && bottom.allSatisfy { $0 == 0 })
    let top = try rungs([highest, "policy.startupCap.rate=none"])
    #expect(top.allSatisfy { $0 == UInt8(ladder.top.index) })
    let capped = try rungs([highest, "policy.startupCap.rate=600 kbps"])
    #expect(capped.allSatisfy { ladder[RungIndex(UInt32($0))].bitsPerSecond <= 600_000 })
    // Nobody knows a link before its first transfer.
    let shy = try rungs(["policy.initialEstimate=300 kbps", "policy.startupCap.rate=none"])
    #expect(shy.contains(0) && shy.contains { $0 > 0 })
  }

  /// Covers: SIG-028.
  @Test func `a card that plays on leaves the cap behind`() throws {
    let shown = try surface(["network.access=[{kind: wifi-good}]"]).measures.shown
    let switched = shown.reduce(Int64(0)) { $0 + $1.switchedItems }
    #expect(switched > 3)
    let kept = try surface([
      "network.access=[{kind: wifi-good}]", "policy.startupCap.release={kind: played, length: 1 h}",
    ]).measures.shown
    #expect(kept.reduce(Int64(0)) { $0 + $1.switchedItems } == 0)
  }

  /// Covers: SIG-007.
  @Test func `lost packets make starts slower`() throws {
    func wait(_ loss: String) throws -> Int64 {
      try surface(["network.access=[{kind: lte, loss: \(loss)}]"]).measures.views
        .reduce(0) { $0 + $1.ttff.nanoseconds }
    }
    #expect(try wait("0.05") > wait("0"))
  }

  /// Covers: VF-005, VF-006.
  @Test func `a late request for the next page starves the viewer`() throws {
    let small = ["surface.layout.firstPage=4", "surface.layout.laterPages=4"]
    let late = try surface(small + ["surface.layout.pageTrigger=0"]).measures
    let early = try surface(small + ["surface.layout.pageTrigger=20"]).measures
    #expect(late.surface.starvations > 30)
    #expect(early.surface.starvations * 3 < late.surface.starvations)
  }

  /// Covers: SIG-035, REEL-030.
  @Test func `the fast rate settles sooner than the normal one`() throws {
    func settle(_ rate: String) throws -> Double {
      let seen = try surface(["surface.scroll.android=0", "surface.scroll.uikit=\(rate)"])
        .measures.surface
      return Double(seen.settleTime) / Double(seen.settles) / 1e9
    }
    let (normal, fast) = (try settle("normal"), try settle("fast"))
    // 0.5 s and 0.1 s times the logarithm of a fling's way in half points, 8.3 and 6.7; bursts and
    // the ends of the feed cut some of them.
    #expect(normal > 2.5 && normal < 4.5)
    #expect(fast > 0.5 && fast < 0.8)
  }

  /// Covers: VF-003.
  @Test func `the wrong reading of the shape shows other fractions`() throws {
    let portrait = try surface().measures
    let wide = try surface(["surface.shape={height: 9, width: 16}"]).measures
    // Lower widgets: more of them pass for the same way, and more are on the screen.
    #expect(wide.surface.binds > portrait.surface.binds * 3 / 2)
  }

  /// Covers: VF-047.
  @Test func `a tab that is left plays less`() throws {
    let always = try surface(["surface.scroll.leaves=0"]).measures.surface
    let often = try surface(["surface.scroll.leaves=0.5"]).measures.surface
    let share = { (seen: SurfaceMeasures) in Double(seen.playTime) / Double(seen.sessionTime) }
    #expect(share(often) < 0.7 * share(always))
  }

  /// Covers: VF-009, SIG-007.
  @Test func `time that cards play and stall is that of their own views`() throws {
    // Carousels alone, three cards at once: their time is not all one view's.
    let measures = try surface([
      "surface.layout.carouselEvery=1", "network.access=[{kind: 3g}]",
    ]).measures
    let played = measures.views.reduce(Int64(0)) { $0 + $1.played.nanoseconds }
    let stalled = measures.views.reduce(Int64(0)) { $0 + $1.stalled.nanoseconds }
    let waited = measures.views.reduce(Int64(0)) { $0 + $1.ttff.nanoseconds }
    #expect(played > 0 && stalled > 0)
    #expect(played * 3 < measures.surface.playTime * 2)
    #expect(stalled < measures.surface.stallTime)
    // One view after the other: no more than the sessions' time.
    #expect(played + stalled + waited <= measures.surface.sessionTime)
  }

  /// Covers: VF-001, VF-004, VF-005.
  @Test func `a first page that does not fill the first Carousel is followed by the next`() throws {
    let measures = try surface([
      "surface.layout.carouselEvery=1", "surface.layout.carouselCards=6",
      "surface.layout.firstPage=4", "surface.layout.laterPages=1",
      "surface.layout.pageTrigger=0",
    ]).measures
    #expect(measures.views.count > 100)
    #expect(measures.counts.feedPages > 3 * measures.counts.sessions)
  }

  /// Covers: VF-033.
  @Test func `nobody waits for a card that shows too little to play`() throws {
    // Nothing plays below a whole card, and rests rarely show one.
    let measures = try surface([
      "surface.visibility.thresholds={enter: 1, leave: 1}", "surface.scroll.trembles=0",
    ]).measures
    let never = measures.views.count { !$0.hasStarted }
    #expect(measures.views.count > 100)
    #expect(never * 5 < measures.views.count)
  }

  /// Covers: SIG-005.
  @Test func `a view that waited for an edge miss says for what and how long`() throws {
    let views = try surface(["surface.edgeHits=0.5"]).measures.views
    for view in views {
      let waited = view.upstreamWait > .zero
      #expect(view.flags.contains(.edgeMiss) == waited)
      #expect((view.answer.reason != .none) == waited)
      #expect(view.upstreamWait <= view.ttff && view.answer.wait <= view.ttff.nanoseconds)
    }
    #expect(views.contains { $0.upstreamWait > .zero })
    #expect(views.contains { $0.upstreamWait == .zero && $0.ttff > .zero })
  }
}
