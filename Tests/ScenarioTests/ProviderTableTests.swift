import FeedPolicy
import MediaUnits
import Models
import Scenario
import Testing

private func parsed(_ body: String) throws -> FeedStudy {
  try FeedStudy.parse("version: 1\nname: test\n" + body, file: "s.yaml")
}

/// The keys `cdn.providers` and `cdn.switching`.
@Suite struct ProviderTableTests {
  private static let two = "providers: [{name: a, share: 0.7}, {name: b, share: 0.3}]"

  @Test(arguments: [
    ("cdn: {providers: [{name: a, share: 1}]}", ["cdn.providers: expected none, or two and more"]),
    (
      "cdn: {providers: [{name: a, share: 0.5}, {name: a, share: 0.4}]}",
      [
        "cdn.providers[1].name: expected each name once",
        "cdn.providers: expected shares that are 1 together, got 0.9",
      ]
    ),
    ("cdn: {providers: [{name: a}, {name: b, share: 1}]}", ["cdn.providers[0].share"]),
    ("cdn: {switching: {kind: failover}}", ["cdn.switching: expected fixed, unless there are"]),
    ("cdn: {\(two), switching: {kind: hedged}}", ["cdn.switching.kind: expected"]),
    (
      "cdn: {\(two), switching: {kind: fixed, gain: 2}}",
      ["cdn.switching.gain: expected one of the keys kind, timeout"]
    ),
    (
      "cdn: {\(two), shield: none}\naudience: {background: {viewers: 5400000, viewsPerDay: 1}}",
      ["audience.background: expected none with cdn.providers"]
    ),
    ("cdn: {\(two), edges: 600, edgesBehindShield: 600}", ["cdn.edges: expected at most 500"]),
    (
      "cdn: {edge: {kind: infinite}, providers: [{name: a, share: 0.7, edgeCapacity: 1 GB}, "
        + "{name: b, share: 0.3}]}",
      ["cdn.providers[0].edgeCapacity: expected none with an infinite cdn.edge"]
    ),
    (
      "cdn: {\(two), regional: {kind: lru, count: 9}}",
      ["cdn.regional.count: expected at most 8 with 2 providers"]
    ),
    ("cdn: {\(two)}\nnetwork: {sharing: turns}", ["network.sharing: expected weights with"]),
    (
      "cdn: {\(two)}\naudience: {extraColdStarts: 5}", ["audience.extraColdStarts: expected 0 with"]
    ),
    (
      "cdn: {providers: [{name: a, share: 0.7, outages: [{kind: error, from: 9 s, length: 5 s}, "
        + "{kind: slow, by: 1 s, from: 10 s, length: 1 s}]}, {name: b, share: 0.3}]}",
      ["cdn.providers[0].outages[1].from: expected a time after the end"]
    ),
    (
      "cdn: {\(two)}\nbudgets: [{metric: \"provider_hit_ratio{provider=c}\", limit: \"> 1 %\"}]",
      ["budgets[0].metric: expected a provider of the scenario: a, b"]
    ),
  ])
  func `what contradicts itself gets its messages in one pass`(
    _ body: String, _ parts: [String]
  ) {
    do {
      _ = try parsed(body)
      Issue.record("accepted")
    } catch let error as ScenarioRejected {
      let found = error.problems.map(\.description)
      #expect(found.count == parts.count, "\(found)")
      for part in parts {
        #expect(found.contains { $0.contains(part) && $0.contains("s.yaml:") }, "\(part): \(found)")
      }
    } catch {
      Issue.record("another error: \(error)")
    }
  }

  @Test func `the keys of providers and of the choice arrive in the configuration`() throws {
    let study = try parsed(
      """
      cdn:
        providers:
          - {name: a, share: 0.7, edgeCapacity: 2 TB, transferPerGB: 0.02}
          - name: b
            share: 0.3
            detour: 15 ms
            shield: false
            outages:
              - {kind: unreachable, from: 1 min, length: 30 s}
              - {kind: slow, by: 2 s, from: 2 min, length: 5 s}
        switching:
          kind: measured
          timeout: 4 s
          failures: 3
          penalty: 9 s
          gain: 2
          hold: 7 s
          probeEvery: 5
      """)
    let configuration = study.configuration
    let (a, b) = (configuration.cdn.providers[0], configuration.cdn.providers[1])
    #expect(a.edgeCapacity == ByteCount(2_000_000_000_000) && a.transferPerGB == 0.02)
    #expect(a.hasShield && !b.hasShield && b.detour == .milliseconds(15))
    #expect(
      b.outages == [
        ProviderOutage(
          begin: .zero + .seconds(60), end: .zero + .seconds(90), kind: .unreachable),
        ProviderOutage(
          begin: .zero + .seconds(120), end: .zero + .seconds(125), kind: .slow(.seconds(2))),
      ])
    #expect(configuration.transport.detours == [.zero, .milliseconds(15)])
    let switching = configuration.cdn.switching
    #expect(switching.timeout == .seconds(4) && switching.policy.rule == .measured)
    #expect(switching.policy.failureLimit == 3 && switching.policy.penalty == .seconds(9))
    #expect(switching.policy.gain == 2 && switching.policy.hold == .seconds(7))
    #expect(switching.policy.probeEvery == 5)
    #expect(configuration.cdn.only(0).edge.capacity == ByteCount(2_000_000_000_000))
    #expect(configuration.cdn.only(0).shield != nil && configuration.cdn.only(1).shield == nil)
    #expect(study.providers == ["a", "b"])
    let names = FeedWorldPlan.standardNames(study)
    #expect(names.contains("provider_hit_ratio{provider=b}.ratio"))
    #expect(names.contains("rescued_view_ratio.ratio"))
  }

  @Test func `without providers nothing of them is there`() throws {
    let study = try parsed("")
    #expect(study.configuration.cdn.providers.isEmpty && study.providers.isEmpty)
    #expect(study.configuration.transport.detours.isEmpty)
    #expect(!FeedWorldPlan.standardNames(study).contains { $0.contains("provider") })
  }

  @Test(arguments: [
    ("fixed", ProviderSwitch.Rule.fixed), ("failover", .failover),
    ("measured", .measured), ("steering", .steered),
  ])
  func `each kind of choice is a rule of the machine`(
    _ word: String, _ rule: ProviderSwitch.Rule
  ) throws {
    let study = try parsed("cdn: {\(Self.two), switching: {kind: \(word)}}")
    #expect(study.configuration.cdn.switching.policy.rule == rule)
  }
}

extension FeedWorldPlan {
  /// The standard metrics of a study of a feed, as budgets write them.
  fileprivate static func standardNames(_ study: FeedStudy) -> [String] {
    study.feed.standardMetrics.map(\.description)
  }
}
