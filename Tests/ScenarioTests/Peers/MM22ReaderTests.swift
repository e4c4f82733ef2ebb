import Foundation
import Models
import Testing

@testable import Scenario

@Suite("MM22's files")
struct MM22ReaderTests {
  private let header = MM22StepRow.columns.joined(separator: ",")

  /// Seven videos of three chunks: 100, 200 and 300 ms at 8 Mbit/s, by level.
  private var files: [String: String] {
    var files = [
      "network_traces/high/0": "0\t1\n1000\t8\n", "network_traces/high/10": "0 1\n1000 16\n",
      "network_traces/high/2": "0 1\n1000 4\n",
      "watch.json": "{\"s1\": [2500, 3000, 3000, 3000, 3000, 3000, 3000],\n"
        + "\"s0\": [0, 1, 2, 3, 4, 5, 3000]}\n",
    ]
    for video in 1...7 {
      for level in 0...2 {
        let size = "\(95_000 * (level + 1))\n"
        files["short_video_size/\(video)_v/video_size_\(level)"] = size + size + size
      }
      files["user_ret/\(video)_v"] = "0\t1\n1\t0.9\n2 0.8\n3\t0.5\n4  0"
    }
    return files
  }

  private func request(_ folder: String) -> MM22Request {
    MM22Request(data: folder, watch: "\(folder)/watch.json")
  }

  @Test func `a row for each sample and trace, as the session itself says`() throws {
    try PeerFiles.withFolder(files) { folder in
      let table = try request(folder).table(policy: "next_one", networkClass: "high")
      #expect(
        table.rows.map(\.names) == [
          ["s1", "0"], ["s1", "2"], ["s1", "10"], ["s0", "0"], ["s0", "2"], ["s0", "10"],
        ])
      let lists = (1...3).map { [Int64](repeating: 95_000 * Int64($0), count: 3) }
      let video = MM22Video(sizes: lists, retention: [1, 0.9, 0.8, 0.5, 0])
      let trace = PeerTrace(times: [0, 1_000], megabits: [1, 4])
      let watch: [Int64] = [0, 1, 2, 3, 4, 5, 3_000]
      var session = MM22Session(
        videos: Array(repeating: video, count: 7), over: trace, watch: watch)
      let outcome = session.run(.nextOne, over: trace, watch: watch)
      let wanted: [PeerValue] = [
        .number(outcome.score), .number(outcome.qoe), .integer(outcome.bytes),
        .integer(outcome.wasted), .number(Double(1_000 * outcome.chunks) / 3_015),
        .integer(outcome.stalled), .integer(outcome.stalledAtStart),
        .integer(outcome.stalled - outcome.stalledAtStart), .integer(outcome.length),
        .integer(Int64(outcome.chunks)),
      ]
      #expect(table.rows[4].values == wanted)
      #expect(table.mean.count == 10)
    }
  }

  @Test func `every problem of every file comes in one pass`() throws {
    var files = files
    files["watch.json"] =
      "{\"a\": [0, 0, 0, 0, 0, 0, 0],\n\"b\": [3001, 1.5, -1, 1, 1, 1, 1],\n"
      + "\"c\": [1, 2],\n\"a\": 7}"
    files["network_traces/high/2"] = "0 1 2\n"
    files["short_video_size/7_v/video_size_1"] = "1\n2\n"
    files["user_ret/3_v"] = "0 0\n1 1.5\n2\n"
    let found = try PeerFiles.withFolder(files) { folder in
      PeerFiles.messages(folder) { () throws(ScenarioRejected) in
        _ = try request(folder).table(policy: "no_safe", networkClass: "high")
      }
    }
    #expect(
      found == [
        "DIR/network_traces/high/2:1:1: (file): expected a time in seconds and a rate in Mbit/s, "
          + "got 3 fields",
        "DIR/short_video_size/7_v/video_size_1:1:1: (file): expected 3 sizes, as at level 0, got 2",
        "DIR/user_ret/3_v:1:3: share: expected a share above 0, got 0",
        "DIR/user_ret/3_v:2:3: share: expected a number from 0 to 1, got 1.5",
        "DIR/user_ret/3_v:3:1: (file): expected a second and a share, got 1 field",
        "DIR/watch.json:1:7: a: expected at least one watch time above 0, got none",
        "DIR/watch.json:2:13: b[1]: expected whole milliseconds from 0, got 1.5",
        "DIR/watch.json:2:18: b[2]: expected whole milliseconds from 0, got -1",
        "DIR/watch.json:4:1: a: expected this key once, got it again (first at DIR/watch.json:1)",
        "DIR/watch.json:4:6: a: expected a list of watch times in ms, got 7",
        "--policy no_safe: policy: expected one of fixed_preload, next_one, no_save, got no_safe "
          + "(did you mean no_save?)",
      ])
  }

  @Test func `watch times are checked against the videos`() throws {
    var files = files
    files["watch.json"] = "{\"b\": [3001, 1, 1, 1, 1, 1, 1],\n\"c\": [1, 2]}"
    let found = try PeerFiles.withFolder(files) { folder in
      PeerFiles.messages(folder) { () throws(ScenarioRejected) in
        _ = try request(folder).table(policy: "no_save", networkClass: "low")
      }
    }
    #expect(
      found == [
        "DIR/network_traces/low:1:1: (file): expected an existing folder, got no folder of this "
          + "name",
        "DIR/watch.json:1:8: b[0]: expected whole milliseconds from 0 to 3000, the length of 1_v, "
          + "got 3001",
        "DIR/watch.json:2:6: c: expected 7 watch times, one for each video, got 2",
      ])
  }

  // MARK: --replay

  /// The steps of a session as the peer would list them.
  private func steps(_ policy: MM22Policy, trace: String, _ folder: String) throws -> [String] {
    var problems = Problems()
    let input = try #require(request(folder).load(into: &problems))
    let traces = MM22Data.traces(at: folder, networkClass: "high", into: &problems)
    let used = try #require(traces.first { $0.name == trace }).trace
    let watch = input.samples[0].watch
    var session = MM22Session(videos: input.videos, over: used, watch: watch)
    var rows: [String] = []
    _ = session.run(policy, over: used, watch: watch) { decision, step in
      let (video, level, sleep) =
        switch decision {
        case .download(let video, let level): (video, level, 0.0)
        case .sleep(let time): (0, 0, time)
        }
      rows.append(
        "\(policy.peerName),high,\(trace),\(video),\(level),\(sleep),\(step.delay),\(step.stall),"
          + "\(step.bytes),\(step.playing),\(step.wasted)")
    }
    return rows
  }

  private func replay(_ rows: [String], _ folder: String) throws -> MM22Replay {
    let text = ([header] + rows).joined(separator: "\r\n")
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/steps.csv"))
    return try request(folder).replay(steps: "\(folder)/steps.csv", sample: "s1")
  }

  @Test func `the model's own steps are reproduced, sessions mixed as they may be`() throws {
    try PeerFiles.withFolder(files) { folder in
      let first = try steps(.fixedPreload, trace: "0", folder)
      let second = try steps(.noSave, trace: "10", folder)
      var mixed: [String] = []
      for index in 0..<max(first.count, second.count) {
        if index < first.count { mixed.append(first[index]) }
        if index < second.count { mixed.append(second[index]) }
      }
      let replay = try replay(mixed, folder)
      let count = first.count + second.count
      #expect(replay.rows == count && count > 50 && replay.mismatches == 0)
      #expect(
        replay.json().text(indent: 0)
          == #"{"schema":1,"mismatches":0,"first":null,"rows":\#(count)}"#)
    }
  }

  @Test func `rows that differ are counted, and the first is shown`() throws {
    try PeerFiles.withFolder(files) { folder in
      var rows = try steps(.nextOne, trace: "0", folder)
      func change(_ row: Int, _ column: Int, _ text: String) {
        var fields = rows[row].split(separator: ",").map { String($0) }
        fields[column] = text
        rows[row] = fields.joined(separator: ",")
      }
      change(2, 6, "381")
      change(4, 10, "1")
      let replay = try replay(rows, folder)
      #expect(replay.mismatches == 2 && replay.rows == rows.count)
      #expect(
        replay.json().text(indent: 0)
          == #"{"schema":1,"mismatches":2,"first":{"row":3,"column":"delay_ms","expected":381.0,"#
          + #""got":380.0},"rows":\#(rows.count)}"#)
    }
  }

  @Test func `a step that the model cannot take is a difference`() throws {
    try PeerFiles.withFolder(files) { folder in
      let row = "x,high,0,5,0,0,180,180,95000,0,0"
      let first = try #require(try replay([row], folder).first)
      #expect(first == MM22Replay.Difference(row: 1, column: "video", expected: 5, got: nil))
    }
  }

  @Test func `every problem of a step list comes in one pass`() throws {
    func messages(_ text: String, sample: String?) throws -> [String] {
      var files = files
      files["steps.csv"] = text
      return try PeerFiles.withFolder(files) { folder in
        PeerFiles.messages(folder) { () throws(ScenarioRejected) in
          _ = try request(folder).replay(steps: "\(folder)/steps.csv", sample: sample)
        }
      }
    }
    let rows = "\np,high,0,0,0,0,x,0,0,0\np,high,0,0,zero,0,0,0,,0,0\n"
    #expect(
      try messages(header + rows, sample: "s2") == [
        "DIR/steps.csv:2:1: (file): expected 11 fields, as in the header, got 10",
        "DIR/steps.csv:3:12: bitrate_level: expected a number such as 0.5, got zero",
        "DIR/steps.csv:3:23: size_bytes: expected a number such as 0.5, got nothing",
        "--sample s2: sample: expected one of s1, s0, got s2 (did you mean s1?)",
      ])
    let wrong = header.replacing("rebuf_ms", with: "rebuff_ms")
    #expect(
      try messages(wrong + "\n", sample: nil) == [
        "DIR/steps.csv:1:1: rebuf_ms: expected a column of this name, got none (did you mean "
          + "rebuff_ms?)",
        "--sample: sample: expected one of s1, s0, got nothing",
      ])
    #expect(
      try messages(header + "\np,high,7,0,0,0,0,0,0,0,0\n", sample: "s1") == [
        "DIR/steps.csv:2:8: trace: expected the name of a trace file, "
          + "got DIR/network_traces/high/7"
      ])
  }
}
