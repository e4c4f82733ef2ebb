import MediaUnits
import Models
import Scenario
import Studies
import Testing

/// Two runs of the same viewers beside each other.
@Suite struct ValidationTests {
  private func parts(_ changes: [String], seed: UInt64? = nil) throws -> [FeedMeasures] {
    let text = "version: 1\nname: test\ncdn: {ttl: {segments: {maxAge: 7 d}}}\n"
    let scenario = try FeedStudy.parse(
      text, file: "test.yaml",
      overrides: (["audience.window=2 min", "audience.drain=10 s"] + changes).map {
        Override(set: $0)
      })
    let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
    return try FeedRun.parts(
      scenario.configuration, plan: plan, seed: seed ?? scenario.seed, count: 6
    ).map(\.measures)
  }

  @Test func `a run agrees with itself`() throws {
    let one = try parts([])
    let validation = try Validation(simulated: one, live: one)
    #expect(validation.verdict == .agrees)
    #expect(validation.exitCode == 0)
    #expect(validation.rows.count > 12)
    #expect(validation.curves.allSatisfy { $0.distance == 0 })
    #expect(validation.rows.allSatisfy { $0.simulated == $0.live })
  }

  @Test func `60 ms more round trip differ in cold starts and nowhere in requests`() throws {
    let one = try parts([])
    let far = try parts([
      "network.access[0].roundTrip={kind: lognormal, median: 80 ms, sigma: 0.35}"
    ])
    let validation = try Validation(simulated: one, live: far)
    let row = try #require(validation.rows.first { $0.name == "ttff_cold_ms.p50" })
    #expect(row.verdict == .differs)
    #expect(validation.verdict == .differs)
    #expect(validation.exitCode == 10)
    let interval = try #require(row.interval)
    #expect(interval.lower > 0)
    // Most swipes find their video prefetched on both sides and pay for the display alone.
    let swipe = try #require(validation.rows.first { $0.name == "ttff_swipe_ms.p50" })
    #expect(swipe.verdict == .agrees)
    #expect((swipe.interval?.halfWidth ?? .infinity) < 2)
  }

  @Test func `the parts of cold starts say where a longer round trip is`() throws {
    let one = try parts([])
    let far = try parts([
      "network.access[0].roundTrip={kind: lognormal, median: 80 ms, sigma: 0.35}"
    ])
    let startup = try #require(try Validation(simulated: one, live: far).startups.first)
    #expect(startup.clock == .cold)
    #expect(startup.sessions > 20)
    let sums = startup.parts.reduce((0.0, 0.0)) { ($0.0 + $1.simulated, $0.1 + $1.live) }
    let views = [one, far].map { side in
      side.flatMap(\.views).filter { $0.flags.contains(.cold) && $0.hasStarted }
    }
    // Few sessions start on one side only, so the parts' means sum to nearly the mean of all.
    for (sum, views) in zip([sums.0, sums.1], views) {
      let mean = views.reduce(0) { $0 + $1.ttff.seconds * 1000 } / Double(views.count)
      #expect(abs(sum / mean - 1) < 0.05)
    }
    let decoding = try #require(startup.parts.first { $0.name == "first_decode" })
    #expect(decoding.interval.map { $0.lower <= 0 && 0 <= $0.upper } ?? false)
    let playlists = try #require(startup.parts.first { $0.name == "playlists" })
    #expect(try #require(playlists.interval).lower > 0)
  }

  @Test func `views are paired one by one, and a difference is explained by its part`() throws {
    let one = try parts([])
    let slow = try parts([
      "devices=[{kind: high, firstDecode: 45 ms}, {kind: mid, firstDecode: 60 ms}, "
        + "{kind: low-end, firstDecode: 110 ms}]"
    ])
    let plain = try parts(["devices=[{kind: high}, {kind: mid}, {kind: low-end}]"])
    let same = try Validation(simulated: one, live: one)
    for startup in same.startups {
      #expect(startup.pairs > 20 && startup.onlySimulated == 0 && startup.onlyLive == 0)
      #expect(startup.explanation == nil)
      #expect(startup.spread?.p5 == 0 && startup.spread?.p95 == 0)
    }
    let views = one.reduce(0) { $0 + $1.views.count }
    let lines = same.pairsText.split(separator: "\n")
    #expect(lines[0] == "session,item,clock,simulated_ms,live_ms")
    #expect(lines.count == views + 1)
    // Each decodes 30 ms longer; what was waited for meanwhile hides some of that.
    let cold = try #require(try Validation(simulated: plain, live: slow).startups.first)
    let (part, share) = try #require(cold.explanation)
    #expect(part.name == "first_decode")
    #expect(share > 0.9 && share < 1.1)
    let spread = try #require(cold.spread)
    #expect(abs(spread.p50 - 30) < 1)
    let whole = try #require(cold.whole)
    #expect(abs(cold.parts.reduce(0) { $0 + $1.live } - whole.live) < 0.01)
  }

  @Test func `views that a side lacks are counted and are no pairs`() throws {
    let one = try parts([])
    let short = try parts(["audience.sessionLength=20 s"])
    let swipes = try #require(try Validation(simulated: one, live: short).startups.last)
    #expect(swipes.clock == .swipe)
    #expect(swipes.onlySimulated > swipes.onlyLive)
    #expect(swipes.pairs > 20)
  }

  @Test func `other viewers of the same law are told from the same ones`() throws {
    let one = try parts([])
    let other = try parts([], seed: 77)
    let validation = try Validation(simulated: one, live: other)
    // Counts of other draws are not within 1 %, and no interval is hidden by that.
    #expect(validation.verdict != .agrees)
  }

  @Test func `a side without views has no data, which is no agreement`() throws {
    let one = try parts([])
    let none = try parts(["audience.viewsPerDayPerEdge=1"])
    let validation = try Validation(simulated: one, live: none)
    #expect(validation.rows.contains { $0.verdict == .noData })
    #expect(validation.verdict != .agrees)
  }
}
