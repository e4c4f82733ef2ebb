import Foundation
import Testing

@Suite struct FmtCommandTests {
  private static let loose = "version:  1\nname: x\ncdn: { edges: 1 }   # one\n"
  private static let form = "version: 1\nname: x\ncdn: {edges: 1}     # one\n"

  @Test func `files are formatted in place once, and keep links and rights`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("a.yaml", Self.loose)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o640], ofItemAtPath: "\(firstframe.folder)/a.yaml")
      try FileManager.default.createSymbolicLink(
        atPath: "\(firstframe.folder)/link.yaml", withDestinationPath: "a.yaml")
      let first = try firstframe("fmt", "link.yaml")
      #expect(first.status == 0 && first.output == "link.yaml: formatted\n", "\(first.error)")
      #expect(try firstframe.read("a.yaml") == Self.form)
      let values = try FileManager.default.attributesOfItem(
        atPath: "\(firstframe.folder)/a.yaml")
      #expect((values[.posixPermissions] as? NSNumber)?.intValue == 0o640)
      let link = try FileManager.default.destinationOfSymbolicLink(
        atPath: "\(firstframe.folder)/link.yaml")
      #expect(link == "a.yaml")
      let again = try firstframe("fmt", "a.yaml")
      #expect(again.status == 0 && again.output.isEmpty)
      #expect(try firstframe.names() == ["a.yaml", "link.yaml"])
    }
  }

  @Test func `--check writes nothing, names the line, and ends with 10`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("a.yaml", Self.loose)
      try firstframe.write("b.yaml", Self.form)
      let outcome = try firstframe("fmt", "--check", "a.yaml", "b.yaml")
      #expect(outcome.status == 10)
      #expect(
        outcome.error == "a.yaml:1:1: (file): expected the form of firstframe fmt, got another\n")
      #expect(try firstframe.read("a.yaml") == Self.loose)
      #expect(try firstframe("fmt", "--check", "b.yaml").status == 0)
    }
  }

  @Test func `every file is tried, and each problem is told`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("a.yaml", Self.loose)
      try firstframe.write("bad.yaml", "a: [1\n")
      try firstframe.write("kept.yaml", "? a\n: 1\n")
      let outcome = try firstframe("fmt", "bad.yaml", "none.yaml", "kept.yaml", "a.yaml")
      #expect(outcome.status == 66)
      #expect(outcome.error.contains("bad.yaml:"), "\(outcome.error)")
      #expect(outcome.error.contains("none.yaml:1:1: (file): expected an existing file"))
      #expect(outcome.error.contains("kept.yaml:1:1: (file): expected a key without ?"))
      #expect(try firstframe.read("a.yaml") == Self.form)
      #expect(try firstframe.read("kept.yaml") == "? a\n: 1\n")
      #expect(try firstframe("fmt", "bad.yaml").status == 65)
      #expect(try firstframe("fmt").status == 64)
    }
  }
}
