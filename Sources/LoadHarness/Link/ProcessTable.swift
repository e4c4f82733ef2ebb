import Foundation
import Glibc

/// What the kernel knows of processes.
enum ProcessTable {
  /// The letter of a process's state (proc(5)); nil for one that has ended, reaped or not.
  static func state(of number: pid_t) -> Character? {
    guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
      // The name before it stands in brackets and may hold any of them.
      let letter = text.split(separator: ")").last?.first(where: { $0 != " " }),
      !"ZX".contains(letter)
    else { return nil }
    return letter
  }
}
