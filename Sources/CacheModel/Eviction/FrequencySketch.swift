/// An estimate of how often each of many objects was counted, never too low.
///
/// A counting Bloom filter (Fan et al., 2000) of 32-bit counters, sized for a false positive rate
/// of 0.1 % (Bloom, 1970): ln(1000) / ln(2)^2 = 14.38 counters for each entry and 10 hashes, made
/// of the lower halves of two XXH64 by double hashing (Kirsch and Mitzenmacher, 2006). The seeds
/// and the counters' order are libCacheSim's: with far more objects than entries the estimates
/// depend on who shares counters with whom, and so do miss ratios, by up to 0.02.
struct FrequencySketch {
  private static var countersPerEntry: Double { 6.907_755_278_982_137 / 0.480_453_013_918_201 }
  private static var hashes: UInt32 { 10 }
  private static var firstSeed: UInt64 { 0x1234_5678 }
  private static var secondSeed: UInt64 { 0x1234_4321 }
  private var counters: [UInt32]
  /// How many objects it is sized for.
  private(set) var entries: Int

  /// - Parameter entries: how many objects it is sized for.
  init(entries: Int) {
    self.entries = max(entries, 1)
    let exact = Double(max(entries, 0)) * FrequencySketch.countersPerEntry
    var count = Int(exact)
    if Double(count) < exact { count += 1 }
    if count < Int(FrequencySketch.hashes) { count = 2 * Int(FrequencySketch.hashes) }
    // Places are 32 bits wide.
    counters = [UInt32](repeating: 0, count: min(count, Int(Int32.max)))
  }

  /// Makes room for twice as many objects; every estimate stays as it is.
  mutating func double() {
    entries *= 2
    // A place modulo twice the count is the old place or that place in the second half.
    if counters.count <= Int(Int32.max) / 2 { counters += counters }
  }

  func estimate(_ identity: UInt64) -> UInt32 {
    let (first, step) = FrequencySketch.hashes(of: identity)
    var least = UInt32.max
    for number in 0..<FrequencySketch.hashes {
      least = min(least, counters[place(first, step, number)])
    }
    return least
  }

  mutating func count(_ identity: UInt64) {
    let (first, step) = FrequencySketch.hashes(of: identity)
    for number in 0..<FrequencySketch.hashes {
      let place = place(first, step, number)
      if counters[place] < .max { counters[place] += 1 }
    }
  }

  mutating func halve() {
    for place in counters.indices { counters[place] >>= 1 }
  }

  @inline(__always)
  private func place(_ first: UInt32, _ step: UInt32, _ number: UInt32) -> Int {
    Int((first &+ number &* step) % UInt32(counters.count))
  }

  @inline(__always)
  private static func hashes(of identity: UInt64) -> (UInt32, UInt32) {
    (
      UInt32(truncatingIfNeeded: XXH64.hash(identity, seed: firstSeed)),
      UInt32(truncatingIfNeeded: XXH64.hash(identity, seed: secondSeed))
    )
  }
}
