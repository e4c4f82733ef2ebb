import Foundation

/// Where programs are.
enum ProgramPath {
  /// The first executable of that name on PATH or in the folders of system programs, which are not
  /// on every user's PATH.
  static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
    return folders.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
