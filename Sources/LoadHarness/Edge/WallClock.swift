import Foundation

/// The time of day, for `Date` and for ages that come from outside.
enum WallClock {
  /// Nanoseconds since 1970.
  static func nanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
