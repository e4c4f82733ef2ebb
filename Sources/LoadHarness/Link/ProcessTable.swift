import Foundation
import Glibc

/// What the kernel knows of processes.
enum ProcessTable {
  /// The letter of a process's state (proc(5)); nil for one that has ended, reaped or not.
  static func state(of number: pid_t) -> Character? {
    stat("/proc/\(number)/stat").flatMap { isAlive($0) ? $0.state : nil }
  }

  /// Whether every thread of every process of a group is stopped or has ended.
  ///
  /// A signal that stops a group is sent before it has worked: each thread stops by itself when it
  /// runs next, and one that the scheduler keeps waiting may still answer a request before.
  static func isStopped(group: pid_t) -> Bool {
    for process in entries(of: "/proc") {
      guard let leader = stat("/proc/\(process)/stat"), leader.group == group else { continue }
      for thread in entries(of: "/proc/\(process)/task") {
        guard let thread = stat("/proc/\(process)/task/\(thread)/stat"), isAlive(thread) else {
          continue
        }
        if !"Tt".contains(thread.state) { return false }
      }
    }
    return true
  }

  /// The processes of a group that have not ended.
  static func members(of group: pid_t) -> [pid_t] {
    entries(of: "/proc").filter { process in
      guard let row = stat("/proc/\(process)/stat") else { return false }
      return row.group == group && isAlive(row)
    }
  }

  private static func isAlive(_ row: (state: Character, group: pid_t)) -> Bool {
    !"ZX".contains(row.state)
  }

  private static func entries(of folder: String) -> [pid_t] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { pid_t($0) }
  }

  /// State and process group of a process or a thread; nil when it is no more.
  private static func stat(_ path: String) -> (state: Character, group: pid_t)? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8),
      // The name before them stands in brackets and may hold any of them.
      let words = text.split(separator: ")").last?.split(separator: " "), words.count > 2,
      let state = words[0].first, let group = pid_t(words[2])
    else { return nil }
    return (state, group)
  }
}
