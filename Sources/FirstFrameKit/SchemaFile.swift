import Foundation
import Reports
import Scenario

/// The JSON Schema of a world as a file that an editor finds by the first line of a scenario.
enum SchemaFile {
  /// The folder beside a scenario that gets it.
  static let folder = ".firstframe"

  /// Where a clone of FirstFrame has it; `make reference` writes it.
  private static let inClone = "docs/reference/generated"

  /// Most folders above a scenario that are looked through.
  private static let mostFolders = 32

  /// The schema of a world's scenarios.
  /// - Precondition: `world` is one of ``WorldKeys/names``.
  static func text(world: String) -> String {
    guard let schema = WorldKeys.schema(named: world) else {
      preconditionFailure("\(world) is none of \(WorldKeys.names)")
    }
    return schema.jsonSchema()
  }

  /// The name of its file.
  static func name(world: String) -> String { "\(world).schema.json" }

  /// The first line of a scenario, by which yaml-language-server finds the schema.
  static func modeline(_ place: String) -> String { "# yaml-language-server: $schema=\(place)" }

  /// Where a scenario of the feed finds its schema, as a path from the scenario's folder: in that
  /// folder or, within a git repository, in one above. A file of ours that another version wrote is
  /// written again; where there is none it is written beside the scenario.
  ///
  /// - Parameter folder: the scenario's; empty for the working directory.
  /// - Throws: ``RunFolder/WriteError``.
  static func place(for folder: String) throws(RunFolder.WriteError) -> String {
    let start = folder.isEmpty ? "." : folder
    let name = name(world: WorldKeys.feed)
    let own = "\(SchemaFile.folder)/\(name)"
    for level in 0...levels(above: start) {
      let up = String(repeating: "../", count: level)
      if isThere("\(start)/\(up)\(own)") {
        try renew("\(start)/\(up)\(own)")
        return up + own
      }
      if isThere("\(start)/\(up)\(inClone)/\(name)") { return "\(up)\(inClone)/\(name)" }
    }
    try renew("\(start)/\(own)")
    return own
  }

  /// How many folders above `folder` its git repository begins; 0 outside of one.
  private static func levels(above folder: String) -> Int {
    for level in 0...mostFolders {
      let here = folder + "/" + String(repeating: "../", count: level)
      if isThere(here + ".git") { return level }
    }
    return 0
  }

  /// Writes the schema where the file is not this program's.
  private static func renew(_ path: String) throws(RunFolder.WriteError) {
    let text = text(world: WorldKeys.feed)
    if InputFile.text(at: path) == text { return }
    try RunFolder.writeFile(text, to: path)
  }

  private static func isThere(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }
}
