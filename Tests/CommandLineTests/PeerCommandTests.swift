import Foundation
import ReferenceFiles
import Testing

/// What `firstframe peer … --json` printed.
private struct PeerAnswer {
  var rows: [[String: Any]]
  var mean: [String: Double]

  init(_ outcome: Program.Outcome) throws {
    #expect(outcome.status == 0, "\(outcome.error)")
    let value = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    let object = try #require(value as? [String: Any])
    #expect(object["schema"] as? Int == 1)
    rows = try #require(object["rows"] as? [[String: Any]])
    mean = try #require(object["mean"] as? [String: Double])
  }
}

/// Other programs' outputs.
@Suite struct PeerReferenceCommandTests {
  private static let film = ReferenceFiles.path("peers/film.json")
  private static let network = ReferenceFiles.path("peers/network.json")

  @Test(arguments: [
    ("bola_basic (args: -a bola -ab -ao)", ["--algorithm", "bola", "--basic"]),
    ("bola (args: -a bola -ao)", ["--algorithm", "bola"]),
    ("bola (args: -a bola)", ["--algorithm", "bola", "--no-osc"]),
    ("bolae (args: -a bolae -ao)", ["--algorithm", "bolae"]),
    (
      "throughput_noabandon (args: -a throughput -ao -noa)",
      ["--algorithm", "throughput", "--no-abandon"]
    ),
  ]) func `sabre's example comes out as Sabre prints it`(
    _ name: String, _ options: [String]
  ) throws {
    let file = try ReferenceFiles.object("peers/sabre.json")
    let columns = try #require(file["columns"] as? [String])
    let sets = try #require(file["example_movie_and_network"] as? [String: Any])
    let truth = try #require(sets[name] as? [Double])
    try Program.inFolder { firstframe in
      let answer = try PeerAnswer(
        firstframe.run(
          ["peer", "sabre", "--movie", Self.film, "--network", Self.network, "--json"] + options))
      #expect(answer.rows.count == 1)
      #expect(columns.count == 10)
      for (place, column) in columns.enumerated() {
        let value = try #require(answer.rows[0][column] as? Double, "\(column)")
        let scale = max(1, truth[place].magnitude)
        #expect((value - truth[place]).magnitude <= 1e-5 * scale, "\(column)")
        #expect(answer.mean[column] == value)
      }
    }
  }

  @Test func `sabre reads a table of traces and a buffer`() throws {
    try Program.inFolder { firstframe in
      func rows(_ buffer: String) throws -> [[String: Any]] {
        try PeerInputs.unpacked { peers in
          let options = ["--movie", Self.film, "--traces", peers.table, "--buffer", buffer]
          return try PeerAnswer(
            firstframe.run(["peer", "sabre", "--algorithm", "bola", "--json"] + options)
          ).rows
        }
      }
      let (large, small) = (try rows("25"), try rows("10"))
      #expect(large.count == 4 && small.count == 4)
      #expect(large[0]["trace"] as? String == "report.2010-09-20_1542CEST")
      let score = "time average score"
      #expect(large.map { $0[score] as? Double } != small.map { $0[score] as? Double })
    }
  }
}

extension PeerReferenceCommandTests {
  @Test(arguments: ["fixed0", "fixed5", "bb", "rb"])
  func `pensieve's policies come out as Pensieve has them`(_ policy: String) throws {
    let file = try ReferenceFiles.object("peers/pensieve.json")
    let columns = try #require(file["columns"] as? [String])
    let policies = try #require(file["policies"] as? [String: [String: Any]])
    let truth = try #require(policies[policy]?["per_trace"] as? [String: [Any]])
    try Program.inFolder { firstframe in
      let answer = try PeerInputs.unpacked { peers in
        try PeerAnswer(
          firstframe(
            "peer", "pensieve", "--traces", peers.traces, "--sizes", peers.sizes, "--policy",
            policy, "--json"))
      }
      #expect(answer.rows.count == truth.count && truth.count == 6)
      for row in answer.rows {
        let name = try #require(row["trace"] as? String)
        let expected = try #require(truth[name])
        for (place, column) in columns.enumerated() {
          if let number = expected[place] as? Double {
            let value = try #require(row[column] as? Double, "\(column)")
            // The reference has nine decimals.
            #expect((value - number).magnitude <= 1e-6, "\(name) \(column)")
          } else {
            #expect(row[column] as? String == expected[place] as? String, "\(name) \(column)")
          }
        }
      }
    }
  }
}

@Suite struct PeerCommandTests {
  static let movie = """
    {"segment_duration_ms": 2000, "bitrates_kbps": [300, 900],
     "segment_sizes_bits": [[600000, 1800000], [600000, 1800000], [600000, 1800000]]}
    """
  static let network = #"[{"duration_ms": 1000, "bandwidth_kbps": 600, "latency_ms": 100}]"#

  @Test func `sabre plays a small film`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("movie.json", Self.movie)
      try firstframe.write("network.json", Self.network)
      let arguments = [
        "peer", "sabre", "--movie", "movie.json", "--network", "network.json", "--algorithm",
        "throughput",
      ]
      let answer = try PeerAnswer(firstframe.run(arguments + ["--json"]))
      #expect(answer.rows.count == 1)
      #expect(answer.rows[0]["trace"] as? String == "network")
      // 600,000 bits at 600 kbit/s.
      #expect(answer.rows[0]["startup_time_ms"] as? Double == 1000)
      let table = try firstframe.run(arguments)
      #expect(table.status == 0)
      #expect(table.output.split(separator: "\n").count == 3)
      #expect(table.output.contains("startup_time_ms"))
    }
  }

  @Test func `problems of all files come in one pass with code 65`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("movie.json", Self.movie.replacing("2000", with: "-1"))
      try firstframe.write("network.json", Self.network.replacing("600", with: "\"x\""))
      let outcome = try firstframe(
        "peer", "sabre", "--movie", "movie.json", "--network", "network.json", "--algorithm",
        "bola", "--json")
      #expect(outcome.status == 65)
      #expect(outcome.output == "")
      let lines = outcome.error.split(separator: "\n")
      #expect(lines.contains { $0.hasPrefix("movie.json:1:") })
      #expect(lines.contains { $0.hasPrefix("network.json:1:") })
    }
  }

  @Test(arguments: [
    (
      ["sabre", "--movie", "none.json", "--network", "n", "--algorithm", "bola"], Int32(66),
      "none.json"
    ),
    (["sabre", "--movie", "m", "--algorithm", "bola"], 64, "--network and --traces, got neither"),
    (
      ["sabre", "--movie", "m", "--network", "n", "--traces", "t", "--algorithm", "bola"], 64,
      "got both"
    ),
    (["sabre", "--movie", "m", "--network", "n", "--algorithm", "bla"], 64, "got bla"),
    (
      ["sabre", "--movie", "m", "--network", "n", "--algorithm", "bola", "--replace", "right"], 64,
      "expected left, got right"
    ),
    (
      ["sabre", "--movie", "m", "--network", "n", "--algorithm", "bola", "--buffer", "0"], 64,
      "--buffer"
    ),
    (["pensieve", "--traces", "t", "--sizes", "s"], 64, "--policy"),
    (
      ["pensieve", "--traces", "none", "--sizes", "none", "--policy", "bb"], 66, "none:1:1: (file)"
    ),
    (["mm22", "--data", "d", "--watch", "w"], 64, "expected --policy and --class, or --replay"),
    (
      ["mm22", "--data", "d", "--watch", "w", "--policy", "next_on", "--class", "high"], 64,
      "got next_on"
    ),
    (
      [
        "mm22", "--data", "d", "--watch", "w", "--policy", "next_one", "--class", "high",
        "--replay", "s",
      ], 64, "got both"
    ),
    (
      ["mm22", "--data", "d", "--watch", "w", "--policy", "no_save", "--class", "high"], 66,
      "short_video_size"
    ),
    (["sbare"], 64, "sbare"),
  ]) func `usage and missing files have their codes`(
    _ arguments: [String], _ status: Int32, _ message: String
  ) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe.run(["peer"] + arguments)
      #expect(outcome.status == status)
      #expect(outcome.output == "")
      #expect(outcome.error.contains(message), "\(outcome.error)")
    }
  }

  /// Seven videos of two chunks, a trace of 1 Mbit/s, everybody watches to the end.
  private static func writeChallenge(_ firstframe: Program) throws {
    let files = FileManager.default
    for folder in ["d/network_traces/high", "d/user_ret"] {
      try files.createDirectory(
        atPath: "\(firstframe.folder)/\(folder)", withIntermediateDirectories: true)
    }
    try firstframe.write("d/network_traces/high/0", "0 1\n1000 1\n")
    for video in 1...7 {
      let folder = "d/short_video_size/v\(video)"
      try files.createDirectory(
        atPath: "\(firstframe.folder)/\(folder)", withIntermediateDirectories: true)
      for (level, size) in [47_500, 71_250, 95_000].enumerated() {
        try firstframe.write("\(folder)/video_size_\(level)", "\(size)\n\(size)\n")
      }
      try firstframe.write("d/user_ret/v\(video)", "0 1.0\n1 0.9\n2 0.8\n")
    }
    let watch = [Int](repeating: 2000, count: 7)
    try firstframe.write("watch.json", "{\"all\": \(watch)}")
  }

  @Test func `mm22 runs a policy over every sample and trace`() throws {
    try Program.inFolder { firstframe in
      try Self.writeChallenge(firstframe)
      let answer = try PeerAnswer(
        firstframe(
          "peer", "mm22", "--data", "d", "--watch", "watch.json", "--policy", "next_one",
          "--class", "high", "--json"))
      #expect(answer.rows.count == 1)
      #expect(
        Set(answer.rows[0].keys) == [
          "sample", "trace", "score", "qoe", "bandwidth_bytes", "wasted_bytes",
          "downloaded_over_watched", "rebuffer_ms", "startup_stall_ms", "mid_stall_ms",
          "session_ms", "chunks",
        ])
      #expect(answer.rows[0]["sample"] as? String == "all")
      #expect(answer.rows[0]["chunks"] as? Int == 14)
      #expect(answer.rows[0]["bandwidth_bytes"] as? Int == 14 * 95_000)
      #expect(answer.mean["chunks"] == 14)
    }
  }

  @Test func `mm22 counts the rows of a step list that come out otherwise`() throws {
    try Program.inFolder { firstframe in
      try Self.writeChallenge(firstframe)
      let header =
        "policy,class,trace,video,bitrate_level,sleep_ms,delay_ms,rebuf_ms,size_bytes,"
        + "playing_video_after,wasted_bytes\n"
      func replay(_ rows: String) throws -> [String: Any] {
        try firstframe.write("steps.csv", header + rows)
        let outcome = try firstframe(
          "peer", "mm22", "--data", "d", "--watch", "watch.json", "--replay", "steps.csv",
          "--sample", "all", "--json")
        #expect(outcome.status == 0, "\(outcome.error)")
        let value = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
        return try #require(value as? [String: Any])
      }
      // 95,000 bytes at 95 % of 1 Mbit/s are 800 ms, and 80 ms on top; all of it is a stall.
      let first = "x,high,0,0,2,0,880,880,95000,0,0\n"
      let good = try replay(first + "x,high,0,0,2,0,880,0,95000,0,0\n")
      #expect(good["mismatches"] as? Int == 0 && good["rows"] as? Int == 2)
      #expect(good["first"] is NSNull)
      let bad = try replay(first + "x,high,0,0,2,0,881,0,95000,0,0\n")
      #expect(bad["mismatches"] as? Int == 1)
      let difference = try #require(bad["first"] as? [String: Any])
      #expect(difference["row"] as? Int == 2)
      #expect(difference["column"] as? String == "delay_ms")
      #expect(difference["expected"] as? Double == 881)
      #expect(difference["got"] as? Double == 880)
    }
  }
}
