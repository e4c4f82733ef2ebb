import Foundation
import Models
import ReferenceFiles
import Testing

@testable import Scenario

/// What the program Pensieve itself computed, on six of its 40 HSDPA traces; `make fidelity` has
/// all of them.
@Suite("Pensieve against the peer") struct PensieveReferenceTests {
  /// The numbers stand with nine decimals; the model itself agrees to the last bits.
  private static let tolerance = 1e-6

  private func request(_ policy: String, _ peers: UnpackedPeers) -> PensieveRequest {
    PensieveRequest(traces: peers.traces, sizes: peers.sizes, policy: policy)
  }

  @Test(arguments: ["fixed0", "fixed1", "fixed3", "fixed5", "bb", "rb"])
  func `every result of every trace is the peer's`(policy: String) throws {
    let reference = try ReferenceFiles.object("peers/pensieve.json")
    let columns = try #require(reference["columns"] as? [String])
    let policies = try #require(reference["policies"] as? [String: [String: [String: [Any]]]])
    let expected = try #require(policies[policy]?["per_trace"])
    let table = try PeerInputs.unpacked { try request(policy, $0).table() }
    #expect(table.columns == columns)
    #expect(table.rows.count == 6 && table.rows.map { $0.names[0] } == expected.keys.sorted())
    for row in table.rows {
      for (value, wanted) in zip(row.values, try #require(expected[row.names[0]])) {
        if case .text(let levels) = value {
          #expect(levels == wanted as? String)
        } else {
          let wanted = try #require(wanted as? Double)
          let got = try #require(value.real)
          #expect(abs(got - wanted) <= Self.tolerance, "\(row.names[0]): \(got), not \(wanted)")
        }
      }
    }
  }

  @Test func `the buffer-based policy takes the peer's steps one by one`() throws {
    let reference = try ReferenceFiles.object("peers/pensieve.json")
    let lists = try #require(reference["bb_steps_first_20_traces"] as? [String: Any])
    let expected = try #require(lists["rows"] as? [String: [[Double]]])
    let input = try PeerInputs.unpacked { try request("bb", $0).load() }
    var compared = 0
    for (trace, policy) in zip(input.traces, input.policies) {
      guard let rows = expected[trace.name] else { continue }
      var got: [PensieveStep] = []
      _ = PensieveSession.run(video: input.video, trace: trace.trace, policy: policy) {
        got.append($0)
      }
      #expect(got.count == rows.count)
      for (step, row) in zip(got, rows) {
        let values = [
          Double(step.level), step.delay, step.sleep, step.buffer / 1_000, step.stall / 1_000,
          Double(step.bytes),
        ]
        let apart = zip(values, row).map { abs($0 - $1) }.max() ?? .infinity
        #expect(apart <= Self.tolerance, "\(trace.name): \(values), not \(row)")
        compared += 1
      }
    }
    #expect(compared == 96)
  }

  @Test func `the published logs are reproduced chunk by chunk`() throws {
    let text = try ReferenceFiles.text("peers/pensieve_logs.csv")
    let input = try PeerInputs.unpacked { try request("bb", $0).load() }
    let traces = Dictionary(uniqueKeysWithValues: input.traces.map { ($0.name, $0.trace) })
    var session: PensieveSession?
    var compared = 0
    var worst = 0.0
    for line in text.split(whereSeparator: \.isNewline).dropFirst() {
      let fields = line.split(separator: ",").map { String($0) }
      let numbers = fields.dropFirst(2).compactMap { Double($0) }
      try #require(numbers.count == 6)
      if numbers[0] == 0 {
        session = PensieveSession(video: input.video, trace: try #require(traces[fields[1]]))
      }
      let taken = session?.step(level: Int(numbers[1]))
      let step = try #require(taken)
      let values = [step.delay, step.buffer / 1_000, step.stall / 1_000, Double(step.bytes)]
      for (value, wanted) in zip(values, numbers[2...]) { worst = max(worst, abs(value - wanted)) }
      compared += 1
    }
    #expect(compared == 864)
    #expect(worst <= 1e-6, "the worst difference is \(worst)")
  }

  @Test func `levels taken from a run give the same run again`() throws {
    try PeerInputs.unpacked { peers in
      let table = try request("rb", peers).table()
      let lines = table.rows.map { row -> String in
        guard case .text(let levels)? = row.values.last else { return "" }
        return "\(row.names[0]) \(levels)\n"
      }
      try PeerFiles.withFolder(["levels": lines.joined()]) { folder in
        let again = try request("levels:\(folder)/levels", peers).table()
        #expect(again == table)
      }
    }
  }
}
