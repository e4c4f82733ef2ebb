/// Runs the requests of a trace through one cache, or through edges and a shield.
public enum CacheReplay {
  /// Replays a trace, or a range of its requests, through one cold cache.
  ///
  /// - Parameters:
  ///   - capacity: bytes, or objects with `unitSizes`; not negative.
  ///   - unitSizes: every object counts one byte, whatever the trace says.
  ///   - range: request numbers; all when nil.
  ///   - seed: of the Bloom filter's hashes and of `.probability`.
  ///   - progressEvery: after how many requests `progress` is called, at least 1.
  ///   - progress: gets the number of requests done; false cancels.
  /// - Returns: nil when cancelled.
  /// - Precondition: the trace has the shape that ``CacheTrace/checkShape()`` checks.
  /// - Complexity: O(1) for each request; O(log objects) for GDSF and the clairvoyant policy.
  public static func run(
    _ trace: CacheTrace, kind: EvictionKind, capacity: Int64, admission: CacheAdmission = .all,
    expiry: CacheExpiry = .ignore, unitSizes: Bool = false, range: Range<Int>? = nil,
    seed: UInt64 = 1, progressEvery: Int = 1 << 20, progress: (Int) -> Bool = { _ in true }
  ) -> CacheReplayCounts? {
    let requests = TraceRequests(trace, unitSizes: unitSizes, expiry: expiry, range: range)
    let capacity = kind.effectiveCapacity(capacity)
    var setup = EvictionSetup(capacity: capacity, objects: trace.objectCount)
    if kind.hashesObjects { setup.identities = trace.identities }
    if kind.isClairvoyant {
      setup.nextUse = BeladyPolicy.nextUses(
        trace.objects, count: trace.objectCount, in: requests.range)
    }
    return withoutActuallyEscaping(progress) { progress in
      var visitor = SingleReplay(
        requests: requests, capacity: capacity, objects: trace.objectCount,
        admission: AdmissionFilter(admission, objects: trace.objectCount, seed: seed, tier: 0),
        meter: ReplayMeter(every: progressEvery, report: progress))
      return kind.open(setup, &visitor)
    }
  }
}

/// The replay through one cache of whichever kind.
private struct SingleReplay: EvictionVisitor {
  let requests: TraceRequests
  let capacity: Int64
  let objects: Int
  let admission: AdmissionFilter
  let meter: ReplayMeter

  func visit<Policy: EvictionPolicy>(_ policy: Policy) -> CacheReplayCounts? {
    var cache = EvictionCache(
      policy, capacity: capacity, objects: objects, admission: admission,
      expires: requests.expires)
    var counts = CacheReplayCounts()
    let isDone = meter.walk(requests) { piece, isSecondHalf in
      let before = counts.misses
      replay(piece, &cache, &counts)
      if isSecondHalf { counts.missesSecondHalf += counts.misses - before }
    }
    if !isDone { return nil }
    counts.requests = Int64(requests.range.count)
    counts.addEnd(cache.residents)
    return counts
  }

  private func replay<Policy: EvictionPolicy>(
    _ piece: Range<Int>, _ cache: inout EvictionCache<Policy>, _ counts: inout CacheReplayCounts
  ) {
    for index in piece {
      let request = requests.request(index)
      counts.bytes += request.size
      if cache.lookup(request) { continue }
      counts.misses += 1
      counts.missedBytes += request.size
      cache.fill(request, goodUntil: requests.deadline(index, at: request.time))
    }
  }
}
