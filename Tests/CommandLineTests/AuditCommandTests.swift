import Foundation
import Testing

/// `audit` as a process.
@Suite struct AuditCommandTests {
  private func inFolder(_ body: (Program) throws -> Void) throws {
    try StudyCommandTests.inFolder(body)
  }

  @Test func `usage is refused with 64 and what was expected`() throws {
    try inFolder { firstframe in
      let cases: [([String], String)] = [
        (["--mutant", "prefetch-of"], "(did you mean prefetch-off?)"),
        (["--mutant", "relays-off"], "expected a mutant of the world feed"),
        (["--min-score", "101"], "expected a whole number in 0...100, got 101"),
        (["--min-score", "-1"], "expected a whole number in 0...100, got -1"),
        (["--replications", "1"], "expected a whole number in 2...64, got 1"),
      ]
      for (arguments, message) in cases {
        let outcome = try firstframe.run(["audit", "study.yaml", "--quiet"] + arguments)
        #expect(outcome.status == 64, "\(arguments): \(outcome.error)")
        #expect(outcome.error.contains(message), "\(outcome.error)")
        #expect(outcome.output.isEmpty)
      }
      #expect(try firstframe("audit").status == 64)
      let twice = try firstframe("audit", "study.yaml", "study.yaml", "--quiet")
      #expect(twice.status == 64 && twice.error.contains("got study twice"))
    }
  }

  @Test func `files that have nothing to audit are refused, all in one pass`() throws {
    try inFolder { firstframe in
      try firstframe.write(
        "bare.yaml", "version: 1\nname: bare\ncatalogue: {titles: 200}\n")
      try firstframe.write(
        "soft.yaml",
        StudyCommandTests.study.replacing("minimumSamples: 5", with: "level: soft"))
      let outcome = try firstframe("audit", "bare.yaml", "soft.yaml", "--quiet")
      #expect(outcome.status == 65 && outcome.output.isEmpty)
      #expect(
        outcome.error.contains("budgets: expected at least one hard budget to audit, got none"))
      #expect(outcome.error.contains("got soft ones only"))
      #expect(try firstframe("audit", "absent.yaml").status == 66)
    }
  }

  @Test func `an audit is reported as text, JSON and JUnit, and the score decides`() throws {
    try inFolder { firstframe in
      let arguments = [
        "audit", "study.yaml", "--quiet", "--replications", "4", "--mutant", "prefetch-off",
        "--mutant", "gate-off",
      ]
      let text = try firstframe.run(arguments)
      #expect(text.status == 0, "\(text.error)")
      #expect(text.output.contains("prefetch-off") && text.output.contains("SCORE 0 %"))
      let low = try firstframe.run(
        arguments + ["--min-score", "50", "--json", "--junit", "audit.xml"])
      #expect(low.status == 10, "\(low.error)")
      #expect(low.output.contains("\"kind\": \"audit\""))
      #expect(try firstframe.read("audit.xml").contains("type=\"survived\""))
      let again = try firstframe.run(
        arguments + ["--min-score", "50", "--json", "--threads", "1"])
      #expect(again.output == low.output)
      let nowhere = try firstframe.run(arguments + ["--junit", "study.yaml/audit.xml"])
      #expect(nowhere.status == 73, "\(nowhere.error)")
    }
  }

  @Test func `the list runs nothing`() throws {
    try inFolder { firstframe in
      let all = try firstframe("audit", "--list")
      #expect(all.status == 0 && all.output.contains("prefetch-off"))
      let own = try firstframe("audit", "--list", "study.yaml", "--mutant", "pool-of-one")
      #expect(own.output.contains("--set 'policy.pool.size=1'"))
      #expect(!own.output.contains("prefetch-off"))
    }
  }
}
