/// The miss ratio of LRU as a function of its capacity, from one pass over a trace.
///
/// An object is hit in every cache that holds it and all that was requested since its last request
/// (Mattson et al. 1970, doi:10.1147/sj.92.0078). With sizes this is exact for capacities from the
/// largest object on, when every object keeps one size: a smaller cache refuses objects that are
/// too large for it, and then more cache may mean more misses (a request for an object that now
/// fits pushes others out), so that no single distance says it. Objects that change their size are
/// taken at the first.
public enum LRUMissRatioCurve {
  /// The exact misses at each capacity.
  ///
  /// - Parameters:
  ///   - capacities: bytes, or objects with `unitSizes`; rising.
  ///   - unitSizes: every object counts one byte.
  ///   - progress: gets the number of requests done about every million; false cancels.
  /// - Returns: one point for each capacity; nil when cancelled.
  /// - Complexity: O(requests · log objects).
  public static func exact(
    _ trace: CacheTrace, capacities: [Int64], unitSizes: Bool,
    progress: (Int) -> Bool = { _ in true }
  ) -> [MissRatioPoint]? {
    let hasSizes = !unitSizes && !trace.sizes.isEmpty
    var counts = DistanceCounts<Int64>(capacities)
    var stack = RecencyStack<Int64>(objects: trace.objectCount, resident: trace.objectCount)
    for index in trace.objects.indices {
      if index & 0xF_FFFF == 0xF_FFFF && !progress(index) { return nil }
      let size = hasSizes ? trace.sizes[index] : 1
      counts.add(stack.touch(trace.objects[index], size: size), requests: 1, bytes: size)
    }
    return counts.points { $0 }
  }

  /// Whether ``exact`` holds to the last miss at this capacity.
  public static func isExact(at capacity: Int64, for summary: CacheTraceSummary) -> Bool {
    capacity >= summary.largest && summary.resized == 0
  }
}
