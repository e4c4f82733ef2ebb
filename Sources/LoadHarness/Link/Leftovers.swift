import Foundation
import Glibc

/// What processes that were killed have left behind: things with their number in the name.
enum Leftovers {
  /// The process whose number stands in a name after one of the prefixes, before a hyphen; nil for
  /// other names.
  static func owner(of name: String, after prefixes: [String]) -> pid_t? {
    for prefix in prefixes where name.hasPrefix(prefix) {
      return pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" })
    }
    return nil
  }

  /// Removes what stands in a folder under such a name, if its process is no more.
  static func remove(in folder: String, after prefixes: [String], _ remove: (String) -> Void) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names {
      // One that nobody has waited for is no more, too.
      guard let pid = owner(of: name, after: prefixes), ProcessTable.state(of: pid) == nil
      else { continue }
      remove(name)
    }
  }

  /// Removes a folder, also while another thread removes it: of two that meet, each may find gone
  /// what it has listed, and gives up.
  static func clear(_ folder: String) {
    for _ in 0..<20 where access(folder, F_OK) == 0 {
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Ends the process group whose leader's number stands in a file of a folder, if that leader, or
  /// when it is no more any other of the group, names the folder in its command line or has a file
  /// of it open: workers outlive a leader that was killed.
  static func endGroup(numberedIn file: String, of folder: String) {
    guard
      let text = try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8),
      let pid = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)), pid > 1
    else { return }
    let isOurs =
      ProcessTable.state(of: pid) != nil
      ? isOf(folder, pid) : ProcessTable.members(of: pid).contains { isOf(folder, $0) }
    if isOurs { kill(-pid, SIGKILL) }
  }

  /// Whether a process has to do with a folder.
  private static func isOf(_ folder: String, _ process: pid_t) -> Bool {
    let files = FileManager.default
    if let line = files.contents(atPath: "/proc/\(process)/cmdline"),
      String(decoding: line, as: UTF8.self).contains(folder)
    {
      return true
    }
    let open = "/proc/\(process)/fd"
    return ((try? files.contentsOfDirectory(atPath: open)) ?? []).contains { number in
      let target = try? files.destinationOfSymbolicLink(atPath: "\(open)/\(number)")
      return target?.hasPrefix(folder + "/") == true
    }
  }

  /// Ends the process group that ``endGroup(numberedIn:of:)`` finds, and removes the folder.
  static func remove(_ folder: String, ofGroupIn file: String) {
    endGroup(numberedIn: file, of: folder)
    try? FileManager.default.removeItem(atPath: folder)
  }
}
