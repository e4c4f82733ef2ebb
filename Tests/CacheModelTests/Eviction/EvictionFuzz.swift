@testable import CacheModel

/// Random caches, traces and rules, checked after every operation.
enum EvictionFuzz {
  static let kinds: [EvictionKind] =
    EvictionKind.all + [
      .clock(bits: 8), .slru(segments: 1), .slru(segments: 64), .lookahead(window: 0),
      .lookahead(window: 7),
    ]

  struct Outcome {
    var operations = 0
    var hits = 0
    /// The first thing that was wrong in each case where something was.
    var faults: [String] = []
  }

  /// Runs cases of one kind until they have made so many operations.
  static func run(_ kind: EvictionKind, operations: Int, seed: UInt64) -> Outcome {
    var numbers = EvictionParts.Numbers(seed: seed)
    var outcome = Outcome()
    while outcome.operations < operations { fuzzCase(kind, &numbers, &outcome) }
    return outcome
  }

  /// A number whose order of magnitude is uniform, from 0 to below 2^`bits`.
  private static func anySize(_ numbers: inout EvictionParts.Numbers, bits: Int) -> Int64 {
    let width = numbers.below(bits + 1)
    return width == 0 ? 0 : Int64(numbers.next() & (1 << UInt64(width) - 1))
  }

  private static func rule(_ numbers: inout EvictionParts.Numbers) -> CacheAdmission {
    switch numbers.below(8) {
    case 0: .bloom
    case 1: .probability(numbers.uniform())
    case 2: .size(atMost: anySize(&numbers, bits: 30))
    default: .all
    }
  }

  private static func fuzzCase(
    _ kind: EvictionKind, _ numbers: inout EvictionParts.Numbers, _ outcome: inout Outcome
  ) {
    let objects = 1 + numbers.below(300)
    let bits = 1 + numbers.below(40)
    let isChanging = numbers.below(2) == 0
    let expires = numbers.below(2) == 0
    var trace = EvictionParts.mixed(
      requests: 1 + numbers.below(2_000), objects: objects, seed: numbers.next())
    let fixed = (0..<objects).map { _ in anySize(&numbers, bits: bits) }
    trace.sizes = trace.objects.map {
      isChanging ? anySize(&numbers, bits: bits) : fixed[Int($0)]
    }
    // From nothing to hundreds of the largest objects, and now and then no bound at all.
    let capacity =
      numbers.below(16) == 0 ? Int64.max : anySize(&numbers, bits: min(bits + 8, 48))
    let cache = EvictionParts.cache(
      kind, capacity, for: trace, expires: expires, admission: rule(&numbers))
    var fault: String?
    for index in trace.objects.indices {
      let request = EvictionParts.request(trace, index)
      let before = cache.residents.count
      let wasHere = cache.residents.contains(request.object)
      let isHit = cache.lookup(request)
      if isHit {
        outcome.hits += 1
        if !wasHere { fault = fault ?? "a hit of an absent object" }
      } else {
        if cache.residents.contains(request.object) {
          fault = fault ?? "a miss of an object that stays"
        }
        cache.fill(request, request.time + trace.lifetimes[index])
      }
      let held = cache.residents
      if held.bytes < 0 || held.bytes > held.capacity { fault = fault ?? "\(held.bytes) bytes" }
      if held.count < 0 || held.count > objects || held.count > before + 1 {
        fault = fault ?? "\(held.count) objects"
      }
    }
    cache.residents.checkInvariants()
    outcome.operations += trace.count
    if let fault {
      outcome.faults.append(
        "\(fault): capacity \(capacity), objects \(objects), bits \(bits)")
    }
  }
}
