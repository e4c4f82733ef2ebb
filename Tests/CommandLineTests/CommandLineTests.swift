import Foundation
import Testing

@Suite struct CommandLineTests {
  /// One bad input: what is written, and the line and code that must come back.
  struct BadInput: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var message: String
  }

  static let badInputs = [
    BadInput(
      testDescription: "unknown key", text: "version: 1\nname: x\nsede: 3\n",
      message: "bad.yaml:3:1: sede: expected a known key, got sede (did you mean seed?)"),
    BadInput(
      testDescription: "misspelt kind",
      text: "version: 1\nname: x\nnetwork: {access: [{kind: wifi-goood}]}\n",
      message: "got wifi-goood (did you mean wifi-good?)"),
    BadInput(
      testDescription: "missing unit", text: "version: 1\nname: x\naudience: {window: 60}\n",
      message: "bad.yaml:3:20: audience.window: expected a time such as \"40 ms\", got 60"),
    BadInput(
      testDescription: "negative size",
      text: "version: 1\nname: x\ncatalogue: {initBytes: -5 B}\n",
      message: "catalogue.initBytes: expected a size from 1 B to 1 MB, got -5 B"),
    BadInput(
      testDescription: "percentile above 100",
      text: "version: 1\nname: x\nbudgets: [{metric: ttff_ms.p101, limit: \"< 1 s\"}]\n",
      message: "budgets[0].metric: expected a stat of ttff_ms"),
    BadInput(
      testDescription: "duplicate key", text: "version: 1\nname: x\nname: y\n",
      message: "bad.yaml:3:1: name: expected this key once, got it again"),
    BadInput(
      testDescription: "empty file", text: "",
      message: "bad.yaml:1:1: (file): expected a mapping of keys, got an empty file"),
    BadInput(
      testDescription: "binary file", text: "\u{0}\u{1}\u{2}", message: "bad.yaml:1:1: (file): "),
    BadInput(
      testDescription: "circular extends", text: "extends: bad.yaml\n",
      message: "expected a file that does not extend this one, got bad.yaml -> bad.yaml"),
  ]

  @Test(arguments: badInputs)
  func `bad input has its message, code 65 and leaves nothing`(_ input: BadInput) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("bad.yaml", input.text)
      for verb in ["run", "validate", "explain"] {
        let outcome = try firstframe(verb, "bad.yaml")
        #expect(outcome.status == 65, "\(verb)")
        #expect(outcome.error.contains(input.message), "\(verb): \(outcome.error)")
        #expect(outcome.output == "", "\(verb)")
      }
      #expect(try firstframe.names() == ["bad.yaml"])
    }
  }

  @Test func `a file of 100 MB is refused by its size`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("bad.yaml", "")
      // A hole, not 100 MB of disk.
      let file = try #require(FileHandle(forWritingAtPath: firstframe.folder + "/bad.yaml"))
      try file.truncate(atOffset: 100_000_000)
      try file.close()
      let outcome = try firstframe("validate", "bad.yaml")
      #expect(outcome.status == 65)
      #expect(outcome.error.contains("expected a file of at most 4 MiB, got 100 MB"))
    }
  }

  @Test func `a missing file is code 66 and other files are still checked`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("good.yaml", Program.tiny)
      try firstframe.write("bad.yaml", "version: 1\nname: x\nsede: 1\npolcy: 2\n")
      let outcome = try firstframe("validate", "none.yaml", "bad.yaml", "good.yaml")
      #expect(outcome.status == 66)
      #expect(outcome.output == "good.yaml: ok\n")
      #expect(outcome.error.split(separator: "\n").count == 3)
      #expect(try firstframe("run", "none.yaml").status == 66)
    }
  }

  @Test(arguments: ["tiny.yaml", "tiny.yaml/below"])
  func `an unwritable output folder is code 73 before anything is simulated`(
    _ output: String
  ) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let outcome = try firstframe("run", "tiny.yaml", "--output", output, "--short")
      #expect(outcome.status == 73)
      let message = "firstframe: tiny.yaml: expected a folder for the results, got a file\n"
      #expect(outcome.error == message)
      #expect(outcome.output == "")
      #expect(try firstframe.names() == ["tiny.yaml"])
    }
  }

  @Test(arguments: [
    (["--replications", "0"], "1...64"), (["--replications", "65"], "1...64"),
    (["--threads", "257"], "1...256"), (["--threads", "-1"], "1...256"),
    (["--seed", "-1"], "0...9223372036854775807"), (["--seed", "x"], "0...9223372036854775807"),
    (["--progress", "often"], "auto"), (["--unknown"], "--unknown"),
  ]) func `an option out of range is code 64 with its range`(
    _ options: [String], _ message: String
  ) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let outcome = try firstframe.run(["run", "tiny.yaml"] + options)
      #expect(outcome.status == 64)
      #expect(outcome.error.contains(message))
      #expect(try firstframe.names() == ["tiny.yaml"])
    }
  }

  @Test func `a misspelt verb is code 64 with the nearest one`() throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe("rnu", "tiny.yaml")
      #expect(outcome.status == 64)
      #expect(outcome.error.contains("got rnu (did you mean run?)"))
      #expect(try firstframe("help", "explian").error.contains("(did you mean explain?)"))
    }
  }

  @Test(arguments: ["run", "validate", "explain", "schema", "init", "backtest"])
  func `every verb has help with an example`(_ verb: String) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe(verb, "--help")
      #expect(outcome.status == 0)
      #expect(outcome.output.contains("Example: firstframe \(verb)"))
    }
  }

  @Test(arguments: [
    ("compare", "10 ms of times, 0.1 point of ratios, half an event of counts"),
    ("gate", "10 ms of times, 0.1 point of ratios, half an event of counts"),
    ("tune", "Exit code 10 when there is nothing to recommend"),
    ("run", "When several hold: 1, 13, 10, 11, 14, 12, 0 in that order."),
  ])
  func `help says what decides`(_ verb: String, _ part: String) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe(verb, "--help")
      // The sentence may be wrapped anywhere.
      let words = outcome.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      #expect(outcome.status == 0 && words.contains(part), "\(words)")
    }
  }

  @Test func `init writes a scenario that validates and never overwrites`() throws {
    try Program.inFolder { firstframe in
      #expect(try firstframe("init", "mine").status == 0)
      let text = try firstframe.read("mine.yaml")
      let outcome = try firstframe("validate", "mine.yaml")
      #expect(outcome.status == 0 && outcome.output == "mine.yaml: ok\n", "\(outcome.error)")
      let again = try firstframe("init", "other", "--output", "mine.yaml")
      #expect(again.status == 73)
      #expect(again.error.contains("firstframe: mine.yaml: expected a new file"))
      #expect(try firstframe.read("mine.yaml") == text)
      #expect(try firstframe("init", "not a name").status == 64)
      #expect(try firstframe.names() == [".firstframe", "mine.yaml"])
    }
  }

  @Test(arguments: [["schema"], ["schema", "--result"]])
  func `a schema is JSON`(_ arguments: [String]) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe.run(arguments)
      #expect(outcome.status == 0)
      let value = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
      let schema = try #require(value as? [String: Any])
      #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
      #expect(schema["additionalProperties"] as? Bool == false)
    }
  }

  @Test func `explain names the origin of values and counts the views`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let outcome = try firstframe("explain", "tiny.yaml", "--set", "seed=9", "--short")
      #expect(outcome.status == 0)
      let rows = outcome.output.split(separator: "\n").map { $0.split(separator: " ") }
      #expect(rows.contains { $0 == ["seed", "9", "--set"] })
      #expect(rows.contains { $0 == ["name", "tiny", "tiny.yaml:2"] })
      // 3,000,000 views per day and edge, 20 s: 694.
      #expect(outcome.output.contains("up to 2 replications of about 694 views each"))
    }
  }

  @Test func `one and two threads give the same bytes`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      var texts: [String] = []
      for threads in ["1", "2"] {
        let outcome = try firstframe.run(
          ["run", "tiny.yaml", "--short", "--threads", threads, "--output", threads],
          environment: ["SWIFT_DETERMINISTIC_HASHING": threads == "1" ? "1" : ""])
        #expect(outcome.status == 0, "\(outcome.error)")
        let folders = try firstframe.names(threads)
        #expect(folders.count == 1)
        #expect(outcome.output.hasSuffix("\nresults in \(threads)/\(folders[0])\n"))
        texts.append(try firstframe.read("\(threads)/\(folders[0])/result.json"))
      }
      #expect(texts[0] == texts[1])
      #expect(texts[0].contains("\"verdict\": \"pass\""))
    }
  }

  @Test func `json goes to standard output and equals the file, seed and number are kept`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let outcome = try firstframe(
        "run", "tiny.yaml", "--short", "--json", "--seed", "5", "--replications", "1",
        "--progress", "json")
      // One replication has no interval.
      #expect(outcome.status == 12, "\(outcome.error)")
      let folder = try #require(try firstframe.names("results").first)
      #expect(try firstframe.read("results/\(folder)/result.json") == outcome.output)
      #expect(outcome.output.contains("\"seed\": 5,"))
      #expect(outcome.output.contains("{\"run\":1,\"cap\":1,\"looks\":[1],\"partial\":false}"))
      let resolved = try firstframe.read("results/\(folder)/scenario.resolved.yaml")
      #expect(resolved.contains("seed: 5\n"))
      let lines = outcome.error.split(separator: "\n")
      #expect(lines.last == "results in results/\(folder)")
      #expect(lines.first?.hasPrefix("{\"kind\":\"firstframe.progress\"") == true)
    }
  }

  @Test func `a missed hard budget is code 10 and a soft one is not`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write(
        "tiny.yaml", Program.tiny.replacing("< 20 s", with: "< 1 ns"))
      let outcome = try firstframe(
        "run", "tiny.yaml", "--short", "--set", "budgets[0].metric=ttff_cold_ms.p95")
      #expect(outcome.status == 10, "\(outcome.output)")
      #expect(outcome.output.contains("FAIL  tiny: 1 of 1 hard budgets missed (exit code 10)"))
      let soft = try firstframe(
        "run", "tiny.yaml", "--short", "--set", "budgets[0].metric=ttff_cold_ms.p95", "--set",
        "budgets[0].level=soft")
      #expect(soft.status == 0)
      #expect(soft.output.contains("fail (soft)"))
    }
  }

  @Test func `an interrupt finishes the replication under way and is code 14`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let process = Process()
      process.executableURL = try Program.executable()
      process.arguments = ["run", "tiny.yaml", "--threads", "1", "--progress", "json"]
      process.arguments? += ["--set", "audience.window=60 s", "--replications", "64"]
      process.currentDirectoryURL = URL(fileURLWithPath: firstframe.folder)
      process.environment = Program.environment()
      let (output, error) = (Pipe(), Pipe())
      process.standardOutput = output
      process.standardError = error
      try process.run()
      // The first progress line: a replication is done and signals are watched.
      var text = String(decoding: error.fileHandleForReading.availableData, as: UTF8.self)
      process.interrupt()
      let report = String(
        decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      text += String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 14, "\(text)")
      #expect(report.contains("PARTIAL  stopped after"))
      #expect(text.contains("to run it whole: ") && text.contains("--replications 64"))
      let folder = try #require(try firstframe.names("results").first)
      #expect(
        try firstframe.read("results/\(folder)/result.json").contains("\"partial\":true"))
    }
  }
}
