import Foundation
import Scenario

/// Where a scenario is taken from to be exported: a file, or the folder of a result.
public struct ExportSource: Sendable, Equatable {
  /// The scenario file.
  public let file: String
  /// What `tune` has chosen on top of it, each as `key=value`.
  public let settings: [String]

  /// Finds the scenario of a path.
  ///
  /// - Throws: why there is none: a folder without a scenario, a tuning that recommends nothing, a
  ///   sweep, which chooses no point.
  public init(_ path: String) throws(DocumentRejected) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else {
      file = path
      settings = []
      return
    }
    file = "\(path)/scenario.resolved.yaml"
    if !FileManager.default.fileExists(atPath: file) {
      throw DocumentRejected(
        path: path, expected: "a scenario file, or a result folder with scenario.resolved.yaml",
        got: "a folder without one", isMissing: true)
    }
    if FileManager.default.fileExists(atPath: "\(path)/sweep.json") {
      throw DocumentRejected(
        path: path, expected: "a scenario, a run or a tune folder: name the point with --set",
        got: "a sweep, which chooses none")
    }
    settings =
      FileManager.default.fileExists(atPath: "\(path)/tune.json")
      ? try ExportSource.chosen("\(path)/tune.json") : []
  }

  /// What of `tune.json` says which point was chosen.
  private struct Document: Decodable {
    struct Candidate: Decodable {
      struct Setting: Decodable {
        var key, value: String
      }

      var settings: [Setting]
    }

    var schema: Int
    var kind: String
    var winner: Int?
    var candidates: [Candidate]?
    var outcome, key, value: String?
  }

  private static func chosen(_ path: String) throws(DocumentRejected) -> [String] {
    let data = try DocumentRejected.bytes(of: path, expected: "the tune.json of firstframe tune")
    let document = try DocumentRejected.decode(Document.self, from: data, path: path)
    if document.schema != 1 {
      throw DocumentRejected(
        path, member: "schema", of: data, expected: "1", got: "\(document.schema)")
    }
    switch document.kind {
    case "tuning":
      guard let winner = document.winner else {
        throw DocumentRejected(
          path, member: "winner", of: data, expected: "a tuning that recommends a point",
          got: "none: no candidate keeps every limit")
      }
      guard let candidates = document.candidates, candidates.indices.contains(winner) else {
        throw DocumentRejected(
          path, member: "winner", of: data, expected: "one of the candidates", got: "\(winner)")
      }
      return candidates[winner].settings.map { "\($0.key)=\($0.value)" }
    case "goal":
      guard document.outcome == "reached", let key = document.key, let value = document.value
      else {
        throw DocumentRejected(
          path, member: "outcome", of: data, expected: "a search that reached its target",
          got: document.outcome ?? "none")
      }
      return ["\(key)=\(value)"]
    default:
      throw DocumentRejected(
        path, member: "kind", of: data, expected: "tuning or goal", got: document.kind)
    }
  }
}
