import Foundation
import Scenario
import Statistics
import Studies

/// What a gate has found at each commit: the lines of the file that `gate --history` appends to.
///
/// A line is a JSON object of its own. Nothing is ever rewritten; a line that cannot be read is
/// named and stays where it is.
public struct GateHistory: Sendable, Equatable {
  /// The version of a line.
  public static let version = 1
  static let kind = "firstframe.gate-history"
  /// Bytes of a file at most.
  static let limit = 1 << 28

  /// One metric of a line. What there is not is left out.
  public struct Metric: Codable, Sendable, Equatable {
    /// `metric{label=value,…}.stat`
    public var metric: String
    /// `ms`, `ratio` or `number`.
    public var unit: String
    public var value: Double?
    /// The ends of the 95 % interval.
    public var lower: Double?
    public var upper: Double?
    /// Views or requests behind the value.
    public var n: Int64
    /// The budget's limit, as written and as a number, its level and its verdict.
    public var limit: String?
    public var bound: Double?
    public var level: String?
    public var verdict: String?
    /// Against the baseline: the outcome, and the difference with its 95 % interval.
    public var outcome: String?
    public var difference: Double?
    public var differenceLower: Double?
    public var differenceUpper: Double?
  }

  /// One scenario at one run of the gate.
  public struct Entry: Codable, Sendable, Equatable {
    public var schema: Int
    public var kind: String
    /// What was gated; nil where nobody said.
    public var commit: String?
    /// When the line was written (RFC 3339), for people; nothing is computed from it.
    public var time: String
    public var scenario: String
    /// Whether it was the short form.
    public var short: Bool
    public var digest: String
    public var seed: UInt64
    public var modelVersion: Int
    public var replications: Int
    public var verdict: String
    public var exitCode: Int
    public var metrics: [Metric]
  }

  /// In the order of the file.
  public var entries: [Entry]
  /// `file:line:1: expected …, got …` for each line that was passed over.
  public var problems: [String]

  public init(entries: [Entry] = [], problems: [String] = []) {
    self.entries = entries
    self.problems = problems
  }

  /// Reads a file; one that is not there is empty.
  ///
  /// - Throws: `DocumentRejected` when the file cannot be read, or when it has lines and none of
  ///   them is of a history: then it is another file, and nothing should be added to it.
  public static func read(_ path: String) throws(DocumentRejected) -> GateHistory {
    let expected = "a file of gate --history, or none yet"
    let bytes: [UInt8]
    do throws(InputFile.Failure) {
      bytes = try InputFile.bytes(at: path, limit: limit)
    } catch {
      if error.code == .missingFile { return GateHistory() }
      throw DocumentRejected(path: path, expected: expected, got: error.got)
    }
    var history = GateHistory()
    let decoder = JSONDecoder()
    for (number, line) in DocumentLines(Data(bytes)) {
      do {
        let head = try JSONReader.decode(
          Head.self, from: line, within: .line, by: decoder)
        if head.kind == kind && head.schema == version {
          history.entries.append(try JSONReader.decode(Entry.self, from: line, by: decoder))
          continue
        }
        history.tell(path, number, got: "\(Excerpt.oneLine(head.kind)) \(head.schema)")
      } catch {
        history.tell(path, number, got: "something else")
      }
    }
    if history.entries.isEmpty, !history.problems.isEmpty {
      throw DocumentRejected(path: path, expected: expected, got: "another file")
    }
    return history
  }

  private struct Head: Decodable {
    var schema: Int
    var kind: String
  }

  private mutating func tell(_ path: String, _ number: Int, got: String) {
    problems.append(
      "\(path):\(number):1: expected a line of \(GateHistory.kind) \(GateHistory.version), "
        + "got \(got)")
  }

  /// The entry of a gate.
  ///
  /// - Parameters:
  ///   - commit: what was gated.
  ///   - seconds: when, since 1970-01-01T00:00:00Z.
  public static func entry(_ gate: GateResult, commit: String?, at seconds: Double) -> Entry {
    let study = gate.study
    var metrics = study.budgets.map { Metric($0) }
    for row in gate.baseline?.comparison.rows ?? [] {
      let name = row.metric.description
      let places = metrics.indices.filter { metrics[$0].metric == name }
      for place in places { metrics[place].compare(row) }
      guard places.isEmpty, let result = study.metric(name) else { continue }
      var metric = Metric(result)
      metric.compare(row)
      metrics.append(metric)
    }
    return Entry(
      schema: version, kind: kind, commit: commit, time: Provenance.timestamp(seconds),
      scenario: study.scenario.name, short: study.scenario.isShort,
      digest: RunIdentity(study).digest, seed: study.seed,
      modelVersion: ModelVersion.of(study.scenario), replications: study.replications,
      verdict: gate.verdict.rawValue, exitCode: Int(gate.exitCode), metrics: metrics)
  }
}

extension GateHistory.Entry {
  /// The line without its end: the same for the same entry.
  public var line: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("an entry has finite numbers only")
    }
    return String(decoding: data, as: UTF8.self)
  }
}

extension GateHistory.Metric {
  fileprivate init(_ result: MetricResult) {
    func finite(_ number: Double?) -> Double? { number.flatMap { $0.isFinite ? $0 : nil } }
    self.init(
      metric: result.reference.description, unit: result.reference.unit.word,
      value: finite(result.value), lower: finite(result.interval?.lower),
      upper: finite(result.interval?.upper), n: result.samples)
  }

  fileprivate init(_ row: BudgetResult) {
    self.init(row.metric)
    limit = row.budget.limitText
    bound = row.budget.limit.value
    level = row.budget.level.rawValue
    verdict = row.verdict.rawValue
  }

  fileprivate mutating func compare(_ row: ComparisonRow) {
    outcome = row.outcome.rawValue
    difference = row.difference?.value
    differenceLower = row.difference?.interval.lower
    differenceUpper = row.difference?.interval.upper
  }
}
