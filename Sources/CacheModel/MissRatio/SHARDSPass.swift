/// The state of ``SHARDS`` between two requests.
struct SHARDSPass {
  /// What lies in a stack: of popular objects, each for itself, and of sampled ones.
  private struct Weight: AdditiveArithmetic {
    var hot: Int64 = 0
    var cold: Int64 = 0

    static let zero = Weight()
    static func + (a: Weight, b: Weight) -> Weight {
      Weight(hot: a.hot + b.hot, cold: a.cold + b.cold)
    }
    static func - (a: Weight, b: Weight) -> Weight {
      Weight(hot: a.hot - b.hot, cold: a.cold - b.cold)
    }
  }

  /// Requests for objects that were requested equally often before.
  private struct Stratum {
    /// Of all objects.
    var requests = 0.0
    var bytes = 0.0
    /// Of the sampled ones, each as many as it stands for.
    var sampledRequests = 0.0
    var sampledBytes = 0.0
    var sample = 0
    var counts: DistanceCounts<Double>
  }

  private let limit: Int
  private let capacities: [Int64]
  private var stack: RecencyStack<Weight>
  /// The sampled objects; the largest hash comes first.
  private var sampled: HandleHeap<UInt64>
  private var threshold: UInt64
  /// How often each object was requested, and its size at first; the sign bit of the former says
  /// that the object is popular.
  private var seen: [UInt32]
  private var sizes: [Int64]
  private var hot: [UInt32] = []
  /// From so many requests on an object is popular.
  private var bound: UInt32 = 1
  /// What the objects weigh that are not popular.
  private var coldBytes: Int64 = 0
  private var first = (requests: 0.0, bytes: 0.0)
  private var hotCounts: DistanceCounts<Double>
  private var strata: [Stratum]

  private static let hotBit: UInt32 = 1 << 31
  /// Fewer requests than this are estimated together with those of the next stratum.
  private static let leastSample = 20

  init(objects: Int, capacities: [Int64], limit: Int, rate: Double) {
    self.limit = limit
    self.capacities = capacities
    stack = RecencyStack(objects: objects, resident: min(limit + 2, objects))
    sampled = HandleHeap(objects: objects)
    threshold = ObjectSample(rate: rate).threshold
    seen = [UInt32](repeating: 0, count: objects)
    sizes = [Int64](repeating: 0, count: objects)
    hotCounts = DistanceCounts(capacities)
    strata = [Stratum](repeating: Stratum(counts: DistanceCounts(capacities)), count: 48)
  }

  /// One request.
  @inline(__always)
  mutating func add(_ object: UInt32, size: Int64) {
    let entry = seen[Int(object)]
    let before = entry & ~SHARDSPass.hotBit
    if before < SHARDSPass.hotBit - 1 { seen[Int(object)] = entry + 1 }
    if entry & SHARDSPass.hotBit != 0 {
      let distance = stack.touch(object, size: Weight(hot: size)).map { reach($0) }
      hotCounts.add(distance, requests: 1, bytes: Double(size))
      return
    }
    if before == 0 {
      sizes[Int(object)] = size
      coldBytes += size
      first.requests += 1
      first.bytes += Double(size)
    }
    let isSampled = ObjectSample.hash(object) <= threshold
    let distance =
      isSampled ? stack.touch(object, size: Weight(cold: sizes[Int(object)])) : nil
    if before > 0 { count(size, before: before, isSampled ? distance.map { reach($0) } : nil) }
    if isSampled && distance == nil { sampled.insert(object, key: ~ObjectSample.hash(object)) }
    if before + 1 >= bound { promote(object, isSampled: isSampled) }
    while stack.count > limit { makeRoom() }
  }

  /// A request for an object that no cache of these capacities takes.
  mutating func refuse(size: Int64) {
    first.requests += 1
    first.bytes += Double(size)
  }

  /// A request for an object that is not popular and not new; `distance` where it is sampled.
  private mutating func count(_ size: Int64, before: UInt32, _ distance: Int64?) {
    let place = SHARDSPass.stratum(before)
    strata[place].requests += 1
    strata[place].bytes += Double(size)
    guard let distance else { return }
    let weight = 0x1p64 / (Double(threshold) + 1)
    strata[place].sample += 1
    strata[place].sampledRequests += weight
    strata[place].sampledBytes += weight * Double(size)
    strata[place].counts.add(distance, requests: weight, bytes: weight * Double(size))
  }

  /// 1 to 16 requests before each for themselves, then four strata to an octave.
  private static func stratum(_ before: UInt32) -> Int {
    if before <= 16 { return Int(before) - 1 }
    let octave = 31 - before.leadingZeroBitCount
    let quarter = Int(before >> UInt32(octave - 2)) & 3
    return min(47, 16 + (octave - 4) * 4 + quarter)
  }

  /// The bytes of all objects in a piece of the stack.
  private func reach(_ weight: Weight) -> Int64 {
    if weight.cold == 0 || stack.bytes.cold == coldBytes { return weight.hot + weight.cold }
    let scale = Double(coldBytes) / Double(max(1, stack.bytes.cold))
    return SampledTrace.rounded(Double(weight.hot) + Double(weight.cold) * scale)
  }

  private mutating func promote(_ object: UInt32, isSampled: Bool) {
    let size = sizes[Int(object)]
    if isSampled {
      sampled.remove(object)
      stack.resize(object, to: Weight(hot: size))
    } else {
      _ = stack.touch(object, size: Weight(hot: size))
    }
    coldBytes -= size
    seen[Int(object)] |= SHARDSPass.hotBit
    hot.append(object)
  }

  /// Drops the sampled object of the largest hash, or makes fewer objects popular.
  private mutating func makeRoom() {
    if hot.count > limit / 4 {
      bound = bound < 1 << 29 ? bound * 2 : bound
      var kept: [UInt32] = []
      for object in hot {
        if seen[Int(object)] & ~SHARDSPass.hotBit >= bound {
          kept.append(object)
        } else {
          demote(object)
        }
      }
      hot = kept
      if stack.count <= limit || hot.count > limit / 4 && bound < 1 << 29 { return }
    }
    if sampled.isEmpty { return dropPopular() }
    let dropped = sampled.first
    sampled.remove(dropped.object)
    stack.remove(dropped.object)
    // Hashes differ, so that everything left is below.
    threshold = ~dropped.key - 1
  }

  private mutating func demote(_ object: UInt32) {
    let size = sizes[Int(object)]
    seen[Int(object)] &= ~SHARDSPass.hotBit
    coldBytes += size
    let hash = ObjectSample.hash(object)
    if hash <= threshold {
      stack.resize(object, to: Weight(cold: size))
      sampled.insert(object, key: ~hash)
    } else {
      stack.remove(object)
    }
  }

  /// Where objects that no bound tells apart fill the room.
  private mutating func dropPopular() {
    guard let object = hot.popLast() else { return }
    demote(object)
  }

  /// The misses at each capacity.
  func points() -> [MissRatioPoint] {
    var whole = hotCounts
    whole.add(nil, requests: first.requests, bytes: first.bytes)
    var pool = Stratum(counts: DistanceCounts(capacities))
    for stratum in strata.reversed() {
      pool.requests += stratum.requests
      pool.bytes += stratum.bytes
      pool.sampledRequests += stratum.sampledRequests
      pool.sampledBytes += stratum.sampledBytes
      pool.sample += stratum.sample
      pool.counts.add(stratum.counts, requestsBy: 1, bytesBy: 1)
      if pool.sample < SHARDSPass.leastSample { continue }
      SHARDSPass.add(pool, to: &whole)
      pool = Stratum(counts: DistanceCounts(capacities))
    }
    SHARDSPass.add(pool, to: &whole)
    return whole.points { SampledTrace.rounded($0) }
  }

  /// Requests of a stratum that nothing was seen of count as hits.
  private static func add(_ pool: Stratum, to whole: inout DistanceCounts<Double>) {
    if pool.sample == 0 { return }
    whole.add(
      pool.counts, requestsBy: pool.requests / pool.sampledRequests,
      bytesBy: pool.sampledBytes > 0 ? pool.bytes / pool.sampledBytes : 0)
  }
}
