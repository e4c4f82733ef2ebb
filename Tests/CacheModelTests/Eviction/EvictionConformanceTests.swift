import Testing

@testable import CacheModel

/// What every registered kind keeps to.
@Suite struct EvictionConformanceTests {
  @Test(arguments: EvictionKind.all)
  func `a cache never holds more than fits and never serves what is too old`(
    _ kind: EvictionKind
  ) {
    for seed in 1...20 as ClosedRange<UInt64> {
      let trace = EvictionParts.mixed(
        requests: 600, objects: 60, largest: 30, changing: true, seed: seed)
      for capacity: Int64 in [0, 1, 7, 40, 110, 333, 3000] {
        let cache = EvictionParts.cache(kind, capacity, for: trace, expires: true)
        var deadlines = [Int64](repeating: .min, count: trace.objectCount)
        for index in trace.objects.indices {
          let request = EvictionParts.request(trace, index)
          let object = Int(request.object)
          if cache.lookup(request) {
            #expect(request.time < deadlines[object], "\(kind) served an old copy")
          } else {
            deadlines[object] = request.time + trace.lifetimes[index]
            cache.fill(request, deadlines[object])
          }
          let held = cache.residents
          #expect(held.bytes >= 0 && (kind == .infinite || held.bytes <= capacity))
        }
        cache.residents.checkInvariants()
      }
    }
  }

  @Test(arguments: EvictionKind.all)
  func `a cache with room for everything misses each object once`(_ kind: EvictionKind) throws {
    let trace = EvictionParts.mixed(requests: 5000, objects: 300, largest: 20, seed: 3)
    let distinct = Set(trace.objects).count
    let counts = try #require(CacheReplay.run(trace, kind: kind, capacity: 1_000_000))
    #expect(counts.misses == Int64(distinct))
    #expect(counts.objectsAtEnd == Int64(distinct))
  }

  @Test(arguments: EvictionKind.all)
  func `a cache without room for anything misses every request`(_ kind: EvictionKind) throws {
    let trace = EvictionParts.mixed(requests: 500, objects: 50, largest: 20, seed: 4)
    let counts = try #require(CacheReplay.run(trace, kind: kind, capacity: 0))
    #expect(counts.misses == (kind == .infinite ? Int64(Set(trace.objects).count) : 500))
  }

  @Test(arguments: EvictionKind.all)
  func `a lifetime that has run out makes a miss and a new copy`(_ kind: EvictionKind) throws {
    // Two requests of a 10 s object at every age, in a cache with much room.
    for age in 0...20 as ClosedRange<Int64> {
      let second = EvictionParts.second
      let trace = CacheTrace(
        objects: [0, 0, 0], times: [5 * second, (5 + age) * second, (5 + age) * second],
        lifetimes: [10 * second, 10 * second, 10 * second], objectCount: 1)
      func misses(_ expiry: CacheExpiry) throws -> Int64 {
        try #require(CacheReplay.run(trace, kind: kind, capacity: 1000, expiry: expiry)).misses
      }
      #expect(try misses(.rfc9111) == (age < 10 ? 1 : 2))
      #expect(try misses(.reference) == (age <= 10 ? 1 : 2))
      #expect(try misses(.ignore) == 1)
    }
  }

  @Test(arguments: EvictionKind.all)
  func `a range is replayed as a trace of its own`(_ kind: EvictionKind) throws {
    let trace = EvictionParts.mixed(requests: 3001, objects: 200, largest: 20, seed: 5)
    let range = 700..<2401
    var cut = trace
    cut.objects = Array(trace.objects[range])
    cut.sizes = Array(trace.sizes[range])
    cut.times = Array(trace.times[range])
    cut.lifetimes = Array(trace.lifetimes[range])
    cut.nodes = Array(trace.nodes[range])
    func counts(_ trace: CacheTrace, _ range: Range<Int>?) throws -> CacheReplayCounts {
      try #require(
        CacheReplay.run(trace, kind: kind, capacity: 600, expiry: .rfc9111, range: range))
    }
    #expect(try counts(trace, range) == counts(cut, nil))
  }

  @Test(arguments: EvictionKind.all)
  func `progress is told and changes nothing, and a refusal ends the replay`(
    _ kind: EvictionKind
  ) throws {
    let trace = EvictionParts.mixed(requests: 2500, objects: 200, largest: 20, seed: 6)
    var told: [Int] = []
    let counts = CacheReplay.run(trace, kind: kind, capacity: 600, progressEvery: 700) { done in
      told.append(done)
      return true
    }
    #expect(told == [700, 1400, 2100])
    #expect(counts == CacheReplay.run(trace, kind: kind, capacity: 600))
    let second = CacheReplay.run(
      trace, kind: kind, capacity: 600, progressEvery: 700, progress: { $0 < 1400 })
    #expect(second == nil)
  }

  @Test(arguments: EvictionKind.all)
  func `an empty trace counts nothing`(_ kind: EvictionKind) {
    #expect(CacheReplay.run(CacheTrace(), kind: kind, capacity: 5) == CacheReplayCounts())
    let tier = CacheReplay.Tier(kind: kind, capacity: 5)
    let tiers = CacheReplay.runTiers(CacheTrace(), edge: tier, shield: tier)
    #expect(tiers?.edge == CacheReplayCounts())
  }

  @Test(arguments: EvictionKind.all)
  func `unit sizes count objects`(_ kind: EvictionKind) throws {
    var trace = EvictionParts.mixed(requests: 3000, objects: 200, largest: 20, seed: 7)
    let asUnits = CacheReplay.run(trace, kind: kind, capacity: 100, unitSizes: true)
    trace.sizes = []
    #expect(asUnits == CacheReplay.run(trace, kind: kind, capacity: 100))
    #expect(asUnits?.bytes == 3000)
  }

  @Test(arguments: EvictionKind.all.filter { $0 != .infinite })
  func `no kind beats the clairvoyant one where objects have one size`(
    _ kind: EvictionKind
  ) throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      let trace = EvictionParts.mixed(requests: 2000, objects: 150, seed: seed)
      for capacity: Int64 in [2, 9, 20, 50, 100] {
        let best = try #require(
          CacheReplay.run(trace, kind: .belady, capacity: capacity, unitSizes: true))
        let other = try #require(
          CacheReplay.run(trace, kind: kind, capacity: capacity, unitSizes: true))
        #expect(best.misses <= other.misses, "seed \(seed), capacity \(capacity)")
      }
    }
  }
}
