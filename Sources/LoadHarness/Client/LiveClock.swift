import Glibc
import MediaUnits
import NIOCore

/// The real clock of a live run: nanoseconds of `CLOCK_MONOTONIC` since the run's epoch.
///
/// It does not jump when the time of day is set, and stands still while the machine sleeps
/// (``ClockWatch`` notices both). Reading it takes some 25 ns and no system call.
public struct LiveClock: Sendable, Hashable {
  /// The run's zero, in nanoseconds of `CLOCK_MONOTONIC`.
  public let epoch: Int64

  /// - Parameter epoch: nil for now.
  public init(epoch: Int64? = nil) { self.epoch = epoch ?? LiveClock.read(CLOCK_MONOTONIC) }

  /// The present.
  public var now: Instant {
    Instant(nanoseconds: LiveClock.read(CLOCK_MONOTONIC) - epoch)
  }

  /// The point in time as event loops have it; they use the same clock.
  func deadline(_ instant: Instant) -> NIODeadline {
    let (sum, isOver) = instant.nanoseconds.addingReportingOverflow(epoch)
    return .uptimeNanoseconds(isOver ? UInt64(Int64.max) : UInt64(max(0, sum)))
  }

  /// Nanoseconds of one of the system's clocks.
  static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
