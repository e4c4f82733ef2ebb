import Foundation
import Scenario

/// Finished replications on disk, so that a study that was killed goes on where it was.
///
/// One file holds one replication of one variant. Its name is a digest of everything the
/// replication depends on: the program, the resolved scenario with its trace files, the seed, the
/// replication's number and the metrics. A file is written beside its place and moved there, so it
/// is whole or absent; one that cannot be read counts as absent.
public struct ShardStore: Sendable {
  /// The folder with the files.
  public let folder: String
  private let program: String

  /// - Parameter program: what tells this build of the program from others.
  public init(folder: String, program: String) {
    self.folder = folder
    self.program = program
  }

  private struct Shard: Codable {
    var identity: String
    var record: ReplicationRecord
  }

  /// What a replication of a variant depends on; its hash names the file, and the text stands in it
  /// in short so that two texts with one hash are told apart.
  func identity(
    _ scenario: StudyScenario, seed: UInt64, replication: Int, metrics: [MetricReference]
  ) -> String {
    let text = [
      program, scenario.resolvedText, "\(scenario.isShort)", "\(seed)", "\(replication)",
      metrics.map(\.description).joined(separator: " "),
    ]
    let whole = (text + scenario.inputs).joined(separator: "\n")
    return ShardStore.digits(Digest.fnv1a64(whole.utf8))
      + ShardStore.digits(Digest.fnv1a64(whole.utf8.reversed()))
  }

  private static func digits(_ hash: UInt64) -> String {
    let text = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  private func path(_ identity: String) -> String { "\(folder)/\(identity).json" }

  /// The record of a replication that was finished before.
  func record(_ identity: String) -> ReplicationRecord? {
    guard let data = FileManager.default.contents(atPath: path(identity)),
      let shard = try? JSONDecoder().decode(Shard.self, from: data), shard.identity == identity
    else { return nil }
    return shard.record
  }

  /// Keeps a record.
  ///
  /// - Throws: an error of the file system.
  func keep(_ record: ReplicationRecord, as identity: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let data = try encoder.encode(Shard(identity: identity, record: record))
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    try data.write(to: URL(fileURLWithPath: path(identity)), options: .atomic)
  }
}
