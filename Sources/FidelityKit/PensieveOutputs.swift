import Foundation
import Models
import Scenario

/// Our Pensieve against what Pensieve itself computed and what others published of it.
enum PensieveOutputs {
  private enum Cell: Decodable {
    case number(Double)
    case levels(String)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let number = try? value.decode(Double.self) {
        self = .number(number)
      } else {
        self = .levels(try value.decode(String.self))
      }
    }
  }

  private struct File: Decodable {
    struct Policy: Decodable {
      var perTrace: [String: [Cell]]

      enum CodingKeys: String, CodingKey {
        case perTrace = "per_trace"
      }
    }
    struct Steps: Decodable {
      var rows: [String: [[Double]]]
    }
    var policies: [String: Policy]
    var steps: Steps

    enum CodingKeys: String, CodingKey {
      case policies
      case steps = "bb_steps_first_20_traces"
    }
  }

  /// The numbers stand with nine decimals.
  private static let tolerance = 1e-6

  static func family(_ reference: Reference) throws(ReferenceError) -> Family {
    let file = try reference.object("pensieve/reference.json", of: File.self)
    var outputs = OutputComparison(tolerance: tolerance)
    for (policy, truth) in file.policies {
      let table = try run(reference, policy) { request throws(ScenarioRejected) in
        try request.table()
      }
      if table.rows.count != truth.perTrace.count { outputs.add(.infinity, 0) }
      for row in table.rows {
        for (value, cell) in zip(row.values, truth.perTrace[row.names[0]] ?? []) {
          switch cell {
          case .number(let number): outputs.add(value.real ?? .nan, number)
          case .levels(let levels): outputs.add(value == .text(levels) ? 0 : .infinity, 0)
          }
        }
      }
    }
    let input = try run(reference, "bb") { request throws(ScenarioRejected) in try request.load() }
    let steps = steps(input, file.steps.rows)
    let logs = try logs(reference, input)
    let parts = [("results", outputs), ("steps", steps), ("published logs", logs)]
    let lines = parts.map { $1.line("our Pensieve, \($0)") }
    let gates = parts.map { $1.gate($0) }
    return Family("pensieve", []) { _ in
      FamilyReport("pensieve", "outputs of Pensieve, by policy and trace", lines, gates: gates)
    }
  }

  private static func run<Result>(
    _ reference: Reference, _ policy: String,
    _ body: (PensieveRequest) throws(ScenarioRejected) -> Result
  ) throws(ReferenceError) -> Result {
    let folder = "\(reference.folder)/pensieve"
    do {
      return try body(
        PensieveRequest(
          traces: "\(folder)/cooked_test_traces", sizes: "\(folder)/video_size", policy: policy))
    } catch {
      throw ReferenceError("\(error)")
    }
  }

  private static func steps(
    _ input: PensieveRequest.Input, _ rows: [String: [[Double]]]
  ) -> OutputComparison {
    var comparison = OutputComparison(tolerance: tolerance)
    for (trace, policy) in zip(input.traces, input.policies) {
      guard let rows = rows[trace.name] else { continue }
      var place = 0
      _ = PensieveSession.run(video: input.video, trace: trace.trace, policy: policy) { step in
        let values = [
          Double(step.level), step.delay, step.sleep, step.buffer / 1_000, step.stall / 1_000,
          Double(step.bytes),
        ]
        for (value, truth) in zip(values, place < rows.count ? rows[place] : []) {
          comparison.add(value, truth)
        }
        place += 1
      }
      if place != rows.count { comparison.add(.infinity, 0) }
    }
    return comparison
  }

  private static func logs(
    _ reference: Reference, _ input: PensieveRequest.Input
  ) throws(ReferenceError) -> OutputComparison {
    var comparison = OutputComparison(tolerance: tolerance)
    var session: PensieveSession?
    for fields in try reference.table("pensieve/published_logs.csv", columns: 8) {
      let numbers = fields.dropFirst(2).compactMap { Double($0) }
      let trace = input.traces.first { $0.name == fields[1] }?.trace
      guard numbers.count == 6, let trace else {
        throw ReferenceError("pensieve/published_logs.csv: expected numbers of a known trace")
      }
      if numbers[0] == 0 { session = PensieveSession(video: input.video, trace: trace) }
      guard let step = session?.step(level: Int(numbers[1])) else { continue }
      let values = [step.delay, step.buffer / 1_000, step.stall / 1_000, Double(step.bytes)]
      for (value, truth) in zip(values, numbers[2...]) { comparison.add(value, truth) }
    }
    return comparison
  }
}
