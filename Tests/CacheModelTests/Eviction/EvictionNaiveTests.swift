import Testing

@testable import CacheModel

@Suite struct EvictionNaiveTests {
  static let kinds: [EvictionKind] =
    EvictionKind.all + [
      .clock(bits: 4), .slru(segments: 1), .slru(segments: 2), .lookahead(window: 0),
      .lookahead(window: 25),
    ]

  /// The first request at which a policy and its naive form differ.
  private func firstDifference(
    _ kind: EvictionKind, _ capacity: Int64, _ trace: CacheTrace
  ) throws -> Int? {
    let naive = try #require(NaiveCache.make(kind, capacity))
    let next = BeladyPolicy.nextUses(
      trace.objects, count: trace.objectCount, in: 0..<trace.count)
    let hits = EvictionParts.hits(kind, capacity, trace)
    return trace.objects.indices.first { index in
      let hit = naive.get(trace.objects[index], trace.sizes[index], next: Int(next[index]))
      return hit != hits[index]
    }
  }

  @Test(arguments: kinds)
  func `a policy equals its naive form request by request, sizes of one`(
    _ kind: EvictionKind
  ) throws {
    for seed in EvictionParts.seeds {
      // Fewer bytes than objects, for the sketch of W-TinyLFU is sized by the smaller of the two.
      let trace = EvictionParts.mixed(requests: 1500, objects: 150, seed: seed)
      for capacity: Int64 in [1, 3, 10, 20, 41, 100] {
        let difference = try firstDifference(kind, capacity, trace)
        #expect(difference == nil, "seed \(seed), capacity \(capacity)")
      }
    }
  }

  @Test(arguments: kinds.filter { $0 != .belady && !$0.hashesObjects })
  func `a policy equals its naive form request by request, sizes in bytes`(
    _ kind: EvictionKind
  ) throws {
    for seed in EvictionParts.seeds {
      let trace = EvictionParts.mixed(requests: 1500, objects: 120, largest: 40, seed: seed)
      for capacity: Int64 in [20, 97, 300, 777, 2000] {
        let difference = try firstDifference(kind, capacity, trace)
        #expect(difference == nil, "seed \(seed), capacity \(capacity)")
      }
    }
  }

  @Test(arguments: [EvictionKind.wTinyLFU, .wTinyLFUWide])
  func `W-TinyLFU equals its naive form request by request, sizes in bytes`(
    _ kind: EvictionKind
  ) throws {
    for seed in EvictionParts.seeds {
      let trace = EvictionParts.mixed(requests: 4000, objects: 2500, largest: 12, seed: seed)
      for capacity: Int64 in [300, 800, 2000] {
        let difference = try firstDifference(kind, capacity, trace)
        #expect(difference == nil, "seed \(seed), capacity \(capacity)")
      }
    }
  }

  @Test(arguments: kinds.filter { $0 != .belady && !$0.hashesObjects && $0 != .gdsf && $0 != .arc })
  func `a policy equals its naive form when sizes change and may be zero`(
    _ kind: EvictionKind
  ) throws {
    for seed in EvictionParts.seeds {
      let trace = EvictionParts.mixed(
        requests: 1500, objects: 80, largest: 30, changing: true, seed: seed)
      for capacity: Int64 in [97, 300, 777] {
        let difference = try firstDifference(kind, capacity, trace)
        #expect(difference == nil, "seed \(seed), capacity \(capacity)")
      }
    }
  }
}
