import MediaUnits

/// What is wrong with the commands of somebody else's machine.
public enum MachineFault: Sendable, Equatable {
  /// More than ``CommandPace/mostForEvent``, so many.
  case many(Int)
  /// More than ``CommandPace/mostInSecond``, so many.
  case fast(Int)
  /// A poll whose number is not higher than those of the polls before.
  case usedNumber(UInt32)
}

/// Counts the commands of somebody else's machine, whose own clock may be set.
public struct CommandPace: Sendable {
  /// Commands for one event at most.
  public static var mostForEvent: Int { 64 }
  /// Commands within a second at most: a machine that keeps waking itself ends the run, where it
  /// would make it endless.
  public static var mostInSecond: Int { 256 }

  private var since = Instant.zero
  private var count = 0

  public init() {}

  /// Takes note of the commands for an event.
  ///
  /// - Returns: what is wrong; nil: nothing.
  public mutating func note(_ commands: Int, at now: Instant) -> MachineFault? {
    if commands > CommandPace.mostForEvent { return .many(commands) }
    if now < since || now.elapsed(saturatingSince: since) >= .seconds(1) {
      since = now
      count = 0
    }
    count += commands
    return count > CommandPace.mostInSecond ? .fast(count) : nil
  }
}

/// The timer of somebody else's machine: a new one replaces the old.
public struct MachineTimer: Sendable {
  /// How soon a timer can fire.
  public static var shortestWait: TimeSpan { .milliseconds(1) }
  /// How late: later than any run.
  public static var longestWait: TimeSpan { .days(365) }

  private var serial: UInt32 = 0
  private var number: UInt32 = 0

  public init() {}

  /// Sets it.
  ///
  /// - Returns: what the host's event has to name.
  public mutating func set(_ number: UInt32) -> UInt32 {
    serial &+= 1
    self.number = number
    return serial
  }

  /// The machine's number of a timer that is due; nil where another has replaced it.
  public func fired(_ serial: UInt32) -> UInt32? { serial == self.serial ? number : nil }

  /// A time at which a timer can fire.
  public static func held(_ at: Instant, at now: Instant) -> Instant {
    let soonest = now.advanced(saturatingBy: shortestWait)
    let latest = now.advanced(saturatingBy: longestWait)
    return min(max(at, soonest), latest)
  }

  /// A span within which a timer can be drawn later.
  static func held(_ jitter: TimeSpan) -> TimeSpan { min(max(jitter, .zero), longestWait) }
}
