import Foundation
import Testing

/// Scenarios whose caps, renditions, gates, retries and caches a process decides.
@Suite struct ExternalRuleCommandTests {
  private static let example = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scenarios/policies/rules.py")

  private static let process = "kind: external, command: [python3, rules.py]"

  private func inFolder(_ body: (Program) throws -> Void) throws {
    try Program.inFolder { firstframe in
      try firstframe.write(
        "rules.py", Data(contentsOf: ExternalRuleCommandTests.example))
      try firstframe.write("rules.yaml", RulePackageCommandTests.scenario)
      try body(firstframe)
    }
  }

  private func result(_ firstframe: Program, _ words: [String]) throws -> [String: Any] {
    try RulePackageCommandTests.result(firstframe, words)
  }

  @Test(arguments: [
    ("policy.pool.victim={PROCESS}", "victim-python", "victim of the pool"),
    ("policy.abr={PROCESS}", "rung-python", "bit rate"),
    ("policy.startupCap.release={PROCESS}", "release-python", "release of the cap"),
    ("client.gate={PROCESS}", "gate-python", "gate"),
    ("client.retry={PROCESS}", "retry-python", "retries"),
    ("cdn.edge.admission={PROCESS}", "admission-python", "admission"),
    ("cdn.edge.ttl={PROCESS}", "lifetime-python", "lifetimes"),
  ])
  func `a process gives the result of the rule it is, and its name`(
    _ setting: String, _ name: String, _ decides: String
  ) throws {
    try inFolder { firstframe in
      let setting = setting.replacingOccurrences(
        of: "PROCESS", with: ExternalRuleCommandTests.process)
      let shipped = try result(firstframe, [])
      let theirs = try result(firstframe, ["--set", setting])
      try RulePackageCommandTests.expectSame(shipped, theirs)
      let scenario = try #require(theirs["scenario"] as? [String: Any])
      let policies = try #require(scenario["policies"] as? [[String: Any]])
      #expect(policies.map { $0["name"] as? String } == [name])
      #expect(policies.map { $0["decides"] as? String } == [decides])
    }
  }

  @Test(arguments: [
    (
      "\"victim\": lambda snapshot: {\"victim\": len(snapshot[\"items\"])}", "policy.pool.victim",
      "expected a victim from 0 to "
    ),
    ("\"rung\": lambda snapshot: {\"rung\": 99}", "policy.abr", "expected a rung from 0 to 3"),
    ("\"rung\": lambda snapshot: {\"step\": 1}", "policy.abr", "expected question, rung"),
    ("\"retry\": lambda snapshot: {\"do\": \"wait\"}", "client.retry", "expected retry, askViewer"),
    (
      "\"gate\": lambda snapshot: {\"passes\": 1}", "client.gate",
      "expected true or false as passes"
    ),
    (
      "\"lifetime\": lambda snapshot: {\"lifetime\": -1}", "cdn.edge.ttl",
      "expected a lifetime of at least 0, or null"
    ),
    ("\"release\": lambda snapshot: sys.exit(\"no\")", "policy.startupCap.release", "said \"no\""),
  ])
  func `nonsense is one line with the question, and exit code 65`(
    _ rule: String, _ key: String, _ said: String
  ) throws {
    try inFolder { firstframe in
      let text = try firstframe.read("rules.py").replacingOccurrences(
        of: "RULES = {\n", with: "RULES = {\n    **{\(rule)},\n")
      let name = try #require(rule.split(separator: "\"").first)
      let kept = text.split(separator: "\n", omittingEmptySubsequences: false).filter {
        !$0.hasPrefix("    \"\(name)\": ")
      }
      try firstframe.write("rules.py", kept.joined(separator: "\n"))
      let outcome = try firstframe(
        "run", "rules.yaml", "--quiet", "--set", "\(key)={\(ExternalRuleCommandTests.process)}")
      #expect(outcome.status == 65, "\(outcome.error)")
      #expect(outcome.error.contains("\(key): \(name)-python 1.0: "), "\(outcome.error)")
      #expect(outcome.error.contains(said), "\(outcome.error)")
    }
  }

  @Test func `a process that answers otherwise is found`() throws {
    try inFolder { firstframe in
      let text = try firstframe.read("rules.py").replacingOccurrences(
        of: "\"admits\": snapshot[\"wasMissed\"]",
        with: "\"admits\": __import__(\"os\").getpid() % 2 == snapshot[\"size\"] % 2")
      try firstframe.write("rules.py", text)
      var found = 0
      // Two processes in a row may both have an odd number, or an even one.
      for _ in 0..<12 where found == 0 {
        let outcome = try firstframe(
          "run", "rules.yaml", "--quiet", "--threads", "1", "--set",
          "cdn.edge.admission={\(ExternalRuleCommandTests.process), playedTwice: 1}")
        if outcome.error.contains("the same answer when the question is put again") {
          #expect(outcome.status == 65)
          found += 1
        }
      }
      #expect(found == 1)
    }
  }
}
