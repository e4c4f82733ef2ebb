/// A number of bytes. Kilo is 1000, kibi is 1024.
///
/// `+`, `-` and `*` trap on overflow; the factories saturate.
public struct ByteCount: Hashable, Comparable, Sendable {
  /// The number of bytes; negative only as a difference.
  public var bytes: Int64

  @inlinable
  public init(_ bytes: Int64) { self.bytes = bytes }

  @inlinable
  public static var zero: ByteCount { ByteCount(0) }
  /// More than any store holds; used as "no limit".
  @inlinable
  public static var unlimited: ByteCount { ByteCount(.max) }

  @inlinable
  public static func kilobytes(_ count: Int64) -> ByteCount { saturating(count, 1_000) }
  @inlinable
  public static func megabytes(_ count: Int64) -> ByteCount { saturating(count, 1_000_000) }
  @inlinable
  public static func gigabytes(_ count: Int64) -> ByteCount { saturating(count, 1_000_000_000) }
  @inlinable
  public static func kibibytes(_ count: Int64) -> ByteCount { saturating(count, 1 << 10) }
  @inlinable
  public static func mebibytes(_ count: Int64) -> ByteCount { saturating(count, 1 << 20) }
  @inlinable
  public static func gibibytes(_ count: Int64) -> ByteCount { saturating(count, 1 << 30) }

  @inlinable
  static func saturating(_ count: Int64, _ unit: Int64) -> ByteCount {
    let (product, overflow) = count.multipliedReportingOverflow(by: unit)
    return ByteCount(overflow ? (count < 0 ? .min : .max) : product)
  }

  @inlinable
  public static func < (a: ByteCount, b: ByteCount) -> Bool { a.bytes < b.bytes }
  @inlinable
  public static func + (a: ByteCount, b: ByteCount) -> ByteCount { ByteCount(a.bytes + b.bytes) }
  @inlinable
  public static func - (a: ByteCount, b: ByteCount) -> ByteCount { ByteCount(a.bytes - b.bytes) }
  @inlinable
  public static func * (a: ByteCount, factor: Int64) -> ByteCount { ByteCount(a.bytes * factor) }
  @inlinable
  public static func += (a: inout ByteCount, b: ByteCount) { a.bytes += b.bytes }
  @inlinable
  public static func -= (a: inout ByteCount, b: ByteCount) { a.bytes -= b.bytes }
}
