import Foundation
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
    do {
      // First, so that another version is named and not the member that it lacks.
      let header = try JSONDecoder().decode(Header.self, from: data)
      guard header.kind == ResultDocument.kind, header.schema == Int(ResultDocument.version) else {
        throw Rejected(
          path: file, expected: "a \(ResultDocument.kind) of version \(ResultDocument.version)",
          got: "\(header.kind) \(header.schema)", isMissing: false)
      }
      return ReadResult(record: try JSONDecoder().decode(RunRecord.self, from: data))
    } catch let error as Rejected {
      throw error
    } catch {
      throw Rejected(
        path: file, expected: "a result.json of firstframe run", got: "something else",
        isMissing: false)
    }
  }
}
