/// A trace as a replay reads it: one request at a time, by the replay's rules.
struct TraceRequests {
  let range: Range<Int>
  /// Whether stored copies grow too old.
  let expires: Bool
  private let objects: [UInt32]
  private let sizes: [Int64]
  private let times: [Int64]
  private let lifetimes: [Int64]
  private let grace: Int64

  init(_ trace: CacheTrace, unitSizes: Bool, expiry: CacheExpiry, range: Range<Int>?) {
    trace.checkShape()
    self.range = range ?? 0..<trace.count
    precondition(
      self.range.lowerBound >= 0 && self.range.upperBound <= trace.count,
      "the range is one of the trace's")
    expires = expiry != .ignore && !trace.lifetimes.isEmpty
    objects = trace.objects
    sizes = unitSizes ? [] : trace.sizes
    times = expires ? trace.times : []
    lifetimes = expires ? trace.lifetimes : []
    // One nanosecond makes "at most the lifetime" of "below the lifetime".
    grace = expiry == .reference ? 1 : 0
  }

  /// The first request of the second half.
  var middle: Int { range.lowerBound + range.count / 2 }

  @inline(__always)
  func request(_ index: Int) -> CacheRequest {
    CacheRequest(
      object: objects[index], size: sizes.isEmpty ? 1 : sizes[index], index: UInt32(index),
      time: times.isEmpty ? 0 : times[index])
  }

  /// The time from which an answer fetched by this request at a time is too old.
  @inline(__always)
  func deadline(_ index: Int, at time: Int64) -> Int64 {
    if lifetimes.isEmpty || lifetimes[index] == 0 { return .max }
    let (sum, overflow) = time.addingReportingOverflow(lifetimes[index])
    return overflow || sum > .max - grace ? .max : sum + grace
  }
}
