import Foundation
import Testing

@Suite struct TraceCommandTests {
  /// A session that reports name, of the tiny scenario.
  private func session(_ firstframe: Program) throws -> String {
    try firstframe.write("tiny.yaml", Program.tiny)
    let outcome = try firstframe("trace", "tiny.yaml", "--short", "--viewer", "1", "--text")
    #expect(outcome.status == 64 && outcome.output == "")
    let message = "firstframe: expected one of the "
    #expect(outcome.error.hasPrefix(message) && outcome.error.hasSuffix(", got 1\n"))
    let names = try #require(outcome.error.components(separatedBy: "for example ").last)
    return try #require(names.components(separatedBy: ",").first)
  }

  @Test func `trace writes a file and prints a timeline, twice the same`() throws {
    try Program.inFolder { firstframe in
      let session = try session(firstframe)
      let first = try firstframe("trace", "tiny.yaml", "--short", "--viewer", session)
      #expect(first.status == 0, "\(first.error)")
      #expect(first.output.hasPrefix("session \(session) of replication 0, tiny: "))
      #expect(first.output.contains("\nview 1, item 0 "))
      let path = "results/traces/tiny-0-\(session).json"
      #expect(first.output.contains("\ntrace in \(path): "))
      let text = try firstframe.read(path)
      _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
      let second = try firstframe(
        "trace", "tiny.yaml", "--short", "--viewer", session, "--output", "deep/one.json")
      #expect(try firstframe.read("deep/one.json") == text)
      #expect(second.status == 0)
      let other = try firstframe(
        "trace", "tiny.yaml", "--short", "--viewer", session, "--output", "two.json",
        "--replication", "1", "--seed", "9")
      #expect(other.status == 0 || other.status == 64)
      let item = try firstframe(
        "trace", "tiny.yaml", "--short", "--viewer", session, "--item", "0", "--text")
      #expect(item.status == 0 && item.output.contains("\nview 1, item 0 "))
      #expect(!item.output.contains("trace in"))
      #expect(try firstframe.names("results/traces") == ["tiny-0-\(session).json"])
    }
  }

  @Test func `trace says what is wrong, with the code of every verb`() throws {
    try Program.inFolder { firstframe in
      let session = try session(firstframe)
      func expect(
        _ status: Int32, _ message: String, _ arguments: String...
      ) throws {
        let outcome = try firstframe.run(["trace"] + arguments)
        #expect(outcome.status == status, "\(arguments) \(outcome.error)")
        #expect(outcome.error.contains(message), "\(outcome.error)")
        #expect(outcome.output == "")
      }
      try firstframe.write("bad.yaml", "version: 1\nname: x\nsede: 3\n")
      try expect(64, "--viewer", "tiny.yaml", "--short")
      try expect(64, "0...63", "tiny.yaml", "--viewer", session, "--replication", "64")
      try expect(64, "0...4294967294", "tiny.yaml", "--viewer", "-1")
      try expect(
        64, "expected an item that session \(session) viewed (0...", "tiny.yaml", "--short",
        "--viewer", session, "--item", "9999")
      try expect(64, "got both", "tiny.yaml", "--viewer", session, "--text", "--output", "x")
      try expect(65, "bad.yaml:3:1: sede", "bad.yaml", "--viewer", session)
      try expect(66, "none.yaml", "none.yaml", "--viewer", session)
      try expect(
        73, "tiny.yaml", "tiny.yaml", "--short", "--viewer", session, "--output",
        "tiny.yaml/below.json")
      #expect(try firstframe.names() == ["bad.yaml", "tiny.yaml"])
      let help = try firstframe("trace", "--help")
      #expect(help.status == 0 && help.output.contains("Example: firstframe trace"))
    }
  }
}
