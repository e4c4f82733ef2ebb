import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel
import Testing

@testable import AudienceModel
@testable import CacheModel

/// Viewers who are not simulated, at one edge and without a feed: a manifest that lives a minute is
/// asked for by a law alone, and now and then by us.
@Suite struct BackgroundAudienceTests {
  private static let titles = 2000
  private static let lifetime = 60.0

  private func constant(_ value: Double) -> QuantileTable { QuantileTable(constant: value) }

  private var catalogue: CatalogueConfiguration {
    CatalogueConfiguration(
      titles: UInt32(Self.titles), popularity: AliasTable(thresholds: [.max], aliases: [0]),
      probabilities: [], duration: constant(10), minimumDuration: .seconds(10),
      maximumDuration: .seconds(10), ladder: Ladder([BitRate(bitsPerSecond: 1_000_000)]),
      segmentDuration: .seconds(2), titleScale: constant(1), segmentVariation: constant(0),
      firstSegmentRatio: constant(1), peakRatio: 2, manifestBytes: 1000, masterBytes: 1000,
      initBytes: 1000, posterBytes: 1000, playlistBytes: 100, playlistBytesPerSegment: 10,
      cueBytes: 10, spriteBytes: 1000, spriteSpan: .seconds(10), cueSpan: .seconds(1))
  }

  /// - Parameter rate: views of each title at the edge, a second.
  private func driver(rate: Double, seed: UInt64 = 1) -> HierarchyDriver {
    let tier = CacheTierConfiguration(
      capacity: .unlimited, serviceTime: constant(0),
      upstream: UpstreamConfiguration(roundTrip: constant(0), floor: .zero))
    let cdn = CDNConfiguration(
      edges: 1, edgesBehindShield: 1, edge: tier, shield: nil,
      origin: OriginConfiguration(firstByte: constant(0)), start: .cold, warmUp: .zero,
      assetTTL: AssetTTL())
    var pilot = OffsetCounts()
    for _ in 0..<100 {
      pilot.addView(segments: 5, after: 0)
      pilot.addRequest(Int(ObjectLayout.mediaManifest), segments: 5, bytes: 1000)
    }
    var demand = StationaryDemand(
      probabilities: Array(repeating: 1 / Double(Self.titles), count: Self.titles),
      viewsPerSecond: rate * Double(Self.titles), viewsPerSession: 10, lengths: [0, 0, 0, 0, 1],
      pilot: pilot)
    demand.clock = DemandClock(constantUntil: 100_000)
    var untouched = TierContents()
    untouched.laws = CacheTier.allCases.map { _ in TierLaw() }
    let streams = RandomStreams(seed: seed, replication: 0)
    let numbers = TitleNumbers(titles: UInt32(Self.titles))
    let contents = StationaryContents(
      cdn, untouched: untouched, demand: demand, catalogue: catalogue, streams: streams)
    let others = BackgroundAudience(
      BackgroundAudience.Configuration(
        scale: .background(factor: 1e9), sessionsPerSecondPerEdge: 1, sessionSeconds: 60,
        retry: RetryPolicy(
          firstWait: .seconds(1), longestWait: .seconds(8), jitter: 0, maximumRetries: .max)),
      cdn, contents: contents, numbers: numbers, streams: streams)
    return HierarchyDriver(
      CacheHierarchy(
        cdn, headerBytes: 300, numbers: numbers, streams: streams, untouched: untouched,
        stationary: contents, others: others))
  }

  /// What is said of titles' manifests when they are asked for, one a second from `begin` on.
  private func replies(
    _ world: inout HierarchyDriver, of titles: [Int], from begin: Int64
  ) -> [EdgeReply] {
    var replies: [EdgeReply] = []
    for (index, title) in titles.enumerated() {
      world.run(until: Instant.zero + .seconds(begin + Int64(index)))
      replies.append(
        world.ask(ObjectLayout.object(UInt32(title), 0), asset: .mediaManifest))
    }
    return replies
  }

  private func isFresh(_ reply: EdgeReply) -> Bool {
    if case .fresh = reply { return true }
    return false
  }

  // A copy is renewed by the first view after it has expired: of a long time it is fresh for
  // rate·L / (1 + rate·L).
  @Test(arguments: [0.2, 1, 5])
  func `a copy is fresh as often as views at a rate keep it so`(_ load: Double) {
    var world = driver(rate: load / Self.lifetime)
    let found = replies(&world, of: Array(0..<Self.titles), from: 20_000)
    let share = Double(found.count(where: isFresh)) / Double(Self.titles)
    let expected = load / (1 + load)
    let error = (expected * (1 - expected) / Double(Self.titles)).squareRoot()
    #expect(abs(share - expected) < 4 * error, "\(share) for \(expected)")
    // Ages are even over the lifetime: their mean is half of it, with L / √12 for one.
    let ages = found.compactMap { reply -> Double? in
      if case .fresh(let age, _) = reply { return age.seconds }
      return nil
    }
    let mean = ages.reduce(0, +) / Double(ages.count)
    #expect(
      abs(mean - 30) < 4 * Self.lifetime / 12.0.squareRoot() / Double(ages.count).squareRoot())
    // Who finds no fresh copy asks the origin; the law's own fetches are not counted there.
    world.run(until: Instant.zero + .seconds(50_000))
    #expect(world.origin.total.requests == Int64(found.count { !isFresh($0) }))
  }

  @Test func `what others did does not depend on what else was asked for, nor in which order`() {
    var one = driver(rate: 1 / Self.lifetime)
    var other = driver(rate: 1 / Self.lifetime)
    let titles = Array(stride(from: 0, to: Self.titles, by: 10))
    let first = replies(&one, of: titles, from: 20_000)
    _ = replies(&other, of: Array(stride(from: 1, to: Self.titles, by: 10)), from: 10_000)
    let second = replies(&other, of: titles, from: 20_000)
    #expect(first.map(isFresh) == second.map(isFresh))
    #expect(first.filter(isFresh) == second.filter(isFresh))
    var elsewhere = driver(rate: 1 / Self.lifetime, seed: 2)
    #expect(replies(&elsewhere, of: titles, from: 20_000).map(isFresh) != first.map(isFresh))
  }

  @Test func `where nobody else views, nothing is there`() {
    var world = driver(rate: 1e-12)
    let found = replies(&world, of: Array(0..<200), from: 20_000)
    #expect(found.allSatisfy { if case .waits(_, .cold) = $0 { true } else { false } })
  }
}
