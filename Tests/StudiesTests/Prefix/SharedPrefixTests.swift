import MediaUnits
import Models
import Scenario
import SimulationKernel
import Testing

@testable import Studies

/// Becomes the run of one of the variants that it stands for.
///
/// Unchecked: one run has it.
private final class Becoming: RunFork, @unchecked Sendable {
  private var tree: PrefixTree
  private let member: Int
  private let faults: (Int) -> CDNFaults
  private(set) var partings = 0

  init(_ member: Int, of tree: PrefixTree, _ faults: @escaping (Int) -> CDNFaults) {
    self.member = member
    self.tree = tree
    self.faults = faults
  }

  var next: Instant? { tree.parting }

  func pass() -> CDNFaults {
    partings += 1
    guard let branch = tree.branches.first(where: { $0.members.contains(member) }) else {
      preconditionFailure("a member is in a branch")
    }
    tree = branch
    return faults(tree.members[0])
  }
}

/// Runs that begin as another variant's, against the same from their beginning.
@Suite struct SharedPrefixTests {
  private static let outages = [
    "[]", "[{kind: error, from: 70 s, length: 20 s}]",
    "[{kind: timeout, from: 70 s, length: 15 s}]",
    "[{kind: error, from: 40 s, length: 5 s}, {kind: unreachable, from: 100 s, length: 20 s}]",
  ]
  private static let purges = [
    "[]", "[{at: 60 s}]", "[{at: 80 s, classes: [playlists, segments]}]",
  ]

  private func sweep(_ changes: [String], store: ShardStore? = nil) throws -> Sweep {
    let vary =
      "{cdn.origin.outages: [\(SharedPrefixTests.outages.joined(separator: ", "))], "
      + "cdn.purges: [\(SharedPrefixTests.purges.joined(separator: ", "))]}"
    let scenario = try StudyScenario.parse(
      "version: 1\nname: test\n", file: "test.yaml",
      overrides: ([
        "audience.window=2 min", "audience.drain=20 s", "audience.viewsPerDayPerEdge=300000",
        "audience.sessionLength=40 s", "catalogue.titles=2000", "cdn.ttl.playlists.maxAge=10 s",
        "cdn.ttl.mediaManifest.maxAge=10 s", "sweep.vary=\(vary)", "sweep.design={kind: grid}",
        "sweep.replications=2",
      ] + changes).map { Override(set: $0) })
    return try Sweep(scenario, plan: scenario.sweep, threads: 1, store: store)
  }

  /// In one piece and in parts, with caches of every start, a line at the origin, viewers by their
  /// law and views that are summed up.
  @Test(arguments: [
    ["cdn.edges=1"], ["cdn.edges=1", "cdn.origin.concurrency=3"],
    ["cdn.edges=1", "cdn.shield=none", "cdn.start={kind: cold}", "audience.warmUp=20 s"],
    ["cdn.edges=4"], ["cdn.edges=3", "cdn.start={kind: cold}", "audience.warmUp=50 s"],
    ["cdn.edges=3", "cdn.regional={kind: lru, count: 2, capacity: 4 GiB}"],
    ["cdn.edges=2", "audience.viewsPerDayPerEdge=3000000", "audience.sampling={share: 10 %}"],
    ["cdn.edges=2", "audience.background={viewers: 5400000, viewsPerDay: 1}"],
  ])
  func `a run that becomes another one's is that one`(_ changes: [String]) throws {
    let study = try sweep(changes).study
    let plan = study.prefixPlan(0..<1)
    let unit = try #require(plan.units.first)
    #expect(plan.units.count == 1 && unit.tree.members == Array(study.variants.indices))
    #expect(plan.variants == study.variants.count && plan.saved > 1)
    let runner = try study.prefixRunner(unit.tree)
    var texts: Set<String> = []
    for variant in study.variants.indices {
      let fork = Becoming(variant, of: unit.tree, study.faults)
      let record = try runner.run(0, fork: fork)
      let alone = try #require(
        try study.runner(study.variants[variant].scenario).digest(0))
      #expect(record == ReplicationRecord(alone), "\(study.variants[variant].label)")
      #expect(fork.partings > 0)
      texts.insert(record.fingerprint)
    }
    // Or it would show nothing.
    #expect(texts.count > study.variants.count / 2, "\(texts.count)")
  }

  @Test func `views that are summed up are parted, too`() throws {
    let study = try sweep(["cdn.edges=2"]).study
    let tree = try #require(study.prefixPlan(0..<1).units.first?.tree)
    for variant in [1, study.variants.count - 1] {
      func runner(_ scenario: StudyScenario) throws -> ReplicationRunner {
        try ReplicationRunner(
          scenario.plan,
          ReplicationRequest(
            seed: 5, metrics: study.metrics, lateLimit: .seconds(1), mostRows: 0))
      }
      let fork = Becoming(variant, of: tree, study.faults)
      let parted = try runner(study.variants[tree.members[0]].scenario).digest(0, fork: fork)
      let alone = try runner(study.variants[variant].scenario).digest(0)
      #expect(
        try ReplicationRecord(#require(parted)) == ReplicationRecord(#require(alone)))
    }
  }

  @Test func `nothing is shared when anything else differs, or too early`() throws {
    func units(_ vary: String, _ changes: String...) throws -> Int {
      try sweep(["sweep.vary=\(vary)"] + changes).study.prefixPlan(0..<2).units.count
    }
    #expect(try units("{policy.pool.size: [1, 2, 3]}") == 0)
    #expect(try units("{cdn.origin.concurrency: [5, 50], cdn.shield: [none]}") == 0)
    #expect(try units("{cdn.purges: [[], [{at: 1 s}]]}") == 0)
    #expect(try units("{cdn.purges: [[], [{at: 60 s}]]}", "audience.extraColdStarts=5") == 0)
    // Two families of two, in two replications.
    #expect(
      try units("{cdn.purges: [[], [{at: 60 s}]], policy.pool.size: [1, 2]}") == 4)
    // Of three, two.
    #expect(try units("{cdn.purges: [[], [{at: 0 s}], [{at: 60 s}]]}") == 2)
  }

  @Test func `what is kept already is not begun again`() throws {
    let study = try sweep([]).study
    let some = study.prefixPlan(0..<2) { variant, replication in variant < 3 && replication == 1 }
    #expect(some.units.map(\.replication) == [1])
    #expect(some.units.first?.tree.members == [0, 1, 2])
    #expect(study.prefixPlan(0..<2) { variant, _ in variant == 4 }.units.isEmpty)
  }
}
