import Foundation
import Testing

/// `fuzz`, `replay` of a kept failure and `shrink` as processes.
@Suite struct FuzzCommandTests {
  private static let literal = """
    version: 1
    name: literal
    world: messages
    messages: {protocol: {cleanup: {kind: on-view}, missing: viewed}}

    """

  private func run(
    _ firstframe: Program, _ arguments: [String], status: Int32
  ) throws -> Program.Outcome {
    let outcome = try firstframe.run(arguments)
    #expect(outcome.status == status, "\(arguments): \(outcome.error)")
    return outcome
  }

  /// Covers: TBM-032.
  @Test func `a scenario's failure is kept with its scenario, replayed, drawn and made smaller`()
    throws
  {
    try Program.inFolder { firstframe in
      try firstframe.write("literal.yaml", Self.literal)
      let found = try run(
        firstframe, ["fuzz", "literal.yaml", "--seeds", "1..500", "--no-shrink"], status: 10)
      #expect(found.output.contains("messaging/scenario: 500 seeds"))
      let file = "results/fuzz/literal-no-false-view.txt"
      let text = try firstframe.read(file)
      for line in [
        "target messaging/scenario", "scenario literal", "commit ", "seed ", "| world: ",
      ] {
        #expect(text.contains("\n\(line)"), "\(line)")
      }
      let replayed = try run(firstframe, ["replay", file, "--svg", "race.svg"], status: 10)
      #expect(replayed.output.hasPrefix("sequenceDiagram\n"))
      #expect(try firstframe.read("race.svg").hasPrefix("<svg "))
      let small = try run(firstframe, ["shrink", file, "--output", "small.txt"], status: 0)
      #expect(small.output.contains("steps, broken at"))
      #expect(try firstframe.read("small.txt").count < text.count)
      #expect(try run(firstframe, ["replay", "failure", "small.txt"], status: 10).output != "")
      // The same schedule does no harm to a sound protocol.
      let sound = text.split(separator: "\n").map {
        $0.contains("missing: ") ? "|     missing: viewed-if-newer" : String($0)
      }
      try firstframe.write("sound.txt", sound.joined(separator: "\n") + "\n")
      #expect(try run(firstframe, ["replay", "sound.txt"], status: 0).error.contains("held"))
      _ = try run(firstframe, ["shrink", "sound.txt"], status: 11)
    }
  }

  @Test func `every fate of the first messages is tried, and wrong input is refused`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("literal.yaml", Self.literal)
      try firstframe.write("feed.yaml", "version: 1\nname: feed\n")
      try firstframe.write("bad.txt", "firstframe fuzz failure 1\ntarget messaging/kept\nwhat\n")
      let tried = try run(
        firstframe, ["fuzz", "messaging/kept", "--exhaustive", "--depth", "3"], status: 0)
      #expect(tried.output.contains("one video: 27 fates of the first 3 messages, every one"))
      _ = try run(firstframe, ["fuzz", "literal.yaml", "--exhaustive"], status: 10)
      _ = try run(firstframe, ["fuzz", "feed.yaml"], status: 65)
      _ = try run(firstframe, ["fuzz", "missing.yaml"], status: 66)
      _ = try run(firstframe, ["fuzz", "messaging/none"], status: 64)
      _ = try run(firstframe, ["fuzz", "messaging/kept", "--seeds", "5..4"], status: 64)
      #expect(try run(firstframe, ["replay", "bad.txt"], status: 65).error.contains("bad.txt:3"))
      _ = try run(firstframe, ["shrink", "missing.txt"], status: 66)
    }
  }

  @Test func `a search says the same as JSON`() throws {
    struct Document: Decodable {
      struct Property: Decodable {
        var name: String
        var broken: Int
        var isMissing: Bool
      }

      var schema: Int
      var kind: String
      var holds: Bool
      var seeds: Int
      var properties: [Property]
      var failures: [String]
    }
    try Program.inFolder { firstframe in
      let found = try run(
        firstframe, ["fuzz", "messaging/literal", "--seeds", "1..500", "--no-shrink", "--json"],
        status: 10)
      let answer = try JSONDecoder().decode(Document.self, from: Data(found.output.utf8))
      #expect(answer.schema == 1 && answer.kind == "firstframe.fuzz" && !answer.holds)
      #expect(answer.seeds == 500 && answer.failures.count == 1)
      let broken = answer.properties.filter { $0.broken > 0 }
      #expect(broken.map(\.name) == ["no-false-view"])
      #expect(answer.properties.contains { $0.name == "viewed-known" && !$0.isMissing })
      #expect(try firstframe.read(answer.failures[0]).hasPrefix("firstframe fuzz failure 1"))
    }
  }

  @Test(arguments: [["fuzz"], ["shrink"], ["replay", "failure"]])
  func `every level has help with an example`(_ verbs: [String]) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe.run(verbs + ["--help"])
      #expect(outcome.output.contains("Example: firstframe \(verbs.first ?? "")"))
    }
  }
}
