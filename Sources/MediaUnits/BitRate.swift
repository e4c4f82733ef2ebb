/// A rate in whole bits per second; never negative.
public struct BitRate: Hashable, Comparable, Sendable {
  public var bitsPerSecond: Int64

  @inlinable
  public init(bitsPerSecond: Int64) {
    precondition(bitsPerSecond >= 0, "a bit rate is never negative")
    self.bitsPerSecond = bitsPerSecond
  }

  @inlinable
  public static var zero: BitRate { BitRate(bitsPerSecond: 0) }

  @inlinable
  public static func kilobits(_ count: Int64) -> BitRate { saturating(count, 1_000) }
  @inlinable
  public static func megabits(_ count: Int64) -> BitRate { saturating(count, 1_000_000) }

  @inlinable
  static func saturating(_ count: Int64, _ unit: Int64) -> BitRate {
    let (product, overflow) = count.multipliedReportingOverflow(by: unit)
    return BitRate(bitsPerSecond: overflow ? .max : product)
  }

  @inlinable
  public static func < (a: BitRate, b: BitRate) -> Bool { a.bitsPerSecond < b.bitsPerSecond }

  /// How long `bytes` take at this rate, rounded **up** to a nanosecond; `TimeSpan.max` at rate
  /// zero or beyond the range of a span. Exact: the product is 128 bits wide.
  @inlinable
  public func timeToTransfer(_ bytes: ByteCount) -> TimeSpan {
    if bytes.bytes <= 0 { return .zero }
    if bitsPerSecond == 0 { return .max }
    let divisor = UInt64(bitsPerSecond)
    let product = UInt64(bytes.bytes).multipliedFullWidth(by: 8_000_000_000)
    if product.high >= divisor { return .max }
    let (quotient, remainder) = divisor.dividingFullWidth(product)
    if quotient >= UInt64(Int64.max) { return .max }
    return TimeSpan(nanoseconds: Int64(quotient) + (remainder > 0 ? 1 : 0))
  }

  /// Whole bytes that pass in `span`, rounded **down**; saturates at `ByteCount.unlimited`.
  @inlinable
  public func bytes(in span: TimeSpan) -> ByteCount {
    if span.nanoseconds <= 0 || bitsPerSecond == 0 { return .zero }
    let product = UInt64(bitsPerSecond).multipliedFullWidth(by: UInt64(span.nanoseconds))
    if product.high >= 8_000_000_000 { return .unlimited }
    let quotient = UInt64(8_000_000_000).dividingFullWidth(product).quotient
    return quotient >= UInt64(Int64.max) ? .unlimited : ByteCount(Int64(quotient))
  }

  /// The rate times a real factor, rounded down, at least zero, saturating.
  @inlinable
  public func scaled(by factor: Double) -> BitRate {
    let product = Double(bitsPerSecond) * factor
    if !(product > 0) { return .zero }
    return BitRate(bitsPerSecond: product >= 9.2e18 ? .max : Int64(product))
  }
}
