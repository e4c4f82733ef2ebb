import Foundation
import Testing

@Suite struct CapacityCommandTests {
  private static let prices = """
    version: 1
    name: test
    asOf: "2026-11-22"
    services: {rankerInstanceHour: 0.1, apiInstanceHour: 0.1, transcodeMinute: 0.01}
    regions:
      here: {transfer: [{perGB: 0.05}], requestsPer10000: 0.01}

    """

  private static func json(_ text: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// Covers: SIG-010.
  @Test func `a plan comes as text, JSON, Markdown, page and notebook, the same each time`() throws
  {
    try Program.inFolder { firstframe in
      try firstframe.write("s.yaml", Program.tiny)
      try firstframe.write("p.yaml", Self.prices)
      let words = [
        "capacity", "s.yaml", "--short", "--audience", "500000", "--prices", "p.yaml",
        "--replications", "2", "--assume", "ranker.limit=40 ms",
      ]
      let outcome = try firstframe.run(words + ["--json"])
      #expect(outcome.status == 0, "\(outcome.error)")
      let document = try Self.json(outcome.output)
      #expect(document["audience"] as? Double == 500_000)
      let levels = try #require(document["levels"] as? [[String: Any]])
      #expect(levels.map { $0["factor"] as? Double } == [0.9, 1, 1.1, 2])
      let costs = try levels.map { try #require($0["monthlyCost"] as? Double) }
      #expect(costs == costs.sorted() && costs[0] > 0)
      let rows = try #require(document["assumptions"] as? [[String: Any]])
      #expect(
        rows.contains {
          $0["key"] as? String == "ranker.limit" && $0["value"] as? String == "0.04 s"
        })
      let folder = try #require(try firstframe.names("results").first)
      #expect(
        try firstframe.names("results/\(folder)")
          == ["capacity.html", "capacity.ipynb", "capacity.json", "capacity.md"])
      #expect(try firstframe.read("results/\(folder)/capacity.json") == outcome.output)
      #expect(try firstframe.read("results/\(folder)/capacity.html").contains("gives way first"))
      #expect(try firstframe.read("results/\(folder)/capacity.md").contains("| ranker"))
      _ = try Self.json(try firstframe.read("results/\(folder)/capacity.ipynb"))
      let again = try firstframe.run(words + ["--json", "--threads", "1"])
      #expect(again.output == outcome.output)
      let text = try firstframe.run(words)
      #expect(text.output.contains("WHAT GIVES WAY FIRST") && text.output.contains("A MONTH"))
      #expect(text.output.contains("views that a user sees a day"))
      #expect(!text.output.contains("relay:") && !text.output.contains("transcoder:"))
      // What is over a limit stands in the second line.
      let many = try firstframe.run([
        "capacity", "s.yaml", "--short", "--audience", "100000", "--replications", "2",
        "--assume", "calls.perUserDay=0.1", "--assume", "originRequestsPerSecond=1",
      ])
      let lines = many.output.split(separator: "\n")
      let second = try #require(lines.dropFirst().first, "\(many.error)")
      #expect(second.hasPrefix("  Over today: origin holds "), "\(second)")
      #expect(many.output.contains("relay: ports"))
    }
  }

  @Test func `bad input is named and has its exit code`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("s.yaml", Program.tiny)
      try firstframe.write("p.yaml", "version: 1\nname: x\n")
      #expect(try firstframe("capacity", "none.yaml").status == 66)
      #expect(try firstframe("capacity", "s.yaml", "--prices", "none.yaml").status == 66)
      let prices = try firstframe("capacity", "s.yaml", "--prices", "p.yaml")
      #expect(prices.status == 65 && prices.error.contains("p.yaml:1:1: "))
      let assume = try firstframe("capacity", "s.yaml", "--assume", "ranker.limti=1 s")
      #expect(assume.status == 65 && assume.error.contains("did you mean limit?"))
      #expect(try firstframe("capacity", "s.yaml", "--audience", "0").status == 64)
      #expect(try firstframe("capacity", "s.yaml", "--region", "x").status == 64)
    }
  }

  @Test func `of a world of services it says at which load each budget breaks`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write(
        "s.yaml",
        """
        version: 1
        name: pages
        world: services
        services: {load: {sessionsPerSecond: 40, warmUp: 2 s, window: 5 s}}
        budgets:
          - {metric: ranker_ms.p99, limit: "<= 30 ms"}
          - {metric: fallback_mismatch.count, limit: "< 1"}

        """)
      let outcome = try firstframe.run(["capacity", "s.yaml", "--replications", "2", "--json"])
      #expect(outcome.status == 0, "\(outcome.error)")
      let document = try Self.json(outcome.output)
      #expect(document["kind"] as? String == "load-knee" && document["load"] as? Double == 40)
      let breaks = try #require(document["breaks"] as? [[String: Any]])
      #expect(
        breaks.map { $0["metric"] as? String } == ["ranker_ms.p99", "fallback_mismatch.count"])
      #expect((breaks[0]["multiple"] as? Double ?? 0) > 0.5)
      #expect(breaks[1]["neverBroken"] as? Int == 2)
      let text = try firstframe("capacity", "s.yaml", "--replications", "2")
      #expect(text.output.contains("what gives way first as the load grows"))
      #expect(try firstframe("capacity", "s.yaml", "--audience", "5").status == 64)
      try firstframe.write("m.yaml", "version: 1\nname: m\nworld: messages\n")
      #expect(try firstframe("capacity", "m.yaml").status == 65)
    }
  }
}
