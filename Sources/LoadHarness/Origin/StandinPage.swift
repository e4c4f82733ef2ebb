import Foundation

/// The files of a player's page, which the stand-in serves under `/player/`: `index.html`, `*.js`
/// and `*.wasm` of one folder, as they were when it was read. No other path leads anywhere.
public struct StandinPage: Sendable, Equatable {
  struct File: Sendable, Equatable {
    var type: String
    var bytes: [UInt8]
  }

  /// The path of the page itself.
  public static let path = "/player/"
  private static let index = "index.html"
  private let files: [String: File]

  /// Reads a page's files.
  ///
  /// - Throws: `input` for a folder that cannot be read or has no `index.html`.
  public init(folder: String) throws(HarnessFailure) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var files: [String: File] = [:]
    for name in names {
      guard let type = StandinPage.type(name),
        let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)")
      else { continue }
      files[name] = File(type: type, bytes: [UInt8](bytes))
    }
    if files[StandinPage.index] == nil {
      throw HarnessFailure(
        .input, "\(folder): expected a folder with \(StandinPage.index), got none")
    }
    self.files = files
  }

  /// The file at a path of the server; nil where there is none.
  func file(at path: String) -> File? {
    if !path.hasPrefix(StandinPage.path) { return nil }
    let name = String(path.dropFirst(StandinPage.path.count))
    return files[name.isEmpty ? StandinPage.index : name]
  }

  /// The media type of a file that is served.
  private static func type(_ name: String) -> String? {
    if name == index { return "text/html" }
    if name.hasSuffix(".js") { return "text/javascript" }
    return name.hasSuffix(".wasm") ? "application/wasm" : nil
  }
}
