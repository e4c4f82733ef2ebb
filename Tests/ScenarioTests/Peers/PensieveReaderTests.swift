import Models
import Testing

@testable import Scenario

@Suite("Pensieve's files")
struct PensieveReaderTests {
  /// Two traces and one size throughout.
  private var files: [String: String] {
    var files = ["traces/b": "0 0\n100 8\n", "traces/a": "0.0\t1\r\n1e2\t4.0\r\n\r\n"]
    for level in 0..<6 {
      files["sizes/video_size_\(level)"] = String(repeating: "95000\n", count: 49)
    }
    return files
  }

  private func request(_ folder: String, _ policy: String) -> PensieveRequest {
    PensieveRequest(traces: "\(folder)/traces", sizes: "\(folder)/sizes/", policy: policy)
  }

  private func messages(_ files: [String: String], _ policy: String) throws -> [String] {
    try PeerFiles.withFolder(files) { folder in
      PeerFiles.messages(folder) { () throws(ScenarioRejected) in
        _ = try request(folder, policy.replacing("DIR", with: folder)).load()
      }
    }
  }

  @Test func `a row for each trace by name, and the mean of the numbers`() throws {
    try PeerFiles.withFolder(files) { folder in
      let table = try request(folder, "fixed4").table()
      #expect(table.rows.map(\.names) == [["a"], ["b"]])
      // 95,000 bytes take 200 ms and 100 ms, and the round trip.
      #expect(table.rows.map { $0.values[2].real.map { Int($0 + 0.5) } } == [280, 180])
      #expect(table.rows[0].values[8] == .text(String(repeating: "4", count: 48)))
      #expect(table.mean.map(\.column) == Array(PensieveRequest.columns.dropLast()))
      #expect(table.mean[1].value == 2_850 && table.mean[5].value == 95_000 * 48)
    }
  }

  @Test func `every problem of every file comes in one pass`() throws {
    var files = files
    files["traces/a"] = "0 1\n5\n6 x\n7 -1\n"
    files["traces/b"] = "3 1\n2 1\n"
    files["traces/c"] = "0 5\n1 0\n"
    files["traces/d"] = "1 5\n"
    files["sizes/video_size_2"] = "95000\n0\n1 2\n"
    files["sizes/video_size_3"] = nil
    let found = try messages(files, "fixed6")
    #expect(
      found
        == [
          "DIR/sizes/video_size_2:2:1: size: expected a whole number from 1 to 1000000000, got 0",
          "DIR/sizes/video_size_2:3:1: (file): expected one size in bytes, got 2 fields",
          "DIR/sizes/video_size_3:1:1: (file): expected an existing file, got no file of this name",
          "DIR/traces/a:2:1: (file): expected a time in seconds and a rate in Mbit/s, got 1 field",
          "DIR/traces/a:3:3: rate: expected a number such as 0.5, got x",
          "DIR/traces/a:4:3: rate: expected a number from 0 to 1000000, got -1",
          "DIR/traces/b:2:1: time: expected a time not before 3 s, got 2",
          "DIR/traces/c:1:1: (file): expected a trace that carries at least 1000 bytes, got less",
          "DIR/traces/d:1:1: (file): expected at least 2 rows, got 1",
          "--policy fixed6: policy: expected one of fixed0, fixed1, fixed2, fixed3, fixed4, "
            + "fixed5, bb, rb, levels:FILE, got fixed6 (did you mean fixed0?)",
        ])
  }

  @Test func `a missing folder, a file for one and an empty list of sizes are named`() throws {
    var files = files
    files["traces/a"] = nil
    files["traces/b"] = nil
    files["traces"] = "0 1\n"
    files["sizes/video_size_5"] = "7\n"
    #expect(
      try messages(files, "bb") == [
        "DIR/sizes/video_size_5:1:1: (file): expected at least 48 sizes, got 1",
        "DIR/traces:1:1: (file): expected a folder, got a file",
      ])
    files["traces"] = nil
    files["sizes/video_size_5"] = files["sizes/video_size_0"]
    #expect(
      try messages(files, "bb") == [
        "DIR/traces:1:1: (file): expected an existing folder, got no folder of this name"
      ])
  }

  @Test func `traces that are numbers come in the order of numbers`() {
    let names = ["x", "10", "9", "1a", "100", "Z"].sorted(by: PeerFolder.precedes)
    #expect(names == ["9", "10", "100", "1a", "Z", "x"])
  }

  // MARK: levels:FILE

  private static let rising = (0..<48).map { $0 % 6 }
  private static let falling = rising.map { 5 - $0 }

  private static func text(_ levels: [Int], _ separator: String = "") -> String {
    levels.map(\.description).joined(separator: separator)
  }

  /// The levels of the traces `a` and `b`.
  private func levels(_ text: String) throws -> [PensievePolicy] {
    var files = files
    files["levels"] = text
    return try PeerFiles.withFolder(files) { folder in
      try request(folder, "levels:\(folder)/levels").load().policies
    }
  }

  @Test(arguments: ["", " ", ",", "\n", ", "])
  func `one sequence serves every trace, however it is spaced`(separator: String) throws {
    let levels = try levels(Self.text(Self.rising, separator) + "\n")
    #expect(levels == [.levels(Self.rising), .levels(Self.rising)])
  }

  @Test func `lines by name serve the trace they name`() throws {
    let named = "b,\(Self.text(Self.rising))\na \(Self.text(Self.falling, " "))\nother 9\n"
    #expect(try levels(named) == [.levels(Self.falling), .levels(Self.rising)])
  }

  @Test func `lines without names serve the traces in order`() throws {
    let lines = "\(Self.text(Self.rising))\n\(Self.text(Self.falling, ","))"
    #expect(try levels(lines) == [.levels(Self.rising), .levels(Self.falling)])
  }

  @Test func `levels that do not fit are refused with their line`() throws {
    var files = files
    files["levels"] = "a 0123455\nb \(Self.text(Self.rising))\na \(Self.text(Self.rising))\n"
    #expect(
      try messages(files, "levels:DIR/levels") == [
        "DIR/levels:1:1: (file): expected 48 levels after the name of a trace, got 7",
        "DIR/levels:3:1: trace: expected each trace once, got a",
      ])
    files["levels"] = "a \(Self.text(Self.rising))\n"
    #expect(
      try messages(files, "levels:DIR/levels") == [
        "DIR/levels:1:1: (file): expected a line for trace b, got none"
      ])
    files["levels"] = Self.text(Self.rising.dropLast() + [6])
    #expect(
      try messages(files, "levels:DIR/levels") == [
        "DIR/levels:1:1: level: expected digits from 0 to 5, got \(files["levels"] ?? "")"
      ])
    files["levels"] = "0123"
    #expect(
      try messages(files, "levels:DIR/levels") == [
        "DIR/levels:1:1: (file): expected 48 levels, or a line of 48 for each trace, got 4 levels "
          + "on 1 lines"
      ])
  }
}
