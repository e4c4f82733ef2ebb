import Foundation
import Testing

@Suite struct ModelCommandTests {
  /// Two cases: one flow with TLS, and two flows with loss and replications.
  static let cases = """
    [
      {"id": "one", "link": {"downMbps": 10, "upMbps": 10, "rttMs": 60},
       "transport": {"handshake": "tcp+tls13"}, "flows": [{"bytes": 300000}]},
      {"id": "two", "link": {"downMbps": 3, "upMbps": 3, "rttMs": 20, "lossRate": 0.02},
       "replications": 3,
       "flows": [{"bytes": 100000}, {"after": 0, "gapMs": 10, "bytes": 50000}]}
    ]

    """

  private static func json(_ text: String) throws -> [[String: Any]] {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
  }

  @Test func `json has the keys of the contract in input order, for any number of threads`() throws
  {
    try Program.inFolder { firstframe in
      try firstframe.write("cases.json", Self.cases)
      let outcome = try firstframe("model", "transfer", "--cases", "cases.json", "--json")
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.error == "")
      let results = try Self.json(outcome.output)
      #expect(results.map { $0["id"] as? String } == ["one", "two"])
      for result in results {
        #expect(Set(result.keys) == ["id", "tier", "flows"])
        #expect(["closed", "rounds", "chunks"].contains(result["tier"] as? String ?? ""))
        for flow in try #require(result["flows"] as? [[String: Any]]) {
          #expect(
            Set(flow.keys) == ["startMs", "connectMs", "secureMs", "firstByteMs", "durationMs"])
        }
      }
      let one = try #require((results[0]["flows"] as? [[String: Any]])?.first)
      #expect(one["startMs"] as? Double == 0)
      let duration = try #require(one["durationMs"] as? Double)
      let first = try #require(one["firstByteMs"] as? Double)
      // Connect, TLS, request: three round trips at least; then 300 kB at 10 Mbit/s.
      #expect(first >= 180 && duration > first && duration > 180 + 240)
      let two = try #require(results[1]["flows"] as? [[String: Any]])
      #expect(two.count == 2)
      #expect((two[1]["durationMs"] as? [Double])?.count == 3)
      let starts = try #require(two[1]["startMs"] as? [Double])
      let ends = try #require(two[0]["durationMs"] as? [Double])
      for (start, end) in zip(starts, ends) { #expect((start - end - 10).magnitude < 1e-6) }
      for threads in ["1", "2", "5"] {
        let again = try firstframe(
          "model", "transfer", "--cases", "cases.json", "--json", "--threads", threads)
        #expect(again.output == outcome.output)
      }
    }
  }

  @Test func `a flow that never ends has no duration`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write(
        "cases.json",
        """
        [{"id": "x", "link": {"trace": [[0, 10], [0.1, 0]], "rttMs": 20},
          "flows": [{"bytes": 10000000}]}]
        """)
      let outcome = try firstframe("model", "transfer", "--cases", "cases.json", "--json")
      #expect(outcome.status == 0, "\(outcome.error)")
      let flows = try #require(try Self.json(outcome.output)[0]["flows"] as? [[String: Any]])
      #expect(flows[0]["durationMs"] is NSNull)
      #expect(flows[0]["connectMs"] is Double)
      let table = try firstframe("model", "transfer", "--cases", "cases.json")
      #expect(table.output.contains("never"))
    }
  }

  @Test func `the table has a line for each flow`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("cases.json", Self.cases)
      let outcome = try firstframe("model", "transfer", "--cases", "cases.json")
      #expect(outcome.status == 0)
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 5)
      #expect(lines.map { $0.prefix(4) }.prefix(4) == ["case", "one ", "two ", "two "])
    }
  }

  @Test func `explain shows what each part costs and the rounds`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("cases.json", Self.cases)
      let outcome = try firstframe("model", "transfer", "--cases", "cases.json", "--explain")
      #expect(outcome.status == 0)
      for words in [
        "one: tier ", "two: tier ", "replication 0 of 3", "connect ", "secure ", "round ",
        "slow start",
      ] {
        #expect(outcome.output.contains(words), "\(words)")
      }
    }
  }

  @Test func `bad cases are code 65 with every problem and nothing on standard output`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write(
        "cases.json",
        """
        [
          {"id": "x", "link": {"downMbps": "ten", "rttMs": 60}, "flows": [{"bytes": 1}]},
          {"id": "x", "link": {"downMbps": 1, "rtMs": 60}, "flows": [{"bytes": 1, "after": 0}]}
        ]
        """)
      let outcome = try firstframe("model", "transfer", "--cases", "cases.json", "--json")
      #expect(outcome.status == 65)
      #expect(outcome.output == "")
      let places = outcome.error.split(separator: "\n").map { $0.prefix { $0 != " " } }
      #expect(
        places == [
          "cases.json:2:36:", "cases.json:3:10:", "cases.json:3:23:", "cases.json:3:39:",
          "cases.json:3:84:",
        ])
      #expect(
        outcome.error.hasPrefix(
          "cases.json:2:36: [0].link.downMbps: expected a number from 0.001 to 1000000 or none, "
            + "got "))
      #expect(outcome.error.contains("(did you mean rttMs?)"))
      #expect(try firstframe.names() == ["cases.json"])
    }
  }

  @Test(arguments: [
    (["model", "transfer", "--cases", "none.json"], Int32(66), "none.json:1:1: (file): expected"),
    (["model", "transfer"], 64, "--cases"),
    (["model", "transfer", "--cases", "c.json", "--jsn"], 64, "--jsn"),
    (["model", "transfer", "--cases", "c.json", "--threads", "0"], 64, "1...256"),
    (["model", "transfer", "--cases", "c.json", "--json", "--explain"], 64, "--explain"),
    (["model", "transfr"], 64, "transfr"),
    (["modle"], 64, "(did you mean model?)"),
    (["schema", "--result", "--transfer-cases"], 64, "got several"),
  ]) func `usage and missing files have their codes`(
    _ arguments: [String], _ status: Int32, _ message: String
  ) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("c.json", Self.cases)
      let outcome = try firstframe.run(arguments)
      #expect(outcome.status == status)
      #expect(outcome.output == "")
      #expect(outcome.error.contains(message), "\(outcome.error)")
    }
  }

  @Test(arguments: ["--transfer-cases", "--transfer-results"])
  func `the schemas are JSON`(_ option: String) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe("schema", option)
      #expect(outcome.status == 0)
      let value = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
      let schema = try #require(value as? [String: Any])
      #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
      #expect(schema["type"] as? String == "array")
    }
  }

  @Test(arguments: [["model"], ["model", "transfer"], ["peer"], ["peer", "sabre"]])
  func `every level has help with an example`(_ verbs: [String]) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe.run(verbs + ["--help"])
      #expect(outcome.status == 0)
      #expect(outcome.output.contains("Example: firstframe \(verbs.joined(separator: " "))"))
    }
  }
}
