import Foundation
import Testing

/// Brackets in brackets, in every file of JSON that a verb reads: a message and an exit code, and
/// no end by a signal.
@Suite struct NestedJSONCommandTests {
  @Test func `nested brackets end no verb`() throws {
    try StudyCommandTests.inFolder { firstframe in
      for (name, open) in [("lists", "["), ("objects", "{\"a\":"), ("events", "{\"events\":[")] {
        let deep = String(repeating: open, count: 300_000)
        try firstframe.write("deep.json", deep)
        try firstframe.write("deep.jsonl", deep + "\n")
        for place in ["run/result.json", "plan/plan.json", "sweep/sweep.json"] {
          let folder = firstframe.folder + "/" + place.prefix { $0 != "/" }
          try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
          try firstframe.write(place, deep)
        }
        let commands: [[String]] = [
          ["validate", "deep.json"], ["fmt", "deep.json"], ["run", "deep.json"],
          ["run", "study.yaml", "--trust", "deep.json"],
          ["gate", "study.yaml", "--baseline", "deep.json"], ["why", "deep.json"], ["why", "run"],
          ["report", "run"], ["report", "run", "--notebook"], ["report", "sweep", "--notebook"],
          ["compare", "run", "run"], ["merge", "plan"], ["status", "plan"],
          ["shard", "plan", "--index", "0"], ["calibrate", "deep.json"],
          ["calibrate", "deep.jsonl", "--format", "events"],
          ["calibrate", "--from-live", "deep.json"],
          ["calibrate", "deep.jsonl", "--map", "deep.json"],
          ["backtest", "study.yaml", "--observed", "deep.jsonl"],
          ["match", "study.yaml", "--observed", "deep.jsonl", "--fit", "policy.pool.size"],
          ["capacity", "study.yaml", "--audience", "deep.jsonl"],
          ["capacity", "study.yaml", "--audience", "2000000", "--assumptions", "deep.json"],
          ["replay", "cache", "deep.json", "--policy", "lru", "--capacity", "1GiB"],
          ["replay", "policy", "deep.json"], ["model", "transfer", "--cases", "deep.json"],
          [
            "peer", "sabre", "--movie", "deep.json", "--network", "deep.json", "--algorithm",
            "bola",
          ],
        ]
        for command in commands {
          let outcome = try firstframe.run(command)
          #expect(
            (64...73).contains(outcome.status) || outcome.status == 13 || outcome.status == 10,
            "\(name): \(command): \(outcome.status) \(outcome.error.prefix(300))")
          #expect(outcome.error.utf8.count < 20_000, "\(command)")
        }
        let events = try firstframe("calibrate", "deep.jsonl")
        #expect(events.error.contains("deep.jsonl:1:"), "\(events.error.prefix(300))")
      }
    }
  }

  @Test func `a scenario's words begin no command of a server's log`() throws {
    try StudyCommandTests.inFolder { firstframe in
      let text = try firstframe.read("study.yaml")
      try firstframe.write(
        "hostile.yaml",
        text.replacing(
          "name: ", with: "description: \"a\\n::error::b\\n##[error]c \\u202Ed\"\nname: "))
      try firstframe.write("::error::x.yaml", "version: 1\n\"::y ##[z]\": 1\n")
      let commands = [
        ["explain", "hostile.yaml"], ["run", "hostile.yaml", "--full", "--replications", "2"],
        ["validate", "::error::x.yaml"], ["run", "::error::y.yaml"],
      ]
      for command in commands {
        let outcome = try firstframe.run(command)
        for line in (outcome.output + "\n" + outcome.error).split(separator: "\n") {
          #expect(!line.drop { $0.isWhitespace }.hasPrefix("::"), "\(command): \(line)")
          #expect(!line.contains("##[") && !line.contains("\u{202E}"), "\(command): \(line)")
        }
      }
      let explained = try firstframe("explain", "hostile.yaml")
      #expect(explained.status == 0, "\(explained.error)")
    }
  }
}
