import Foundation
import Testing

@Suite struct BriefCommandTests {
  @Test func `the report is brief, and --full adds every section and leaves the result alone`()
    throws
  {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let brief = try firstframe("run", "tiny.yaml", "--short", "--quiet")
      let lines = brief.output.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count <= 41 && lines.allSatisfy { $0.count <= 80 }, "\(brief.output)")
      let folder = "results/" + (try #require(try firstframe.names("results").first))
      let result = try firstframe.read("\(folder)/result.json")
      let full = try firstframe("run", "tiny.yaml", "--short", "--quiet", "--full")
      #expect(full.output.hasPrefix(brief.output))
      #expect(full.output.contains("\nWHERE THE STARTUP TIME GOES\n"))
      #expect(full.output.hasSuffix("\nresults in \(folder)\n"))
      #expect(try firstframe.read("\(folder)/result.json") == result)
      let gate = try firstframe("gate", "tiny.yaml", "--short", "--quiet")
      #expect(gate.output == brief.output)
      let all = try firstframe("gate", "tiny.yaml", "--short", "--quiet", "--full")
      #expect(all.output == full.output)
    }
  }

  @Test func `the printed commands make the same run again and show the view`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write(
        "it's tiny.yaml",
        Program.tiny.replacing("name: tiny", with: "name: tiny\ndescription: A tiny feed"))
      // A limit that no view keeps, so that there is one to look at; too few for a verdict.
      let first = try firstframe(
        "run", "it's tiny.yaml", "--short", "--quiet", "--seed", "5", "--set",
        "budgets[0].limit=< 1 ns", "--set", "budgets[0].metric=ttff_cold_ms.p75", "--set",
        "policy.prefetch.headLength=0 s")
      #expect(first.status == 12, "\(first.error)")
      #expect(
        first.output.contains("A tiny feed (changed: budgets, policy.prefetch.headLength)"),
        "\(first.output)")
      let name = try #require(try firstframe.names("results").first)
      let lines = first.output.split(separator: "\n").map(String.init)
      func command(after title: String) throws -> [String] {
        let start = try #require(lines.firstIndex { $0.hasPrefix(title) })
        var command: [String] = []
        for line in lines[(start + 1)...] {
          command.append(line)
          if !line.hasSuffix("\\") { break }
        }
        return try Shell.words(command.joined(separator: "\n"))
      }
      let again = try command(after: "Run it again")
      #expect(again.first == "firstframe")
      let outcome = try firstframe.run(Array(again.dropFirst()) + ["-o", "again", "--quiet"])
      #expect(outcome.status == 12, "\(outcome.error)")
      #expect(try firstframe.names("again") == [name])
      let trace = try command(after: "  look at a view")
      let shown = try firstframe.run(Array(trace.dropFirst()) + ["--text"])
      #expect(shown.status == 0, "\(shown.error)")
    }
  }
}

/// What a shell makes of a text.
enum Shell {
  /// The words of a command.
  static func words(_ text: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "printf '%s\\0' \(text)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(
      separator: "\0", omittingEmptySubsequences: false
    ).dropLast().map(String.init)
  }
}
