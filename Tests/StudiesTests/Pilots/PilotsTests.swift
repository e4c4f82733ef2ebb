import CacheModel
import Foundation
import Models
import Scenario
import SimulationKernel
import Testing

@testable import FeedModel
@testable import Studies

/// Sessions are short, so that pilots are.
private func scenario(_ changes: [String] = []) throws -> StudyScenario {
  try StudyScenario.parse(
    "version: 1\nname: test\nbudgets:\n  - {metric: ttff_ms.p95, limit: \"< 2 s\"}\n",
    file: "scenarios/test.yaml",
    overrides: ([
      "audience.window=20 s", "audience.sessionLength=20 s", "catalogue.titles=2000",
      "cdn.edge.capacity=20 GB", "replications=2",
    ] + changes).map { Override(set: $0) })
}

private func feed(_ changes: [String] = []) throws -> FeedConfiguration {
  try #require(try scenario(changes).feed).configuration
}

/// What replications can see of a plan.
private struct Shown: Equatable {
  var viewsPerSession: Double
  var untouched: TierContents
  /// All of the demand, its clock included, as it is shown by reflection.
  var demand: String

  init(_ plan: FeedPlan) {
    viewsPerSession = plan.viewsPerSession
    untouched = plan.untouched
    demand = "\(plan.demand as Any)"
  }
}

@Suite struct PilotsTests {
  /// Scenarios, and how many pilots and fillings they need after the first one.
  private static let variants: [([String], pilots: Int, fillings: Int)] = [
    ([], 0, 0),
    (["audience.window=50 s", "replications=7", "budgets=[]"], 0, 0),
    (["cdn.edge.capacity=10 GB"], 0, 1),
    (["cdn.edge.kind=sieve", "cdn.originFirstByte=1 s"], 0, 0),
    (["cdn.shield=none"], 0, 1),
    (["audience.viewsPerDayPerEdge=100000"], 0, 1),
    (["audience.background={viewers: 1000000, viewsPerDay: 100}"], 1, 1),
    // The same fillings, of another time.
    (["audience.background={viewers: 1000000, viewsPerDay: 100}", "audience.window=50 s"], 0, 0),
    (
      [
        "audience.background={viewers: 1000000, viewsPerDay: 100}", "audience.window=50 s",
        "audience.drain=7 s",
      ], 0, 0
    ),
    (["policy.prefetch={kind: connection}"], 1, 1),
    (["cdn.ttl.segments.maxAge=1 h"], 1, 1),
    (["seed=77"], 1, 1),
    (["cdn.start={kind: cold}"], 0, 0),
    (["cdn.edge.kind=infinite", "cdn.shield=none"], 0, 0),
  ]

  @Test func `a plan is the same bytes however it was come by`() async throws {
    try await inPilotFolder { folder in
      let shared = Pilots(store: PilotStore(folder: folder) { "1" })
      for (changes, pilots, fillings) in [([], 1, 1)] + PilotsTests.variants {
        let made = try scenario(changes)
        let configuration = try #require(made.feed).configuration
        let before = shared.work
        let plan = Shown(try shared.plan(configuration, seed: made.seed))
        #expect(shared.work.pilots - before.pilots == pilots, "\(changes)")
        #expect(shared.work.fillings - before.fillings == fillings, "\(changes)")
        #expect(plan == Shown(try FeedRun.plan(configuration, seed: made.seed)), "\(changes)")
        // As by the next run of the program.
        let next = Pilots(store: PilotStore(folder: folder) { "1" })
        #expect(Shown(try next.plan(configuration, seed: made.seed)) == plan, "\(changes)")
        #expect(next.work == (0, 0), "\(changes)")
      }
    }
  }

  @Test func `another program and a damaged file count anew, and mend it`() async throws {
    let configuration = try feed()
    try await inPilotFolder { folder in
      func plan(_ program: String) throws -> (plan: Shown, work: Int) {
        let pilots = Pilots(store: PilotStore(folder: folder) { program })
        let shown = Shown(try pilots.plan(configuration, seed: 1))
        return (shown, pilots.work.pilots + pilots.work.fillings)
      }
      let first = try plan("1")
      #expect(first.work == 2)
      #expect(try plan("1").work == 0)
      let other = try plan("2")
      #expect(other.work == 2 && other.plan == first.plan)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.count == 4)
      for name in names {
        let path = URL(fileURLWithPath: "\(folder)/\(name)")
        var data = try Data(contentsOf: path)
        data[data.count / 2] ^= 1
        try data.write(to: path)
      }
      let mended = try plan("1")
      #expect(mended.work == 2 && mended.plan == first.plan)
      #expect(try plan("1").work == 0)
    }
  }

  @Test func `each replication has a pilot of its own`() throws {
    let made = try scenario(["cdn.edge.kind=lru", "audience.viewsPerDayPerEdge=400000"])
    let configuration = try #require(made.feed).configuration
    let runner = try ReplicationRunner(
      made.plan, ReplicationRequest(seed: made.seed, metrics: [], lateLimit: .seconds(1)))
    var plans: [FeedPlan] = []
    for replication in 0..<3 as Range<UInt16> {
      let plan = try FeedRun.plan(configuration, seed: made.seed, replication: replication)
      plans.append(plan)
      let result = try FeedRun.run(
        configuration, plan: plan, seed: made.seed, replication: replication)
      let digest = try #require(try runner.digest(Int(replication)))
      #expect(digest.fingerprint == result.fingerprint)
    }
    #expect(Set(plans.map(\.viewsPerSession)).count == 3)
    #expect(plans[0].untouched != plans[1].untouched && plans[1].untouched != plans[2].untouched)
  }

  @Test func `what replications count together is their sum`() throws {
    let configuration = try feed()
    var all = OffsetCounts()
    var (views, sessions): (Int64, Int64) = (0, 0)
    for replication in 0..<3 as Range<UInt16> {
      let pilot = FeedPilot(configuration, seed: 1, replication: replication)
      let counted = try #require(pilot).count()
      var alone = OffsetCounts()
      alone.add(counted)
      alone.add(OffsetCounts())
      #expect(alone == counted)
      all.add(counted)
      views += counted.views
      sessions += counted.sessions
    }
    #expect(all.views == views && all.sessions == sessions && all.words.count > 100)
    let pooled = try Pilots().pooled(configuration, seed: 1, replications: 3)
    let summed = FeedPlan(configuration, seed: 1, replication: 0, counted: all)
    #expect(Shown(pooled) == Shown(summed))
    let single = try Pilots().pooled(configuration, seed: 1, replications: 1)
    #expect(Shown(single) != Shown(pooled))
  }

  /// Half of the audience fills the first of two equal providers as half an audience fills one CDN.
  @Test(arguments: [false, true])
  func `equal fillings of unequal plans are taken for nothing else`(_ isReversed: Bool) throws {
    let one = try feed(["audience.viewsPerDayPerEdge=750000"])
    let two = try feed([
      "audience.viewsPerDayPerEdge=1500000",
      "cdn.providers=[{name: a, share: 0.5}, {name: b, share: 0.5}]",
    ])
    let shared = Pilots()
    for configuration in isReversed ? [two, one] : [one, two] {
      let plan = Shown(try shared.plan(configuration, seed: 1))
      #expect(plan == Shown(try FeedRun.plan(configuration, seed: 1)))
    }
  }

  @Test func `words that are whole but no counts are not taken for such`() async throws {
    let configuration = try feed()
    let pilot = try #require(FeedPilot(configuration, seed: 1, replication: 0))
    let plan = FeedPlan(configuration, seed: 1, replication: 0, counted: try pilot.count())
    let filling = try #require(TierFilling(plan, configuration))
    try await inPilotFolder { folder in
      let store = PilotStore(folder: folder) { "1" }
      for words in [[], [1], [UInt64.max, 1, 2], [UInt64](repeating: 5, count: 300)] {
        for value: Any in [pilot, filling] {
          store.keep(words, as: try #require(ValueWalk.key(of: value, ["1"])))
        }
        let pilots = Pilots(store: PilotStore(folder: folder) { "1" })
        #expect(
          Shown(try pilots.plan(configuration, seed: 1))
            == Shown(try FeedRun.plan(configuration, seed: 1)))
        #expect(pilots.work == (1, 1))
      }
    }
  }

  @Test func `counts and contents come back from their words, and from no others`() throws {
    for scale in [[], ["audience.sampling={share: 10 %}"]] {
      let configuration = try feed(scale)
      let pilot = try #require(FeedPilot(configuration, seed: 1, replication: 0))
      let counted = try pilot.count()
      let words = counted.words
      #expect(OffsetCounts(words: words) == counted)
      #expect(OffsetCounts(words: OffsetCounts().words) == OffsetCounts())
      let filling = try #require(
        TierFilling(
          FeedPlan(configuration, seed: 1, replication: 0, counted: counted), configuration))
      let contents = filling.contents()
      #expect(contents.laws.isEmpty == scale.isEmpty)
      #expect(TierContents(words: contents.words) == contents)
      #expect(TierContents(words: TierContents().words) == TierContents())
      for count in stride(from: 0, to: words.count, by: 97) {
        #expect(OffsetCounts(words: Array(words.prefix(count))) == nil)
      }
      for count in 0..<contents.words.count {
        #expect(TierContents(words: Array(contents.words.prefix(count))) == nil)
      }
      #expect(OffsetCounts(words: words + [0]) == nil)
      #expect(TierContents(words: contents.words + [0]) == nil)
    }
  }

  @Test func `the points of a sweep share pilots, on any number of threads`() async throws {
    let base = try scenario([
      "sweep.vary={policy.pool.size: [2, 3], cdn.edge.capacity: [10 GB, 20 GB], "
        + "audience.window: [20 s, 30 s]}", "sweep.replications=2",
    ])
    var counted = Set<[UInt64]>()
    for pool in [2, 3] {
      let configuration = try feed(["policy.pool.size=\(pool)"])
      for replication in 0..<2 as Range<UInt16> {
        let pilot = FeedPilot(configuration, seed: base.seed, replication: replication)
        counted.insert(try #require(pilot).count().words)
      }
    }
    let counts = counted.count
    #expect(counts > 2)
    var texts: [[[String]]] = []
    for threads in [1, 2, 4, 8] {
      let pilots = Pilots()
      let sweep = try Sweep(
        base, plan: base.sweep, threads: threads, store: nil, pilots: pilots)
      let records = try await sweep.study.run(0..<2)
      // One for each pool and replication; two capacities of each that counts otherwise.
      #expect(pilots.work == (4, 2 * counts), "\(threads) threads")
      texts.append(records.map { $0.map { "\($0)" } })
    }
    // Each with a pilot of its own.
    var alone: [[String]] = []
    for variant in try Sweep(base, plan: base.sweep, threads: 1, store: nil).study.variants {
      let study = VariantStudy([variant], metrics: base.plan.headline, threads: 1)
      alone.append(try await study.run(0..<2)[0].map { "\($0)" })
    }
    for text in texts { #expect(text == alone) }
  }

  @Test func `a mutant of an audit has the scenario's pilot where it can`() async throws {
    let base = try scenario([
      "budgets=[{metric: ttff_ms.p75, limit: < 100 s, minimumSamples: 5}]"
    ])
    let pilots = Pilots()
    let audit = Audit(
      base, mutants: ["shield-off", "pool-of-one"], replications: 2, threads: 2, pilots: pilots)
    let result = try await audit.run()
    #expect(result.rows.count == 2)
    // Two replications of the scenario, and two of a pool of one.
    #expect(pilots.work.pilots == 4)
  }
}
