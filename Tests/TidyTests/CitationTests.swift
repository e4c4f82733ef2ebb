import Testing

@testable import TidyKit

struct CitationTests {
  private let page = SourceText(
    path: "docs/reference/parameters.md", text: "# Parameters\n\n## 3. Devices\n\n### 6.2 Dwell\n")

  private func findings(_ path: String, _ text: String) -> [String] {
    let source = SourceText(path: path, text: text)
    return Citations([page, source]).findings(in: source).map(\.description)
  }

  @Test(arguments: [
    "// parameters.md section 3", "// `parameters.md` section 6.2: 3 to 8 %",
    "// parameters section 3", "// parameters.md sections 3 and 6.2", "// RFC 9111 section 5.2",
    "// parameters.md has it", "// parameters.md section 3.",
  ])
  func `what is there may be cited`(_ line: String) {
    #expect(findings("Sources/Models/A.swift", line + "\n") == [])
  }

  @Test(arguments: [
    (
      "// parameters.md section 4",
      "parameters.md has no heading 4, use the number of one that it has"
    ),
    (
      "// parameters section 6.3",
      "parameters.md has no heading 6.3, use the number of one that it has"
    ),
    (
      "// parameters.md sections 3 and 6",
      "parameters.md has no heading 6, use the number of one that it has"
    ),
    ("// design" + ".md section 2", "design.md is not in the repository, use a page that is"),
    ("// see design" + ".md", "design.md is not in the repository, use a page that is"),
  ])
  func `what is not there may not`(_ line: String, _ message: String) {
    let path = "Sources/Models/A.swift"
    #expect(
      findings(path, "let a = 1\n" + line + "\n") == ["\(path):2: error: \(message) [citation]"])
  }

  @Test func `a link in a page leads to a file`() {
    let path = "docs/audit.md"
    #expect(findings(path, "[a](reference/parameters.md#3-devices), [b](https://a.b/c.md)\n") == [])
    #expect(
      findings(path, "[a](parameters.md)\n") == [
        "\(path):1: error: a link to docs/parameters.md, which is not there, use one that is "
          + "[citation]"
      ])
  }

  @Test func `pages that the product or a test writes need not be there`() {
    #expect(findings("Sources/Reports/A.swift", "let a = \"summary.md\"\n") == [])
    #expect(findings("Tests/ReportsTests/A.swift", "let a = \"out.md\"\n") == [])
  }
}
