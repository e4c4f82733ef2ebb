import Foundation

/// `llms.txt`: the documents with a sentence each, for programs that read them
/// (llmstxt.org, 2024).
enum DocumentList {
  /// A group of pages, and the folder that has them; nil for those at the top.
  private static let groups: [(title: String, folder: String?)] = [
    ("Documents", nil), ("Tutorials", "tutorials"), ("How-to", "how-to"),
    ("Reference", "reference"), ("Generated from the program", "reference/generated"),
    ("Explanation", "explanation"), ("Optional", "decisions"),
  ]

  /// The list of the pages of a folder.
  ///
  /// - Throws: an error of the file system.
  static func text(docs: String) throws -> String {
    var lines = [
      "# FirstFrame", "",
      "> Predicts what a configuration change does to a short-video feed before it is rolled out:",
      "> time to first frame, rebuffering, CDN hit ratio and wasted bytes, each with its interval.",
      "> A deterministic simulator and load harness, in Swift; scenarios are YAML files.", "",
      "The program tells of itself: `firstframe VERB --help`, `firstframe keys PATTERN`,",
      "`firstframe schema`, and as tools for agents `firstframe mcp`.",
    ]
    for group in groups {
      let pages = try pages(of: group.folder, docs)
      if pages.isEmpty { continue }
      lines += ["", "## \(group.title)", ""] + pages
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func pages(of folder: String?, _ docs: String) throws -> [String] {
    let place = folder.map { "\(docs)/\($0)" } ?? docs
    guard FileManager.default.fileExists(atPath: place) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: place)
      .filter { $0.hasSuffix(".md") }.sorted()
      .compactMap { name in
        let text = try String(contentsOfFile: "\(place)/\(name)", encoding: .utf8)
        let path = folder.map { "\($0)/\(name)" } ?? name
        return line(path, text)
      }
  }

  private static func line(_ path: String, _ text: String) -> String? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    guard let title = lines.first(where: { $0.hasPrefix("# ") })?.dropFirst(2) else { return nil }
    let told = lead(lines)
    return "- [\(title)](\(path))" + (told.isEmpty ? "" : ": \(told)")
  }

  /// The first sentence of the first paragraph, without links and marks.
  private static func lead(_ lines: [String]) -> String {
    let body = lines.drop { !$0.hasPrefix("# ") }.dropFirst()
      .drop { $0.isEmpty || "#|`>-*<!".contains($0.first ?? " ") }
    let paragraph = body.prefix { !$0.isEmpty && !$0.hasPrefix("#") && !$0.hasPrefix("|") }
      .joined(separator: " ")
    let plain = paragraph.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.output.1 }
      .replacing("**", with: "")
    guard let end = plain.range(of: ". ") else { return plain }
    return String(plain[..<end.lowerBound]) + "."
  }
}
