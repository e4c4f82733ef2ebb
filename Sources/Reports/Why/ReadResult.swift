import Foundation
import Scenario
import Studies

/// A run of which `firstframe why` tells: the record in its folder.
public struct ReadResult: Sendable {
  let record: RunRecord

  /// What was simulated, in words.
  public var subject: String { record.world.map { "the world \($0.name)" } ?? "the feed" }

  /// Whether two runs have the same metrics.
  ///
  /// - Throws: ``Rejected``, which names the other run.
  public func requireComparable(with other: ReadResult, at path: String) throws(Rejected) {
    if other.record.world?.name == record.world?.name { return }
    throw Rejected(
      path: path, expected: "a run of \(subject)", got: "one of \(other.subject)",
      isMissing: false)
  }

  /// Why a path is no result.
  public typealias Rejected = DocumentRejected

  /// Reads a run folder or its `result.json`.
  public static func load(_ path: String) throws(Rejected) -> ReadResult {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    let file = exists && isFolder.boolValue ? "\(path)/result.json" : path
    let data = try Rejected.bytes(
      of: file,
      expected: file == path ? "a run folder or a result.json" : "the result.json of a run")
    /// What tells a result from other documents.
    struct Header: Decodable {
      var schema: Int
      var kind: String
    }
    // First, so that another version is named and not the member that it lacks.
    let header = try Rejected.decode(Header.self, from: data, path: file)
    guard header.kind == ResultDocument.kind, header.schema == Int(ResultDocument.version) else {
      throw Rejected(
        file, member: header.kind == ResultDocument.kind ? "schema" : "kind", of: data,
        expected: "a \(ResultDocument.kind) of version \(ResultDocument.version)",
        got: "\(Excerpt.oneLine(header.kind)) \(header.schema)")
    }
    return ReadResult(record: try Rejected.decode(RunRecord.self, from: data, path: file))
  }
}
