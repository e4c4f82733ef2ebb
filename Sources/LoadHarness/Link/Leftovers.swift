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
      guard let pid = owner(of: name, after: prefixes), kill(pid, 0) != 0, errno == ESRCH
      else { continue }
      remove(name)
    }
  }
}
