import Foundation
import Testing

/// A program with rules of somebody else's for caps, retries and caches (Tests/sample-rules).
struct RulePackageCommandTests {
  /// A feed whose caches are full and whose answers fail.
  static let scenario = """
    version: 1
    name: rules
    replications: 2
    network:
      access: [{kind: lte}]
    policy:
      pool: {size: 5, ahead: 1, behind: 0}
    audience: {viewsPerDayPerEdge: 400000, window: 1 min, warmUp: 1 min}
    catalogue: {titles: 3000}
    client:
      segmentErrorShare: 0.1
      retry: {kind: backoff, jitter: 0, asksAfterwards: false}
      gate: {kind: gate, timeout: none}
    cdn:
      start: {kind: cold}
      edge: {kind: lru, capacity: 40 MB, admission: {kind: second-miss}, ttl: {kind: rfc9111}}
      ttl: {segments: {maxAge: 20 s}}
    budgets:
      - {metric: ttff_ms.p95, limit: "< 9 s", minimumSamples: 10}
    """

  private func inFolder(_ body: (Program) throws -> Void) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("rules.yaml", RulePackageCommandTests.scenario)
      try body(Program(folder: firstframe.folder, name: "sample-rules"))
    }
  }

  static func result(_ program: Program, _ words: [String]) throws -> [String: Any] {
    let output = "results-\(words.count)-\(words.joined().utf8.count)"
    let outcome = try program.run(
      ["run", "rules.yaml", "--quiet", "--output", output, "--threads", "2"] + words)
    #expect([0, 10, 12].contains(outcome.status), "\(outcome.error)")
    let name = try #require(try program.names(output).first { $0.hasPrefix("rules-") })
    let text = try program.read("\(output)/\(name)/result.json")
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  static func expectSame(_ one: [String: Any], _ other: [String: Any]) throws {
    let texts = try [one, other].map { result in
      var result = result
      result["scenario"] = nil
      return try JSONSerialization.data(withJSONObject: result, options: .sortedKeys)
    }
    #expect(texts[0] == texts[1])
  }

  private static let own = [
    "policy.pool.victim={kind: own}", "policy.startupCap.release={kind: own}",
    "client.gate={kind: own}", "client.retry={kind: own}",
    "cdn.edge={kind: own, capacity: 40 MB, admission: {kind: own}, ttl: {kind: own}}",
  ].flatMap { ["--set", $0] }

  @Test func `rules that decide as the shipped ones give their results, and their names`() throws {
    try inFolder { program in
      let shipped = try RulePackageCommandTests.result(program, [])
      let own = try RulePackageCommandTests.result(program, RulePackageCommandTests.own)
      try RulePackageCommandTests.expectSame(shipped, own)
      let scenario = try #require(own["scenario"] as? [String: Any])
      let policies = try #require(scenario["policies"] as? [[String: Any]])
      #expect(policies.map { $0["name"] as? String } == Array(repeating: "own", count: 7))
    }
  }

  @Test(arguments: [
    "policy.pool.victim={kind: own, nearest: true}",
    "policy.startupCap.release={kind: own, length: 30 s}", "client.retry={kind: own, retries: 0}",
    "client.gate={kind: own, attempts: 0}",
    "cdn.edge.admission={kind: own, small: 1000000}", "cdn.edge.ttl={kind: own, least: 10 min}",
    "cdn.edge={kind: own, renewedByUse: false, capacity: 40 MB, admission: {kind: second-miss}}",
  ])
  func `each rule decides`(_ setting: String) throws {
    try inFolder { program in
      let shipped = try RulePackageCommandTests.result(program, [])
      let own = try RulePackageCommandTests.result(program, ["--set", setting])
      #expect(shipped["fingerprint"] as? String != own["fingerprint"] as? String)
    }
  }

  @Test func `first in first out is the shipped one's`() throws {
    try inFolder { program in
      let rest = "capacity: 40 MB, admission: {kind: second-miss}, ttl: {kind: rfc9111}}"
      try RulePackageCommandTests.expectSame(
        RulePackageCommandTests.result(program, ["--set", "cdn.edge={kind: fifo, \(rest)"]),
        RulePackageCommandTests.result(
          program, ["--set", "cdn.edge={kind: own, renewedByUse: false, \(rest)"]))
    }
  }

  @Test func `a background audience asks again by rules of the program alone`() throws {
    try inFolder { program in
      let outcome = try program.run([
        "validate", "rules.yaml", "--set",
        "audience.background={viewers: 10000000, viewsPerDay: 100}", "--set",
        "client.retry={kind: own}",
      ])
      #expect(outcome.status == 65, "\(outcome.error)")
      #expect(outcome.error.contains("expected a rule of the program with a background audience"))
    }
  }

  @Test func `what an app is given holds no rule of somebody else's`() throws {
    try inFolder { program in
      let outcome = try program.run(
        ["export", "rules.yaml", "--as", "swift"] + RulePackageCommandTests.own)
      #expect(outcome.status == 65, "\(outcome.output)")
      #expect(outcome.error.contains("policy.startupCap.release"), "\(outcome.error)")
      #expect(outcome.error.contains("client.retry"), "\(outcome.error)")
    }
  }
}
