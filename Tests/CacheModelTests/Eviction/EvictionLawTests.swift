import MediaUnits
import Testing

@testable import CacheModel

/// Closed forms for independent requests (Fagin 1977; Che, Tung and Wang 2002; Fricker, Robert and
/// Roberts 2012). At 2.5 million counted requests the standard error is below 3.2e-4.
@Suite struct EvictionLawTests {
  static let shares = EvictionParts.zipf(20_000)
  static let trace = EvictionParts.independent(shares, requests: 5_000_000, seed: 11)

  /// The t at which a rising function reaches a value.
  private func solve(_ value: Double, _ function: (Double) -> Double) -> Double {
    var low = 0.0
    var high = 1.0
    while function(high) < value { high *= 2 }
    for _ in 0..<80 {
      let middle = (low + high) / 2
      if function(middle) < value { low = middle } else { high = middle }
    }
    return high
  }

  private func secondHalf(
    _ kind: EvictionKind, _ capacity: Int64, _ trace: CacheTrace, _ expiry: CacheExpiry = .ignore
  ) throws -> Double {
    let counts = try #require(
      CacheReplay.run(trace, kind: kind, capacity: capacity, expiry: expiry))
    return Double(counts.missesSecondHalf) / Double(trace.count - trace.count / 2)
  }

  @Test func `LRU misses what the characteristic time says`() throws {
    let shares = Self.shares
    for capacity: Int64 in [200, 2000, 8000] {
      let time = solve(Double(capacity)) { time in
        shares.reduce(0) { $0 + 1 - PortableMath.exp(-$1 * time) }
      }
      let miss = shares.reduce(0) { $0 + $1 * PortableMath.exp(-$1 * time) }
      #expect(abs(try secondHalf(.lru, capacity, Self.trace) - miss) < 1e-3)
    }
  }

  @Test func `FIFO misses what the characteristic time says`() throws {
    let shares = Self.shares
    for capacity: Int64 in [200, 2000, 8000] {
      let time = solve(Double(capacity)) { time in
        shares.reduce(0) { $0 + $1 * time / (1 + $1 * time) }
      }
      let miss = shares.reduce(0) { $0 + $1 / (1 + $1 * time) }
      #expect(abs(try secondHalf(.fifo, capacity, Self.trace) - miss) < 1e-3)
    }
  }

  @Test func `a lifetime without renewal gives one miss for each lifetime and wait`() throws {
    // One request a second: after a miss the next `hits` seconds may bring hits.
    for lifetime: Int64 in [3, 50, 2000] {
      var trace = Self.trace
      trace.lifetimes = [Int64](
        repeating: lifetime * EvictionParts.second, count: trace.count)
      func expected(_ hits: Int64) -> Double {
        Self.shares.reduce(0) { $0 + $1 / (1 + $1 * Double(hits)) }
      }
      let strict = try secondHalf(.infinite, 0, trace, .rfc9111)
      let lenient = try secondHalf(.infinite, 0, trace, .reference)
      #expect(abs(strict - expected(lifetime - 1)) < 1e-3)
      #expect(abs(lenient - expected(lifetime)) < 1e-3)
    }
  }

  @Test func `a larger LRU cache never misses more`() throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      let trace = EvictionParts.mixed(requests: 4000, objects: 300, largest: 25, seed: seed)
      var before = [Bool](repeating: false, count: trace.count)
      for capacity: Int64 in [25, 60, 130, 131, 300, 700, 1500, 4000] {
        let hits = EvictionParts.hits(.lru, capacity, trace)
        let lost = zip(before, hits).contains { $0 && !$1 }
        #expect(!lost, "seed \(seed): a hit is lost at \(capacity) bytes")
        before = hits
      }
    }
  }
}
