import ModelBasics
import SimulationKernel

/// An admission rule at work at one cache.
struct AdmissionFilter {
  /// Bits for each object and hashes of the Bloom filter: 0.8 % false positives (Bloom, 1970).
  private static var bitsPerObject: Int { 10 }
  private static var hashes: UInt64 { 7 }

  private let rule: CacheAdmission
  private let streams: RandomStreams
  /// Tells the draws of two tiers for one request apart.
  private let tier: UInt32
  private var seen: [UInt64] = []

  init(_ rule: CacheAdmission, objects: Int, seed: UInt64, tier: UInt32) {
    self.rule = rule
    self.tier = tier
    streams = RandomStreams(seed: seed, replication: 0)
    if rule == .bloom {
      let words = (max(objects, 1) * AdmissionFilter.bitsPerObject + 63) / 64
      seen = [UInt64](repeating: 0, count: words)
    }
  }

  @inline(__always)
  mutating func admits(_ request: CacheRequest) -> Bool {
    switch rule {
    case .all: true
    case .size(let most): request.size <= most
    case .bloom: wasSeen(request.object)
    case .probability(let share):
      streams.uniform(.admission, entity: UInt64(request.index), draw: tier) < share
    case .rule: preconditionFailure("a replay has no rule of somebody else's")
    }
  }

  /// Whether the object is in the Bloom filter; it is afterwards.
  private mutating func wasSeen(_ object: UInt32) -> Bool {
    let hash = HandleHash(object, seed: streams.seed)
    var isKnown = true
    for number in 0..<AdmissionFilter.hashes {
      let bit = hash.place(number, of: seen.count * 64)
      let mask = UInt64(1) << UInt64(bit & 63)
      if seen[bit >> 6] & mask == 0 {
        isKnown = false
        seen[bit >> 6] |= mask
      }
    }
    return isKnown
  }
}
