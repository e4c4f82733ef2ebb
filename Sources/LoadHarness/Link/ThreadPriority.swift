import Foundation
import Glibc

/// How soon a thread runs when it is woken.
enum ThreadPriority {
  /// Puts the calling thread before ordinary ones where the system allows it (root, or a limit on
  /// `rtprio`); elsewhere its timers are at least not put off.
  ///
  /// For threads that sleep most of the time and whose lateness would be taken for the target's.
  /// Linux leaves ordinary threads 5 % of a core whatever such a thread does (sched(7),
  /// sched_rt_runtime_us).
  ///
  /// - Returns: whether the thread goes before ordinary ones.
  @discardableResult
  static func raise() -> Bool {
    var priority = sched_param()
    priority.sched_priority = 1
    if pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) == 0 { return true }
    sharpenTimers()
    return false
  }

  /// Ordinary threads' timers may be 50 µs late by default (proc(5), timerslack_ns): no longer.
  static func sharpenTimers() {
    try? "1".write(
      toFile: "/proc/\(LinuxCalls.threadNumber())/timerslack_ns", atomically: false,
      encoding: .utf8)
  }
}
