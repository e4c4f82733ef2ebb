import CacheModel
import Testing

@Suite struct MissRatioCurveTests {
  private func simulated(
    _ trace: CacheTrace, _ capacity: Int64, unitSizes: Bool, _ kind: EvictionKind = .lru
  ) throws -> CacheReplayCounts {
    try #require(CacheReplay.run(trace, kind: kind, capacity: capacity, unitSizes: unitSizes))
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `in objects the curve is the LRU simulation at every size`(_ seed: UInt64) throws {
    let trace = MissRatioFixture.small(seed: seed, requests: 6_000, objects: 90, largest: 40)
    let capacities = (1...95).map { Int64($0) }
    let curve = try #require(
      LRUMissRatioCurve.exact(trace, capacities: capacities, unitSizes: true))
    #expect(curve.map(\.capacity) == capacities)
    for point in curve {
      let counts = try simulated(trace, point.capacity, unitSizes: true)
      #expect(point.misses == counts.misses)
      #expect(point.missedBytes == counts.missedBytes)
    }
  }

  @Test(arguments: [5, 6, 7] as [UInt64])
  func `in bytes the curve is the LRU simulation at every size the largest object fits into`(
    _ seed: UInt64
  ) throws {
    let trace = MissRatioFixture.small(seed: seed, requests: 3_000, objects: 40, largest: 25)
    let summary = CacheTraceSummary(trace, unitSizes: false)
    #expect(summary.resized == 0)
    let capacities = Array(summary.largest...(summary.workingSet + 2))
    let curve = try #require(
      LRUMissRatioCurve.exact(trace, capacities: capacities, unitSizes: false))
    for point in curve {
      #expect(LRUMissRatioCurve.isExact(at: point.capacity, for: summary))
      let counts = try simulated(trace, point.capacity, unitSizes: false)
      #expect(point.misses == counts.misses, "\(point.capacity)")
      #expect(point.missedBytes == counts.missedBytes, "\(point.capacity)")
    }
    #expect(!LRUMissRatioCurve.isExact(at: summary.largest - 1, for: summary))
  }

  /// 4,096 slots run out many times.
  @Test func `compaction of the slots changes nothing`() throws {
    let trace = MissRatioFixture.zipf(seed: 8, requests: 60_000, objects: 3_000, alpha: 0.8)
    let summary = CacheTraceSummary(trace, unitSizes: false)
    let capacities = (1...20).map { summary.workingSet * $0 / 20 }
    let curve = try #require(
      LRUMissRatioCurve.exact(trace, capacities: capacities, unitSizes: false))
    for point in curve {
      let counts = try simulated(trace, point.capacity, unitSizes: false)
      #expect(point.misses == counts.misses)
      #expect(point.missedBytes == counts.missedBytes)
    }
  }

  @Test func `the curve falls to the compulsory misses and no policy goes below them`() throws {
    let trace = MissRatioFixture.zipf(seed: 9, requests: 40_000, objects: 5_000, alpha: 0.9)
    let summary = CacheTraceSummary(trace, unitSizes: false)
    let capacities = (1...30).map { summary.workingSet * $0 / 30 }
    let curve = try #require(
      LRUMissRatioCurve.exact(trace, capacities: capacities, unitSizes: false))
    for (smaller, larger) in zip(curve, curve.dropFirst()) {
      #expect(smaller.misses >= larger.misses && smaller.missedBytes >= larger.missedBytes)
    }
    let last = try #require(curve.last)
    #expect(last.misses == summary.objects && last.missedBytes == summary.workingSet)
    for kind in EvictionKind.all {
      let counts = try simulated(trace, summary.workingSet / 3, unitSizes: false, kind)
      #expect(counts.misses >= summary.objects)
      #expect(counts.missRatio >= summary.compulsoryMissRatio)
      #expect(counts.byteMissRatio >= summary.compulsoryByteMissRatio)
    }
  }

  @Test func `a trace without sizes counts objects, an empty one nothing`() throws {
    var trace = MissRatioFixture.small(seed: 3, requests: 500, objects: 30, largest: 5)
    let inObjects = LRUMissRatioCurve.exact(trace, capacities: [4, 9], unitSizes: true)
    trace.sizes = []
    #expect(LRUMissRatioCurve.exact(trace, capacities: [4, 9], unitSizes: false) == inObjects)
    let none = LRUMissRatioCurve.exact(CacheTrace(), capacities: [1], unitSizes: false)
    #expect(none == [MissRatioPoint(capacity: 1, misses: 0, missedBytes: 0)])
    #expect(CacheTraceSummary(CacheTrace(), unitSizes: false).compulsoryMissRatio == 0)
  }

  @Test func `the summary tells objects that change their size`() {
    let trace = CacheTrace(objects: [0, 1, 0, 1, 0], sizes: [5, 7, 6, 7, 5], objectCount: 2)
    let summary = CacheTraceSummary(trace, unitSizes: false)
    #expect(summary.resized == 1 && summary.largest == 7 && summary.workingSet == 12)
    #expect(summary.requests == 5 && summary.bytes == 30 && summary.objects == 2)
    #expect(!LRUMissRatioCurve.isExact(at: 100, for: summary))
  }

  @Test func `a pass can be cancelled`() {
    var trace = CacheTrace(objectCount: 2)
    trace.objects = (0..<2_200_000).map { UInt32($0 & 1) }
    var seen: [Int] = []
    let curve = LRUMissRatioCurve.exact(trace, capacities: [1], unitSizes: true) { done in
      seen.append(done)
      return seen.count < 2
    }
    #expect(curve == nil && seen.count == 2)
  }
}
