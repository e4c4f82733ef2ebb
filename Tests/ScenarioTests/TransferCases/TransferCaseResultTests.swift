import Foundation
import Models
import Scenario
import Testing

@Suite struct TransferCaseResultTests {
  private static func timing(
    _ duration: Int64, start: Int64 = 0, connect: Int64 = 60_000_000, secure: Int64? = nil
  ) -> TransferTiming {
    TransferTiming(
      start: start, connect: connect, secure: secure, firstByte: connect + 60_000_000,
      duration: duration)
  }

  private static func result(
    _ replications: [[TransferTiming]], rounds: [TransferRound] = []
  ) -> TransferCaseResult {
    TransferCaseResult(
      id: "a \"b\"",
      replications: replications.map { TransferResult(tier: .rounds, timings: $0, rounds: rounds) })
  }

  @Test func `times are milliseconds with at most six decimals, a case on each line`() {
    let result = Self.result([[Self.timing(183_512_345, start: 500_000, secure: 120_300_001)]])
    #expect(
      TransferCaseResult.text([result, result]) == """
        [
        \(result.json().text(indent: 0)),
        \(result.json().text(indent: 0))
        ]

        """)
    #expect(
      result.json().text(indent: 0) == """
        {"id":"a \\"b\\"","tier":"rounds","flows":[{"startMs":0.5,"connectMs":60,\
        "secureMs":120.300001,"firstByteMs":120,"durationMs":183.512345}]}
        """)
  }

  @Test func `what never happens and what there is none of is null`() {
    let json = Self.result([[Self.timing(.max)]]).json().text(indent: 0)
    #expect(json.hasSuffix("\"secureMs\":null,\"firstByteMs\":120,\"durationMs\":null}]}"))
  }

  @Test func `with replications every number is a list in their order`() {
    let json = Self.result([
      [Self.timing(3_000_000)], [Self.timing(.max)], [Self.timing(1_000_000)],
    ]).json().text(indent: 0)
    #expect(
      json == """
        {"id":"a \\"b\\"","tier":"rounds","flows":[{"startMs":[0,0,0],"connectMs":[60,60,60],\
        "secureMs":null,"firstByteMs":[120,120,120],"durationMs":[3,null,1]}]}
        """)
  }

  @Test func `the table has medians over the replications`() {
    let text = TransferTable.text([
      Self.result([[Self.timing(3_000_000)], [Self.timing(9_000_000)], [Self.timing(1_000_000)]]),
      Self.result([[Self.timing(.max, secure: 7_000_000)]]),
    ])
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(
      lines == [
        "case tier flow start ms connect ms secure ms first byte ms duration ms",
        "a \"b\" rounds 0 0.000 60.000 - 120.000 3.000",
        "a \"b\" rounds 0 0.000 60.000 7.000 120.000 never",
        "medians of up to 3 replications",
      ])
  }

  @Test func `the parts that are explained add up to the duration`() throws {
    func round(
      _ phase: TransferRound.Phase, _ start: Int64, idle: Int64, flow: Int = 0
    ) -> TransferRound {
      TransferRound(
        flow: flow, connection: 0, start: start, phase: phase, window: 10, packets: 10, lost: 1,
        idle: idle)
    }
    let result = Self.result(
      [[Self.timing(400_000_000, secure: 100_000_000)]],
      rounds: [
        round(.slowStart, 100_000_000, idle: 50_000_000),
        round(.recovery, 160_000_000, idle: 20_000_000),
        round(.slowStart, 0, idle: 90_000_000, flow: 1),
      ])
    let entry = try TransferCaseFile.parse(TransferCaseReaderTests.least, file: "x").cases[0]
    let text = TransferExplanation.text([entry], [result])
    let costs = text.split(separator: "\n").compactMap { line -> Double? in
      guard line.hasPrefix("    "), line.hasSuffix(" ms") else { return nil }
      return line.split(separator: " ").dropLast().last.flatMap { Double($0) }
    }
    #expect(costs == [60, 40, 20, 50, 20, 210])
    #expect(text.contains("link idle in slow start"))
    #expect(text.contains("2      recovery"))
    #expect(!text.contains("3      "))
  }

  @Test(arguments: [1, 2, 7]) func `any number of threads gives the same results`(
    _ threads: Int
  ) async throws {
    let flows = (1...20).map { "{\"bytes\": \($0 * 10_000), \"connection\": \"\($0)\"}" }
    let cases = (0..<9).map { index in
      """
      {"id": "\(index)", "link": {"downMbps": \(index + 1), "rttMs": 40, "lossRate": 0.02},
       "replications": 3, "flows": [\(flows[index]), \(flows[index + 10])]}
      """
    }
    let text = "[\(cases.joined(separator: ","))]"
    let entries = try TransferCaseFile.parse(text, file: "cases.json").cases
    let results = await TransferCaseResult.run(entries, threads: threads)
    #expect(results == entries.map { TransferCaseResult.run($0) })
    #expect(results.map(\.id) == (0..<9).map { "\($0)" })
  }

  @Test func `the schemas name every key of the contract and nothing else`() throws {
    let cases = try Self.object(TransferSchemas.cases())
    let entry = try Self.items(cases)
    #expect(
      Self.keys(entry)
        == ["id", "link", "transport", "http", "resync", "replications", "tier", "seed", "flows"])
    #expect(
      try Self.keys(Self.property(entry, "link")) == [
        "downMbps", "trace", "upMbps", "rttMs", "lossRate", "lossBurst", "queuePackets",
        "queueBytes",
      ])
    #expect(
      try Self.keys(Self.items(Self.property(entry, "flows"))) == [
        "startMs", "after", "gapMs", "bytes", "requestBytes", "responseHeaderBytes", "connection",
        "rttMs",
      ])
    #expect(Set(entry["required"] as? [String] ?? []) == ["id", "link", "flows"])
    let result = try Self.items(Self.object(TransferSchemas.results()))
    #expect(
      try Self.keys(Self.items(Self.property(result, "flows")))
        == ["startMs", "connectMs", "secureMs", "firstByteMs", "durationMs"])
  }

  private static func object(_ text: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private static func items(_ schema: [String: Any]) throws -> [String: Any] {
    try #require(schema["items"] as? [String: Any])
  }

  private static func property(_ schema: [String: Any], _ name: String) throws -> [String: Any] {
    let properties = try #require(schema["properties"] as? [String: Any])
    return try #require(properties[name] as? [String: Any])
  }

  private static func keys(_ schema: [String: Any]) -> Set<String> {
    Set((schema["properties"] as? [String: Any] ?? [:]).keys)
  }
}
