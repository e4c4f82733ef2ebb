import Testing

@testable import CacheModel
@testable import FeedModel
@testable import ModelBasics

/// Types whose counters add themselves up hold nothing else.
@Suite struct CountersTests {
  /// Counters in a value; nil for anything that is none.
  private func count(_ value: Any) -> Int? {
    switch value {
    case is Int64: return 1
    case is SIMD8<Int64>: return 8
    case is SIMD2<Int64>: return 2
    case is any Counters:
      var sum = 0
      for child in Mirror(reflecting: value).children {
        guard let own = count(child.value) else { return nil }
        sum += own
      }
      return sum
    default: return nil
    }
  }

  private func check<Sums: Counters>(_: Sums.Type) throws {
    let words = try #require(count(Sums()), "\(Sums.self) has a field that is no counter")
    #expect(words * 8 == MemoryLayout<Sums>.size, "\(Sums.self) has room between its fields")
    var (sum, other) = (Sums(), Sums())
    withUnsafeMutableBytes(of: &other) { bytes in
      for word in 0..<words {
        bytes.storeBytes(of: Int64(word) - 3, toByteOffset: word * 8, as: Int64.self)
      }
    }
    sum.addAll(other)
    #expect(sum == other)
    sum.addAll(other)
    withUnsafeBytes(of: sum) { bytes in
      for word in 0..<words {
        #expect(bytes.load(fromByteOffset: word * 8, as: Int64.self) == 2 * (Int64(word) - 3))
      }
    }
  }

  @Test func `counters are added one by one`() throws {
    try check(ByteBalance.self)
    try check(ClientMeasures.self)
    try check(CohortSums.self)
    try check(ContentionSum.self)
    try check(FeedCounts.self)
    try check(FetchCounters.Row.self)
    try check(FetchCounters.UnderWay.self)
    try check(OriginCounters.Row.self)
    try check(ShownMedia.self)
    try check(StartupParts.self)
    try check(SurfaceMeasures.self)
    try check(SwipeSums.self)
    try check(TelemetrySums.self)
    try check(TrafficTotals.self)
    try check(TrafficTotals.Sum.self)
  }

  @Test func `of surfaces the most players at once are the most of any`() {
    var (sum, other) = (SurfaceMeasures(), SurfaceMeasures())
    (sum.plays, sum.mostPlaying) = (3, 2)
    (other.plays, other.mostPlaying) = (4, 1)
    sum.add(other)
    #expect(sum.plays == 7 && sum.mostPlaying == 2)
  }
}
