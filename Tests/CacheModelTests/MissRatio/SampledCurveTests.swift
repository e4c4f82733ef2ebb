import CacheModel
import Testing

@Suite struct SampledCurveTests {
  private static let trace = MissRatioFixture.zipf(
    seed: 21, requests: 1_000_000, objects: 100_000, alpha: 0.9)
  private static let summary = CacheTraceSummary(trace, unitSizes: false)

  private static func capacities(_ workingSet: Int64) -> [Int64] {
    (1...25).map { workingSet * $0 / 25 }
  }

  /// A feed: 40,000 titles asked for by Zipf, each request for one of 25
  /// objects of a title, early ones more often; sizes by object. 1 % of the objects are looked at.
  @Test(arguments: [true, false], [31, 32, 33] as [UInt64])
  func `SHARDS over one object of a hundred is within a point of the exact curve of a feed`(
    _ unitSizes: Bool, _ seed: UInt64
  ) throws {
    let titles = MissRatioFixture.zipf(seed: seed, requests: 1_500_000, objects: 40_000, alpha: 1)
    var random = MissRatioFixture.Random(state: seed)
    var trace = CacheTrace(objectCount: 40_000 * 25)
    for title in titles.objects {
      let object = title * 25 + UInt32(random.below(1 + random.below(25)))
      trace.objects.append(object)
      var shape = MissRatioFixture.Random(state: UInt64(object))
      trace.sizes.append(Int64(50_000 + shape.below(400_000)))
    }
    let summary = CacheTraceSummary(trace, unitSizes: unitSizes)
    let capacities = (1...30).map { summary.workingSet * $0 * $0 / 900 }
    let exact = try #require(
      LRUMissRatioCurve.exact(trace, capacities: capacities, unitSizes: unitSizes))
    let limit = Int(summary.objects) / 100
    let estimate = try #require(
      SHARDS.curve(trace, capacities: capacities, limit: limit, unitSizes: unitSizes))
    for (exact, estimate) in zip(exact, estimate) {
      let error = Double(exact.misses - estimate.misses).magnitude / Double(summary.requests)
      #expect(error < 0.01, "\(exact.capacity): \(error) with \(limit) objects")
    }
  }

  /// Waldspurger et al. 2015 report a mean absolute error of 0.02 and less with 8,192 objects.
  @Test(arguments: [true, false])
  func `SHARDS of fixed size is near the exact curve`(_ unitSizes: Bool) throws {
    let summary = CacheTraceSummary(Self.trace, unitSizes: unitSizes)
    let capacities = Self.capacities(summary.workingSet)
    let exact = try #require(
      LRUMissRatioCurve.exact(Self.trace, capacities: capacities, unitSizes: unitSizes))
    let estimate = try #require(
      SHARDS.curve(Self.trace, capacities: capacities, limit: 8_192, unitSizes: unitSizes))
    var sum = 0.0
    for (exact, estimate) in zip(exact, estimate) {
      let error = Double(exact.misses - estimate.misses).magnitude / Double(summary.requests)
      let byteError =
        Double(exact.missedBytes - estimate.missedBytes).magnitude / Double(summary.bytes)
      sum += error
      #expect(error < 0.01 && byteError < 0.01, "\(exact.capacity): \(error), \(byteError)")
    }
    #expect(sum / Double(exact.count) < 0.005)
  }

  @Test func `SHARDS that drops nothing is exact`() throws {
    let trace = MissRatioFixture.zipf(seed: 22, requests: 30_000, objects: 2_000, alpha: 1)
    let summary = CacheTraceSummary(trace, unitSizes: false)
    let capacities = Self.capacities(summary.workingSet)
    let all = SHARDS.curve(trace, capacities: capacities, limit: 2_000, unitSizes: false)
    let exact = LRUMissRatioCurve.exact(trace, capacities: capacities, unitSizes: false)
    #expect(all == exact)
  }

  /// Caches that the largest objects do not fit into, against LRU that refuses them.
  @Test(arguments: [41, 42] as [UInt64])
  func `below the largest object SHARDS is near the cache that refuses it`(_ seed: UInt64) throws {
    var trace = MissRatioFixture.zipf(seed: seed, requests: 300_000, objects: 40_000, alpha: 0.9)
    // A few objects of up to a twentieth of the working set.
    for index in trace.objects.indices where trace.objects[index] % 500 == 7 {
      trace.sizes[index] = 20_000_000 + Int64(trace.objects[index]) * 2_000
    }
    let summary = CacheTraceSummary(trace, unitSizes: false)
    let capacities =
      [2_000_000, 6_000_000, 19_000_000, 50_000_000, 70_000_000, 110_000_000]
      as [Int64]
    #expect(capacities[4] < summary.largest && capacities[5] > summary.largest)
    let estimate = try #require(
      SHARDS.curve(trace, capacities: capacities, limit: 8_192, unitSizes: false))
    let all = try #require(
      SHARDS.curve(trace, capacities: capacities, limit: 40_000, unitSizes: false))
    for (index, capacity) in capacities.enumerated() {
      let exact = try #require(CacheReplay.run(trace, kind: .lru, capacity: capacity))
      #expect(all[index].misses == exact.misses)
      let error = Double(estimate[index].misses - exact.misses) / Double(summary.requests)
      // From 50 MB on a few objects hold most of what is in the cache, and the sample has a fifth
      // of them.
      #expect(abs(error) < (capacity < 50_000_000 ? 0.01 : 0.06), "\(capacity): \(error)")
    }
  }

  @Test func `SHARDS of one object does not trap`() throws {
    let trace = MissRatioFixture.zipf(seed: 23, requests: 20_000, objects: 500, alpha: 1)
    for rate in [1, 0.1] {
      let curve = try #require(
        SHARDS.curve(trace, capacities: [10, 10_000], limit: 1, rate: rate, unitSizes: false))
      for point in curve { #expect((0...20_000).contains(point.misses)) }
    }
  }

  @Test(arguments: [.lru, .sieve, .s3FIFO(.libCacheSim), .gdsf, .infinite] as [EvictionKind])
  func `scaled caches over a sample estimate the whole`(_ kind: EvictionKind) throws {
    let sampled = SampledTrace(
      Self.trace, sample: ObjectSample(rate: 0.1), unitSizes: false)
    for share in [5, 20] as [Int64] {
      let capacity = Self.summary.workingSet * share / 100
      let whole = try #require(CacheReplay.run(Self.trace, kind: kind, capacity: capacity))
      let part = try #require(
        CacheReplay.run(sampled.trace, kind: kind, capacity: sampled.scaled(capacity)))
      let estimate = sampled.estimate(part)
      #expect(estimate.requests == whole.requests && estimate.bytes == whole.bytes)
      #expect((estimate.missRatio - whole.missRatio).magnitude < 0.02)
      #expect((estimate.byteMissRatio - whole.byteMissRatio).magnitude < 0.02)
      if kind == .infinite {
        // The compulsory misses are known, not estimated.
        #expect((estimate.misses - whole.misses).magnitude <= 1)
        #expect((estimate.objectsAtEnd - whole.objectsAtEnd).magnitude <= 1)
      }
    }
  }

  @Test func `a sample has the share of the objects, each with all its requests`() {
    let sample = ObjectSample(rate: 0.1)
    let sampled = SampledTrace(Self.trace, sample: sample, unitSizes: false)
    let objects = Double(Self.summary.objects)
    // Binomial: five standard errors.
    let error = 5 * (0.1 * 0.9 / objects).squareRoot()
    #expect((sampled.objectShare - 0.1).magnitude < error)
    let expected = Self.trace.objects.count { sample.contains($0) }
    #expect(sampled.trace.count == expected)
    #expect(sampled.trace.sizes.count == expected && sampled.trace.times.isEmpty)
    #expect(Int64(sampled.trace.objectCount) == sampled.part.objects)
    sampled.trace.checkShape()
  }

  @Test func `a sample of everything is the trace`() {
    let sampled = SampledTrace(Self.trace, sample: ObjectSample(rate: 1), unitSizes: false)
    #expect(sampled.trace.count == Self.trace.count)
    #expect(sampled.objectShare == 1 && sampled.scaled(12_345) == 12_345)
  }
}
