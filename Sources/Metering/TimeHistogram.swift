/// Counts of times in buckets that are at most 1/64 of an octave wide: a relative error below 1.6
/// %.
///
/// Bucket 0 holds exactly zero. The others divide each octave of microseconds into 64 equal parts,
/// so histograms of any two runs can be added.
public struct TimeHistogram: Sendable, Equatable {
  /// Counts by bucket; as long as the highest bucket in use.
  public private(set) var counts: [Int64] = []
  /// Exact counts by coarse bucket; see ``coarseEdges``.
  public private(set) var coarse = [Int64](repeating: 0, count: coarseEdges.count)

  public init() {}

  /// From what another one counted; nil where both lists count different numbers of times.
  public init?(counts: [Int64], coarse: [Int64]) {
    guard coarse.count == TimeHistogram.coarseEdges.count,
      coarse.reduce(0, &+) == counts.reduce(0, &+)
    else { return nil }
    self.counts = counts
    self.coarse = coarse
  }

  /// Where the coarse buckets of a report begin, in milliseconds. The first holds exactly zero (on
  /// the display when the clock started; a ready frame that is yet to be presented takes longer),
  /// the second everything above it and below 100 ms; the last has no end.
  public static let coarseEdges: [Int64] = [0, 0, 100, 200, 400, 600, 1000, 2000, 4000]

  /// The coarse bucket of a time in nanoseconds.
  public static func coarseBucket(nanoseconds: Int64) -> Int {
    if nanoseconds <= 0 { return 0 }
    let next = coarseEdges.firstIndex { $0 > 0 && nanoseconds < $0 * 1_000_000 }
    return (next ?? coarseEdges.count) - 1
  }

  /// The bucket of a time in nanoseconds.
  public static func bucket(nanoseconds: Int64) -> Int {
    if nanoseconds <= 0 { return 0 }
    let micros = UInt64(nanoseconds / 1000) + 64
    let octave = 63 - micros.leadingZeroBitCount
    return 1 + (octave - 6) * 64 + Int((micros >> UInt64(octave - 6)) & 63)
  }

  /// The least time of a bucket, in milliseconds.
  public static func lower(_ bucket: Int) -> Double {
    if bucket == 0 { return 0 }
    let octave = (bucket - 1) / 64 + 6
    let part = (bucket - 1) % 64
    return Double(Int64(64 + part) << Int64(octave - 6) - 64) / 1000
  }

  /// Where the next bucket begins, in milliseconds.
  public static func upper(_ bucket: Int) -> Double { bucket == 0 ? 0 : lower(bucket + 1) }

  public mutating func add(nanoseconds: Int64) {
    let bucket = TimeHistogram.bucket(nanoseconds: nanoseconds)
    while counts.count <= bucket { counts.append(0) }
    counts[bucket] += 1
    coarse[TimeHistogram.coarseBucket(nanoseconds: nanoseconds)] += 1
  }

  public mutating func add(_ other: TimeHistogram) {
    while counts.count < other.counts.count { counts.append(0) }
    for (bucket, count) in other.counts.enumerated() { counts[bucket] += count }
    for (bucket, count) in other.coarse.enumerated() { coarse[bucket] += count }
  }

  public var total: Int64 { counts.reduce(0) { $0 + $1 } }

  /// By time: how long, in milliseconds, and what share had passed by then.
  public var curve: [(milliseconds: Double, share: Double)] {
    let all = Double(max(1, total))
    var seen: Int64 = 0
    var points: [(milliseconds: Double, share: Double)] = []
    for bucket in counts.indices where counts[bucket] > 0 {
      seen += counts[bucket]
      points.append((TimeHistogram.upper(bucket), Double(seen) / all))
    }
    return points
  }
}
