import Foundation

/// The ground truth in `Tests/Reference`, whose README says what each file is. A file that is
/// missing is an error that names it, never a reason to skip a test.
public enum ReferenceFiles {
  /// What kept a file from being used.
  public struct Problem: Error, CustomStringConvertible {
    public let description: String
  }

  /// `Tests/Reference`, links followed.
  public static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Reference")

  public static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// - Throws: ``Problem`` when the file cannot be read.
  public static func data(_ name: String) throws -> Data {
    do {
      return try Data(contentsOf: folder.appendingPathComponent(name))
    } catch {
      throw Problem(description: "Tests/Reference/\(name): expected a readable file, got none")
    }
  }

  /// - Throws: ``Problem`` when the file cannot be read.
  public static func text(_ name: String) throws -> String {
    String(decoding: try data(name), as: UTF8.self)
  }

  /// A file that holds one JSON object.
  /// - Throws: ``Problem`` when it does not, or cannot be read.
  public static func object(_ name: String) throws -> [String: Any] {
    guard let object = try JSONSerialization.jsonObject(with: data(name)) as? [String: Any] else {
      throw Problem(description: "Tests/Reference/\(name): expected a JSON object")
    }
    return object
  }

  /// Rows of numbers under lines `> NAME`, as they stand in the file.
  /// - Throws: ``Problem`` when the file cannot be read or begins otherwise.
  static func series(_ name: String) throws -> [(name: String, rows: [[Substring]])] {
    var found: [(name: String, rows: [[Substring]])] = []
    for line in try text(name).split(separator: "\n") {
      if line.hasPrefix("> ") {
        found.append((String(line.dropFirst(2)), []))
      } else if found.isEmpty {
        throw Problem(description: "Tests/Reference/\(name):1: expected '> NAME', got \(line)")
      } else {
        found[found.count - 1].rows.append(line.split(separator: " "))
      }
    }
    return found
  }

  /// Runs `body` with a new folder, which is gone afterwards.
  /// - Throws: what `body` throws, and errors of Foundation.
  public static func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "reference-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try body(folder)
  }
}
