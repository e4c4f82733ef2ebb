import Foundation
import Testing

@testable import TidyKit

private func file(_ path: String, _ text: String) -> SourceText {
  SourceText(path: path, text: text)
}

private let table = file(
  RequirementTable.path,
  """
  row,kind,issue,asks
  SIG-001,N,network,fast starts
  SIG-002,N,feeds,small pool
  SIG-003,Q,feeds,an open question
  VF-001,S,feeds,a state
  OQ-01,OQ,feeds,which one

  """)

private func rows(_ text: String) -> [String] { RowScanner.mentions(in: text).map(\.row) }

private func coverage(_ files: SourceText...) throws -> RequirementCoverage {
  try #require(RequirementCoverage([table] + files))
}

private func names(_ row: String, _ coverage: RequirementCoverage) -> [[String]] {
  coverage.entries.filter { $0.requirement.row == row }.flatMap {
    [$0.tests, $0.scenarios, $0.answers]
  }
}

@Suite struct RowScannerTests {
  @Test func `rows stand alone, in lists and in ranges`() {
    #expect(rows("SIG-023") == ["SIG-023"])
    #expect(rows("see SIG-063's 7 to 30 days") == ["SIG-063"])
    #expect(rows("VF-037: SIG-023, VF-024; X-009") == ["VF-037", "SIG-023", "VF-024", "X-009"])
    #expect(rows("SIG-064, 065 and 066") == ["SIG-064", "SIG-065", "SIG-066"])
    #expect(rows("REEL-008 to REEL-010") == ["REEL-008", "REEL-009", "REEL-010"])
    #expect(rows("SIG-009...011, 020") == ["SIG-009", "SIG-010", "SIG-011", "SIG-020"])
    #expect(rows("VF-031–033") == ["VF-031", "VF-032", "VF-033"])
    #expect(rows("(OQ-09 to OQ-11)") == ["OQ-09", "OQ-10", "OQ-11"])
    #expect(rows("answers/OQ-10-front.svg") == ["OQ-10"])
  }

  @Test func `numbers and words that only look like rows are none`() {
    #expect(rows("SIG-041, 200 ms") == ["SIG-041"])
    #expect(rows("SIG-041, 0425") == ["SIG-041"])
    #expect(rows("SIG-041 to 9 and 042.5") == ["SIG-041"])
    #expect(rows("AES-X-1, MAX-12, X-3D, X-ray, X-1.5, SIG-") == [])
    #expect(rows("design-X-001") == [])
  }

  @Test func `a range that runs backwards is no row of any table`() {
    #expect(rows("SIG-028 to SIG-026") == ["SIG-028", "SIG-028 to SIG-026"])
  }

  @Test func `each row comes with its line`() {
    let found = RowScanner.mentions(in: "a\nSIG-001\n\nVF-002, 003", from: 10)
    #expect(found.map(\.line) == [11, 13, 13])
  }
}

@Suite struct TestIndexTests {
  private func index(_ text: String) -> TestIndex {
    TestIndex(path: "Tests/ATests/B.swift", Lexer.lex(Array(text.utf8)))
  }

  @Test func `rows come from the name and from the comments directly above`() {
    let found = index(
      """
      // SIG-009

      /// Covers: SIG-001, SIG-002.
      // VF-001
      @Test(arguments: [1, 2].map { let a = $0; return a })
      // X-001
      func `SIG-003: a property`(value: Int) {
        // SIG-005
      }
      let a = 1 // SIG-006
      @Test func plain() {}
      func helper() {}
      """)
    #expect(found.cases.map(\.name) == ["SIG-003: a property", "plain"])
    #expect(
      found.cases.map(\.rows) == [["SIG-003", "SIG-001", "SIG-002", "VF-001", "X-001"], []])
    #expect(found.cases.map(\.line) == [7, 11])
    #expect(found.loose.map(\.row) == ["SIG-009", "SIG-005", "SIG-006"])
    #expect(found.loose.map(\.line) == [1, 8, 10])
  }

  @Test func `rows above a suite and in its name hold for all its tests, also in inner ones`() {
    let found = index(
      """
      // SIG-001
      @Suite(.serialized)
      struct `VF-002 suite` {
        @Test func a() { if true {} }
        // SIG-002
        struct Inner {
          static let words = "}"
          @Test func b() {}
        }
        @Test func c() {}
      }
      extension Other {
        @Test func d() {}
      }
      @Test func e() {}
      """)
    #expect(found.cases.map(\.name) == ["a", "b", "c", "d", "e"])
    #expect(
      found.cases.map(\.suite)
        == ["VF-002 suite", "VF-002 suite/Inner", "VF-002 suite", "Other", ""])
    #expect(
      found.cases.map(\.rows) == [
        ["VF-002", "SIG-001"], ["SIG-002", "VF-002", "SIG-001"], ["VF-002", "SIG-001"], [], [],
      ])
  }

  @Test func `members, types in expressions and attributes of other things are no suites`() {
    let found = index(
      """
      @Test func a() { let b = x.extension; _ = A.self }
      class B { class func c() {} }
      @MainActor var d = 1
      func e() {}
      @available(*, deprecated) @Test func f() {}
      """)
    #expect(found.cases.map(\.name) == ["a", "f"])
  }
}

@Suite struct RequirementCoverageTests {
  @Test func `tests, scenarios and answers count, other places do not`() throws {
    let found = try coverage(
      file("Tests/ATests/B.swift", "// SIG-001\n@Test func `it holds`() {}\n"),
      file("Sources/A/B.swift", "// SIG-002\nlet a = 1\n"),
      file("README.md", "SIG-002"),
      file(
        "scenarios/a/b.yaml",
        "name: \"# VF-001\"  # SIG-003, the viewer's\nlink: it's  # SIG-001\nkey: a#SIG-002\n"),
      file("results/answers/OQ-01.md", "about SIG-003\n"))
    #expect(names("SIG-001", found) == [["it holds"], ["a/b"], []])
    #expect(names("SIG-002", found) == [[], [], []])
    #expect(names("SIG-003", found) == [[], ["a/b"], ["OQ-01"]])
    #expect(names("VF-001", found) == [[], [], []])
    #expect(names("OQ-01", found) == [[], [], ["OQ-01"]])
    #expect(found.entries.map(\.isCovered) == [true, false, true, false, true])
    #expect(found.findings == [])
  }

  @Test func `rows that the table lacks are findings wherever they are named`() throws {
    let files = [
      file("Tests/ATests/B.swift", "@Test func `VF-009: b`() {}\nlet c = \"VF-099\"\n"),
      file("Sources/A/B.swift", "\n// SIG-004\nlet a = 1\n"), file("a.md", "SIG-01\n"),
      file("scenarios/b.yaml", "a: 1 # SIG-002 to SIG-001\n"),
    ]
    let found = try #require(RequirementCoverage([table] + files))
    let expected = [
      "Sources/A/B.swift:2: error: 'SIG-004'", "Tests/ATests/B.swift:1: error: 'VF-009'",
      "a.md:1: error: 'SIG-01'", "scenarios/b.yaml:1: error: 'SIG-002 to SIG-001'",
    ].map { $0 + " is no row, use one of docs/requirements.csv [requirement]" }
    #expect(found.findings.sorted().map(\.description) == expected)
    let report = Tidy().check([table] + files)
    #expect(report.findings.filter { $0.rule == "requirement" }.map(\.description) == expected)
    #expect(!Tidy().check(files).findings.contains { $0.rule == "requirement" })
  }

  @Test func `broken lines of the table are findings`() {
    let broken = RequirementTable(
      file(
        RequirementTable.path,
        "row,asks\nSIG-001,N,a,b\nSIG-001,N,a,c\nSIG-002,N,a,b,c\nSIG,N,a,b\nVF-001,N,,b\n"))
    #expect(broken.rows.map(\.asks) == ["b"])
    #expect(broken.findings.map(\.line) == [1, 3, 4, 5, 6])
  }

  @Test func `the report has the rows, the counts by area and what is left`() throws {
    let found = try coverage(
      file("Tests/A.swift", "// SIG-001\n@Test func a() {}\n@Test func `SIG-001: b`() {}\n"))
    let all = try RequirementReport(arguments: []).text(of: found).split(separator: "\n")
    #expect(all[1].hasPrefix("SIG-001   fast starts"))
    #expect(all[1].hasSuffix("  a +1"))
    #expect(
      all.suffix(3) == [
        "network: covered 1 of 1 (1 by tests, 0 by scenarios, 0 by answers)",
        "feeds: covered 0 of 4 (0 by tests, 0 by scenarios, 0 by answers)",
        "  left: SIG-002, SIG-003, VF-001, OQ-01",
      ])
    let missing = try RequirementReport(arguments: ["--missing", "--area", "network", "--csv"])
    #expect(try missing.text(of: found) == "row,kind,issue,asks,tests,scenarios,answers\n")
    let rows = try RequirementReport(arguments: ["--area", "network", "--csv"])
    #expect(
      try rows.text(of: found).hasSuffix(
        "\nSIG-001,N,network,fast starts,\"a; SIG-001: b\",\"\",\"\"\n"))
  }

  @Test func `arguments that are not understood say what was expected`() throws {
    #expect(throws: UsageError("expected --area A, --missing or --csv, got --all")) {
      try RequirementReport(arguments: ["--all"])
    }
    #expect(throws: UsageError("expected the name of an area after --area, got nothing")) {
      try RequirementReport(arguments: ["--area"])
    }
    let found = try coverage()
    #expect(throws: UsageError("expected one of the areas network, feeds, got x")) {
      try RequirementReport(arguments: ["--area", "x"]).text(of: found)
    }
  }
}

private let root = Repository.root(above: #filePath) ?? "."
/// Row and kind as the requirements have them, apart from the table.
private let sheet = root + "/Tests/Reference/requirements.txt"

@Suite struct RequirementRowTests {
  @Test func `this repository has its table, and every row has an area`() throws {
    // Outside the macro, which would print every byte of every file.
    let found = RequirementCoverage(try Repository.files(at: root))
    let coverage = try #require(found)
    #expect(coverage.findings == [])
    #expect(coverage.entries.count == 309)
    #expect(
      coverage.areas.sorted() == [
        "calls", "cdn", "feeds", "messages", "network", "services", "studies",
      ])
    for entry in coverage.entries {
      #expect(entry.requirement.asks.count <= 90, "\(entry.requirement.row)")
    }
  }

  @Test func `the rows and their kinds are those of the requirements`() throws {
    let text = try String(contentsOfFile: sheet, encoding: .utf8)
    let expected = text.split(separator: "\n").map(String.init)
    let path = URL(fileURLWithPath: "\(root)/\(RequirementTable.path)")
    let table = SourceText(path: path.path, bytes: [UInt8](try Data(contentsOf: path)))
    #expect(RequirementTable(table).rows.map { "\($0.row),\($0.kind)" } == expected)
  }
}
