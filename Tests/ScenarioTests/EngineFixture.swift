import Foundation
import SimulationKernel
import Testing

@testable import Scenario

/// A small table that has every shape.
enum Fixture {
  static let schema = Schema(
    title: "test scenario", summary: "a table for tests",
    [
      Field("name", .text(.name), default: .required, "the name"),
      Field("seed", .integer(), default: "1", "the seed"),
      Field("replications", .integer(1...64), default: "8", "how many", source: "contract.md 2"),
      Field("duration", .time(1...86_400_000_000_000), default: "30 min", "how long"),
      Field("policy", .object(policy), default: "{}", "what the app decides"),
      Field(
        "cache", .kinds(caches), default: "{kind: lru, capacity: 2 TiB}", "the edge's cache",
        source: "caches.md 3"),
      Field("network", .object(network), default: "{}", "the network"),
      Field("note", .optional(.text()), default: "none", "a remark"),
      Field("budgets", .list(.object(budget)), default: "[]", "limits"),
      Field("sweep", .variations, default: "{}", "what to vary"),
    ])

  static let policy = ObjectShape([
    Field("itemsAhead", .integer(0...20), default: "3", "items to prefetch", source: "assumed"),
    Field("headLength", .time(), default: "1.5 s", "how much of each", source: "parameters.md 2.1"),
    Field("cap", .optional(.bitRate()), default: "none", "the bitrate cap"),
    Field("waste", .ratio, default: "5 %", "the waste allowed"),
    Field("isEager", .boolean, default: "false", "whether to hurry"),
    Field("gain", .real(RealRange(0, 10, excludesMinimum: true)), default: "1", "a factor"),
    Field("mode", .word(["steady", "burst"]), default: "steady", "how"),
  ])

  static let caches = [
    Kind(
      "lru", "least recently used",
      [Field("capacity", .bytes(1...Int64.max), default: .required, "its size")]),
    Kind(
      "sieve", "SIEVE",
      [
        Field("capacity", .bytes(1...Int64.max), default: .required, "its size"),
        Field("ttl", .time(), default: "24 h", "the freshness lifetime"),
      ]),
    Kind("infinite", "never full"),
  ]

  static let network = ObjectShape([
    Field(
      "roundTrip", .law(.time), default: "{kind: lognormal, median: 55 ms, p95: 180 ms}",
      "round trip", source: "network.md 4"),
    Field("rate", .law(.bitRate), default: "5 Mbps", "access rate"),
    Field(
      "mix", .map(key: .name, value: .ratio), default: "{wifi: 0.6, lte: 0.4}", "audience shares"),
  ])

  static let budget = ObjectShape([
    Field("metric", .text(), default: .required, "the metric"),
    Field("limit", .real(), default: .required, "the limit"),
    Field("level", .word(["hard", "soft"]), default: "hard", "what a miss means"),
  ])

  static func load(_ text: String, _ overrides: [Override] = []) throws -> ScenarioFile {
    try ScenarioFile.parse(text, file: "x.yaml", schema: schema, overrides: overrides)
  }

  /// The messages about a text; none when it is accepted.
  static func messages(_ text: String, _ overrides: [Override] = []) -> [String] {
    do throws(ScenarioRejected) {
      _ = try ScenarioFile.parse(text, file: "x.yaml", schema: schema, overrides: overrides)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  static func messages(bytes: [UInt8]) -> [String] {
    do throws(ScenarioRejected) {
      _ = try ScenarioFile.parse(bytes, file: "x.yaml", schema: schema)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  /// Runs `body` with a directory that holds `files` and is removed afterwards.
  static func withFiles<Result>(
    _ files: [String: String], _ body: (String) throws -> Result
  ) throws -> Result {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("engine-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    for (name, text) in files {
      let path = "\(directory)/\(name)"
      try FileManager.default.createDirectory(
        atPath: FilePath.directory(path), withIntermediateDirectories: true)
      try text.write(toFile: path, atomically: false, encoding: .utf8)
    }
    return try body(directory)
  }

  /// The rejection of a file, with the directory's name taken out of its messages.
  static func rejection(_ file: String, in directory: String) -> (ScenarioRejected.Kind?, [String])
  {
    do throws(ScenarioRejected) {
      _ = try ScenarioFile.load("\(directory)/\(file)", schema: schema)
      return (nil, [])
    } catch {
      let messages = error.problems.map {
        $0.description.replacingOccurrences(of: "\(directory)/", with: "")
      }
      return (error.kind, messages)
    }
  }
}

struct EngineRandom {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= SplitMix.step
    return SplitMix.finalized(state)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  mutating func one<Element>(of list: [Element]) -> Element { list[below(list.count)] }
}
