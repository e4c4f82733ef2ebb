import Foundation
import ReferenceFiles
import Testing

@Suite struct ReplayCommandTests {
  /// 600 requests of 39 objects, with sizes, times, lifetimes and three nodes.
  static let trace: String = {
    var text = "time,id,size,ttl,node\n"
    var state: UInt64 = 7
    for index in 0..<600 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let object = (state >> 33) % (1 + (state >> 50) % 40)
      text += "\(index),o\(object),\(100 + object * 7),\(object % 2 * 30),n\(index % 3)\n"
    }
    return text
  }()

  private static func json(_ text: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private static func results(_ text: String) throws -> [[String: Any]] {
    try #require(try json(text)["results"] as? [[String: Any]])
  }

  @Test func `json has the keys of the contract, for any number of threads`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("t.csv", Self.trace)
      let words = [
        "replay", "cache", "t.csv", "--policy", "lru", "--policy", "s3-fifo", "--capacity", "2 kB",
        "--capacity", "4000", "--json",
      ]
      let outcome = try firstframe.run(words)
      #expect(outcome.status == 0 && outcome.error == "", "\(outcome.error)")
      let document = try Self.json(outcome.output)
      #expect(Set(document.keys) == ["schema", "requests", "bytes", "results"])
      #expect(document["schema"] as? Int == 1 && document["requests"] as? Int == 600)
      let results = try Self.results(outcome.output)
      #expect(results.map { $0["policy"] as? String } == ["lru", "lru", "s3-fifo", "s3-fifo"])
      #expect(results.map { $0["capacity"] as? Int } == [2_000, 4_000, 2_000, 4_000])
      for result in results {
        #expect(
          Set(result.keys) == [
            "policy", "capacity", "tier", "requests", "misses", "bytes", "missedBytes",
            "missesSecondHalf", "objectsAtEnd",
          ])
        #expect(result["bytes"] as? Int == document["bytes"] as? Int)
      }
      for threads in ["1", "2", "7"] {
        #expect(try firstframe.run(words + ["--threads", threads]).output == outcome.output)
      }
    }
  }

  @Test func `two tiers have a result for the edges and one for the shield`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("t.csv", Self.trace)
      var misses: [[Int]] = []
      for age in ["inherited", "fresh"] {
        let outcome = try firstframe(
          "replay", "cache", "t.csv", "--edges", "lru:1000", "--shield", "s3-fifo:paper:50%",
          "--ttl", "rfc9111", "--age", age, "--json")
        #expect(outcome.status == 0, "\(outcome.error)")
        let results = try Self.results(outcome.output)
        #expect(results.map { $0["tier"] as? String } == ["edge", "shield"])
        #expect(results.map { $0["policy"] as? String } == ["lru", "s3-fifo:paper"])
        #expect(results[0]["misses"] as? Int == results[1]["requests"] as? Int)
        #expect(results[0]["missedBytes"] as? Int == results[1]["bytes"] as? Int)
        misses.append(results.compactMap { $0["misses"] as? Int })
      }
      // What expires earlier is asked for more often.
      #expect(misses[0][0] > misses[1][0])
    }
  }

  @Test func `curves come as a picture, as JSON, as CSV and as a drawing`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("t.csv", Self.trace)
      let words = ["replay", "cache", "t.csv", "--policy", "lru", "--policy", "sieve", "--mrc"]
      let picture = try firstframe.run(words + ["--mrc-csv", "curve.csv", "--svg", "curve.svg"])
      #expect(picture.status == 0, "\(picture.error)")
      #expect(picture.output.contains("miss ratio by capacity"))
      let document = try Self.json(try firstframe.run(words + ["--json"]).output)
      let curves = try #require(document["mrc"] as? [String: Any])
      #expect(curves["objects"] as? Int == 39)
      #expect(try firstframe.read("curve.csv").hasPrefix("policy,method,capacity,"))
      #expect(try firstframe.read("curve.svg").hasSuffix("</svg>\n"))
    }
  }

  @Test func `SHARDS stands beside the exact curve, and not alone`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("t.csv", Self.trace)
      let words = ["replay", "cache", "t.csv", "--policy", "lru", "--shards", "1%"]
      let outcome = try firstframe.run(words + ["--mrc", "--json"])
      #expect(outcome.status == 0, "\(outcome.error)")
      let mrc = try #require(try Self.json(outcome.output)["mrc"] as? [String: Any])
      let curves = try #require(mrc["curves"] as? [[String: Any]])
      #expect(curves.map { $0["method"] as? String } == ["exact", "shards"])
      let alone = try firstframe.run(words)
      #expect(alone.status == 64 && alone.error.contains("--shards: expected --mrc"))
    }
  }

  @Test func `a run's requests are a trace`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("s.yaml", Program.tiny)
      let run = try firstframe(
        "run", "s.yaml", "--short", "--replications", "1", "--quiet", "--requests", "r.csv")
      #expect(run.status == 0 || run.status == 12, "\(run.error)")
      let lines = try firstframe.read("r.csv").split(separator: "\n")
      #expect(lines.first == "time,id,size,node" && lines.count > 100)
      let replay = try firstframe("replay", "cache", "r.csv", "--mrc", "--shards", "1%", "--json")
      #expect(replay.status == 0, "\(replay.error)")
      #expect(replay.output.contains("\"requests\": \(lines.count - 1)"))
      #expect(
        try firstframe("run", "s.yaml", "--requests", "r.csv", "--set", "world=calls").status != 0)
    }
  }

  @Test func `a sample is labelled as an estimate with its error for LRU`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("t.csv", Self.trace)
      let words = ["replay", "cache", "t.csv", "--policy", "sieve", "--sample", "50%"]
      let text = try firstframe.run(words)
      #expect(text.status == 0 && text.output.contains("estimates from a sample"))
      let document = try Self.json(try firstframe.run(words + ["--json"]).output)
      let sample = try #require(document["sample"] as? [String: Any])
      #expect(sample["rate"] as? Double == 0.5 && sample["lruError"] is Double)
      let results = try #require(document["results"] as? [[String: Any]])
      #expect(results.allSatisfy { $0["requests"] as? Int == 600 })
    }
  }

  @Test(arguments: [
    (["none.csv"], Int32(66), "none.csv:1:1: (file): expected an existing file"),
    (["bad.csv"], 65, "bad.csv:3:3: size: expected a whole number of bytes, got x"),
    (["cut.rec17"], 65, "cut.rec17:1:1: byte 0: expected a whole record"),
    ([], 64, "trace"),
    (["t.csv", "--policy", "seive"], 64, "(did you mean sieve?)"),
    (["t.csv", "--capacity", "10 Mbps"], 64, "--capacity"),
    (["t.csv", "--unit-sizes", "--capacity", "1 GB"], 64, "--capacity"),
    (["t.csv", "--format", "xml"], 64, "oracleGeneral"),
    (["t.csv", "--admission", "some"], 64, "--admission"),
    (["t.csv", "--ttl", "on"], 64, "rfc9111"),
    (["t.csv", "--edges", "lru:1MB"], 64, "--shield"),
    (["t.csv", "--shield", "lru:1MB"], 64, "--edges"),
    (["t.csv", "--edges", "lru", "--shield", "lru:1MB"], 64, "POLICY:CAPACITY"),
    (["t.csv", "--edges", "lru:1", "--shield", "lru:1", "--policy", "lru"], 64, "--policy"),
    (["t.csv", "--age", "fresh"], 64, "--age"),
    (["t.csv", "--sample", "2"], 64, "--sample"),
    (["t.csv", "--sample", "0.000001"], 64, "--sample"),
    (["t.csv", "--threads", "0"], 64, "1...256"),
    (["t.csv", "--query", "no"], 64, "keep, drop"),
    (["t.csv", "--query", "drop"], 64, "cloudfront or common, got csv"),
    (["t.csv", "--policy", "lookahead:x"], 64, "lookahead:REQUESTS"),
    (["t.csv", "--size-table", "bad.csv"], 65, "bad.csv:1:1: size"),
    (["t.csv", "--mrc-csv", "t.csv/curve.csv"], 73, "t.csv: expected a folder"),
  ]) func `usage, bad data and missing files have their codes`(
    _ arguments: [String], _ status: Int32, _ message: String
  ) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("t.csv", Self.trace)
      try firstframe.write("bad.csv", "id,size\na,1\nb,x\n")
      try firstframe.write("cut.rec17", Data([1, 2, 3]))
      let outcome = try firstframe.run(["replay", "cache"] + arguments)
      #expect(outcome.status == status, "\(outcome.error)")
      #expect(outcome.output == "")
      #expect(outcome.error.contains(message), "\(outcome.error)")
    }
  }

  @Test func `what a policy does badly at a capacity is a note`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("t.csv", Self.trace)
      let words = ["replay", "cache", "t.csv", "--capacity", "3GB", "--policy"]
      let narrow = try firstframe.run(words + ["w-tinylfu"])
      #expect(narrow.status == 0, "\(narrow.error)")
      #expect(
        narrow.error.hasPrefix("note: w-tinylfu at 3GB counts next to nothing"), "\(narrow.error)")
      #expect(try firstframe.run(words + ["w-tinylfu:wide"]).error == "")
    }
  }

  @Test(arguments: [["replay"], ["replay", "cache"]])
  func `every level has help with an example`(_ verbs: [String]) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe.run(verbs + ["--help"])
      #expect(outcome.status == 0)
      #expect(outcome.output.contains("Example: firstframe replay cache"))
    }
  }

  // MARK: Against the reference

  private struct Reference: Decodable {
    struct Row: Decodable {
      var algo: String
      var exact: Bool
      var cache_size: Int
      var n_miss: Int
      var n_miss_2nd_half: Int
      var end_n_obj: Int
      var miss_bytes: Int?
    }

    struct Run: Decodable {
      var trace, mode: String
      var ttl: Bool
      var results: [Row]
    }

    var runs: [Run]
  }

  private static let words = [
    "LRU": "lru", "FIFO": "fifo", "Clock1": "clock:1", "Clock2": "clock:2", "Sieve": "sieve",
    "S3FIFO": "s3-fifo", "LFU": "lfu", "ARC": "arc", "TwoQ": "2q", "SLRU4": "slru:4",
    "GDSF": "gdsf",
  ]

  @Test func `every exact row of libCacheSim's comes out of the command`() throws {
    let data = try ReferenceFiles.data("cache/reference.json")
    let runs = try JSONDecoder().decode(Reference.self, from: data).runs
    try Program.inFolder { firstframe in
      for run in runs {
        let trace = try CacheTraceFile.write(run.trace, into: firstframe.folder)
        var common = ["replay", "cache", trace, "--json"]
        if run.mode == "unit" { common.append("--unit-sizes") }
        if run.trace == "T3" {
          common += ["--size-table", ReferenceFiles.path("cache/sizes1024.txt")]
        }
        if run.ttl { common += ["--ttl", "reference"] }
        for size in Set(run.results.map(\.cache_size)).sorted() {
          let rows = run.results.filter { $0.cache_size == size && $0.exact }
          let asked = try rows.flatMap { ["--policy", try #require(Self.words[$0.algo])] }
          let outcome = try firstframe.run(common + asked + ["--capacity", "\(size)"])
          let results = try Self.results(outcome.output)
          #expect(results.count == rows.count)
          for (row, result) in zip(rows, results) {
            let label: Comment = "\(run.trace) \(row.algo) \(size)"
            #expect(result["misses"] as? Int == row.n_miss, label)
            #expect(result["missesSecondHalf"] as? Int == row.n_miss_2nd_half, label)
            #expect(result["objectsAtEnd"] as? Int == row.end_n_obj, label)
            if let bytes = row.miss_bytes {
              #expect(result["missedBytes"] as? Int == bytes, label)
            }
          }
        }
      }
    }
  }
}
