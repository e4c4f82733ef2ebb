import Foundation
import Testing

@Suite struct ReferenceCommandTests {
  private static let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs")

  @Test func `the committed reference is what the program writes: make reference`() throws {
    try Program.inFolder { firstframe in
      try FileManager.default.copyItem(
        atPath: Self.docs.path, toPath: "\(firstframe.folder)/docs")
      try FileManager.default.removeItem(
        atPath: "\(firstframe.folder)/docs/reference/generated")
      let outcome = try firstframe("reference", "--docs", "docs")
      #expect(outcome.status == 0, "\(outcome.error)")
      let generated = try firstframe.names("docs/reference/generated")
      let committed = try FileManager.default.contentsOfDirectory(
        atPath: Self.docs.appending(path: "reference/generated").path
      ).sorted()
      #expect(generated == committed)
      #expect(generated.count == 10)
      for name in generated.map({ "reference/generated/\($0)" }) + ["llms.txt"] {
        let now = try firstframe.read("docs/\(name)")
        let kept = try String(contentsOf: Self.docs.appending(path: name), encoding: .utf8)
        #expect(now == kept, "\(name): make reference")
      }
    }
  }

  @Test(arguments: ["keys", "commands", "metrics", "exit-codes"])
  func `a page by itself is a page of markdown`(part: String) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe("reference", part)
      #expect(outcome.status == 0 && outcome.output.hasPrefix("# "), "\(outcome.error)")
      // Every row of a table has as many cells as its heading.
      var cells = 0
      for line in outcome.output.split(separator: "\n", omittingEmptySubsequences: false) {
        if !line.hasPrefix("|") {
          cells = 0
          continue
        }
        let count = line.replacing("\\|", with: "").count { $0 == "|" }
        if cells == 0 { cells = count }
        #expect(count == cells, "\(line)")
      }
    }
  }

  @Test func `every verb and every exit code is in the reference`() throws {
    try Program.inFolder { firstframe in
      let commands = try firstframe("reference", "commands").output
      for verb in ["run", "gate", "tune", "keys", "fmt", "mcp", "reference"] {
        #expect(commands.contains("\n## firstframe \(verb)\n"), "\(verb)")
      }
      #expect(commands.contains("| `--target <metric = value>` |"))
      let codes = try firstframe("reference", "exit-codes").output
      for code in [0, 1, 10, 11, 12, 13, 14, 64, 65, 66, 69, 70, 73, 130, 143] {
        #expect(codes.contains("\n| \(code) | "), "\(code)")
      }
    }
  }

  @Test func `a folder that is not there is code 66, and no part is 64`() throws {
    try Program.inFolder { firstframe in
      #expect(try firstframe("reference").status == 64)
      #expect(try firstframe("reference", "keys", "--docs", "x").status == 64)
      #expect(try firstframe("reference", "verbs").status == 64)
      try firstframe.write("docs", "a file")
      #expect(try firstframe("reference", "--docs", "docs").status == 73)
    }
  }
}
