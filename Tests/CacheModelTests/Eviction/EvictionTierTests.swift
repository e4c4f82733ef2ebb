import Testing

@testable import CacheModel

@Suite struct EvictionTierTests {
  /// LRU with lifetimes, on a plain array; the oldest first.
  private struct Store {
    var capacity: Int64
    var list: [(object: UInt32, size: Int64, goodUntil: Int64)] = []

    /// Until when a copy is good; nil when there is none that is good now.
    mutating func lookup(_ object: UInt32, at time: Int64) -> Int64? {
      guard let place = list.firstIndex(where: { $0.object == object }) else { return nil }
      let entry = list.remove(at: place)
      if entry.goodUntil <= time { return nil }
      list.append(entry)
      return entry.goodUntil
    }

    mutating func fill(_ object: UInt32, _ size: Int64, goodUntil: Int64) {
      if size > capacity { return }
      while list.reduce(0, { $0 + $1.size }) + size > capacity { list.removeFirst() }
      list.append((object, size, goodUntil))
    }
  }

  private func naive(
    _ trace: CacheTrace, edge: Int64, shield: Int64, inherits: Bool
  ) -> (edge: Int64, shield: Int64) {
    var edges = [Store](repeating: Store(capacity: edge), count: 256)
    var parent = Store(capacity: shield)
    var misses: (edge: Int64, shield: Int64) = (0, 0)
    for index in trace.objects.indices {
      let object = trace.objects[index]
      let node = Int(trace.nodes[index])
      let time = trace.times[index]
      if edges[node].lookup(object, at: time) != nil { continue }
      misses.edge += 1
      let lifetime = trace.lifetimes[index]
      var goodUntil = lifetime == 0 ? Int64.max : time + lifetime
      if let atShield = parent.lookup(object, at: time) {
        if inherits { goodUntil = atShield }
      } else {
        misses.shield += 1
        parent.fill(object, trace.sizes[index], goodUntil: goodUntil)
      }
      edges[node].fill(object, trace.sizes[index], goodUntil: goodUntil)
    }
    return misses
  }

  @Test(arguments: [CacheReplay.Age.inherited, .fresh])
  func `two tiers equal their naive form`(_ age: CacheReplay.Age) throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let trace = EvictionParts.mixed(
        requests: 3000, objects: 150, largest: 30, nodes: 5, seed: seed)
      let expected = naive(trace, edge: 300, shield: 900, inherits: age == .inherited)
      let counts = try #require(
        CacheReplay.runTiers(
          trace, edge: .init(kind: .lru, capacity: 300), shield: .init(kind: .lru, capacity: 900),
          age: age, expiry: .rfc9111))
      #expect(counts.edge.misses == expected.edge, "seed \(seed)")
      #expect(counts.shield.misses == expected.shield, "seed \(seed)")
      #expect(counts.shield.requests == counts.edge.misses)
      #expect(counts.shield.bytes == counts.edge.missedBytes)
    }
  }

  @Test func `an inherited age makes more misses than a fresh one`() throws {
    var trace = EvictionParts.mixed(requests: 20_000, objects: 150, nodes: 8, seed: 21)
    trace.lifetimes = [Int64](repeating: 300 * EvictionParts.second, count: trace.count)
    let edge = CacheReplay.Tier(kind: .lru, capacity: 60)
    let shield = CacheReplay.Tier(kind: .lru, capacity: 120)
    func misses(_ age: CacheReplay.Age) throws -> Int64 {
      try #require(
        CacheReplay.runTiers(trace, edge: edge, shield: shield, age: age, expiry: .rfc9111)
      ).edge.misses
    }
    #expect(try misses(.inherited) > misses(.fresh))
  }

  // A window counts the requests of all nodes, so that lookahead alone differs.
  @Test(arguments: EvictionKind.all.filter { $0 != .lookahead(window: 1_000) })
  func `edges are single caches of their requests, and the shield one of their misses`(
    _ kind: EvictionKind
  ) throws {
    let trace = EvictionParts.mixed(
      requests: 6000, objects: 200, largest: 20, nodes: 4, seed: 22)
    let tier = CacheReplay.Tier(kind: kind, capacity: 500)
    let counts = try #require(
      CacheReplay.runTiers(trace, edge: tier, shield: .init(kind: .infinite, capacity: 0)))
    var misses: Int64 = 0
    for node in 0..<4 as Range<UInt16> {
      let chosen = trace.objects.indices.filter { trace.nodes[$0] == node }
      var numbers: [UInt32: UInt32] = [:]
      var part = CacheTrace()
      for index in chosen {
        let next = UInt32(numbers.count)
        if numbers[trace.objects[index]] == nil {
          part.identities.append(UInt64(trace.objects[index]))
        }
        part.objects.append(numbers[trace.objects[index], default: next])
        numbers[trace.objects[index]] = part.objects.last
        part.sizes.append(trace.sizes[index])
      }
      part.objectCount = numbers.count
      misses += try #require(CacheReplay.run(part, kind: kind, capacity: 500)).misses
    }
    #expect(counts.edge.misses == misses)
    #expect(counts.shield.misses == Int64(Set(trace.objects).count))
  }
}
