import Testing

@testable import Scenario

@Suite struct KeyStepsTests {
  private static func scenario(_ text: String = "") throws -> StudyScenario {
    try StudyScenario.parse("version: 1\nname: steps\n" + text, file: "steps.yaml")
  }

  private static func steps(_ path: String, _ text: String = "") throws -> [String] {
    try SettableKey(path, in: scenario(text)).steps()
  }

  @Test func numbersHaveRoundOnesAround() throws {
    #expect(
      try Self.steps("policy.prefetch.headLength")
        == ["0 s", "1.5 s", "3 s", "4.5 s", "6 s", "9 s", "12 s", "24 s"])
    #expect(
      try Self.steps("policy.startupCap.rate") == [
        "150 kbps", "300 kbps", "450 kbps", "600 kbps", "900 kbps", "1.2 Mbps", "2.4 Mbps",
        "none",
      ])
    #expect(
      try Self.steps("audience.viewsPerDayPerEdge", "audience: {viewsPerDayPerEdge: 1500000}")
        == ["350000", "750000", "1200000", "1500000", "2000000", "3000000", "6000000"])
    #expect(
      try Self.steps("cdn.edge.capacity", "cdn: {edge: {capacity: 256 MiB}}")
        .contains("64 MiB"))
  }

  @Test func wholeNumbersHaveTheirNeighbours() throws {
    #expect(try Self.steps("policy.pool.size") == ["1", "2", "3", "4", "5", "6"])
    #expect(try Self.steps("policy.pool.behind") == ["0", "1", "2", "3", "4"])
    #expect(try Self.steps("catalogue.titles", "catalogue: {titles: 1000}").contains("4000"))
  }

  @Test func sharesStayBetweenNothingAndAll() throws {
    #expect(
      try Self.steps("audience.backSwipe")
        == ["0", "0.012", "0.025", "0.04", "0.05", "0.075", "0.1", "0.2"])
    #expect(
      try Self.steps("audience.backSwipe", "audience: {backSwipe: 0.98}").last == "1")
    #expect(
      try Self.steps("network.resumption") == ["0", "0.05", "0.1", "0.25", "0.5", "1"])
  }

  @Test func wordsFlagsAndLaddersAreWhole() throws {
    #expect(try Self.steps("network.http") == ["\"1.1\"", "\"2\"", "\"3\""])
    #expect(try Self.steps("policy.prefetch.suspendOnStall") == ["false", "true"])
    #expect(try Self.steps("policy.prefetch.kind").contains("hazard"))
    #expect(
      try Self.steps("catalogue.ladder", "catalogue: {ladder: [300 kbps, 1 Mbps]}")
        == ["[300 kbps]", "[300 kbps, 1 Mbps]", "[300 kbps, 1 Mbps, 2 Mbps]"])
  }

  /// Each step of a key can be set, or the whole scenario says why not.
  @Test(arguments: [
    "policy.pool.size", "policy.prefetch.headLength", "cdn.ttl.segments.maxAge",
    "devices[0].weight", "network.access[0].roundTrip.median", "cdn.edge.capacity",
    "policy.abr.fraction",
  ]) func stepsCanBeSet(path: String) throws {
    let scenario = try Self.scenario()
    let key = try SettableKey(path, in: scenario)
    let steps = try key.steps()
    #expect(steps.contains(key.text))
    #expect(Set(steps).count == steps.count)
    for step in steps {
      let other = try StudyScenario.rebuilt(
        scenario, overrides: [Override(set: "\(path)=\(step)")])
      #expect((other.resolvedText == scenario.resolvedText) == (step == key.text), "\(step)")
    }
  }

  @Test(arguments: [
    ("policy.pol.size", "did you mean policy.pool"), ("budgets", "a list"), ("policy", "a mapping"),
    ("name", "a name of"), ("devices[7].weight", "devices[7]"), ("network.http.more", "more"),
    ("policy.prefetch.cover", "none"), ("", "key path"),
  ]) func whatCannotBeTurnedSaysWhy(path: String, words: String) throws {
    let scenario = try Self.scenario()
    #expect {
      _ = try SettableKey(path, in: scenario).steps()
    } throws: { error in
      (error as? SettableKey.Fault)?.description.contains(words) == true
    }
  }

  @Test func numbersAreRound() {
    #expect(RoundNumber.near(1.75) == 1.8)
    #expect(RoundNumber.near(0.0625) == 0.06)
    #expect(RoundNumber.near(375_000) == 350_000 || RoundNumber.near(375_000) == 400_000)
    #expect(RoundNumber.near(97) == 97)
    #expect(RoundNumber.near(0) == 0)
  }
}
