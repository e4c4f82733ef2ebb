import Models
import Statistics

/// What one direction of one link has carried.
public struct LaneCounters: Counters {
  /// Offered, and bytes of their IP packets.
  public var packetsIn: Int64 = 0
  public var bytesIn: Int64 = 0
  /// Handed over at the other end.
  public var packetsOut: Int64 = 0
  public var bytesOut: Int64 = 0
  /// Dropped: the queue was full; lost after transmission.
  public var full: Int64 = 0
  public var lost: Int64 = 0

  public init() {}
}

/// What a whole link has carried, and how well it kept time.
///
/// In each direction `packetsIn` = `packetsOut` + `full` + `lost` + what is still on the way;
/// packets without a link of their own (``foreign``, ``noRoom``) were never offered to one.
public struct LinkCounters: Sendable, Equatable {
  public var down = LaneCounters()
  public var up = LaneCounters()
  /// Packets on their way, lost ones included.
  public var onTheWay = 0
  /// Not IPv4, or of no address of the block.
  public var foreign: Int64 = 0
  /// The pool of packet buffers was empty: the link was overrun, the run's packets are not those of
  /// the profile.
  public var noRoom: Int64 = 0
  /// Due, and not taken by the device at the other end.
  public var refused: Int64 = 0
  /// Dropped by the kernel before the link could read them.
  public var unread: Int64 = 0
  /// By how much packets were handed over too late.
  public var slip = SlipHistogram()

  public init() {}

  /// Whether anything but the profile touched the packets: buffers, devices or lateness.
  ///
  /// - Parameter lateness: the 99 % quantile of ``slip`` that is still fine, nanoseconds.
  public func isFaithful(lateness: Int64 = 2_000_000) -> Bool {
    noRoom == 0 && refused == 0 && unread == 0 && slip.quantile(0.99) <= lateness
  }
}

/// Delays on a logarithmic scale: eight buckets to the doubling, from 1 ns to 2^40 ns.
///
/// A quantile is the upper end of its bucket: at most an eighth too large.
public struct SlipHistogram: Sendable, Equatable {
  private var buckets = [Int64](repeating: 0, count: 41 * 8)
  public private(set) var count: Int64 = 0
  public private(set) var largest: Int64 = 0

  public init() {}

  mutating func record(_ nanoseconds: Int64) {
    let value = max(0, nanoseconds)
    count += 1
    largest = max(largest, value)
    buckets[SlipHistogram.bucket(value)] += 1
  }

  private static func bucket(_ value: Int64) -> Int {
    if value < 8 { return Int(value) }
    let octave = min(40, 63 - value.leadingZeroBitCount)
    return (octave - 2) * 8 + Int(value >> Int64(octave - 3)) & 7
  }

  private static func end(of bucket: Int) -> Int64 {
    if bucket < 8 { return Int64(bucket) }
    let octave = bucket / 8 + 2
    return (Int64(8 + bucket % 8) + 1) << Int64(octave - 3) - 1
  }

  /// The least delay that a share of all do not exceed, nanoseconds; 0 when there are none.
  public func quantile(_ share: Double) -> Int64 {
    if count == 0 { return 0 }
    let rank = OrderStatistics.rank(share, of: count)
    var seen: Int64 = 0
    for (bucket, count) in buckets.enumerated() {
      seen += count
      if seen >= rank { return min(SlipHistogram.end(of: bucket), largest) }
    }
    return 0
  }
}
