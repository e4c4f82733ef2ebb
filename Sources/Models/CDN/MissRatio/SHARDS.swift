/// The miss ratio of LRU from a bounded number of objects (C. Waldspurger, N. Park, A. Garthwaite,
/// I. Ahmad 2015, "Efficient MRC construction with SHARDS", FAST, fixed size, adjusted).
///
/// Objects whose hash is below a threshold are looked at. Where that would be more than `limit` at
/// once, those with the largest hash are dropped and the threshold falls to theirs. A distance
/// among the sampled objects stands for one that is longer by the reciprocal of the rate, and a
/// request for as many. What the weights of all requests lack or have too much counts as hits, in
/// which the popular objects are. Memory goes with `limit`, but for four bytes for each object.
public enum SHARDS {
  /// The estimated misses at each capacity.
  ///
  /// - Parameters:
  ///   - capacities: bytes, or objects with `unitSizes`; rising.
  ///   - limit: the most objects looked at, at least 1; the article found errors of 0.01 and less
  ///     with 8,192.
  ///   - rate: the share of the objects to begin with.
  ///   - progress: gets the number of requests done about every million; false cancels.
  /// - Returns: one point for each capacity; nil when cancelled.
  public static func curve(
    _ trace: CacheTrace, capacities: [Int64], limit: Int, rate: Double = 1, unitSizes: Bool,
    progress: (Int) -> Bool = { _ in true }
  ) -> [MissRatioPoint]? {
    precondition(limit >= 1, "SHARDS needs an object to look at")
    let hasSizes = !unitSizes && !trace.sizes.isEmpty
    var counts = DistanceCounts<Double>(capacities)
    var stack = RecencyStack(
      objects: trace.objectCount, resident: min(limit + 1, trace.objectCount))
    // The largest hash comes first.
    var sampled = HandleHeap<UInt64>(objects: trace.objectCount)
    var threshold = ObjectSample(rate: rate).threshold
    var weight = SHARDS.weight(threshold)
    var totals = (requests: Int64(0), bytes: Int64(0))
    for index in trace.objects.indices {
      if index & 0xF_FFFF == 0xF_FFFF && !progress(index) { return nil }
      let object = trace.objects[index]
      let size = hasSizes ? trace.sizes[index] : 1
      totals.requests += 1
      totals.bytes += size
      let hash = ObjectSample.hash(object)
      if hash > threshold { continue }
      let distance = stack.touch(object, size: size)
      counts.add(
        distance.map { SampledTrace.rounded(Double($0) * weight) }, requests: weight,
        bytes: Double(size) * weight)
      if distance != nil { continue }
      sampled.insert(object, key: ~hash)
      if stack.count <= limit { continue }
      let dropped = sampled.first
      sampled.remove(dropped.object)
      stack.remove(dropped.object)
      // Hashes differ, so that everything left is below.
      threshold = ~dropped.key - 1
      weight = SHARDS.weight(threshold)
    }
    return counts.points { SampledTrace.rounded($0) }.map { point in
      MissRatioPoint(
        capacity: point.capacity, misses: min(point.misses, totals.requests),
        missedBytes: min(point.missedBytes, totals.bytes))
    }
  }

  /// How many objects one sampled object stands for.
  private static func weight(_ threshold: UInt64) -> Double {
    0x1p64 / (Double(threshold) + 1)
  }
}
