import MediaUnits
import ServicePolicy

/// A table in partitions, each of which lets so many requests through in a second and keeps what it
/// did not use for a while (SIG-059). Left out: partitions that split when they are hot.
struct PartitionedTable: Sendable {
  private var buckets: [TokenBucket]

  /// Partitions of `rate` requests a second that keep `burst` seconds of unused ones.
  init(partitions: UInt32, rate: Double, burst: Double) {
    buckets = [TokenBucket](
      repeating: TokenBucket(rate: rate, burst: max(1, Int64(burst * rate))),
      count: Int(partitions))
  }

  /// The partition of a row that its number chooses.
  func partition(of row: Int) -> UInt32 { UInt32(row % buckets.count) }

  /// The partition that random bits choose.
  func partition(for bits: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: bits.multipliedFullWidth(by: UInt64(buckets.count)).high)
  }

  /// Whether a partition lets a request through.
  mutating func take(_ partition: UInt32, at now: Instant) -> Bool {
    buckets[Int(partition)].take(at: now)
  }
}
