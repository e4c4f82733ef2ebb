import Foundation
import Testing

/// Scenarios whose prefetch policy is a process.
@Suite struct ExternalPolicyCommandTests {
  private static let examples = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scenarios/policies").path

  /// A folder with the example, a scenario that has it and one that has the family it is.
  private func inFolder(_ body: (Program) throws -> Void) throws {
    try StudyCommandTests.inFolder { firstframe in
      let example = "head_of_next.py"
      try firstframe.write(
        example,
        Data(contentsOf: URL(fileURLWithPath: "\(ExternalPolicyCommandTests.examples)/\(example)")))
      try firstframe.write(
        "external.yaml",
        "extends: study.yaml\npolicy:\n"
          + "  prefetch: {kind: external, command: [python3, head_of_next.py]}\n")
      try body(firstframe)
    }
  }

  private func result(_ firstframe: Program, _ output: String) throws -> [String: Any] {
    let names = try firstframe.names(output).filter { $0.hasPrefix("study-") }
    let folder = try #require(names.first)
    let text = try firstframe.read("\(output)/\(folder)/result.json")
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test func `a process gives the result of the family it is, and its name`() throws {
    try inFolder { firstframe in
      for (file, output) in [("study.yaml", "own"), ("external.yaml", "theirs")] {
        let outcome = try firstframe(
          "run", file, "--replications", "4", "--quiet", "--output", output, "--threads", "2")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(
          outcome.output.contains("prefetch by head-of-next-python 1.0") == (file != "study.yaml"))
      }
      var (own, theirs) = (try result(firstframe, "own"), try result(firstframe, "theirs"))
      let scenario = try #require(theirs["scenario"] as? [String: Any])
      let policies = try #require(scenario["policies"] as? [[String: Any]])
      #expect(policies.count == 1)
      #expect(policies[0]["name"] as? String == "head-of-next-python")
      own["scenario"] = nil
      theirs["scenario"] = nil
      let texts = try [own, theirs].map {
        try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys)
      }
      #expect(texts[0] == texts[1])
      // Other code is another run.
      let before = try firstframe.names("theirs")
      try firstframe.write(
        "head_of_next.py", try firstframe.read("head_of_next.py") + "# Another one.\n")
      let again = try firstframe(
        "run", "external.yaml", "--replications", "4", "--quiet", "--output", "theirs")
      #expect(again.status == 0, "\(again.error)")
      #expect(try firstframe.names("theirs").count == before.count + 1)
    }
  }

  @Test func `the log that each example writes replays to the same commands`() throws {
    try inFolder { firstframe in
      var logs: [String] = []
      for (program, file) in [
        ("python3", "head_of_next.py"), ("node", "head_of_next.js"), ("java", "HeadOfNext.java"),
      ] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let isThere = path.split(separator: ":").contains {
          FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
        if program != "python3" && !isThere { continue }
        let log = "\(program).log"
        let command = "\(program), \(ExternalPolicyCommandTests.examples)/\(file), --log, \(log)"
        let outcome = try firstframe(
          "run", "study.yaml", "--replications", "2", "--quiet", "--output", program, "--set",
          "policy.prefetch={kind: external, command: [\(command)]}")
        #expect([0, 13].contains(outcome.status), "\(outcome.error)")
        let replayed = try firstframe("replay", "policy", log)
        #expect(replayed.status == 0, "\(replayed.error)")
        #expect(replayed.output.hasPrefix("\(log): the same "), "\(replayed.output)")
        logs.append(try firstframe.read(log))
      }
      #expect(logs[0].contains("\ncommand start ") && logs.allSatisfy { $0 == logs[0] })
    }
  }

  @Test func `what is wrong with a command is one line and an exit code`() throws {
    try inFolder { firstframe in
      let cases: [(command: String, status: Int32, said: String)] = [
        ("[./nobody]", 66, "expected a program that starts, got no such file or directory"),
        ("[\"false\"]", 65, "expected an answer to the greeting, got its end (exit code 1)"),
        ("[echo, hello]", 65, "got \"hello \""),
        ("[]", 65, "policy.prefetch.command"),
      ]
      for (command, status, said) in cases {
        let outcome = try firstframe(
          "run", "study.yaml", "--quiet", "--set",
          "policy.prefetch={kind: external, command: \(command)}")
        #expect(outcome.status == status, "\(command): \(outcome.error)")
        #expect(outcome.error.contains("policy.prefetch"), "\(outcome.error)")
        #expect(outcome.error.contains(said), "\(outcome.error)")
        #expect(outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
      }
    }
  }

  @Test func `finished replications stay when the policy fails`() throws {
    try inFolder { firstframe in
      // One that goes after its first two viewers of a replication: pilot and all.
      let text = try firstframe.read("head_of_next.py").replacingOccurrences(
        of: "        viewer = message[\"viewer\"]\n",
        with: "        viewer = message[\"viewer\"]\n        if viewer > 700:\n"
          + "            sys.exit(\"too many for me\")\n")
      try firstframe.write("head_of_next.py", text)
      let outcome = try firstframe(
        "run", "external.yaml", "--quiet", "--replications", "64", "--threads", "1", "--output",
        "out")
      #expect(outcome.status == 65, "\(outcome.error)")
      #expect(outcome.error.contains("it last said \"too many for me\""), "\(outcome.error)")
      #expect(outcome.error.contains("finished replications"), "\(outcome.error)")
      let found = try result(firstframe, "out")
      let replications = try #require(found["replications"] as? [String: Any])
      #expect(replications["partial"] as? Bool == true)
      #expect((replications["run"] as? Int ?? 0) >= 1)
    }
  }

  @Test func `what only reads a scenario starts nothing`() throws {
    try inFolder { firstframe in
      try firstframe.write(
        "spy.yaml",
        "extends: study.yaml\npolicy:\n"
          + "  prefetch: {kind: external, command: [touch, was-here]}\n")
      for verb in ["validate", "explain"] {
        let outcome = try firstframe(verb, "spy.yaml")
        #expect(outcome.status == 0, "\(verb): \(outcome.error)")
      }
      #expect(!(try firstframe.names()).contains("was-here"))
      let run = try firstframe("run", "spy.yaml", "--quiet")
      #expect(run.status == 65)
      #expect(try firstframe.names().contains("was-here"))
    }
  }

  @Test func `a sweep says that no prefix is shared`() throws {
    try inFolder { firstframe in
      let outcome = try firstframe(
        "sweep", "external.yaml", "--replications", "2", "--vary",
        "cdn.purges=[[], [{at: 5 s}]]")
      #expect(
        outcome.error.contains("no prefix is shared: head-of-next-python 1.0"), "\(outcome.error)")
    }
  }

  // MARK: Processes that mean ill

  /// A policy that greets, and then does what its argument says with each question.
  private static let wild = """
    import json, os, random, sys, time
    THEN = sys.argv[1]
    def say(message):
        body = json.dumps(message)
        sys.stdout.write(f"{len(body)} {body}\\n")
        sys.stdout.flush()
    n = 0
    for line in sys.stdin:
        message = json.loads(line.partition(" ")[2])
        if "hello" in message:
            say({"name": "wild", "version": "1", "digest": "0" * 64})
            continue
        if "close" in message:
            continue
        answer = {"viewer": message["viewer"], "sequence": message["sequence"]}
        answer["commands"] = [[] for _ in message["told"]]
        n += 1
        exec(THEN)

    """

  @Test(arguments: [
    ("print('hello world', flush=True)", "got \"hello world"),
    (
      "if n > 5:\n  print('tired', file=sys.stderr)\n  sys.exit(3)\nsay(answer)",
      "it last said \"tired\""
    ),
    ("answer['sequence'] += 1\nsay(answer)", "expected the answer to message"),
    ("time.sleep(60)", "within 500 ms"),
    ("if os.fork(): os._exit(0)\ntime.sleep(60)", "expected an answer"),
    (
      "sys.stdout.write('1000000000 ' + 'x' * 10000000)\nsys.stdout.flush()",
      "got one of 1000000000"
    ),
    (
      "at = message['told'][0]\nif at['event'] == 'moved' and at['current'] < at['last']:\n"
        + "  answer['commands'][0] = [{'do': 'start', 'item': at['current'] + 1, 'priority': 0,"
        + " 'length': random.randint(1, 10**10)}]\nsay(answer)",
      "the same answer when the session is played again"
    ),
    (
      "answer['commands'][0] = [{'do': 'start', 'item': 999, 'priority': 0, 'length': 5}]\n"
        + "say(answer)", "got \"start 999 5 0\""
    ),
  ])
  func `a process that means ill is one line with the session, and leaves nobody`(
    _ then: String, _ said: String
  ) throws {
    try inFolder { firstframe in
      try firstframe.write("wild.py", Self.wild)
      let words = try #require(
        String(data: try JSONEncoder().encode(["python3", "wild.py", then]), encoding: .utf8))
      let outcome = try firstframe(
        "run", "study.yaml", "--quiet", "--replications", "2", "--set",
        "policy.prefetch={kind: external, timeout: 500 ms, command: \(words)}")
      #expect(outcome.status == 65, "\(outcome.error)")
      #expect(outcome.error.contains("policy.prefetch: wild 1: expected "), "\(outcome.error)")
      #expect(outcome.error.contains(said), "\(outcome.error)")
      #expect(outcome.error.contains("(session "), "\(outcome.error)")
      #expect(outcome.error.split(separator: "\n").count <= 2, "\(outcome.error)")
      #expect(firstframe.processes().isEmpty)
    }
  }
}
