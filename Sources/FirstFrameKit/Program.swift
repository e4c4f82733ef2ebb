import Foundation
import Reports
import Studies

/// This build of the program.
enum Program {
  /// What it is called in its help and in the commands that it proposes.
  static var name: String { ProgramName.own }

  /// Tells builds apart: a digest of the executable file. What was computed by another build is
  /// never taken for this one's.
  static var digest: String {
    known ?? "unknown-\(ProcessInfo.processInfo.processIdentifier)"
  }

  /// The same; nil where the file cannot be read.
  static let known: String? = {
    let path = "/proc/self/exe"
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    else { return nil }
    var hash = ContentHash()
    data.withUnsafeBytes { hash.add($0) }
    return hash.key.description
  }()
}
