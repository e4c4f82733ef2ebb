import Foundation

/// Where a file is, seen from another one.
enum FilePlace {
  /// The path of a file as one in the same folder as `other` names it; the path itself when it
  /// begins at the root.
  static func of(_ path: String, from other: String?) -> String {
    guard let other, !path.hasPrefix("/") else { return path }
    let target = components(path)
    let folder = components(other).dropLast()
    let shared = zip(target, folder).prefix { $0 == $1 }.count
    let up = [String](repeating: "..", count: folder.count - shared)
    return (up + target.dropFirst(shared)).joined(separator: "/")
  }

  /// From the root, so that `..` is gone.
  private static func components(_ path: String) -> [String] {
    URL(fileURLWithPath: path).standardizedFileURL.pathComponents
  }
}
