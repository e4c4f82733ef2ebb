/// A file of the repository: its path from the root and its bytes.
public struct SourceText: Sendable {
  /// What a file is for, as far as the rules care.
  public enum Kind: Sendable {
    case swift
    /// Shell, Python and Makefiles.
    case script
    case markdown
    case yaml
    /// C headers and module maps.
    case header
    /// Exported pages and data: only the rules about machines and secrets read them.
    case data
  }

  public let path: String
  public let bytes: [UInt8]
  public let kind: Kind

  public init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
    kind = SourceText.kind(of: path) ?? .data
  }

  public init(path: String, text: String) { self.init(path: path, bytes: Array(text.utf8)) }

  /// nil for files that no rule reads, such as pictures.
  static func kind(of path: String) -> Kind? {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if path.hasPrefix(".ci/") || name == "Makefile" { return .script }
    switch name.split(separator: ".").last.map(String.init) ?? "" {
    case "swift": return .swift
    case "sh", "py", "mk": return .script
    case "md": return .markdown
    case "yaml", "yml": return .yaml
    case "h", "modulemap", "c", "cpp": return .header
    case "json", "ipynb", "html", "csv", "txt", "xml", "js", "gitignore", "swift-format":
      return .data
    default: return nil
    }
  }

  /// Folders of the path, such as `["Sources", "MediaUnits"]`.
  var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }

  /// The file name without its ending and without `+Aspect`.
  var typeName: String {
    let name = path.split(separator: "/").last ?? ""
    return String(name.split(separator: ".").first?.split(separator: "+").first ?? "")
  }

  /// The bytes as text, with replacement characters where they are none.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The bytes between line ends; a final line end starts no further line.
  var lines: [ArraySlice<UInt8>] {
    var result = bytes.split(separator: ascii("\n"), omittingEmptySubsequences: false)
    if result.last?.isEmpty == true { result.removeLast() }
    return result
  }
}
