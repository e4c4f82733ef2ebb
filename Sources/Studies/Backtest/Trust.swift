import Foundation
import Scenario
import Statistics

/// How far predictions of a scenario can be trusted: what a backtest found, with what it depended
/// on, as `results/trust/<scenario>.json` keeps it for later runs.
public struct Trust: Sendable, Equatable, Codable {
  /// The version of the format.
  public static let version = 1
  static let kind = "firstframe.trust"

  /// A metric's error.
  public struct Measured: Sendable, Equatable, Codable {
    public var metric: String
    /// Empty: all views.
    public var cohort: String
    public var unit: String
    public var predicted, observed: Double
    /// 95 %, of predicted minus observed.
    public var lower, upper: Double?
    public var tolerance: Double
    public var verdict: String

    public var error: Double { predicted - observed }
  }

  public var schema: Int
  public var kind: String
  /// The ``ModelVersion`` of the program that predicted.
  public var modelVersion: Int
  /// The scenario's name and digest, and that of the data.
  public var name, scenarioDigest, dataDigest: String
  /// Views and replications behind it.
  public var observedViews, replications: Int
  public var verdict: String
  /// That of a change between the tested scenarios; nil: none was held against data.
  public var change: String?
  public var measured: [Measured]
  /// Metrics of which the data say nothing.
  public var notObserved: [String]
  /// `scenario.resolved.yaml` of each configuration that was held against data.
  public var tested: [String]

  /// - Parameters:
  ///   - scenario: that predicted.
  ///   - others: more configurations that were held against data, such as that of another period.
  ///   - change: what was found of the change from one to the other.
  public init(
    _ backtest: Backtest, scenario: StudyScenario, others: [StudyScenario] = [],
    dataDigest: String, replications: Int, change: Backtest.Verdict? = nil
  ) {
    schema = Trust.version
    kind = Trust.kind
    modelVersion = ModelVersion.of(scenario)
    name = scenario.name
    scenarioDigest = scenario.digest
    self.dataDigest = dataDigest
    observedViews = backtest.views.observed
    self.replications = replications
    verdict = backtest.verdict.rawValue
    self.change = change?.rawValue
    measured = backtest.rows.compactMap { row in
      guard let predicted = row.predicted, let observed = row.observed else { return nil }
      return Measured(
        metric: row.metric.name, cohort: row.cohort, unit: row.metric.unit.word,
        predicted: predicted, observed: observed, lower: row.interval?.lower,
        upper: row.interval?.upper, tolerance: row.tolerance, verdict: row.verdict.rawValue)
    }
    notObserved = backtest.notObserved
    tested = [scenario.resolvedText] + others.map(\.resolvedText)
  }

  /// Why a file is no such document.
  public typealias Rejected = DocumentRejected

  /// The text of the file: the same for the same backtest.
  public func text() -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("errors are finite numbers")
    }
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  private struct Head: Codable {
    var schema: Int
    var kind: String
  }

  /// Reads it.
  public static func load(_ path: String) throws(Rejected) -> Trust {
    let data = try Rejected.bytes(of: path, expected: "a trust.json of firstframe backtest")
    let head = try Rejected.decode(Head.self, from: data, path: path)
    guard head.kind == kind else {
      throw Rejected(
        path, member: "kind", of: data, expected: "a trust.json of firstframe backtest",
        got: "something else")
    }
    guard head.schema == version else {
      throw Rejected(
        path, member: "schema", of: data, expected: "a trust.json of format \(version)",
        got: "format \(head.schema)")
    }
    let trust = try Rejected.decode(Trust.self, from: data, path: path)
    guard Backtest.Verdict(rawValue: trust.verdict) != nil,
      trust.change.map({ Backtest.Verdict(rawValue: $0) != nil }) ?? true, !trust.tested.isEmpty
    else {
      throw Rejected(
        path: path, expected: "a trust.json with all its parts", got: "a damaged one")
    }
    return trust
  }

  // MARK: Of another run

  /// What of it holds for a scenario that is about to be run.
  public struct Reach: Sendable, Equatable {
    /// Keys that have left the range that was tested, with the tested values.
    public var left: [ConfigurationChange]
    /// The model version that was tested, where it is not the program's.
    public var otherVersion: Int?

    public var isWithin: Bool { left.isEmpty && otherVersion == nil }
  }

  /// How far it reaches.
  ///
  /// - Throws: ``Rejected`` where a tested scenario can no longer be read.
  public func reach(_ scenario: StudyScenario, path: String) throws(Rejected) -> Reach {
    var known: [StudyScenario] = []
    for text in tested {
      do throws(ScenarioRejected) {
        known.append(try StudyScenario.parse(text, file: scenario.file.path))
      } catch {
        throw Rejected(
          path: path, expected: "scenarios that this program reads",
          got: "\(error.description.split(separator: "\n").first ?? ""); backtest anew")
      }
    }
    let version = ModelVersion.of(scenario)
    return Reach(
      left: TestedRange.left(by: scenario, tested: known),
      otherVersion: version == modelVersion ? nil : modelVersion)
  }
}
