import Foundation
import Testing

/// `firstframe export`: what it takes, what it writes, and what it refuses.
@Suite struct ExportCommandTests {
  private static let scenario = "version: 1\nname: feed\ncatalogue: {titles: 500}\n"

  private func write(_ text: String, _ name: String, _ program: Program) throws {
    let path = "\(program.folder)/\(name)"
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func read(_ name: String, _ program: Program) throws -> String {
    try String(contentsOfFile: "\(program.folder)/\(name)", encoding: .utf8)
  }

  @Test func `each form goes to standard output or into a file, with --set on top`() throws {
    try Program.inFolder { firstframe in
      try write(Self.scenario, "feed.yaml", firstframe)
      for format in ["swift", "json", "media3", "avplayer"] {
        let shown = try firstframe("export", "feed.yaml", "--as", format)
        #expect(shown.status == 0 && shown.error.isEmpty, "\(shown.error)")
        let kept = try firstframe(
          "export", "feed.yaml", "--as", format, "--output", "made/\(format).txt")
        #expect(kept.status == 0 && kept.output == "made/\(format).txt written\n")
        #expect(try read("made/\(format).txt", firstframe) == shown.output)
        let other = try firstframe(
          "export", "feed.yaml", "--as", format, "--set", "policy.pool.size=7")
        #expect(other.output != shown.output && other.output.contains("7"))
      }
      #expect(try firstframe.names("made").count == 4)
    }
  }

  @Test func `of a tune folder the recommended point is exported`() throws {
    try Program.inFolder { firstframe in
      try write(Self.scenario, "feed.yaml", firstframe)
      let tune = try firstframe(
        "tune", "feed.yaml", "--short", "--replications", "4", "--set", "short.window=5 s",
        "--vary", "policy.pool.size=[1, 4]", "--minimise", "ttff_ms.mean")
      #expect(tune.status == 0, "\(tune.error)")
      let folder = try #require(
        tune.output.split(separator: "\n").last.map { String($0.dropFirst("results in ".count)) })
      let document = try #require(
        try JSONSerialization.jsonObject(
          with: Data(try read("\(folder)/tune.json", firstframe).utf8)) as? [String: Any])
      let winner = try #require(document["winner"] as? Int)
      let candidates = try #require(document["candidates"] as? [[String: Any]])
      let settings = try #require(candidates[winner]["settings"] as? [[String: String]])
      let size = settings.first { $0["key"] == "policy.pool.size" }?["value"] ?? "3"
      let text = try firstframe("export", folder, "--as", "swift").output
      #expect(text.contains("    size: \(size), ahead: 1, behind: 1)"))
      let set = try firstframe(
        "export", folder, "--as", "swift", "--set", "policy.pool.size=9"
      ).output
      #expect(set.contains("    size: 9, ahead: 1, behind: 1)"))
    }
  }

  @Test func `of a search for a target its value is exported`() throws {
    try Program.inFolder { firstframe in
      try write(Self.scenario, "t/scenario.resolved.yaml", firstframe)
      try write(
        """
        {"schema": 1, "kind": "goal", "outcome": "reached", "key": "policy.pool.size", "value": "5"}
        """, "t/tune.json", firstframe)
      let text = try firstframe("export", "t", "--as", "swift")
      #expect(text.status == 0 && text.output.contains("    size: 5, ahead: 1"), "\(text.error)")
    }
  }

  @Test func `what cannot be exported is one message, its exit code, and no file`() throws {
    try Program.inFolder { firstframe in
      try write(Self.scenario, "feed.yaml", firstframe)
      try write("world: messages\nversion: 1\nname: m\n", "messages.yaml", firstframe)
      try write(
        "extends: feed.yaml\npolicy: {prefetch: {kind: external, command: [\"true\"]}}\n",
        "external.yaml", firstframe)
      try write(Self.scenario, "none/scenario.resolved.yaml", firstframe)
      try write(
        "{\"schema\": 1, \"kind\": \"tuning\", \"winner\": null, \"candidates\": []}",
        "none/tune.json", firstframe)
      try write(Self.scenario, "far/scenario.resolved.yaml", firstframe)
      try write(
        "{\"schema\": 1, \"kind\": \"goal\", \"outcome\": \"out-of-reach\", \"key\": \"seed\"}",
        "far/tune.json", firstframe)
      try write(Self.scenario, "odd/scenario.resolved.yaml", firstframe)
      try write(
        "{\"schema\": 1, \"kind\": \"tuning\", \"winner\": 3, \"candidates\": []}", "odd/tune.json",
        firstframe)
      try write(Self.scenario, "torn/scenario.resolved.yaml", firstframe)
      try write("{\"schema\": 1", "torn/tune.json", firstframe)
      try write(Self.scenario, "many/scenario.resolved.yaml", firstframe)
      try write("{}", "many/sweep.json", firstframe)
      try FileManager.default.createDirectory(
        atPath: firstframe.folder + "/empty", withIntermediateDirectories: true)
      for (source, status, message) in [
        ("messages.yaml", 65, "world: expected a scenario of the feed"),
        ("external.yaml", 65, "policy.prefetch: expected a policy of the program, which code can"),
        ("none", 65, "winner: expected a tuning that recommends a point, got none"),
        ("far", 65, "outcome: expected a search that reached its target, got out-of-reach"),
        ("odd", 65, "winner: expected one of the candidates, got 3"),
        ("torn", 65, "torn/tune.json"), ("many", 65, "got a sweep, which chooses none"),
        ("empty", 66, "got a folder without one"), ("absent.yaml", 66, "absent.yaml"),
      ] as [(String, Int32, String)] {
        let outcome = try firstframe("export", source, "--as", "json", "-o", "out/x.json")
        #expect(outcome.status == status, "\(source): \(outcome.error)")
        #expect(outcome.error.contains(message), "\(source): \(outcome.error)")
        #expect(outcome.error.split(separator: "\n").count == 1, "\(source): \(outcome.error)")
        #expect(outcome.output.isEmpty)
      }
      #expect(!FileManager.default.fileExists(atPath: firstframe.folder + "/out"))
      #expect(try firstframe("export", "feed.yaml", "--as", "kotlin").status == 64)
      #expect(try firstframe("export", "feed.yaml").status == 64)
      #expect(
        try firstframe("export", "feed.yaml", "--as", "json", "--set", "policy.pool.sizes=1").status
          == 65)
      try write("", "file", firstframe)
      let blocked = try firstframe("export", "feed.yaml", "--as", "json", "-o", "file/x.json")
      #expect(blocked.status == 73 && blocked.output.isEmpty)
    }
  }
}
