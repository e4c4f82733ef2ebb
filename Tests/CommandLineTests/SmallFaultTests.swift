import Foundation
import Testing

/// Messages that once sent their readers the wrong way.
@Suite struct SmallFaultTests {
  /// Runs the program as somebody who may not read what others keep to themselves; root may read
  /// everything.
  private func asNobody(_ firstframe: Program, _ arguments: [String]) throws -> Program.Outcome {
    if getuid() != 0 { return try firstframe.run(arguments) }
    return try told(
      by: "/usr/bin/setpriv",
      ["--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        + [try Program.executable().path] + arguments, firstframe)
  }

  /// What a program that starts it says on standard error, and how that ends.
  private func told(
    by program: String, _ words: [String], _ firstframe: Program
  ) throws -> Program.Outcome {
    let (process, error) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = words
    process.currentDirectoryURL = URL(fileURLWithPath: firstframe.folder)
    process.environment = Program.environment()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = error
    try process.run()
    let text = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Program.Outcome(status: process.terminationStatus, output: "", error: text)
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
  func `what may not be read is not called missing`() throws {
    try StudyCommandTests.inFolder { firstframe in
      try FileManager.default.createDirectory(
        atPath: firstframe.folder + "/kept", withIntermediateDirectories: true)
      for name in ["kept/result.json", "baseline.json", "trust.json"] {
        try firstframe.write(name, "{}")
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o000], ofItemAtPath: "\(firstframe.folder)/\(name)")
      }
      let commands: [([String], String)] = [
        (["why", "kept"], "kept/result.json"), (["report", "kept"], "kept/result.json"),
        (["gate", "study.yaml", "--baseline", "baseline.json"], "baseline.json"),
        (["run", "study.yaml", "--trust", "trust.json"], "trust.json"),
        (["replay", "policy", "trust.json"], "trust.json"),
        (["calibrate", "--from-live", "trust.json"], "trust.json"),
      ]
      for (command, path) in commands {
        let outcome = try asNobody(firstframe, command)
        #expect(outcome.status == 65, "\(command): \(outcome.error)")
        #expect(outcome.error.contains("\(path): expected "), "\(command): \(outcome.error)")
        #expect(outcome.error.contains(", got permission denied"), "\(command): \(outcome.error)")
      }
    }
  }

  @Test func `a link that leads nowhere but to itself is not called missing`() throws {
    try Program.inFolder { firstframe in
      try FileManager.default.createSymbolicLink(
        atPath: firstframe.folder + "/loop.json", withDestinationPath: "loop.json")
      let outcome = try firstframe("why", "loop.json")
      #expect(outcome.status == 65)
      #expect(outcome.error.contains("loop.json: expected a run folder or a result.json, got too"))
      let missing = try firstframe("why", "none.json")
      #expect(missing.status == 66 && missing.error.contains("got no such file"))
    }
  }

  @Test(arguments: [
    (
      "policy.startupCap.rate=off",
      "policy.startupCap.rate: expected a bit rate such as \"5 Mbps\" or none, got off "
        + "(did you mean none?)"
    ),
    ("policy.startupCap.rate=-1 kbps", "expected a bit rate from 1 bps to 1000 Gbps, got -1 kbps"),
    ("cdn.shield=off", "or none, got off (did you mean none?)"),
    (
      "cdn.hitRatio=0.97",
      "cdn.hitRatio: expected no hit ratio, which is a result (hit_ratio): it follows from "
        + "audience.viewsPerDayPerEdge, catalogue, cdn.edge.capacity, cdn.edge.kind and cdn.ttl, "
        + "got hitRatio"
    ),
    ("cdn.edge.cache_hit_ratio=0.97", "expected no hit ratio"),
  ])
  func `a message says what would do instead`(_ setting: String, _ part: String) throws {
    try StudyCommandTests.inFolder { firstframe in
      let outcome = try firstframe("validate", "study.yaml", "--set", setting)
      #expect(outcome.status == 65)
      #expect(outcome.error.contains(part), "\(outcome.error)")
      #expect(outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
    }
  }

  @Test(arguments: ["run", "gate"], ["plain", "json"])
  func `no progress and a kind of progress exclude each other`(
    _ verb: String, _ style: String
  ) throws {
    try StudyCommandTests.inFolder { firstframe in
      let both = try firstframe(verb, "study.yaml", "--quiet", "--progress", style)
      #expect(both.status == 64)
      #expect(
        both.error.contains("--quiet: expected no --progress beside it, or none, got \(style)"))
      #expect(try firstframe.names() == ["study.yaml"])
    }
    try StudyCommandTests.inFolder { firstframe in
      let none = try firstframe(
        verb, "study.yaml", "--replications", "2", "--quiet", "--progress", "none")
      #expect(none.status == 0, "\(none.error)")
    }
  }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func `what two sets of files have in common to be known is told once`() throws {
    let log = Self.root.appendingPathComponent("scenarios/field/cloudfront.log").path
    try StudyCommandTests.inFolder { firstframe in
      let outcome = try firstframe(
        "capacity", "study.yaml", "--audience", log, "--format", "cloudfront", "--logs", log,
        "--log-format", "cloudfront", "--replications", "2")
      #expect(outcome.status == 0, "\(outcome.error)")
      for note in ["Columns as in: Amazon CloudFront", "3391 times say no offset", "CMCD in 3391"] {
        let times = outcome.output.components(separatedBy: note).count - 1
        #expect(times == 1, "\(note): \(outcome.output)")
      }
    }
  }

  @Test func `the example in the help of tune has a feasible point`() throws {
    let help = try Program.inFolderValue { try $0("tune", "--help").output }
    let words = try #require(help.components(separatedBy: "Example: firstframe ").last)
    // The first of them; the others need a file of one's own.
    let examples = try #require(words.components(separatedBy: "\n\n").first)
    let example = try #require(examples.components(separatedBy: " firstframe ").first)
    // As a shell would: blanks separate, quotes hold together, a backslash ends a line.
    var arguments: [String] = []
    let line = example.replacing("\\\n", with: " ").replacing("\n", with: " ")
    for match in line.matches(of: /'([^']*)'|"([^"]*)"|(\S+)/) {
      arguments.append(String(match.1 ?? match.2 ?? match.3 ?? ""))
    }
    #expect(arguments.first == "tune")
    arguments[1] = Self.root.appendingPathComponent(arguments[1]).path
    try Program.inFolder { firstframe in
      let outcome = try firstframe.run(arguments + ["--quiet"])
      #expect(outcome.status == 0, "\(outcome.output)\(outcome.error)")
      #expect(outcome.output.contains("policy.pool.size"), "\(outcome.output)")
    }
  }

  /// Runs the program with a bound on the size of files, as a full disk sets one.
  private func inLittleRoom(
    _ firstframe: Program, kibibytes: Int, _ arguments: [String]
  ) throws -> Program.Outcome {
    try told(
      by: "/bin/bash",
      [
        "-c", "trap '' XFSZ; ulimit -f \(kibibytes); exec \"$@\"", "bash",
        try Program.executable().path,
      ] + arguments, firstframe)
  }

  @Test func `where there is no room, the message has the name that was asked for`() throws {
    try StudyCommandTests.inFolder { firstframe in
      let before = try firstframe.names()
      let commands: [([String], String)] = [
        (["run", "study.yaml", "-o", "out", "--quiet"], "out/study-"),
        (["reference", "--docs", "d"], "d/reference/generated/keys.md: "),
        (["trace", "study.yaml", "--viewer", "1024", "--output", "t/t.json"], "t/t.json: "),
        (["capacity", "study.yaml", "--audience", "200000", "-o", "cap"], "cap/capacity-study-"),
      ]
      for (command, name) in commands {
        let outcome = try inLittleRoom(firstframe, kibibytes: 4, command)
        #expect(outcome.status == 73, "\(command): \(outcome.error)")
        let lines = outcome.error.split(separator: "\n")
        #expect(
          lines.contains {
            $0.contains("firstframe: \(name)") && $0.contains(": expected room for ")
              && $0.hasSuffix(" bytes, got file too large")
          }, "\(command): \(outcome.error)")
        #expect(!outcome.error.contains(".part"))
        #expect(try firstframe.names() == before, "\(command)")
      }
    }
  }
}

extension Program {
  /// What `body` finds in a fresh folder that is removed afterwards.
  static func inFolderValue<Value>(_ body: (Program) throws -> Value) throws -> Value {
    var value: Value?
    try inFolder { value = try body($0) }
    return try #require(value)
  }
}
