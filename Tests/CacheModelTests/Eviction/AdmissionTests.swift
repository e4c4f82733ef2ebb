import Testing

@testable import CacheModel

@Suite struct AdmissionTests {
  private let trace = EvictionParts.independent(
    EvictionParts.zipf(5000), requests: 100_000, seed: 31)

  private func infinite(
    _ admission: CacheAdmission, seed: UInt64 = 1, trace: CacheTrace? = nil
  ) throws -> CacheReplayCounts {
    try #require(
      CacheReplay.run(
        trace ?? self.trace, kind: .infinite, capacity: 0, admission: admission, seed: seed))
  }

  @Test func `a size bound keeps larger objects out`() throws {
    var sized = trace
    sized.sizes = trace.objects.map { Int64($0 % 100) }
    let counts = try infinite(.size(atMost: 49), trace: sized)
    let small = Set(trace.objects.filter { $0 % 100 <= 49 }).count
    let large = trace.objects.filter { $0 % 100 > 49 }.count
    #expect(counts.misses == Int64(small + large))
    #expect(counts.objectsAtEnd == Int64(small))
  }

  @Test func `a Bloom filter lets objects in at their second miss`() throws {
    var requests = [Int64](repeating: 0, count: trace.objectCount)
    for object in trace.objects { requests[Int(object)] += 1 }
    let exact = requests.reduce(0) { $0 + min($1, 2) }
    for seed in 1...3 as ClosedRange<UInt64> {
      let misses = try infinite(.bloom, seed: seed).misses
      // False positives let an object in at once: at most 0.8 % of 5,000 when the filter is full,
      // and five standard errors of that.
      #expect(misses <= exact)
      #expect(misses >= exact - 40 - 32)
    }
  }

  @Test func `a probability lets its share of the misses in, by request number`() throws {
    let single = CacheTrace(objects: (0..<100_000).map { $0 }, objectCount: 100_000)
    for share in [0.0, 0.1, 0.5, 1.0] {
      let stored = try infinite(.probability(share), trace: single).objectsAtEnd
      let error = (share * (1 - share) * 1e5).squareRoot()
      #expect(abs(Double(stored) - share * 1e5) <= 5 * error)
    }
    let first = try infinite(.probability(0.3), seed: 5)
    #expect(first == (try infinite(.probability(0.3), seed: 5)))
    #expect(first != (try infinite(.probability(0.3), seed: 6)))
  }
}
