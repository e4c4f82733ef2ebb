import Glibc
import MediaUnits

/// Notices when the machine slept or somebody set its time of day.
///
/// `CLOCK_MONOTONIC` stands still during sleep and `CLOCK_BOOTTIME` goes on; the time of day moves
/// with the monotonic clock (slewing by NTP included) except when it is set.
public struct ClockWatch: Sendable, Hashable {
  /// The three clocks at about the same time, in nanoseconds.
  public struct Reading: Sendable, Hashable {
    public var monotonic: Int64
    public var bootTime: Int64
    public var timeOfDay: Int64

    public init(monotonic: Int64, bootTime: Int64, timeOfDay: Int64) {
      self.monotonic = monotonic
      self.bootTime = bootTime
      self.timeOfDay = timeOfDay
    }

    /// The present. Read again when something came in between, so that being preempted does not
    /// look like a jump.
    public static func now() -> Reading {
      var best = Reading(monotonic: 0, bootTime: 0, timeOfDay: 0)
      var bestSpan = Int64.max
      for _ in 0..<4 {
        let before = LiveClock.read(CLOCK_MONOTONIC)
        let bootTime = LiveClock.read(CLOCK_BOOTTIME)
        let timeOfDay = LiveClock.read(CLOCK_REALTIME)
        let span = LiveClock.read(CLOCK_MONOTONIC) - before
        if span < bestSpan {
          bestSpan = span
          best = Reading(monotonic: before, bootTime: bootTime, timeOfDay: timeOfDay)
        }
        if span < 10_000 { break }
      }
      return best
    }
  }

  /// The sum of all sleeps.
  public private(set) var suspended = TimeSpan.zero
  /// The sum of all jumps of the time of day, either way; waking up is none.
  public private(set) var jumps = TimeSpan.zero
  private var last: Reading?
  /// Differences below this are how the clocks are read.
  private static let noise: Int64 = 1_000_000

  public init() {}

  /// Takes the next reading.
  public mutating func take(_ reading: Reading) {
    defer { last = reading }
    guard let last else { return }
    let elapsed = reading.monotonic - last.monotonic
    let slept = reading.bootTime - last.bootTime - elapsed
    if slept > ClockWatch.noise { suspended = suspended + TimeSpan(nanoseconds: slept) }
    let jump = reading.timeOfDay - last.timeOfDay - elapsed - max(0, slept)
    if jump.magnitude > UInt64(ClockWatch.noise) {
      jumps = jumps + TimeSpan(nanoseconds: Int64(jump.magnitude))
    }
  }
}
