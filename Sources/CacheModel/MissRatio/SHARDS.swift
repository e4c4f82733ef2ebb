/// The miss ratio of LRU from a bounded number of objects, in one pass.
///
/// The sample is that of SHARDS (C. Waldspurger, N. Park, A. Garthwaite, I. Ahmad 2015, "Efficient
/// MRC construction with SHARDS", FAST, fixed size): objects whose hash is below a threshold are
/// looked at, and where that would be too many, those with the largest hash are dropped and the
/// threshold falls to theirs. What popular objects do decides most requests and a hash takes or
/// leaves them whole, so that three things are added to it:
///
/// - An object that has been requested often enough is looked at whatever its hash,
///   and from then on counts as itself alone. The bound doubles when such objects take more than a
///   quarter of the room.
/// - The first request for each object misses in every cache: these are counted, not estimated.
///   The others are estimated for each number of requests before, and scaled to how many there were
///   (post-stratification; W. Cochran, "Sampling Techniques", 3rd edition, 1977, section 5A.9).
/// - A distance among the sampled objects is scaled by what all such objects weigh over what the
///   sampled ones do, not by the rate.
///
/// A cache refuses what is larger than itself. For each capacity below the largest object the
/// sample is taken of those that fit in, as they alone are in the cache, in a pass of its own. Weak
/// where few objects hold most of the bytes: a hash takes or leaves those whole too.
///
/// Memory goes with the limit, but for a few bytes for each object.
public enum SHARDS {
  /// The estimated misses at each capacity.
  ///
  /// - Parameters:
  ///   - capacities: bytes, or objects with `unitSizes`; rising.
  ///   - limit: the most objects looked at at once, at least 1.
  ///   - rate: the share of the objects to begin with.
  ///   - progress: gets the number of requests done about every million; false cancels.
  /// - Returns: one point for each capacity; nil when cancelled. Exact where nothing is dropped and
  ///   every object keeps one size.
  public static func curve(
    _ trace: CacheTrace, capacities: [Int64], limit: Int, rate: Double = 1, unitSizes: Bool,
    progress: (Int) -> Bool = { _ in true }
  ) -> [MissRatioPoint]? {
    precondition(limit >= 1, "SHARDS needs an object to look at")
    let hasSizes = !unitSizes && !trace.sizes.isEmpty
    let largest = hasSizes ? trace.sizes.max() ?? 0 : 1
    let small = capacities.firstIndex { $0 >= largest } ?? capacities.count
    var points: [MissRatioPoint] = []
    for index in 0..<small {
      let found = pass(
        trace, [capacities[index]], limit, rate, largest: capacities[index], progress: progress)
      guard let found else { return nil }
      points += found
    }
    if small == capacities.count { return points }
    let found = pass(
      trace, Array(capacities[small...]), limit, rate, largest: hasSizes ? largest : nil,
      progress: progress)
    return found.map { points + $0 }
  }

  /// One pass over the trace.
  /// - Parameter largest: what is larger misses and is in no cache; nil: every object is one byte.
  private static func pass(
    _ trace: CacheTrace, _ capacities: [Int64], _ limit: Int, _ rate: Double, largest: Int64?,
    progress: (Int) -> Bool
  ) -> [MissRatioPoint]? {
    var pass = SHARDSPass(
      objects: trace.objectCount, capacities: capacities, limit: limit, rate: rate)
    for index in trace.objects.indices {
      if index & 0xF_FFFF == 0xF_FFFF && !progress(index) { return nil }
      let size = largest == nil ? 1 : trace.sizes[index]
      if let largest, size > largest {
        pass.refuse(size: size)
      } else {
        pass.add(trace.objects[index], size: size)
      }
    }
    return pass.points()
  }
}
