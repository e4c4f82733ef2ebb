import Foundation

/// Whether what a file cites exists in the repository: `parameters.md section 6.2` needs a page of
/// this name with a heading that begins with 6.2, and a link in Markdown needs its page.
///
/// What it leaves out: citations that a line end breaks are read up to the line end, links to other
/// sites, and whether the heading says what is claimed.
struct Citations {
  /// The numbers of headings by the name of a page, such as `parameters` to `["6.2"]`.
  private var headings: [String: Set<String>] = [:]
  private var paths: Set<String> = []

  /// Pages that the product writes for its users.
  private static let written: Set<String> = ["summary", "capacity", "comment"]

  init(_ sources: [SourceText]) {
    for source in sources {
      paths.insert(source.path)
      guard source.kind == .markdown else { continue }
      var numbers: Set<String> = []
      for line in source.text.split(separator: "\n") {
        if let found = line.firstMatch(of: /^#+ (?<number>[0-9]+(\.[0-9]+)*)/) {
          numbers.insert(String(found.number))
        }
      }
      headings[source.typeName, default: []].formUnion(numbers)
    }
  }

  /// What a file cites and the repository does not have.
  func findings(in source: SourceText) -> [Finding] {
    if source.kind == .data || source.kind == .header { return [] }
    var findings: [Finding] = []
    for (index, line) in source.text.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated() where line.contains(".md") || line.contains(" section")
    {
      var complaints = sections(in: line)
      if source.kind == .markdown {
        complaints += links(in: line, of: source.path)
      } else if source.folders.first != "Tests" {
        complaints += names(in: line)
      }
      findings += complaints.map {
        Finding(path: source.path, line: index + 1, rule: "citation", message: $0)
      }
    }
    return findings
  }

  private static func absent(_ page: String) -> String {
    "\(page).md is not in the repository, use a page that is"
  }

  private func sections(in line: Substring) -> [String] {
    let form =
      #/
      (?<page>[A-Za-z][A-Za-z0-9_-]*)(?<ending>\.md)?`?\ssections?\s
      (?<list>[0-9]+(\.[0-9]+)*((,\s|\sand\s|\sto\s)[0-9]+(\.[0-9]+)*)*)
      /#
    return line.matches(of: form).flatMap { found -> [String] in
      let page = String(found.page)
      guard let known = headings[page] else {
        return found.ending == nil ? [] : [Citations.absent(page)]
      }
      return found.list.matches(of: /[0-9]+(\.[0-9]+)*/).map { String($0.0) }
        .filter { !known.contains($0) }
        .map { "\(page).md has no heading \($0), use the number of one that it has" }
    }
  }

  /// Pages named without a section.
  private func names(in line: Substring) -> [String] {
    line.matches(of: /(?<page>[A-Za-z][A-Za-z0-9_-]*)\.md\b(?!`? section)/).compactMap { found in
      let page = String(found.page)
      if headings[page] != nil || Citations.written.contains(page) { return nil }
      return Citations.absent(page)
    }
  }

  private func links(in line: Substring, of path: String) -> [String] {
    line.matches(of: /\]\((?<target>[^)#: ]+\.(md|csv|yaml|swift))(#[^)]*)?\)/).compactMap {
      found in
      let link = URL(fileURLWithPath: "/" + path).deletingLastPathComponent()
        .appendingPathComponent(String(found.target))
      let target = String(link.standardized.path.dropFirst())
      return paths.contains(target)
        ? nil : "a link to \(target), which is not there, use one that is"
    }
  }
}
