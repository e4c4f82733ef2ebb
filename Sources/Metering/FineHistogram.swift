import Estimation
import MediaUnits

/// Counts of times in buckets so narrow that a time read back from one is off by less than 0.1 %,
/// or by less than half a microsecond where that is more.
///
/// Bucket 0 holds exactly zero. The others divide each octave of microseconds, counted from 64 up
/// as in ``TimeHistogram``, into 1024 equal parts, or into single microseconds where those are
/// wider; so every bucket lies within one of ``TimeHistogram``. Counts are whole numbers: the order
/// in which histograms are filled and added does not show.
public struct FineHistogram: Sendable, Equatable {
  /// What a time that is read back may be off by, as a share of it.
  public static let relativeError = 0.001

  /// By bucket; as long as the highest bucket in use.
  public private(set) var counts: [Int64] = []
  public private(set) var total: Int64 = 0
  /// Exact: nanoseconds.
  public private(set) var sum: Int64 = 0
  public private(set) var largest: Int64 = 0

  public init() {}

  /// From what another one counted.
  public init(counts: [Int64], sum: Int64, largest: Int64) {
    self.counts = counts
    total = counts.reduce(0, &+)
    self.sum = sum
    self.largest = largest
  }

  /// The bucket of a time in nanoseconds.
  public static func bucket(nanoseconds: Int64) -> Int {
    if nanoseconds <= 0 { return 0 }
    let micros = UInt64(nanoseconds / 1000) + 64
    let octave = 63 - micros.leadingZeroBitCount
    // Below the tenth octave every microsecond has a bucket of its own.
    if octave <= 10 { return 1 + Int(micros) - 64 }
    return 1 + 1984 + (octave - 11) * 1024 + Int((micros >> UInt64(octave - 10)) & 1023)
  }

  /// The middle of a bucket, in nanoseconds.
  public static func middle(_ bucket: Int) -> Int64 {
    if bucket == 0 { return 0 }
    let place = Int64(bucket) - 1
    if place < 1984 { return place * 1000 + 500 }
    let octave = (place - 1984) / 1024 + 11
    let width = Int64(1) << (octave - 10)
    let micros = (1024 + (place - 1984) % 1024) * width - 64
    return micros * 1000 + width * 500
  }

  public mutating func add(nanoseconds: Int64) {
    let bucket = FineHistogram.bucket(nanoseconds: nanoseconds)
    if bucket >= counts.count {
      counts.append(contentsOf: repeatElement(0, count: bucket + 1 - counts.count))
    }
    counts[bucket] += 1
    total += 1
    sum += nanoseconds
    if nanoseconds > largest { largest = nanoseconds }
  }

  public mutating func add(_ other: FineHistogram) {
    if other.counts.count > counts.count {
      counts.append(contentsOf: repeatElement(0, count: other.counts.count - counts.count))
    }
    for (bucket, count) in other.counts.enumerated() { counts[bucket] += count }
    total += other.total
    sum += other.sum
    largest = max(largest, other.largest)
  }

  /// The time by which a share of the counted times has passed: the inverse of the step function.
  ///
  /// - Returns: nanoseconds; nil without times.
  public func quantile(_ p: Double) -> Int64? {
    if total == 0 { return nil }
    let rank = OrderStatistics.rank(p, of: total)
    var seen: Int64 = 0
    for (bucket, count) in counts.enumerated() {
      seen += count
      if seen >= rank { return min(FineHistogram.middle(bucket), largest) }
    }
    return largest
  }

  /// The product-limit quantile of these times, with `censored` times that say only that nothing
  /// had happened before; nil when the curve never falls that far.
  ///
  /// In one bucket events come before censorings, as at equal times.
  public func quantile(_ p: Double, censored: FineHistogram) -> Int64? {
    var curve = ProductLimit(atRisk: Double(total + censored.total))
    for (bucket, events) in counts.enumerated() {
      if events > 0 {
        curve.fall(by: Double(events))
        if curve.hasReached(p) { return min(FineHistogram.middle(bucket), largest) }
      }
      if bucket < censored.counts.count { curve.censor(Double(censored.counts[bucket])) }
    }
    return nil
  }
}
