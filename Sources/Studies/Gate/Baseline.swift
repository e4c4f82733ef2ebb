import Foundation
import MediaUnits
import Scenario

/// A run that later runs are compared with, as `results/baselines/<scenario>.json` keeps it: the
/// resolved scenario and every replication's metrics. Committed with the code it describes.
public struct Baseline: Sendable, Equatable, Codable {
  /// The version of the format.
  public static let version = 3
  public var schema: Int
  /// SHA-256 over everything else, so that a damaged or edited file is noticed; it stands in the
  /// file alone.
  private var checksum = ""
  /// The ``ModelVersion`` of the program that made it.
  public var modelVersion: Int
  /// The scenario's name, and eight digits over what the run depended on.
  public var name: String
  public var digest: String
  /// Eight digits over the resolved scenario and its replications.
  public var scenarioDigest: String
  /// The run behind it: its folder's name and its fingerprint of sixteen hexadecimal digits.
  public var run: String
  public var fingerprint: String
  public var seed: UInt64
  public var isShort: Bool
  /// `scenario.resolved.yaml` of the run.
  public var scenario: String
  /// Names and digests of the traces and price files of the run; nil in files written before they
  /// were kept.
  public var inputs: [String]?
  /// The metrics, in the order of each record's samples.
  public var metrics: [String]
  public var records: [ReplicationRecord]

  public init(_ result: StudyResult, digest: String) {
    schema = Baseline.version
    modelVersion = ModelVersion.of(result.scenario)
    name = result.scenario.name
    self.digest = digest
    scenarioDigest = result.scenario.digest
    run = "\(name)-\(digest)"
    fingerprint = result.fingerprint.digits
    seed = result.seed
    isShort = result.scenario.isShort
    scenario = result.scenario.resolvedText
    inputs = result.scenario.inputs
    let kept = Baseline.kept(result)
    metrics = kept.map(\.description)
    let names = result.recordMetrics.map(\.description)
    records = result.records.map { $0.selecting(kept, from: names) }
  }

  /// What a gate looks at: headline and budgeted metrics, and cohorts for reading.
  private static func kept(_ result: StudyResult) -> [MetricReference] {
    let wanted =
      result.scenario.plan.headline
      + result.scenario.budgets.map(\.metric)
      + result.recordMetrics.filter { metric in
        metric.labels.contains { ["network", "device", "window"].contains($0.name) }
      }
    let known = Set(result.recordMetrics)
    var seen: Set<MetricReference> = []
    return wanted.filter { known.contains($0) && seen.insert($0).inserted }
  }

  private struct Head: Decodable {
    var schema: Int
    var modelVersion: Int?
    var checksum: String?
  }

  /// Why a file is not a baseline.
  public typealias Rejected = DocumentRejected

  /// The text of the file: the same for the same run.
  public func text() -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    func encoded(_ baseline: Baseline) -> Data {
      guard let data = try? encoder.encode(baseline) else {
        preconditionFailure("a baseline has finite numbers only")
      }
      return data
    }
    var signed = self
    signed.checksum = Baseline.checksum(of: encoded(self))
    return String(decoding: encoded(signed), as: UTF8.self) + "\n"
  }

  /// Of what a file says, however it is laid out.
  private static func checksum(of data: Data) -> String {
    SHA256.text(of: JSONReader.contents(of: data, without: "checksum"))
  }

  /// Reads a baseline.
  ///
  /// - Parameters:
  ///   - scenario: the scenario's file, for the command that renews a baseline.
  ///   - wanted: the ``ModelVersion`` of the scenario's world.
  public static func load(
    _ path: String, scenario: String = "FILE", modelVersion wanted: Int = ModelVersion.current
  ) throws(Rejected) -> Baseline {
    let renewal =
      "; to renew it: firstframe gate \(scenario) --baseline \(path) --update-baseline"
    let data = try Rejected.bytes(of: path, expected: "a baseline file")
    let head = try Rejected.decode(Head.self, from: data, path: path, advice: renewal)
    func refused(_ member: String, expected: String, got: String) -> Rejected {
      Rejected(path, member: member, of: data, expected: expected, got: got, advice: renewal)
    }
    guard head.schema == version else {
      throw refused(
        "schema", expected: "a baseline of format \(version)", got: "format \(head.schema)")
    }
    guard head.modelVersion == wanted else {
      throw refused(
        "modelVersion", expected: "a baseline of model version \(wanted)",
        got: head.modelVersion.map { "model version \($0)" } ?? "none")
    }
    guard head.checksum == checksum(of: data) else {
      throw refused(
        "checksum", expected: "the checksum of what the file says",
        got: "another: it was edited or damaged")
    }
    var baseline = try Rejected.decode(Baseline.self, from: data, path: path, advice: renewal)
    baseline.checksum = ""
    guard baseline.records.count >= 2 else {
      throw refused(
        "records", expected: "at least 2 replications", got: "\(baseline.records.count)")
    }
    for (index, record) in baseline.records.enumerated()
    where !record.isSound || record.replication != index {
      throw refused(
        "records", expected: "replication \(index) with all its parts and numbers",
        got: "a damaged or older record")
    }
    for record in baseline.records where record.samples.count != baseline.metrics.count {
      throw refused(
        "records", expected: "\(baseline.metrics.count) samples in every record",
        got: "\(record.samples.count) in replication \(record.replication)")
    }
    return baseline
  }

  /// Keys that must be the same for a comparison to mean anything: who comes, what they can watch,
  /// and which cohorts there are.
  static let fixedKeys = ["audience", "catalogue", "windows", "short", "world"]

  /// The keys that differ between the baseline's scenario and another.
  ///
  /// - Throws: ``Rejected`` naming what differs although it must match.
  public func changes(
    to other: StudyScenario, path: String
  ) throws(Rejected) -> [ConfigurationChange] {
    guard name == other.name else {
      throw Rejected(path: path, expected: "a baseline of \(other.name)", got: name)
    }
    guard isShort == other.isShort else {
      throw Rejected(
        path: path, expected: other.isShort ? "a baseline of --short" : "a baseline of the whole",
        got: isShort ? "one of --short" : "one of the whole scenario")
    }
    if let inputs, inputs != other.inputs {
      let pairs = zip(inputs, other.inputs).first { $0 != $1 }
      let (before, after) = pairs ?? ("\(inputs.count) files", "\(other.inputs.count) files")
      throw Rejected(
        path: path, expected: "the same traces and price files as the scenario (\(after))",
        got: before)
    }
    let mine = try parsed(as: other, path: path)
    let changes = Variant.differences(mine, other)
    let fixed = changes.filter { change in
      Baseline.fixedKeys.contains { Baseline.isIn($0, change.key) }
    }
    if let first = fixed.first {
      throw Rejected(
        path: path,
        expected: "the same \(first.key.prefix { $0 != "." }) as the scenario "
          + "(\(first.key): \(first.after ?? "absent"))",
        got: first.before ?? "absent")
    }
    guard mine.networks == other.networks, mine.devices == other.devices else {
      throw Rejected(
        path: path, expected: "the same networks and devices as the scenario",
        got: (mine.networks + mine.devices).joined(separator: ", "))
    }
    return changes.filter { !Baseline.isAside($0.key) }
  }

  /// The keys of budgets and thresholds that differ between the baseline's scenario and another.
  ///
  /// - Throws: ``Rejected`` when the baseline's scenario cannot be read.
  func rules(
    against other: StudyScenario, path: String
  ) throws(Rejected) -> [ConfigurationChange] {
    Variant.differences(try parsed(as: other, path: path), other).filter {
      Baseline.isIn("budgets", $0.key) || Baseline.isIn("thresholds", $0.key)
    }
  }

  /// The baseline's own scenario, as if it stood in the other's file.
  private func parsed(
    as other: StudyScenario, path: String
  ) throws(Rejected) -> StudyScenario {
    do throws(ScenarioRejected) {
      return try StudyScenario.parse(scenario, file: other.file.path, short: isShort)
    } catch {
      throw Rejected(
        path: path, expected: "a scenario that this program reads",
        got: "\(error.description.split(separator: "\n").first ?? ""); write the baseline anew")
    }
  }

  /// Keys that change no simulated number.
  private static func isAside(_ key: String) -> Bool {
    ["description", "budgets", "thresholds", "replications", "seed", "sweep", "cost"].contains {
      isIn($0, key)
    }
  }

  /// Whether a key path lies in a part of the scenario.
  private static func isIn(_ part: String, _ key: String) -> Bool {
    key == part || key.hasPrefix("\(part)[") || key.hasPrefix("\(part).")
  }
}
