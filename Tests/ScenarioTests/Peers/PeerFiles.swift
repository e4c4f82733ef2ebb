import Foundation
import Testing

@testable import Scenario

/// Files for the tests of the peers' readers.
enum PeerFiles {
  /// Writes files, named by their paths, into a folder of their own and removes it afterwards. In
  /// messages the folder is called `DIR`.
  static func withFolder<Result>(
    _ files: [String: String], _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "peers-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
      let file = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    return try body(folder.path)
  }

  /// The messages of what `body` throws, one on each line, with `DIR` for the folder; empty when it
  /// throws nothing.
  static func messages(
    _ folder: String, _ body: () throws(ScenarioRejected) -> Void
  ) -> [String] {
    do throws(ScenarioRejected) {
      try body()
      return []
    } catch {
      return error.problems.map { $0.description.replacingOccurrences(of: folder, with: "DIR") }
    }
  }
}
