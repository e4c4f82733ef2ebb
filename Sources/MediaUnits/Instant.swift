/// A point in time: whole nanoseconds since the start of the run (or of the host's clock).
///
/// `Instant - Instant` is a ``TimeSpan``; there is no `Instant + Instant`. Arithmetic traps on
/// overflow, except ``advanced(saturatingBy:)``.
public struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the origin.
  public var nanoseconds: Int64

  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  @inlinable
  public static var zero: Instant { Instant(nanoseconds: 0) }
  /// After every other instant; used as "never".
  @inlinable
  public static var distantFuture: Instant { Instant(nanoseconds: .max) }

  /// Seconds since the origin, rounded to the nearest `Double`.
  @inlinable
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  @inlinable
  public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
  @inlinable
  public static func + (a: Instant, b: TimeSpan) -> Instant {
    Instant(nanoseconds: a.nanoseconds + b.nanoseconds)
  }
  @inlinable
  public static func - (a: Instant, b: TimeSpan) -> Instant {
    Instant(nanoseconds: a.nanoseconds - b.nanoseconds)
  }
  @inlinable
  public static func - (a: Instant, b: Instant) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds - b.nanoseconds)
  }
  @inlinable
  public static func += (a: inout Instant, b: TimeSpan) { a.nanoseconds += b.nanoseconds }

  /// This instant plus a span, held at the ends of the range.
  @inlinable
  public func advanced(saturatingBy span: TimeSpan) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(span.nanoseconds)
    return Instant(nanoseconds: overflow ? (span.nanoseconds < 0 ? .min : .max) : sum)
  }

  /// The span from another instant to this one, held at the ends of the range.
  @inlinable
  public func elapsed(saturatingSince other: Instant) -> TimeSpan {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
    return TimeSpan(nanoseconds: overflow ? (other.nanoseconds > 0 ? .min : .max) : difference)
  }
}
