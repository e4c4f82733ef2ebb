import Foundation
import Scenario
import Testing

@testable import Reports
@testable import Studies

@Suite struct RunFolderTests {
  static let provenance = Provenance(
    toolchain: "Swift", build: "debug", commit: nil, arguments: ["firstframe"], threads: 2,
    processors: 2, start: 0, end: 1.5)

  /// A folder of the test's own, removed afterwards.
  private func inScratch(_ body: (String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  private func names(_ path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  @Test func `files that the scenario names lie beside its resolved form under the same names`()
    throws
  {
    try inScratch { scratch in
      var result = try Fixture.result()
      try FileManager.default.createDirectory(
        atPath: scratch + "/in/prices", withIntermediateDirectories: true)
      try "version: 1\n".write(
        toFile: scratch + "/in/prices/a.yaml", atomically: true, encoding: .utf8)
      result.scenario.inputFiles = [
        ScenarioInput(name: "prices/a.yaml", path: scratch + "/in/prices/a.yaml"),
        ScenarioInput(name: "../in/prices/a.yaml", path: scratch + "/in/prices/a.yaml"),
      ]
      let folder = try RunFolder.write(
        result, provenance: RunFolderTests.provenance, parent: scratch)
      #expect(try names(folder + "/prices") == ["a.yaml"])
      #expect(try names(scratch) == ["in", "\(folder.split(separator: "/").last ?? "")"].sorted())
    }
  }

  @Test func `a run folder holds the scenario, the result, histograms and provenance`() throws {
    try inScratch { scratch in
      let result = try Fixture.result()
      let folder = try RunFolder.write(
        result, provenance: RunFolderTests.provenance, parent: scratch + "/a/b")
      #expect(folder == "\(scratch)/a/b/hand-made-\(RunIdentity(result).digest)")
      let expected = [
        "hist", "notes.json", "provenance.json", "report.html", "result.json",
        "scenario.resolved.yaml",
      ]
      #expect(try names(folder) == expected)
      #expect(try names(folder + "/hist").count == 8)
      #expect(try names(scratch + "/a/b").count == 1)
      let text = try String(contentsOfFile: folder + "/result.json", encoding: .utf8)
      #expect(text == ResultDocument.text(result))
      let table = try String(contentsOfFile: folder + "/hist/ttff_ms.lte.csv", encoding: .utf8)
      #expect(table.hasPrefix("lower_ms,upper_ms,started,censored\n0.0,0.0,1,0\n"))
    }
  }

  @Test func `an earlier run's folder is replaced whole`() throws {
    try inScratch { scratch in
      let result = try Fixture.result()
      let folder = try RunFolder.write(
        result, provenance: RunFolderTests.provenance, parent: scratch)
      try "old".write(toFile: folder + "/old.txt", atomically: false, encoding: .utf8)
      try "old".write(toFile: folder + "/result.json", atomically: false, encoding: .utf8)
      _ = try RunFolder.write(result, provenance: RunFolderTests.provenance, parent: scratch)
      #expect(try !names(folder).contains("old.txt"))
      let text = try String(contentsOfFile: folder + "/result.json", encoding: .utf8)
      #expect(text == ResultDocument.text(result))
      #expect(try names(scratch).count == 1)
    }
  }

  @Test func `a folder that no run wrote is never replaced`() throws {
    try inScratch { scratch in
      let identity = RunIdentity(try Fixture.result())
      let folder = "\(scratch)/\(identity.folderName)"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false)
      try "mine".write(toFile: folder + "/mine.txt", atomically: false, encoding: .utf8)
      #expect(throws: RunFolder.WriteError.self) {
        try RunFolder.check(identity, parent: scratch)
      }
      #expect(throws: RunFolder.WriteError.self) {
        try RunFolder.write(
          try Fixture.result(), provenance: RunFolderTests.provenance, parent: scratch)
      }
      #expect(try names(folder) == ["mine.txt"])
    }
  }

  @Test func `an unwritable output names the path and leaves nothing`() throws {
    try inScratch { scratch in
      try "a file".write(toFile: scratch + "/file", atomically: false, encoding: .utf8)
      let result = try Fixture.result()
      let error = RunFolder.WriteError(
        path: scratch + "/file", expected: "a folder for the results", got: "a file")
      #expect(throws: error) {
        try RunFolder.write(
          result, provenance: RunFolderTests.provenance, parent: scratch + "/file/below")
      }
      #expect(throws: error) {
        try RunFolder.check(RunIdentity(result), parent: scratch + "/file/below")
      }
      #expect(try names(scratch) == ["file"])
    }
  }

  // Found by .ci/kills.py: a folder that was removed under the writer began anew with the rest.
  @Test func `the rest of a folder that is gone is not written`() throws {
    try inScratch { scratch in
      let gone = scratch + "/gone"
      #expect(throws: RunFolder.WriteError.self) {
        try RunFolder.fill(gone, [RunFolder.Entry(name: "hist/a/b.csv", text: "x")])
      }
      #expect(try names(scratch).isEmpty)
      try FileManager.default.createDirectory(
        atPath: gone, withIntermediateDirectories: false)
      try RunFolder.fill(gone, [RunFolder.Entry(name: "hist/a/b.csv", text: "x")])
      #expect(try String(contentsOfFile: gone + "/hist/a/b.csv", encoding: .utf8) == "x")
    }
  }

  @Test func `a check leaves nothing behind`() throws {
    try inScratch { scratch in
      try RunFolder.check(RunIdentity(try Fixture.result()), parent: scratch + "/a/b/c")
      #expect(try names(scratch) == [])
    }
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (951_827_696.789, "2000-02-29T12:34:56.789Z"),
    (4_102_444_799.5, "2099-12-31T23:59:59.500Z"),
  ]) func `wall-clock times are RFC 3339`(_ seconds: Double, _ text: String) {
    #expect(Provenance.timestamp(seconds + 1e-6) == text)
  }
}
