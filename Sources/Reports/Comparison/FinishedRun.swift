import Foundation
import Scenario
import Studies

/// A finished run as it lies in its folder, to be put beside another one.
public struct FinishedRun: Sendable {
  /// The folder or its `result.json`, as given.
  public let path: String
  /// The folder.
  public let folder: String
  let record: RunRecord
  /// The resolved scenario; nil where it cannot be read any more.
  let scenario: StudyScenario?
  let result: ReadResult

  /// Whether a path is a run folder or its `result.json`, and no scenario.
  public static func isOne(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return false }
    return isFolder.boolValue || path.split(separator: "/").last == "result.json"
  }

  /// Reads a run folder or its `result.json`.
  ///
  /// - Throws: ``DocumentRejected``, for a result of another version too.
  public init(_ path: String) throws(DocumentRejected) {
    self.path = path
    result = try ReadResult.load(path)
    record = result.record
    var folder = path.hasSuffix("result.json") ? String(path.dropLast("result.json".count)) : path
    while folder.count > 1 && folder.hasSuffix("/") { folder.removeLast() }
    self.folder = folder.isEmpty ? "." : folder
    // What a run has written lies beside its result; its input files may be gone.
    scenario = try? StudyScenario.load("\(self.folder)/scenario.resolved.yaml")
  }

  /// The name of its folder.
  var name: String { "\(record.scenario.name)-\(record.scenario.digest)" }

  /// A metric as it was found; nil where this version does not know its name.
  func metric(_ estimate: RunRecord.Estimate, named name: String) -> MetricResult? {
    guard let reference = try? MetricReference.parse(name).get() else { return nil }
    return .finished(
      reference, value: estimate.value, interval: estimate.text.interval, values: estimate.values,
      samples: estimate.samples, isLowerBound: estimate.isLowerBound)
  }
}
