import Foundation
import Testing

@testable import Scenario

/// Cache trace files in a folder of their own.
struct CacheTraceFixture {
  let folder: String

  /// Runs `body` in a fresh folder that is removed afterwards.
  static func inFolder(_ body: (CacheTraceFixture) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(CacheTraceFixture(folder: folder))
  }

  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = "\(folder)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  func write(_ name: String, _ text: String) throws -> String {
    try write(name, Array(text.utf8))
  }

  /// What is wrong, a line for each problem, without the folder; empty when nothing is.
  func problems(_ request: CacheTraceRequest) -> [String] {
    do {
      _ = try request.load()
      return []
    } catch {
      return error.description.replacingOccurrences(of: folder + "/", with: "")
        .split(separator: "\n").map(String.init)
    }
  }

  /// An integer as little-endian bytes.
  static func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  static func rec17(
    _ time: UInt64, _ id: UInt64, _ size: UInt64, _ ttl: UInt64, _ node: UInt64
  ) -> [UInt8] {
    bytes(time, 4) + bytes(id, 4) + bytes(size, 4) + bytes(ttl, 4) + bytes(node, 1)
  }

  static func oracle(_ time: UInt64, _ id: UInt64, _ size: UInt64) -> [UInt8] {
    bytes(time, 4) + bytes(id, 8) + bytes(size, 4) + bytes(.max, 8)
  }
}
