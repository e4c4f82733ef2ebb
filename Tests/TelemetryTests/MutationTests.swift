import Foundation
import Scenario
import SlowTesting
import Testing

@testable import Telemetry

/// Files with faults of every kind: no crash, and every refusal says where.
@Suite struct MutationTests {
  static let kinds = 6

  private struct Seed: Sendable {
    let name: String
    let bytes: [UInt8]
    let mapping: ColumnMapping
  }

  private static func seeds() throws -> [Seed] {
    var csv = "at,sid,vid,video,ttff_ms,dwell_s\r\n"
    var json = ""
    var log = ""
    var events = ""
    var lines = ""
    var cloudfront = "#Version: 1.0\n#Fields: date time cs-uri-stem sc-bytes cs-uri-query\n"
    for row in 0..<12 {
      csv +=
        "2026-05-01T10:00:0\(row % 10)Z,s\(row / 3),\"v\(row)\",\"t,\"\"\(row % 4)\",\(row),1\r\n"
      json += "{\"sid\":\"s\\u00e9\(row)\",\"ms\":\(row * 10),\"more\":{\"x\":[1,{\"y\":null}]}}\n"
      events +=
        "{\"events\":[{\"name\":\"view_end\",\"at\":\(row),\"view\":\(row),\"id\":\"\(row)\","
      events += "\"props\":{\"dwell_ms\":7}}],\"session_id\":\"s\"}\n"
      lines += "{\"time_iso8601\":\"2026-05-01T10:00:0\(row % 10)Z\",\"status\":\"200\","
      lines += "\"request\":\"GET /v/a/\(row) HTTP/2.0\",\"upstream_response_time\":\"0.1, 0.2\","
      lines += "\"cache-status\":\"a; hit; ttl=3\",\"server-timing\":\"total;dur=5\"}\n"
      log += "192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] \"GET /v/a/\(row)?CMCD=bl%3D100%2Cbs"
      log += "%2Csid%3D%22s\(row)%22 HTTP/1.1\" 200 \(row)\n"
      cloudfront += "2026-05-01\t10:00:0\(row % 10)\t/v/a/\(row)\t\(row)\tCMCD=br%253D3200\n"
    }
    return [
      Seed(name: "t.csv", bytes: Array(csv.utf8), mapping: try Fixture.mapping(Fixture.views)),
      Seed(
        name: "t.jsonl", bytes: Array(json.utf8),
        mapping: try Fixture.mapping(
          "version: 1\ncolumns: {session: sid, ttff: {column: ms, unit: ms}}\n")),
      Seed(
        name: "access.log", bytes: Array(log.utf8), mapping: BuiltInMapping.common.mapping),
      Seed(
        name: "E1.log", bytes: Array(cloudfront.utf8), mapping: BuiltInMapping.cloudfront.mapping),
      Seed(name: "e.jsonl", bytes: Array(events.utf8), mapping: BuiltInMapping.events.mapping),
      Seed(name: "l.jsonl", bytes: Array(lines.utf8), mapping: BuiltInMapping.jsonLog.mapping),
    ]
  }

  private static let texts: [String] = [
    "\"", "\"\"", ",", "\n", "\r", "\r\n", "\t", "{", "}", "[", "]", "\\", "\\u", "\\ud83d", "%",
    "%2", "%25", "CMCD=", "=", "-", "1e999", "99999999999999999999", "\u{FEFF}", "#Fields:",
    "\u{E9}",
    "2026-02-30", "+99:99", "null", ";", "(", ")", "?1",
  ]

  private static let pieces: [[UInt8]] = texts.map { Array($0.utf8) } + [[0], [0xFF], [0xC3], []]

  private static func mutated(_ bytes: [UInt8], _ random: inout TestRandom) -> [UInt8] {
    var result = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0...result.count, using: &random)
      let end = min(result.count, place + Int.random(in: 0...9, using: &random))
      switch Int.random(in: 0..<5, using: &random) {
      case 0: result.removeSubrange(place..<end)
      case 1: result.removeSubrange(place..<result.count)
      case 2: result.insert(contentsOf: result[place..<end], at: place)
      case 3:
        let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
        result.replaceSubrange(place..<end, with: piece)
      default:
        if place < result.count {
          result[place] = UInt8.random(in: 0...255, using: &random)
        }
      }
    }
    return result
  }

  @Test(arguments: 0..<MutationTests.kinds) func `mutated files are read or refused, with place`(
    _ index: Int
  ) throws {
    try Self.check(index, seed: 35, count: 500)
  }

  /// Reads mutants of a file and looks at what is said of each.
  static func check(_ index: Int, seed: UInt64, count: Int) throws {
    let original = try Self.seeds()[index]
    var random = TestRandom(seed + UInt64(index))
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent(original.name).path
    var refused = 0
    for _ in 0..<count {
      let bytes = Self.mutated(original.bytes, &random)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let reader = FieldTelemetryReader(
        files: [path], mapping: original.mapping, salt: Fixture.salt)
      let problems: [Problem]
      do {
        let reading = try reader.read().reading
        problems = reading.problems
        if reading.malformed > 0 && problems.isEmpty { Issue.record("no line is named") }
      } catch {
        problems = error.problems
        refused += 1
        if problems.isEmpty { Issue.record("refused without a word") }
      }
      if problems.contains(where: { !Self.isPlaced($0, path, bytes) }) {
        Issue.record("\(problems) of \(String(decoding: bytes, as: UTF8.self))")
      }
    }
    #expect(refused < count)
  }

  /// A line of the file and a column of the line; a missing column is named where the mapping asks
  /// for it.
  private static func isPlaced(_ problem: Problem, _ path: String, _ bytes: [UInt8]) -> Bool {
    if problem.file == "map.yaml" { return problem.line > 0 }
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    return problem.file == path && (1...lines.count).contains(problem.line)
      && (1...lines[problem.line - 1].count + 1).contains(problem.column)
  }

  @Test func `mutated mapping files are read or refused, with line and file`() {
    var random = TestRandom(7)
    let bytes = Array(
      (Fixture.views + "ignore: [a, b]\nheader: [a]\nevents: {x: ttff}\ndelimiter: ;\n").utf8)
    for _ in 0..<500 {
      let mutant = Self.mutated(bytes, &random)
      do {
        _ = try MappingFile.parse(mutant, file: "map.yaml")
      } catch {
        #expect(!error.problems.isEmpty)
        for problem in error.problems { #expect(problem.file == "map.yaml" && problem.line > 0) }
      }
    }
  }

  @Test func `mutated texts of CMCD are read`() {
    var random = TestRandom(8)
    var reader = CMCDReader(Fixture.salt)
    let seeds = [
      #"bl=21300,br=(1000;a 3200;v),bs,cid="a\"b",ot=v,pr=1.08,sid="6e2f",su=?0"#,
      #"{"br":[1000],"bs":true,"sid":"a\"b","mtp":"4800","ec":["1"]}"#,
    ].map { Array($0.utf8) }
    for round in 0..<4_000 {
      let text = String(decoding: Self.mutated(seeds[round % 2], &random), as: UTF8.self)
      var values = CMCDValues()
      reader.begin()
      Fixture.span(text) { reader.read($0, into: &values) }
      reader.end(&values)
      #expect(!(values.bitrate < 0) && !(values.buffer < 0))
    }
  }
}

/// A hundred thousand of them.
@Suite(.enabled(if: SlowRun.isOn))
struct TelemetryMutationSlowTests {
  @Test(arguments: 0..<MutationTests.kinds) func `mutated files are read or refused`(
    _ index: Int
  ) throws {
    try MutationTests.check(index, seed: 1_035, count: 17_000)
  }
}
