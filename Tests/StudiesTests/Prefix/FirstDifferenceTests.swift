import MediaUnits
import Models
import Scenario
import Testing

@testable import Studies

/// From when on two scenarios can differ: the rule, key by key.
@Suite struct FirstDifferenceTests {
  private static let text = """
    version: 1
    name: test
    network: {access: [{kind: wifi-good}]}
    audience: {window: 10 min, warmUp: 1 min}
    catalogue: {titles: 500}
    cdn: {start: {kind: cold}, originFirstByte: 100 ms}

    """

  private func scenario(_ changes: String...) throws -> StudyScenario {
    try StudyScenario.parse(
      FirstDifferenceTests.text, file: "test.yaml", overrides: changes.map { Override(set: $0) })
  }

  private func first(_ a: StudyScenario, _ b: StudyScenario) -> Instant? {
    let there = FirstDifference.between(a, b)
    #expect(FirstDifference.between(b, a) == there)
    return there
  }

  /// Seconds of the measured time, which begins a minute after the run does.
  private func measured(_ seconds: Int64) -> Instant { Instant.zero + .seconds(60 + seconds) }

  @Test func `the same scenario never differs from itself`() throws {
    #expect(try first(scenario(), scenario()) == nil)
    let outage = "cdn.origin.outages=[{kind: error, from: 3 min, length: 10 s}]"
    #expect(try first(scenario(outage), scenario(outage)) == nil)
  }

  @Test func `outages and purges differ from their time on`() throws {
    let base = try scenario()
    let outage = try scenario("cdn.origin.outages=[{kind: error, from: 3 min, length: 10 s}]")
    let longer = try scenario("cdn.origin.outages=[{kind: error, from: 3 min, length: 20 s}]")
    let later = try scenario(
      "cdn.origin.outages=[{kind: error, from: 3 min, length: 10 s}, "
        + "{kind: timeout, from: 5 min, length: 10 s}]")
    let purge = try scenario("cdn.purges=[{at: 2 min}]")
    let ahead = TimeSpan.milliseconds(101)
    #expect(first(base, outage) == measured(180) - ahead)
    #expect(first(outage, longer) == measured(180) - ahead)
    #expect(first(outage, later) == measured(300) - ahead)
    #expect(first(base, purge) == measured(120))
    #expect(first(purge, later) == measured(120))
  }

  /// One of every section, and such as are near the two.
  @Test(arguments: [
    "seed=7", "name=other", "network.access[0].kind=3g", "network.access[0].uplink=9 Mbps",
    "audience.window=9 min", "audience.warmUp=2 min", "audience.viewsPerDayPerEdge=200000",
    "audience.crowds=[{name: late, from: 9 min, length: 30 s, factor: 2}]",
    "catalogue.titles=501",
    "catalogue.republish=[{at: 9 min, titles: 10}]", "policy.pool.size=2",
    "policy.prefetch.headLength=1 s", "feed.latency=90 ms", "cdn.edges=2",
    "cdn.edge.capacity=3 GB", "cdn.shield=none", "cdn.originFirstByte=110 ms",
    "cdn.origin.concurrency=50", "cdn.origin.requestsPerSecond=100", "cdn.origin.slowDownTime=9 ms",
    "cdn.ttl.segments.maxAge=8 d", "cdn.start={kind: stationary}",
    "cdn.cacheKey={kind: query, values: 2}", "cdn.edgeToShield=30 ms", "cdn.backhaulFloor=9 ms",
    "windows=[{name: late, from: 9 min, to: 10 min}]",
    "budgets=[{metric: ttff_ms.p95, limit: \"< 2 s\"}]",
  ])
  func `with any other key they may differ from the beginning`(_ change: String) throws {
    let late = "cdn.origin.outages=[{kind: error, from: 9 min, length: 10 s}]"
    #expect(try first(scenario(), scenario(change)) == .zero)
    #expect(try first(scenario(late), scenario(change)) == .zero)
    #expect(try first(scenario(), scenario(late, change)) == .zero)
  }

  @Test func `the short form is another run, and other worlds begin as they are`() throws {
    let short = try StudyScenario.parse(
      FirstDifferenceTests.text, file: "test.yaml",
      overrides: [Override(set: "short.window=10 min")], short: true)
    let whole = try StudyScenario.parse(
      FirstDifferenceTests.text, file: "test.yaml",
      overrides: [Override(set: "short.window=10 min")])
    #expect(first(short, whole) == .zero)
    let messages = try StudyScenario.parse(
      "version: 1\nname: test\nworld: messages\n", file: "messages.yaml")
    #expect(first(messages, messages) == .zero)
    let cold = try scenario("audience.extraColdStarts=10")
    #expect(first(cold, cold) == .zero)
  }

  @Test func `keys are told by their whole paths`() {
    for key in ["cdn.origin.outages", "cdn.purges", "cdn.purges[0].at", "cdn.origin.outages[1]"] {
      #expect(FirstDifference.isLate(key))
    }
    for key in ["cdn.origin", "cdn", "cdn.purgesToo", "cdn.origin.outagesPerDay", "purges"] {
      #expect(!FirstDifference.isLate(key))
    }
  }
}
