import CachePolicy
import Foundation
import MediaUnits
import Models
import Scenario
import SimulationKernel
import SlowTesting
import Testing

@testable import Studies

/// One replication cut into its edges and what is behind them, against the same in one piece.
@Suite struct PartedReplicationTests {
  private struct Pair {
    var whole: FeedRunResult
    var parted: [FeedRunResult]
  }

  private func run(_ changes: [String], threads: [Int], shuffle: UInt64? = nil) throws -> Pair {
    let scenario = try FeedStudy.parse(
      "version: 1\nname: test\n", file: "test.yaml",
      overrides: ([
        "cdn.edges=5", "audience.window=3 min", "audience.drain=20 s",
        "audience.viewsPerDayPerEdge=300000",
      ] + changes).map { Override(set: $0) })
    let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
    let whole = try FeedRun.run(
      scenario.configuration, plan: plan, seed: scenario.seed, replication: 0,
      shuffleTies: shuffle)
    let parted = try threads.map { count in
      try #require(
        PartedReplication(
          scenario.configuration, plan: plan, seed: scenario.seed, replication: 0,
          shuffleTies: shuffle, threads: count)
      ).run()
    }
    return Pair(whole: whole, parted: parted)
  }

  private func key(_ view: ViewRecord) -> [Int64] {
    [
      view.settledAt.nanoseconds, Int64(view.session), Int64(view.item), view.ttff.nanoseconds,
      view.played.nanoseconds, view.stalled.nanoseconds, Int64(view.flags.rawValue),
    ]
  }

  private func counts(_ tier: TierCounters) -> [Int64] {
    AssetClass.allCases.flatMap { asset in
      CacheOutcome.allCases.flatMap { outcome in
        [tier.requests(asset, outcome), tier.bytes(asset, outcome)]
      }
    }
  }

  private func expectSame(_ pair: Pair) {
    let whole = pair.whole
    #expect(whole.measures.views.count > 500)
    let views = whole.measures.views.map(key).sorted { $0.lexicographicallyPrecedes($1) }
    for parts in pair.parted {
      #expect(parts.fingerprint == whole.fingerprint)
      #expect(parts.summary == whole.summary)
      #expect(
        parts.measures.views.map(key).sorted { $0.lexicographicallyPrecedes($1) } == views)
      let (a, b) = (parts.measures, whole.measures)
      #expect(a.peakSessions == b.peakSessions)
      #expect(
        a.counts.sessions == b.counts.sessions && a.counts.sessionsCut == b.counts.sessionsCut)
      #expect(counts(a.edge) == counts(b.edge))
      #expect(counts(a.regional) == counts(b.regional))
      #expect(counts(a.shield) == counts(b.shield))
      // Also what was under way at the ends of the measured time.
      #expect(a.fetched == b.fetched)
      #expect(a.origin == b.origin)
      #expect(
        a.counts.originRequests == b.counts.originRequests
          && a.counts.originBytes == b.counts.originBytes)
      #expect(
        a.counts.deliveredBytes == b.counts.deliveredBytes && a.counts.requests == b.counts.requests
      )
      #expect(a.balances == b.balances)
      #expect(a.windows.map(\.originRequests) == b.windows.map(\.originRequests))
      #expect(a.windows.map { counts($0.edge) } == b.windows.map { counts($0.edge) })
      #expect(a.providers.switching == b.providers.switching)
      #expect(a.providers.each.map(\.counts) == b.providers.each.map(\.counts))
      #expect(a.providers.each.map { counts($0.edge) } == b.providers.each.map { counts($0.edge) })
      #expect(a.staleness == b.staleness && a.counts.shieldCrossings == b.counts.shieldCrossings)
    }
  }

  @Test(arguments: [
    ["cdn.start={kind: stationary}"],
    ["cdn.start={kind: cold}", "audience.warmUp=1 min"],
    [
      "cdn.start={kind: cold}", "cdn.edge.capacity=2 GiB", "cdn.shield.capacity=8 GiB",
      "cdn.ttl.playlists.maxAge=5 s",
    ],
    [
      "cdn.start={kind: cold}", "cdn.regional={kind: lru, count: 2, capacity: 4 GiB}",
      "audience.warmUp=40 s",
    ],
    ["cdn.start={kind: cold}", "cdn.origin.outages=[{from: 30 s, length: 30 s, kind: error}]"],
    [
      "cdn.providers=[{name: a, share: 60 %, outages: [{kind: timeout, from: 40 s, length: 1 min}]}"
        + ", {name: b, share: 40 %, detour: 20 ms}]",
      "cdn.switching={kind: measured, timeout: 2 s, probeEvery: 5, hold: 5 s}",
      "cdn.regional={kind: lru, count: 2, capacity: 4 GiB}",
    ],
    [
      "cdn.providers=[{name: a, share: 60 %, outages: [{kind: error, from: 40 s, length: 1 min}]}"
        + ", {name: b, share: 40 %}]",
      "cdn.switching={kind: steering, lifetime: 9 s, delay: 5 s}", "cdn.start={kind: cold}",
    ],
  ])
  func `cut in parts, a run has the events and numbers that it has in one piece`(
    _ changes: [String]
  ) throws {
    expectSame(try run(changes, threads: [1, 2, 4, 8]))
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("scenarios")

  private static func load(_ file: String) throws -> FeedStudy {
    try FeedStudy.load(
      folder.appendingPathComponent(file).path, overrides: [], short: true)
  }

  /// The shipped scenarios that can be cut; empty where they cannot be read.
  private static let parted: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.sorted().filter { file in
      guard file.hasSuffix(".yaml"), let scenario = try? load(file) else { return false }
      return FeedPart.lookahead(scenario.configuration) > .zero
    }
  }()

  @Test func `shipped scenarios can be cut`() { #expect(Self.parted.count >= 7) }

  /// Small worlds are cut for each number of threads above; here each number costs a run of the
  /// scenario, so that they have two threads and eight in turn.
  private static func threads(for file: String) -> [Int] {
    if SlowRun.isOn { return [1, 2, 4, 8] }
    return (parted.firstIndex(of: file) ?? 0).isMultiple(of: 2) ? [2] : [8]
  }

  @Test(arguments: SlowRun.cases(parted, usual: 4))
  func `the short form of every shipped scenario is the same on any number of threads`(
    _ file: String
  ) throws {
    let scenario = try Self.load(file)
    let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
    let whole = try FeedRun.run(
      scenario.configuration, plan: plan, seed: scenario.seed, replication: 0)
    let one = ReplicationDigest(
      whole, replication: 0, feed: scenario.feed, metrics: [], lateLimit: .seconds(1))
    for threads in Self.threads(for: file) {
      let result = try #require(
        PartedReplication(
          scenario.configuration, plan: plan, seed: scenario.seed, replication: 0,
          shuffleTies: nil, threads: threads)
      ).run()
      #expect(result.fingerprint == whole.fingerprint, "\(threads) threads")
      let digest = ReplicationDigest(
        result, replication: 0, feed: scenario.feed, metrics: [], lateLimit: .seconds(1))
      #expect(digest.late == one.late)
      #expect(digest.cohorts == one.cohorts)
    }
  }

  @Test func `threads that become free meanwhile change nothing, and are given back`() throws {
    let scenario = try FeedStudy.parse(
      "version: 1\nname: test\n", file: "test.yaml",
      overrides: [
        "cdn.edges=5", "audience.window=3 min", "audience.viewsPerDayPerEdge=300000",
      ].map { Override(set: $0) })
    let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
    func parts(_ spare: SpareThreads?) throws -> PartedReplication {
      try #require(
        PartedReplication(
          scenario.configuration, plan: plan, seed: scenario.seed, replication: 0,
          shuffleTies: nil, threads: 1, spare: spare))
    }
    let alone = try parts(nil).run()
    // More than there are parts: the rest is nobody's.
    for number in [1, 3, 9] {
      let spare = SpareThreads(number)
      let helped = try parts(spare)
      let result = try helped.run()
      #expect(helped.mostAtWork == min(number + 1, 6))
      #expect(spare.number == number)
      #expect(result.fingerprint == alone.fingerprint && result.summary == alone.summary)
      #expect(result.measures.views.map(key) == alone.measures.views.map(key))
    }
  }

  @Test func `threads for which no number is left are spare`() async throws {
    let spare = SpareThreads()
    try await SideBySide.run(3, threads: 5, spare: spare) { number in
      number
    } finished: { _, _ in
    }
    // Two at the beginning, and each that ended the last of its numbers.
    #expect(spare.number == 5)
    var taken = 0
    while spare.take() { taken += 1 }
    #expect(taken == 5 && spare.number == 0)
  }

  @Test func `shuffled ties are shuffled alike in every part`() throws {
    expectSame(try run(["cdn.start={kind: cold}"], threads: [2], shuffle: 7))
  }

  @Test func `a run that cannot be cut is not`() throws {
    for changes in [
      ["cdn.edges=1"], ["cdn.backhaulFloor=0 s"], ["cdn.shield=none"],
    ] {
      let scenario = try FeedStudy.parse(
        "version: 1\nname: test\n", file: "test.yaml",
        overrides: (["cdn.edges=5"] + changes).map { Override(set: $0) })
      #expect(FeedPart.lookahead(scenario.configuration) == .zero, "\(changes)")
    }
  }
}
