import CachePolicy
import MediaUnits
import Models
import Scenario
import SlowTesting
import Statistics
import Testing

/// Viewers who are left out: a background audience, and a sample of viewers and titles.
@Suite struct AudienceScaleTests {
  private static let media: [AssetClass] = [.segment, .initSegment, .sprite, .vtt, .poster]
  private static let manifests: [AssetClass] = [.mediaManifest, .masterPlaylist, .mediaPlaylist]

  /// One in ten simulated, the rest by law: the views of a day are those of the whole.
  static let background = [
    "audience.viewsPerDayPerEdge=300000",
    "audience.background={viewers: 5400000, viewsPerDay: 1}",
  ]
  static let sampling = ["audience.sampling={share: 10 %}"]

  /// Two edges and a shield, all simulated.
  private static let world = [
    "catalogue.titles=4000", "audience.viewsPerDayPerEdge=3000000", "cdn.edges=2",
    "cdn.edgesBehindShield=2", "audience.drain=0", "audience.sessionLength=2 min",
    "audience.viewsPerSession=15", "policy.abr={kind: fixed, rung: 1}",
  ]

  private func runs(_ set: [String], _ count: UInt16) throws -> [FeedMeasures] {
    let made = try scenario(set, window: "6 min")
    let plan = try FeedRun.plan(made.configuration, seed: made.seed)
    return try (0..<count).map {
      try FeedRun.run(made.configuration, plan: plan, seed: made.seed, replication: $0).measures
    }
  }

  private static let evicting = [
    "cdn.edge={kind: lru, capacity: 3 GB}", "cdn.shield={kind: lru, capacity: 8 GB}",
  ]

  ///
  @Test(
    arguments: SlowRun.cases(
      [
        (
          AudienceScaleTests.evicting, [AudienceScaleTests.background, AudienceScaleTests.sampling]
        ),
        ([String](), [AudienceScaleTests.background, AudienceScaleTests.sampling]),
        (["cdn.start={kind: cold}", "audience.warmUp=2 min"], [AudienceScaleTests.background]),
      ], usual: 1))
  func `one viewer in ten meets the hit ratios of all of them`(
    _ more: [String], _ scales: [[String]]
  ) throws {
    let all = try runs(AudienceScaleTests.world + more, 3)
    for scale in scales {
      let some = try runs(AudienceScaleTests.world + more + scale, 12)
      try expectEqualHits(all, some, hasShield: more == AudienceScaleTests.evicting, "\(scale)")
    }
  }

  /// Hit ratios within a point and four standard errors, and a tenth of the views.
  private func expectEqualHits(
    _ all: [FeedMeasures], _ some: [FeedMeasures], hasShield: Bool, _ scale: String
  ) throws {
    var places = [
      (CacheTier.edge, AudienceScaleTests.media), (.edge, AudienceScaleTests.manifests),
    ]
    // A shield behind edges that hold everything is asked too seldom for a comparison.
    if hasShield { places.append((.shield, AudienceScaleTests.media)) }
    for (tier, classes) in places {
      let whole = try Estimates.mean(of: all.map { $0.hitRatio(tier, classes) })
      let part = try Estimates.mean(of: some.map { $0.hitRatio(tier, classes) })
      let a = try #require(whole.standardError)
      let b = try #require(part.standardError)
      let error = (a * a + b * b).squareRoot()
      #expect(
        abs(whole.value - part.value) < 4 * error + 0.01,
        "\(tier) \(scale): \(part.value) against \(whole.value) ± \(error)")
      #expect(error < 0.03, "\(tier): ± \(error)")
    }
    let views = Double(some.reduce(0) { $0 + $1.views.count }) / Double(some.count)
    let expected = Double(all.reduce(0) { $0 + $1.views.count }) / Double(all.count) / 10
    #expect(abs(views / expected - 1) < 0.3)
  }

  /// Neither prefetch nor a second player, so that every view waits.
  private static let waiting = ["policy.pool.size=1", "policy.prefetch.headLength=0 s"]

  /// Within a point of the hit ratios and 3 % of the startup times, and two standard errors more.
  ///
  ///
  @Test(.enabled(if: SlowRun.isOn))
  func `one viewer in ten has the startup times and tiers of all of them`() throws {
    let world = AudienceScaleTests.world + AudienceScaleTests.waiting
    let all = try runs(world, 4)
    for scale in [AudienceScaleTests.background, AudienceScaleTests.sampling] {
      try expectEqualStartups(all, try runs(world + scale, 16), "\(scale)")
    }
  }

  private func expectEqualStartups(
    _ all: [FeedMeasures], _ some: [FeedMeasures], _ scale: String
  ) throws {
    let objects = AudienceScaleTests.media + AudienceScaleTests.manifests
    for tier in [CacheTier.edge, .shield] {
      let (difference, error) = try compare(all, some) { $0.hitRatio(tier, objects) }
      #expect(abs(difference) < 0.01 + 2 * error, "\(tier) \(scale): \(difference) ± \(error)")
      #expect(error < 0.01, "\(tier): ± \(error)")
    }
    for share in [0.5, 0.75, 0.95] {
      let whole = try Estimates.mean(of: all.map { AudienceScaleTests.startup($0, share) }).value
      let (difference, error) = try compare(all, some) { AudienceScaleTests.startup($0, share) }
      #expect(
        abs(difference) < 0.03 * whole + 2 * error,
        "P\(share) \(scale): \(difference) ± \(error) of \(whole)")
      #expect(error < 0.03 * whole, "P\(share): ± \(error) of \(whole)")
    }
  }

  /// A quantile of the startup times, milliseconds.
  private static func startup(_ measures: FeedMeasures, _ share: Double) -> Double {
    let times = measures.views.filter(\.hasStarted).map(\.ttff.seconds).sorted()
    return times[Int(share * Double(times.count))] * 1000
  }

  /// By how much some runs differ from others in the mean, and the standard error of that.
  private func compare(
    _ all: [FeedMeasures], _ some: [FeedMeasures], _ value: (FeedMeasures) -> Double
  ) throws -> (difference: Double, error: Double) {
    try compare(all.map(value), some.map(value))
  }

  private func compare(
    _ all: [Double], _ some: [Double]
  ) throws -> (difference: Double, error: Double) {
    let whole = try Estimates.mean(of: all)
    let part = try Estimates.mean(of: some)
    let a = try #require(whole.standardError)
    let b = try #require(part.standardError)
    return (part.value - whole.value, (a * a + b * b).squareRoot())
  }

  @Test func `without the law a tenth of the viewers would meet emptier caches`() throws {
    let cold = ["cdn.start={kind: cold}", "audience.warmUp=2 min"]
    let with = try runs(AudienceScaleTests.world + cold + AudienceScaleTests.background, 3)
    let without = try runs(
      AudienceScaleTests.world + cold + ["audience.viewsPerDayPerEdge=300000"], 3)
    func ratio(_ runs: [FeedMeasures]) -> Double {
      runs.reduce(0) { $0 + $1.hitRatio(.edge, AudienceScaleTests.media) } / Double(runs.count)
    }
    #expect(ratio(with) > ratio(without) + 0.05, "\(ratio(with)) \(ratio(without))")
  }

  @Test(arguments: [AudienceScaleTests.background, AudienceScaleTests.sampling])
  func `a run in parts has the events of the run in one piece`(_ scale: [String]) throws {
    let outage = "cdn.origin.outages=[{kind: error, from: 110 s, length: 30 s}]"
    let changes = AudienceScaleTests.world + AudienceScaleTests.newObjects + scale + [outage]
    let made = try scenario(changes, window: "3 min")
    let plan = try FeedRun.plan(made.configuration, seed: made.seed)
    let whole = try FeedRun.run(made.configuration, plan: plan, seed: made.seed, replication: 0)
    let parts = try runInParts(made, plan: plan)
    #expect(parts.fingerprint == whole.fingerprint)
    #expect(parts.measures.counts.originRequests == whole.measures.counts.originRequests)
    #expect(whole.measures.views.count > 50)
  }

  /// The parts one after the other, as ``PartedReplication`` has them side by side.
  private func runInParts(_ made: FeedStudy, plan: FeedPlan) throws -> FeedRunResult {
    let configuration = made.configuration
    let step = FeedPart.lookahead(configuration)
    let end = configuration.end
    final class Box {
      var part: FeedPart
      init(_ part: consuming FeedPart) { self.part = part }
    }
    let boxes = FeedPart.domains(configuration).map {
      Box(
        FeedPart(configuration, plan: plan, seed: made.seed, replication: 0, domain: $0))
    }
    while let next = boxes.compactMap({ $0.part.nextEventTime }).min(), next <= end {
      for box in boxes {
        try box.part.advance(to: min(next + step - TimeSpan(nanoseconds: 1), end))
      }
      var messages: [DomainMessage] = []
      for box in boxes { box.part.takeMessages(into: &messages) }
      for message in messages {
        switch message.domain {
        case .edge(let edge): boxes[Int(edge) + 1].part.deliver(message)
        case .behind, .whole: boxes[0].part.deliver(message)
        }
      }
    }
    return FeedPart.join(boxes.map { $0.part.finish(at: end) })
  }

  /// A title that everybody comes for, and a new version of others.
  private static let newObjects = [
    "audience.crowds=[{name: new, from: 60 s, length: 2 min, factor: 2, "
      + "title: {kind: new, share: 33 %}}]",
    "catalogue.republish=[{at: 90 s, titles: 100}]",
  ]

  /// Of what nobody has asked for yet each edge misses the first request: in one of ten cases that
  /// of a simulated viewer.
  ///
  ///
  @Test(.enabled(if: SlowRun.isOn))
  func `what is new comes to an edge first by a simulated viewer as often as he is one of ten`()
    throws
  {
    let world = AudienceScaleTests.world + AudienceScaleTests.newObjects
    let all = try runs(world, 2)
    for scale in [AudienceScaleTests.background, AudienceScaleTests.sampling] {
      let some = try runs(world + scale, 24)
      for asset in [AssetClass.poster, .masterPlaylist, .initSegment] {
        try expectMisses(asset, all, some, within: 0.15, error: 0.1, "\(scale)")
      }
    }
  }

  /// Edges miss what is asked for first as often as in the whole, of which a tenth is simulated.
  ///
  /// - Parameters:
  ///   - bound: share of the misses that the difference may have beside three standard errors.
  ///   - most: the largest standard error, as such a share.
  private func expectMisses(
    _ asset: AssetClass, _ all: [FeedMeasures], _ some: [FeedMeasures], within bound: Double,
    error most: Double, _ scale: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    func misses(_ measures: FeedMeasures, _ times: Double) -> Double {
      times * Double(measures.tier(.edge).requests(asset, .miss))
    }
    let (difference, error) = try compare(all.map { misses($0, 1) }, some.map { misses($0, 10) })
    let whole = misses(all[0], 1)
    #expect(whole > 150, "\(asset): \(whole)", sourceLocation: sourceLocation)
    #expect(
      abs(difference) < bound * whole + 3 * error,
      "\(asset) \(scale): \(difference) ± \(error) of \(whole)", sourceLocation: sourceLocation)
    #expect(
      error < most * whole, "\(asset): ± \(error) of \(whole)", sourceLocation: sourceLocation)
  }

  /// Rungs that only long titles reach, and a shield that two edges ask for what is new.
  ///
  /// Each edge misses an object of a version once, whatever the share that is simulated; the shield
  /// has it for the second edge that asks and for no other. With stale manifests, without, and with
  /// an outage after which everybody asks again; of that the law leaves out that those it has held
  /// up ask for more new items, which moves master playlists.
  ///
  /// Covers: X-005, SIG-067, SIG-069
  @Test(
    .enabled(if: SlowRun.isOn),
    arguments: [
      "cdn.ttl.mediaManifest.staleWhileRevalidate=1 min",
      "cdn.ttl.mediaManifest.staleWhileRevalidate=0 s",
      "cdn.origin.outages=[{kind: error, from: 150 s, length: 1 min}]",
    ])
  func `a version's first requests at edges and shield are those of the whole`(
    _ change: String
  ) throws {
    let isOutage = change.contains("outages")
    // With the display's time the sides differ by 6 points at the shield here; why is open. The law
    // is held against a display that takes none.
    let ready = "presentation: none, mainThread: none, stress: none"
    let display =
      change.hasSuffix("staleWhileRevalidate=0 s")
      ? [
        "devices=[{kind: high, weight: 0.25, \(ready)}, {kind: mid, weight: 0.5, \(ready)}, "
          + "{kind: low-end, weight: 0.25, \(ready)}]"
      ] : []
    let world =
      AudienceScaleTests.world.filter { !$0.hasPrefix("policy.abr") } + [
        "catalogue.republish=[{at: 90 s, titles: 100}]", change,
      ] + display
    let all = try runs(world, 10)
    for scale in [AudienceScaleTests.background, AudienceScaleTests.sampling] {
      let some = try runs(world + scale, 40)
      for asset in [AssetClass.masterPlaylist, .initSegment, .mediaPlaylist]
      where asset != .masterPlaylist || !isOutage {
        try expectMisses(asset, all, some, within: 0.05, error: 0.05, "\(scale)")
      }
      let (difference, error) = try compare(all, some) {
        $0.hitRatio(.shield, AudienceScaleTests.media)
      }
      // Where the tiers did not agree on who knows of a version, they were 5.6 points apart.
      #expect(abs(difference) < 0.01 + 3 * error, "\(scale): \(difference) ± \(error)")
      #expect(error < 0.013, "± \(error)")
    }
  }

  @Test func `a crowd's new title reaches the edges through viewers who are not simulated`() throws
  {
    let crowd = [
      "audience.viewsPerDayPerEdge=60000",
      "audience.background={viewers: 20000000, viewsPerDay: 1}",
      "audience.crowds=[{name: new, from: 60 s, length: 2 min, factor: 2, "
        + "title: {kind: new, share: 50 %}}]",
    ]
    let window = try runs(AudienceScaleTests.world + crowd, 4).map(\.windows[0])
    var (hits, all): (Int64, Int64) = (0, 0)
    for sums in window {
      for asset in AudienceScaleTests.media {
        hits += sums.edge.requests(asset, .hit)
        for outcome in CacheOutcome.allCases { all += sums.edge.requests(asset, outcome) }
      }
    }
    // Few simulated viewers see it, and nearly none of them is the first.
    #expect(all > 500)
    #expect(Double(hits) / Double(all) > 0.95, "\(hits) of \(all)")
  }
}
