import Foundation
import Statistics
import Studies
import Testing

@testable import Reports

@Suite struct ProgramVersionTests {
  /// A row of the table of `docs/reference/versions.md`.
  private struct Row {
    var version: [Int]
    var feeds: Int
    var others: Int

    init?(_ line: Substring) {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 4, let feeds = Int(cells[1]), let others = Int(cells[2]) else {
        return nil
      }
      version = cells[0].split(separator: ".").compactMap { Int($0) }
      self.feeds = feeds
      self.others = others
    }
  }

  private static func rows() throws -> [Row] {
    try RepositoryText.of("docs/reference/versions.md").split(separator: "\n").compactMap {
      Row($0)
    }
  }

  @Test func `the Python distribution has the program's version`() throws {
    let project = try RepositoryText.of("Sources/python/pyproject.toml")
    let lines = project.split(separator: "\n").filter { $0.hasPrefix("version = ") }
    #expect(lines == ["version = \"\(ProgramVersion.number)\""])
  }

  @Test func `the version is three numbers, and the table's newest row is the program's`() throws {
    let number = ProgramVersion.number.split(separator: ".").map { Int($0) }
    try #require(number.count == 3)
    let newest = try #require(try ProgramVersionTests.rows().first)
    #expect(newest.version.map(Optional.init) == number)
    // A model version that is raised needs a row of its own, and so a version of its own.
    #expect(newest.feeds == ModelVersion.feed)
    #expect(newest.others == ModelVersion.current)
  }

  @Test func `a changed prediction is at least a minor version`() throws {
    let rows = try ProgramVersionTests.rows()
    for (newer, older) in zip(rows, rows.dropFirst()) {
      #expect(older.version.lexicographicallyPrecedes(newer.version))
      if newer.feeds != older.feeds || newer.others != older.others {
        #expect(older.version.prefix(2).lexicographicallyPrecedes(newer.version.prefix(2)))
      }
    }
  }

  @Test func `what --version says is the program, the models, the commit and the build`() {
    let lines = ProgramVersion.text(of: "firstframe-live").split(separator: "\n")
    #expect(lines.first == "firstframe-live \(ProgramVersion.number)")
    let models = "model version: \(ModelVersion.feed) of feeds, "
    #expect(lines.contains { $0 == "\(models)\(ModelVersion.current) of other worlds" })
    // Tests are no package: another commit must not have built them anew.
    #expect(ProgramVersion.commit == nil)
    #expect(lines.contains("commit: none, a source build"))
    let build = "build: \(Toolchain.build), \(Toolchain.version), GSL \(GSLBoundary.version)"
    #expect(lines.contains { $0 == build })
  }
}
