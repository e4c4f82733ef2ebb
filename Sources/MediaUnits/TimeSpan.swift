/// A length of time in whole nanoseconds; may be negative.
///
/// Range: about ±292 years. `+`, `-` and `*` trap on overflow, because an overflowing duration
/// inside a simulation is a bug; the factories and `init(seconds:)` saturate, because their input
/// may come from outside. A span is not a point in time: see ``Instant``.
public struct TimeSpan: Hashable, Comparable, Sendable {
  /// The length in nanoseconds.
  public var nanoseconds: Int64

  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Rounds to the nearest nanosecond (ties away from zero) and saturates; NaN becomes zero.
  @inlinable
  public init(seconds: Double) {
    let scaled = seconds * 1e9
    if scaled >= 9.223_372_036_854_774e18 {
      nanoseconds = .max
    } else if scaled <= -9.223_372_036_854_774e18 {
      nanoseconds = .min
    } else if scaled == scaled {
      // By way of an integer: `rounded()` would call the C library's `round` on most targets.
      let whole = Int64(scaled)
      let fraction = scaled - Double(whole)
      nanoseconds = whole + (fraction >= 0.5 ? 1 : 0) - (fraction <= -0.5 ? 1 : 0)
    } else {
      nanoseconds = 0
    }
  }

  @inlinable
  public static var zero: TimeSpan { TimeSpan(nanoseconds: 0) }
  /// The longest span; used as "never".
  @inlinable
  public static var max: TimeSpan { TimeSpan(nanoseconds: .max) }

  @inlinable
  public static func nanoseconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: count) }
  @inlinable
  public static func microseconds(_ count: Int64) -> TimeSpan { saturating(count, 1_000) }
  @inlinable
  public static func milliseconds(_ count: Int64) -> TimeSpan { saturating(count, 1_000_000) }
  @inlinable
  public static func seconds(_ count: Int64) -> TimeSpan { saturating(count, 1_000_000_000) }
  @inlinable
  public static func minutes(_ count: Int64) -> TimeSpan { saturating(count, 60_000_000_000) }
  @inlinable
  public static func hours(_ count: Int64) -> TimeSpan { saturating(count, 3_600_000_000_000) }
  @inlinable
  public static func days(_ count: Int64) -> TimeSpan { saturating(count, 86_400_000_000_000) }

  @inlinable
  static func saturating(_ count: Int64, _ unit: Int64) -> TimeSpan {
    let (product, overflow) = count.multipliedReportingOverflow(by: unit)
    return TimeSpan(nanoseconds: overflow ? (count < 0 ? .min : .max) : product)
  }

  /// The length in seconds, rounded to the nearest `Double`.
  @inlinable
  public var seconds: Double { Double(nanoseconds) / 1e9 }
  /// The length in milliseconds, rounded to the nearest `Double`.
  @inlinable
  public var milliseconds: Double { Double(nanoseconds) / 1e6 }

  @inlinable
  public static func < (a: TimeSpan, b: TimeSpan) -> Bool { a.nanoseconds < b.nanoseconds }
  @inlinable
  public static func + (a: TimeSpan, b: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds + b.nanoseconds)
  }
  @inlinable
  public static func - (a: TimeSpan, b: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds - b.nanoseconds)
  }
  @inlinable
  public static prefix func - (a: TimeSpan) -> TimeSpan { TimeSpan(nanoseconds: -a.nanoseconds) }
  @inlinable
  public static func * (a: TimeSpan, factor: Int64) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds * factor)
  }
  /// Truncates toward zero.
  @inlinable
  public static func / (a: TimeSpan, divisor: Int64) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds / divisor)
  }
  @inlinable
  public static func += (a: inout TimeSpan, b: TimeSpan) { a.nanoseconds += b.nanoseconds }
  @inlinable
  public static func -= (a: inout TimeSpan, b: TimeSpan) { a.nanoseconds -= b.nanoseconds }

  /// The sum, held at the ends of the range.
  @inlinable
  public func adding(saturating other: TimeSpan) -> TimeSpan {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(other.nanoseconds)
    return TimeSpan(nanoseconds: overflow ? (other.nanoseconds < 0 ? .min : .max) : sum)
  }

  /// The span times a real factor, rounded to the nearest nanosecond, saturating.
  @inlinable
  public func scaled(by factor: Double) -> TimeSpan { TimeSpan(seconds: seconds * factor) }

  /// Whole spans of `step` that fit, rounded down. `step` must be positive.
  @inlinable
  public func wholeSteps(of step: TimeSpan) -> Int64 {
    precondition(step.nanoseconds > 0, "a step must be positive")
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: step.nanoseconds)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
