import Foundation

/// The inputs of other people's programs in the formats that those programs read, written from the
/// series in `Tests/Reference/peers`.
public enum PeerInputs {
  /// Writes what a test needs into a folder of its own, which is gone afterwards.
  /// - Throws: what `body` throws, and ``ReferenceFiles/Problem``.
  public static func unpacked<Result>(_ body: (UnpackedPeers) throws -> Result) throws -> Result {
    try ReferenceFiles.inFolder { folder in
      let peers = UnpackedPeers(folder: folder)
      try writePensieve(peers)
      try writeSabre(peers)
      return try body(peers)
    }
  }

  /// Pensieve's, with lines that end as in DOS: seconds and Mbit/s with a tab between; a chunk's
  /// bytes on each line, a file for each level.
  private static func writePensieve(_ peers: UnpackedPeers) throws {
    let files = FileManager.default
    for path in [peers.traces, peers.sizes] {
      try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    for (name, rows) in try ReferenceFiles.series("peers/hsdpa.txt") {
      let lines = rows.map { $0.joined(separator: "\t") + "\r\n" }
      try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: "\(peers.traces)/\(name)"))
    }
    for (level, rows) in try ReferenceFiles.series("peers/video_sizes.txt") {
      let lines = rows.map { $0[0] + "\r\n" }
      let path = "\(peers.sizes)/video_size_\(level)"
      try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: path))
    }
  }

  /// Sabre's traces as one table; every row has the latency of 100 ms.
  private static func writeSabre(_ peers: UnpackedPeers) throws {
    var lines = ["trace,duration_ms,bandwidth_kbps,latency_ms\n"]
    for (name, rows) in try ReferenceFiles.series("peers/norway3g.txt") {
      lines += rows.map { "\(name),\($0.joined(separator: ",")),100\n" }
    }
    try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: peers.table))
  }
}

/// Where ``PeerInputs`` wrote.
public struct UnpackedPeers: Sendable {
  let folder: URL

  /// Pensieve's traces, a file each.
  public var traces: String { folder.appendingPathComponent("cooked_test_traces").path }
  /// Pensieve's sizes of chunks, a file for each level.
  public var sizes: String { folder.appendingPathComponent("video_size").path }
  /// Sabre's traces, one table.
  public var table: String { folder.appendingPathComponent("3Glogs.csv").path }
}
