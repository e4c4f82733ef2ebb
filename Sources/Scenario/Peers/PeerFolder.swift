import Foundation

/// Folders of the peers' data: which files they hold, in an order that does not depend on the
/// machine.
enum PeerFolder {
  /// The entries of the folder, without hidden ones: names that are whole numbers first, by value,
  /// then the others by their bytes. Empty when there is a problem, and a folder without entries is
  /// one.
  static func entries(
    at path: String, holding what: String, into problems: inout Problems
  ) -> [String] {
    func refuse(_ code: Problem.Code, _ expected: String, _ got: String) -> [String] {
      let origin = Origin.file(path, line: 1, column: 1)
      problems.add(Problem(code, at: origin, keyPath: "", expected: expected, got: got))
      return []
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      return refuse(.missingFile, "an existing folder", "no folder of this name")
    }
    guard isFolder.boolValue else { return refuse(.unreadable, "a folder", "a file") }
    guard let entries = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      return refuse(.unreadable, "a readable folder", "permission denied")
    }
    let shown = entries.filter { !$0.hasPrefix(".") }
    if shown.isEmpty { return refuse(.wrongCount, "at least one \(what)", "an empty folder") }
    return shown.sorted(by: precedes)
  }

  /// The path of an entry.
  static func path(_ folder: String, _ entry: String) -> String {
    folder.hasSuffix("/") ? folder + entry : "\(folder)/\(entry)"
  }

  static func precedes(_ a: String, _ b: String) -> Bool {
    switch (number(a), number(b)) {
    case (let left?, let right?) where left != right: left < right
    case (_?, nil): true
    case (nil, _?): false
    default: a.utf8.lexicographicallyPrecedes(b.utf8)
    }
  }

  private static func number(_ name: String) -> UInt64? {
    name.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(name) : nil
  }
}
