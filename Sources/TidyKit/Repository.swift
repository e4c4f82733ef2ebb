import Foundation

/// Reads the files that `tidy` checks from disk.
public enum Repository {
  /// The nearest folder at or above `path` that holds `Package.swift` and `Sources`.
  public static func root(above path: String) -> String? {
    var folder = URL(fileURLWithPath: path).standardizedFileURL
    while true {
      let manifest = folder.appendingPathComponent("Package.swift").path
      let sources = folder.appendingPathComponent("Sources").path
      let files = FileManager.default
      if files.fileExists(atPath: manifest) && files.fileExists(atPath: sources) {
        return folder.path
      }
      let parent = folder.deletingLastPathComponent().standardizedFileURL
      if parent.path == folder.path { return nil }
      folder = parent
    }
  }

  /// Every file some rule reads, sorted by path.
  ///
  /// Leaves out build products, hidden folders other than `.ci`, and the run folders under
  /// `results` that git ignores (docs/ARCHITECTURE.md).
  /// - Throws: the error of Foundation for a file that cannot be read.
  public static func files(at root: String) throws -> [SourceText] {
    var found: [SourceText] = []
    try collect(root: root, folder: "", into: &found)
    return found.sorted { $0.path < $1.path }
  }

  private static func collect(
    root: String, folder: String, into found: inout [SourceText]
  ) throws {
    let base = folder.isEmpty ? root : "\(root)/\(folder)"
    for name in try FileManager.default.contentsOfDirectory(atPath: base) {
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      var isFolder: ObjCBool = false
      let full = "\(root)/\(path)"
      guard FileManager.default.fileExists(atPath: full, isDirectory: &isFolder) else { continue }
      if isFolder.boolValue {
        if isRead(folder: path) { try collect(root: root, folder: path, into: &found) }
      } else if SourceText.kind(of: path) != nil && isTracked(path) {
        let data = try Data(contentsOf: URL(fileURLWithPath: full))
        found.append(SourceText(path: path, bytes: [UInt8](data)))
      }
    }
  }

  private static func isRead(folder path: String) -> Bool {
    let parts = path.split(separator: "/")
    if parts.count == 2 && parts[0] == "results" {
      return parts[1] == "baselines" || parts[1] == "answers"
    }
    if parts.count == 1 && parts[0] == ".ci" { return true }
    return parts.last?.hasPrefix(".") != true && parts.last != "__pycache__"
  }

  /// Files directly under `results` are run products, except its README.
  private static func isTracked(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return !(parts.count == 2 && parts[0] == "results") || parts[1] == "README.md"
  }
}
