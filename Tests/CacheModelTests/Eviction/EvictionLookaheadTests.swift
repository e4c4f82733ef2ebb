import Testing

@testable import CacheModel

@Suite struct EvictionLookaheadTests {
  private func misses(
    _ kind: EvictionKind, _ capacity: Int64, _ trace: CacheTrace
  ) throws -> Int64 {
    try #require(CacheReplay.run(trace, kind: kind, capacity: capacity)).misses
  }

  @Test func `without a window it is LRU, with one over everything clairvoyant`() throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      let trace = EvictionParts.mixed(requests: 4_000, objects: 300, seed: seed)
      for capacity: Int64 in [3, 20, 75, 200] {
        #expect(
          EvictionParts.hits(.lookahead(window: 0), capacity, trace)
            == EvictionParts.hits(.lru, capacity, trace))
        #expect(
          try misses(.lookahead(window: 4_000), capacity, trace)
            == misses(.belady, capacity, trace))
      }
    }
  }

  @Test func `a longer window misses less where the popular come back at random`() throws {
    let trace = EvictionParts.independent(
      EvictionParts.zipf(3_000), requests: 60_000, seed: 41)
    var before = Int64.max
    for window in [0, 100, 400, 1_600, 6_400] {
      let now = try misses(.lookahead(window: window), 300, trace)
      #expect(now < before, "a window of \(window)")
      before = now
    }
  }

  /// Object 0 is announced for the request that edge 0 answers itself; the shield must not keep it
  /// for ever after.
  @Test func `a shield lets go of what an edge answered`() throws {
    var trace = CacheTrace(objectCount: 40)
    for (object, node) in [(0, 0), (0, 0), (1, 1), (2, 1), (3, 1), (1, 1)] {
      trace.objects.append(UInt32(object))
      trace.nodes.append(UInt16(node))
    }
    let counts = try #require(
      CacheReplay.runTiers(
        trace, edge: .init(kind: .lru, capacity: 1),
        shield: .init(kind: .lookahead(window: 5), capacity: 2)))
    // The shield has room for two: 0 leaves for 2, though its request at edge 0 was near.
    #expect(counts.edge.misses == 5)
    #expect(counts.shield.misses == 4)
  }
}
