import Foundation
import Scenario

@testable import Telemetry

/// Files that tests read.
enum Fixture {
  static let salt = IdentitySalt(0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)

  /// Calls `body` with the path of a file of these bytes.
  static func with<Result>(
    _ bytes: [UInt8], named name: String = "t.csv", _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent(name).path
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try body(path)
  }

  static func read(
    _ text: String, _ mapping: ColumnMapping, named name: String = "t.csv",
    salt: IdentitySalt = Fixture.salt, viewLimit: Int = 1 << 18
  ) throws -> FieldTelemetry {
    try with(Array(text.utf8), named: name) { path in
      var reader = FieldTelemetryReader(files: [path], mapping: mapping, salt: salt)
      reader.viewLimit = viewLimit
      return try reader.read()
    }
  }

  /// A mapping file's text as a mapping.
  static func mapping(_ text: String) throws -> ColumnMapping {
    try MappingFile.parse(Array(text.utf8), file: "map.yaml")
  }

  /// What a mapping file is refused for.
  static func problems(ofMapping text: String) -> [Problem] {
    do {
      _ = try MappingFile.parse(Array(text.utf8), file: "map.yaml")
      return []
    } catch {
      return error.problems
    }
  }

  /// What a file is refused for.
  static func problems(
    _ text: String, _ mapping: ColumnMapping, named name: String = "t.csv"
  ) throws -> [Problem] {
    do {
      _ = try read(text, mapping, named: name)
      return []
    } catch let rejected as InputRejected {
      return rejected.problems
    }
  }

  /// Calls `body` with a span of a text.
  static func span<Result>(_ text: String, _ body: (TextSpan) throws -> Result) rethrows -> Result {
    try Array(text.utf8).withUnsafeBufferPointer { buffer in
      // An empty array may have no address.
      guard let base = buffer.baseAddress else {
        return try [0 as UInt8].withUnsafeBufferPointer { empty in
          guard let base = empty.baseAddress else { preconditionFailure("no memory") }
          return try body(TextSpan(base, 0))
        }
      }
      return try body(TextSpan(base, buffer.count))
    }
  }

  static let views = """
    version: 1
    columns:
      ttff: {column: ttff_ms, unit: ms, clock: swipe}
      dwell: {column: dwell_s, unit: s}
      session: sid
      view: vid
      title: video
      time: at

    """
}

/// Numbers of tests, the same on every machine.
struct TestRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
