import Foundation
import Testing

/// A program with machines of somebody else's for messages and calls (Tests/sample-rules).
struct MachinePackageCommandTests {
  /// A world, its scenario and the key of its machine.
  enum Subject: CaseIterable {
    case messages, calls

    var key: String {
      switch self {
      case .messages: "messages.protocol.polls"
      case .calls: "calls.protocol.quality"
      }
    }

    /// A parameter with which the machine decides otherwise.
    var other: String {
      switch self {
      case .messages: "{kind: own, every: 5 s}"
      case .calls: "{kind: own, badFor: 0 s}"
      }
    }

    /// What a machine that no host can follow ends with.
    var failure: String {
      switch self {
      case .messages: "restless 1: expected at most 256 commands in a second, got 257"
      case .calls: "restless 1: expected at most 64 commands for an event, got 100"
      }
    }

    var scenario: String {
      switch self {
      case .messages:
        """
        version: 1
        name: machines
        replications: 2
        world: messages
        messages:
          audience: {groups: 4, clients: 3, duration: 4 h, opensPerDay: 60, sendsPerDay: 60}
          protocol: {trackedInterval: 30 s}
        budgets:
          - {metric: requests_per_video.rate, limit: "< 10000"}
        """
      case .calls:
        """
        version: 1
        name: machines
        replications: 2
        world: calls
        calls:
          audience: {callers: 6, interpreters: 6, duration: 1 h, callsPerHour: 60}
          quality: {spellsPerHour: 60}
        budgets:
          - {metric: heartbeats_per_user_second.rate, limit: "< 10", minimumSamples: 10}
        """
      }
    }
  }

  private func inFolder(_ subject: Subject, _ body: (Program) throws -> Void) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("machines.yaml", subject.scenario)
      try body(Program(folder: firstframe.folder, name: "sample-rules"))
    }
  }

  private func result(_ program: Program, _ words: [String]) throws -> [String: Any] {
    let output = "results-\(words.joined().utf8.count)"
    let outcome = try program.run(
      ["run", "machines.yaml", "--quiet", "--output", output, "--threads", "2"] + words)
    #expect([0, 10, 12, 13].contains(outcome.status), "\(outcome.error)")
    let name = try #require(try program.names(output).first { $0.hasPrefix("machines-") })
    let text = try program.read("\(output)/\(name)/result.json")
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test(arguments: Subject.allCases)
  func `a machine that decides as the shipped one gives its result, and its name`(
    _ subject: Subject
  ) throws {
    try inFolder(subject) { program in
      let shipped = try result(program, [])
      let own = try result(program, ["--set", "\(subject.key)={kind: own}"])
      try RulePackageCommandTests.expectSame(shipped, own)
      let scenario = try #require(own["scenario"] as? [String: Any])
      let policies = try #require(scenario["policies"] as? [[String: Any]])
      #expect(policies.map { $0["name"] as? String } == ["own"])
      #expect((shipped["scenario"] as? [String: Any])?["policies"] == nil)
    }
  }

  @Test(arguments: Subject.allCases)
  func `each machine decides`(_ subject: Subject) throws {
    try inFolder(subject) { program in
      let shipped = try result(program, [])
      let own = try result(program, ["--set", "\(subject.key)=\(subject.other)"])
      let texts = try [shipped, own].map {
        let metrics = try #require($0["metrics"])
        return try JSONSerialization.data(withJSONObject: metrics, options: .sortedKeys)
      }
      #expect(texts[0] != texts[1])
    }
  }

  @Test(arguments: Subject.allCases)
  func `a machine that no host can follow ends the run with one message`(
    _ subject: Subject
  ) throws {
    try inFolder(subject) { program in
      let outcome = try program.run([
        "run", "machines.yaml", "--quiet", "--threads", "2", "--set",
        "\(subject.key)={kind: restless}",
      ])
      #expect(outcome.status == 65, "\(outcome.output)\(outcome.error)")
      #expect(outcome.error.contains("\(subject.key): \(subject.failure) (client "))
      #expect(outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
    }
  }

  @Test func `a search looks for schedules that break a poll machine, too`() throws {
    try inFolder(.messages) { program in
      func search(_ kind: String) throws -> Program.Outcome {
        try program.write(
          "\(kind).yaml",
          Subject.messages.scenario.replacingOccurrences(
            of: "trackedInterval: 30 s}", with: "polls: {kind: \(kind)}}"))
        return try program.run(["fuzz", "\(kind).yaml", "--seeds", "1..200"])
      }
      for kind in ["timer", "own"] {
        let found = try search(kind)
        // So few seeds need not come to everything.
        #expect([0, 10].contains(found.status), "\(found.error)")
        #expect(found.output.contains("messaging/scenario: 200 seeds"), "\(found.output)")
      }
      let restless = try search("restless")
      #expect(restless.status == 65, "\(restless.output)")
      #expect(restless.error.contains("messages.protocol.polls: restless 1: expected at most 256"))
    }
  }
}
