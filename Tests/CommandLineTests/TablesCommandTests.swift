import Foundation
import Testing

/// `run`, `gate` and `sweep` with `--tables`. That the tables have the values of the results is
/// tested in Tests/python.
@Suite struct TablesCommandTests {
  private static let ofRuns = [
    "budgets.csv", "cohorts.csv", "metrics.csv", "replications.csv", "tables.json", "windows.csv",
  ]
  private static let ofFeeds = (ofRuns + ["requests.csv", "views.csv"]).sorted()

  private func texts(_ firstframe: Program, _ folder: String) throws -> [String] {
    try firstframe.names(folder).map { try firstframe.read("\(folder)/\($0)") }
  }

  @Test func `the tables of a run have the same bytes with one thread and seven`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      var found: [[String]] = []
      for threads in ["1", "7"] {
        let outcome = try firstframe(
          "run", "tiny.yaml", "--short", "--quiet", "--threads", threads, "--tables",
          "made/of \(threads)")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try firstframe.names("made/of \(threads)") == Self.ofFeeds)
        found.append(try texts(firstframe, "made/of \(threads)"))
      }
      #expect(found[0] == found[1])
      for (name, text) in zip(Self.ofFeeds, found[0]) where name.hasSuffix(".csv") {
        let lines = text.split(separator: "\n")
        #expect(lines[0].hasPrefix("scenario,digest,"), "\(name)")
        #expect(lines.count > 1 || name == "windows.csv", "\(name)")
      }
    }
  }

  @Test func `a gate has the rows of all its scenarios, and other worlds have no views`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let other = """
        version: 1
        name: words
        world: messages
        replications: 2
        short: {replications: 2}
        messages: {audience: {groups: 5, clients: 2, duration: 1 h}}

        """
      try firstframe.write("words.yaml", other)
      let both = try firstframe(
        "gate", "tiny.yaml", "words.yaml", "--short", "--quiet", "--tables", "tables")
      #expect([0, 13].contains(both.status), "\(both.error)")
      #expect(try firstframe.names("tables") == Self.ofFeeds)
      let metrics = try firstframe.read("tables/metrics.csv").split(separator: "\n").dropFirst()
      #expect(Set(metrics.map { $0.prefix { $0 != "," } }) == ["tiny", "words"])
      let views = try firstframe.read("tables/views.csv").split(separator: "\n").dropFirst()
      #expect(!views.isEmpty && views.allSatisfy { $0.hasPrefix("tiny,") })
      // In the place of these: nothing of them stays.
      let alone = try firstframe("run", "words.yaml", "--short", "--quiet", "--tables", "tables/")
      #expect([0, 13].contains(alone.status), "\(alone.error)")
      #expect(try firstframe.names("tables") == Self.ofRuns)
    }
  }

  @Test func `a sweep has a row for each point and metric, and keys as columns`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let outcome = try firstframe(
        "sweep", "tiny.yaml", "--short", "--quiet", "--replications", "2", "--vary",
        "policy.pool.size=[1, 3]", "--vary", "policy.prefetch.headLength=[2 s, 6 s]", "--metric",
        "ttff_ms.mean", "--tables", "tables")
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(try firstframe.names("tables") == ["points.csv", "replications.csv", "tables.json"])
      let points = try firstframe.read("tables/points.csv").split(separator: "\n")
      #expect(
        points[0].hasPrefix(
          "scenario,point,policy.pool.size,policy.prefetch.headLength,metric,unit,value,"))
      #expect(
        points.dropFirst().map { $0.split(separator: ",")[1...4].joined(separator: ",") }
          == [
            "0,1,2 s,ttff_ms.mean", "1,1,6 s,ttff_ms.mean", "2,3,2 s,ttff_ms.mean",
            "3,3,6 s,ttff_ms.mean",
          ])
      let index = try firstframe.read("tables/tables.json")
      #expect(index.contains(#""name": "policy.pool.size","#))
      // The folder of the sweep has the same values of replications.
      let folder = try #require(
        try firstframe.names("results").first { $0.hasPrefix("tiny-sweep-") })
      #expect(
        try firstframe.read("results/\(folder)/replications.csv")
          == firstframe.read("tables/replications.csv"))
    }
  }

  @Test func `what is no folder of tables is refused before anything is simulated`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      try firstframe.write("file", "mine\n")
      try FileManager.default.createDirectory(
        atPath: firstframe.folder + "/mine", withIntermediateDirectories: true)
      try firstframe.write("mine/note", "mine\n")
      let verbs = [
        ["run", "tiny.yaml"], ["gate", "tiny.yaml"],
        ["sweep", "tiny.yaml", "--vary", "policy.pool.size=[1, 2]"],
      ]
      for verb in verbs {
        for (place, got) in [("file", "a file"), ("mine", "a folder without tables.json")] {
          let outcome = try firstframe.run(verb + ["--short", "--quiet", "--tables", place])
          #expect(outcome.status == 73, "\(verb): \(outcome.error)")
          #expect(
            outcome.error.contains(
              "\(place): expected a folder with tables.json or nothing, got \(got)"))
        }
        for name in ["", ".", "a/..", "/"] {
          let outcome = try firstframe.run(verb + ["--short", "--quiet", "--tables", name])
          #expect(outcome.status == 64, "\(verb): \(outcome.error)")
          #expect(outcome.error.contains("--tables: expected the name of a folder"))
        }
      }
      #expect(try firstframe.names() == ["file", "mine", "tiny.yaml"])
      #expect(try firstframe.names("mine") == ["note"])
    }
  }

  @Test func `a run that was stopped has no views, and says so`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let outcome = try firstframe(
        "run", "tiny.yaml", "--quiet", "--set", "audience.window=1 h", "--time-limit", "1ms",
        "--tables", "tables")
      #expect(outcome.status == 14, "\(outcome.error)")
      #expect(outcome.error.contains("--tables: tiny was stopped, and has no views"))
      #expect(try firstframe.names("tables") == Self.ofRuns)
    }
  }
}
