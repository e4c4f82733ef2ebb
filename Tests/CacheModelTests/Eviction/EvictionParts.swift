import SimulationKernel

@testable import CacheModel

/// Traces and replays for the tests of the cache policies.
enum EvictionParts {
  static let second: Int64 = 1_000_000_000

  /// Seeds of the comparisons with naive forms: six where `make test` runs them, which optimises,
  /// and two where `make quick` does, in debug.
  static var seeds: ClosedRange<UInt64> {
    #if DEBUG
      1...2
    #else
      1...6
    #endif
  }

  /// SplitMix64 (Steele, Lea and Flood, 2014).
  struct Numbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state &+= SplitMix.step
      return SplitMix.finalized(state)
    }

    /// A number below `count`.
    mutating func below(_ count: Int) -> Int {
      Int(next().multipliedFullWidth(by: UInt64(count)).high)
    }

    mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }
  }

  /// Probabilities of `count` objects, proportional to 1 / rank.
  static func zipf(_ count: Int) -> [Double] {
    let weights = (1...count).map { 1 / Double($0) }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }

  /// Independent requests, one a second, by the popularity of the objects.
  static func independent(_ shares: [Double], requests: Int, seed: UInt64) -> CacheTrace {
    var cumulative = shares
    for rank in 1..<shares.count { cumulative[rank] += cumulative[rank - 1] }
    var numbers = Numbers(seed: seed)
    var trace = CacheTrace(objectCount: shares.count)
    for index in 0..<requests {
      let draw = numbers.uniform() * cumulative[shares.count - 1]
      var low = 0
      var high = shares.count - 1
      while low < high {
        let middle = (low + high) / 2
        if cumulative[middle] > draw { high = middle } else { low = middle + 1 }
      }
      trace.objects.append(UInt32(low))
      trace.times.append(Int64(index) * second)
    }
    return trace
  }

  /// A short trace with runs, returns and churn. Each object has one size from 1 to `largest`; with
  /// `changing` sizes differ from request to request and may be 0.
  static func mixed(
    requests: Int, objects: Int, largest: Int = 1, changing: Bool = false, nodes: Int = 1,
    seed: UInt64
  ) -> CacheTrace {
    var numbers = Numbers(seed: seed)
    let sizes = (0..<objects).map { _ in Int64(1 + numbers.below(largest)) }
    var trace = CacheTrace(objectCount: objects)
    var time: Int64 = 0
    for index in 0..<requests {
      let object: Int
      switch numbers.below(4) {
      case 0: object = numbers.below(objects)
      case 1: object = numbers.below(max(1, objects / 8))
      case 2: object = Int(trace.objects.last ?? 0)
      default: object = (index / 3 + numbers.below(5)) % objects
      }
      time += Int64(numbers.below(3)) * second
      trace.objects.append(UInt32(object))
      trace.sizes.append(changing ? Int64(numbers.below(largest + 1)) : sizes[object])
      trace.times.append(time)
      trace.lifetimes.append(Int64(numbers.below(20)) * second)
      trace.nodes.append(UInt16(numbers.below(nodes)))
    }
    return trace
  }

  /// A cold cache for all objects of a trace.
  static func cache(
    _ kind: EvictionKind, _ capacity: Int64, for trace: CacheTrace, expires: Bool = false,
    admission: CacheAdmission = .all
  ) -> ReplayCache {
    let count = trace.objectCount
    var setup = EvictionSetup(capacity: kind.effectiveCapacity(capacity), objects: count)
    setup.nextUse = BeladyPolicy.nextUses(trace.objects, count: count, in: 0..<trace.count)
    var maker = ReplayCacheMaker(
      setup: setup, admission: AdmissionFilter(admission, objects: count, seed: 1, tier: 0),
      expires: expires)
    return kind.open(setup, &maker)
  }

  /// Which requests of a trace are hits.
  static func hits(_ kind: EvictionKind, _ capacity: Int64, _ trace: CacheTrace) -> [Bool] {
    let cache = cache(kind, capacity, for: trace)
    return trace.objects.indices.map { index in
      let request = request(trace, index)
      if cache.lookup(request) { return true }
      cache.fill(request, .max)
      return false
    }
  }

  static func request(_ trace: CacheTrace, _ index: Int) -> CacheRequest {
    CacheRequest(
      object: trace.objects[index], size: trace.sizes.isEmpty ? 1 : trace.sizes[index],
      index: UInt32(index), time: trace.times[index])
  }
}
